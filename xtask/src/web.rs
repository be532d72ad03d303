//! The browser's half: WASM and its glue, the style sheet, public files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::{steps, tools, workspace};

/// Builds everything under the site folder; does nothing that is already done.
pub fn build(release: bool) -> Result<PathBuf> {
    tools::ensure_wasm_target()?;
    let wasm = compile(release)?;
    let site = workspace::site_dir(release);
    let pkg = site.join("pkg");
    fs::create_dir_all(&pkg)?;
    let module = pkg.join("web_bg.wasm");
    if tools::is_stale(&module, &wasm) {
        bind(&wasm, &pkg, release)?;
        if release {
            optimise(&module)?;
            compress(&module)?;
            compress(&pkg.join("web.js"))?;
        }
    }
    styles(&pkg)?;
    copy_tree(&workspace::root().join("public"), &site)?;
    Ok(site)
}

fn compile(release: bool) -> Result<PathBuf> {
    let mut cargo = workspace::cargo();
    cargo.args(["build", "--locked", "-p", "frontend", "--target", "wasm32-unknown-unknown"]);
    if release {
        // The release profile for this call only: a profile of its own would compile every proc macro once more.
        cargo.arg("--release");
        for (key, value) in
            [("OPT_LEVEL", "z"), ("LTO", "fat"), ("CODEGEN_UNITS", "1"), ("PANIC", "abort"), ("STRIP", "none")]
        {
            cargo.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
        }
    } else {
        // Each page a browser opens pays for the module's size. Libraries are made small once; our own part, which changes with
        // every edit, would take the compiler three times as long.
        for (key, value) in [("OPT_LEVEL", "s"), ("DEBUG", "0"), ("STRIP", "debuginfo")] {
            cargo.env(format!("CARGO_PROFILE_DEV_{key}"), value);
        }
        for package in ["adagent-app", "frontend"] {
            cargo.args(["--config", &format!("profile.dev.package.{package}.opt-level=0")]);
        }
    }
    steps::run("building the interface (WASM)", &mut cargo)?;
    let profile = if release { "release" } else { "debug" };
    Ok(workspace::target_dir().join("wasm32-unknown-unknown").join(profile).join("frontend.wasm"))
}

fn bind(wasm: &Path, pkg: &Path, release: bool) -> Result<()> {
    steps::say("making the WASM glue");
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(wasm)
        .web(true)?
        .typescript(false)
        .omit_default_module_path(false)
        .debug(false)
        .keep_debug(false)
        // Names of functions stay in development: a panic's backtrace is read by people.
        .remove_name_section(release)
        .out_name("web");
    bindgen.generate(pkg).context("wasm-bindgen could not process the module")
}

fn optimise(module: &Path) -> Result<()> {
    let wasm_opt = tools::ensure_npm()?.join(".bin/wasm-opt");
    let mut command = Command::new(wasm_opt);
    // Never --all-features: Chromium refuses the result.
    command.arg("-Oz").arg(module).arg("-o").arg(module);
    steps::run("minifying the WASM", &mut command)
}

/// Writes `.br` and `.gz` beside the file: compressing WASM on the fly takes seconds.
fn compress(file: &Path) -> Result<()> {
    const SCRIPT: &str = "const z=require('zlib'),f=require('fs'),p=process.argv[1],b=f.readFileSync(p);\
        f.writeFileSync(p+'.br',z.brotliCompressSync(b,{params:{[z.constants.BROTLI_PARAM_QUALITY]:11,[z.constants.BROTLI_PARAM_SIZE_HINT]:b.length}}));\
        f.writeFileSync(p+'.gz',z.gzipSync(b,{level:9}))";
    let mut node = Command::new("node");
    node.args(["-e", SCRIPT]).arg(file).stdin(Stdio::null());
    steps::run("compressing", &mut node)
}

/// Concatenates the style sheets in the order of their cascade layers.
fn styles(pkg: &Path) -> Result<()> {
    let folder = workspace::root().join("style");
    let mut parts = vec![folder.join("tokens.css"), folder.join("base.css")];
    for group in ["ui", "features"] {
        let mut files: Vec<PathBuf> = match fs::read_dir(folder.join(group)) {
            Ok(entries) => entries
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|e| e == "css"))
                .collect(),
            Err(_) => Vec::new(),
        };
        files.sort();
        parts.extend(files);
    }
    let mut css = Vec::new();
    for part in parts {
        let text = fs::read(&part).with_context(|| format!("{} is missing", part.display()))?;
        css.extend_from_slice(&text);
        css.push(b'\n');
    }
    write_if_changed(&pkg.join("web.css"), &css)
}

fn write_if_changed(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    fs::File::create(path)?.write_all(content)?;
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        bail!("{} is missing", from.display());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else if tools::is_stale(&target, &entry.path()) {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}
