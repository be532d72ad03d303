//! The browser's part: WASM and its glue, the style sheet, public files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::{steps, tools, workspace};

mod bare;
mod pack;
pub mod sizes;
mod split;

/// The WebAssembly features that the compiler uses by default.
const FEATURES: [&str; 6] =
    ["bulk-memory", "multivalue", "mutable-globals", "nontrapping-float-to-int", "reference-types", "sign-ext"];

/// The minifier takes a second to start and would save only a few bytes of a module up to this size.
const SMALL: u64 = 6_000;
/// The file that names the folder of the newest build, below `pkg`; the server reads it at startup.
const BUILD: &str = "BUILD";

/// Builds everything under the site folder; skips what is up to date.
pub fn build(release: bool) -> Result<PathBuf> {
    tools::ensure_wasm_target()?;
    let wasm = compile(release)?;
    let site = workspace::site_dir(release);
    let pkg = site.join("pkg");
    fs::create_dir_all(&pkg)?;
    if tools::is_stale(&pkg.join(BUILD), &wasm) {
        let made = pkg.join("new");
        let _ = fs::remove_dir_all(&made);
        fs::create_dir_all(&made)?;
        split::split(&wasm, &made, release)?;
        if release {
            optimise(&split::modules(&made)?)?;
        }
        pack::pack(&made)?;
        if release {
            compress(&made)?;
        }
        let name = split::digest(&made)?;
        clear(&pkg)?;
        fs::rename(&made, pkg.join(&name))?;
        // Write it even if the name is the same: its age shows that the module was checked.
        fs::write(pkg.join(BUILD), name)?;
    }
    styles(&pkg)?;
    copy_tree(&workspace::root().join("public"), &site)?;
    if release {
        sizes::check(&built(&site)?)?;
    }
    Ok(site)
}

/// Returns the folder of the newest build.
pub fn built(site: &Path) -> Result<PathBuf> {
    let pkg = site.join("pkg");
    Ok(pkg.join(fs::read_to_string(pkg.join(BUILD)).context("the interface was not built")?))
}

/// Removes what earlier builds left. An open page that still needs those files says that it could not load them.
fn clear(pkg: &Path) -> Result<()> {
    for entry in fs::read_dir(pkg)?.flatten() {
        let name = entry.file_name();
        if entry.file_type()?.is_dir() && name != "new" {
            fs::remove_dir_all(entry.path())?;
        } else if name.to_str().is_some_and(|name| name.starts_with("web.js") || name.starts_with("web_bg.wasm")) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn compile(release: bool) -> Result<PathBuf> {
    let mut cargo = workspace::cargo();
    cargo.args(["rustc", "--locked", "-p", "frontend", "--lib", "--crate-type", "cdylib"]);
    cargo.args(["--target", "wasm32-unknown-unknown"]);
    if release {
        // Override the release profile for this call only: a profile of its own would compile every proc macro again.
        cargo.arg("--release");
        for (key, value) in
            [("OPT_LEVEL", "z"), ("LTO", "fat"), ("CODEGEN_UNITS", "1"), ("PANIC", "abort"), ("STRIP", "none")]
        {
            cargo.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
        }
    } else {
        // Each page that a browser opens pays for the module's size. Libraries are compiled for size once. Our own part changes
        // with every edit, and the compiler would take three times as long.
        for (key, value) in [("OPT_LEVEL", "s"), ("DEBUG", "0"), ("STRIP", "debuginfo")] {
            cargo.env(format!("CARGO_PROFILE_DEV_{key}"), value);
        }
        for package in ["adagent-app", "frontend"] {
            cargo.args(["--config", &format!("profile.dev.package.{package}.opt-level=0")]);
        }
    }
    // The splitter reads from the relocations which code refers to which.
    cargo.args(["--", "-Clink-arg=--emit-relocs"]);
    steps::run("building the interface (WASM)", &mut cargo)?;
    let profile = if release { "release" } else { "debug" };
    Ok(workspace::target_dir().join("wasm32-unknown-unknown").join(profile).join("frontend.wasm"))
}

fn optimise(modules: &[PathBuf]) -> Result<()> {
    let wasm_opt = tools::ensure_npm()?.join(".bin/wasm-opt");
    steps::say("minifying the WASM");
    for module in modules {
        if fs::metadata(module)?.len() > SMALL {
            let mut command = Command::new(&wasm_opt);
            // Enable what the compiler uses, but never --all-features: Chromium refuses the result.
            command.args(FEATURES.map(|feature| format!("--enable-{feature}"))).args(["-Oz", "--quiet"]);
            command.arg(module).arg("-o").arg(module).stderr(Stdio::null());
            if !command.status().context("cannot start wasm-opt")?.success() {
                bail!("wasm-opt could not minify {}", module.display());
            }
        }
        let bytes = fs::read(module)?;
        let bare = bare::without_custom(&bytes).with_context(|| format!("{} is no module", module.display()))?;
        fs::write(module, bare)?;
    }
    Ok(())
}

/// Writes `.br` and `.gz` files next to each file, because compressing WASM per request takes seconds.
fn compress(folder: &Path) -> Result<()> {
    const SCRIPT: &str = "const z=require('zlib'),f=require('fs'),d=process.argv[1];\
        for(const n of f.readdirSync(d).filter(n=>/[.](wasm|js)$/.test(n))){const p=d+'/'+n,b=f.readFileSync(p);\
        f.writeFileSync(p+'.br',z.brotliCompressSync(b,{params:{[z.constants.BROTLI_PARAM_QUALITY]:11,[z.constants.BROTLI_PARAM_LGWIN]:24,[z.constants.BROTLI_PARAM_SIZE_HINT]:b.length}}));\
        f.writeFileSync(p+'.gz',z.gzipSync(b,{level:9}))}";
    let mut node = Command::new("node");
    node.args(["-e", SCRIPT]).arg(folder).stdin(Stdio::null());
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
