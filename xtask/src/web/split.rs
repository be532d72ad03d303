//! Splits the module at the split points of the app and makes its glue: the code that every page loads, and files that load
//! separately.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use wasm_bindgen_cli_support::Bindgen;
use wasm_split_cli_support::Options;

use crate::steps;

/// The name under which `leptos` looks for this file next to the glue.
pub const LINK: &str = "./__wasm_split.______________________.js";
pub const MANIFEST: &str = "__wasm_split_manifest.json";

/// The files that each part needs, by the name of the part, without `.wasm`.
pub type Needed = BTreeMap<String, Vec<String>>;

/// Writes the module's parts and their glue into an empty folder.
pub fn split(wasm: &Path, folder: &Path, release: bool) -> Result<()> {
    steps::say("splitting the WASM");
    let input = fs::read(wasm)?;
    let main = folder.join("web.wasm");
    let mut options = Options::new(&input);
    options.output_dir = folder;
    options.main_out_path = &main;
    options.link_name = LINK;
    options.main_module = "./web.js";
    let parts = wasm_split_cli_support::transform(options)
        .map_err(|error| anyhow!("{error:?}"))
        .context("the module could not be split; is it linked with --emit-relocs?")?;
    let needed: Needed = parts.prefetch_map.into_iter().collect();
    fs::write(folder.join(MANIFEST), serde_json::to_string_pretty(&needed)?)?;
    steps::say("making the WASM glue");
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(&main)
        .web(true)?
        .typescript(false)
        .omit_default_module_path(false)
        // The parts import these.
        .keep_lld_exports(true)
        .debug(false)
        .keep_debug(false)
        // Keep function names in development, because people read the backtrace of a panic.
        .remove_name_section(release)
        .out_name("web");
    bindgen.generate(folder).context("wasm-bindgen could not process the module")?;
    fs::remove_file(main)?;
    Ok(())
}

/// Returns every module in the folder.
pub fn modules(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "wasm"))
        .collect();
    found.sort();
    Ok(found)
}

/// Returns a name made from the folder's contents: browsers keep its files forever, and a page never gets parts of another build.
pub fn digest(folder: &Path) -> Result<String> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.file_name().hash(&mut hasher);
        fs::read(&file)?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}
