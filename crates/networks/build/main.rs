//! Checks the catalog files and packs them: without whitespace, with shared sub-schemas in place, and with long value lists in a separate
//! file.
//!
//! A file that breaks a rule stops the build. The message names the file, the operation and the mistake. The build must never correct or
//! add a fact.

mod refs;
mod rules;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use serde_json::Value as Json;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=catalog");
    println!("cargo::rerun-if-changed=build");
    match run(Path::new("catalog")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            for problem in problems {
                println!("cargo::error={problem}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &Path) -> Result<(), Vec<String>> {
    let files = read(folder).map_err(|problem| vec![problem])?;
    let problems = rules::problems(&files);
    if !problems.is_empty() {
        return Err(problems);
    }
    for (name, mut file) in files {
        let values = file.as_object_mut().and_then(|file| file.shift_remove("enums"));
        refs::put_in_place(&mut file);
        write(&format!("{name}.json"), &file)?;
        write(&format!("{name}.values.json"), &values.unwrap_or_else(|| Json::Object(serde_json::Map::new())))?;
    }
    Ok(())
}

fn read(folder: &Path) -> Result<Vec<(String, Json)>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let parse = |path: PathBuf| {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let file = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), file))
    };
    paths.into_iter().map(parse).collect()
}

fn write(name: &str, value: &Json) -> Result<(), Vec<String>> {
    #[expect(clippy::disallowed_methods, reason = "cargo tells a build script only this way where to write")]
    let folder = std::env::var("OUT_DIR").map_err(|error| vec![format!("OUT_DIR: {error}")])?;
    fs::write(Path::new(&folder).join(name), value.to_string()).map_err(|error| vec![format!("{name}: {error}")])
}
