//! Generated files: `cargo xtask generate` writes them, and `cargo xtask check` finds outdated ones.

mod networks;
mod tools;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::{steps, workspace};

/// A file with the content that the code or the data requires.
struct Generated {
    path: PathBuf,
    content: Vec<u8>,
}

fn all() -> Result<Vec<Generated>> {
    let root = workspace::root();
    let mut files = vec![Generated { path: root.join("docs/api/openapi.json"), content: openapi()? }];
    let catalog = root.join("crates/networks/catalog");
    let tools = tools::list(&catalog)?;
    files.push(Generated { path: root.join("crates/scorer/data/operations.json"), content: tools.into_bytes() });
    for (name, content) in networks::pages(&catalog)? {
        files.push(Generated { path: networks_folder(&root).join(name), content: content.into_bytes() });
    }
    Ok(files)
}

fn networks_folder(root: &Path) -> PathBuf {
    root.join("docs/networks")
}

/// Returns the OpenAPI document of the current code.
fn openapi() -> Result<Vec<u8>> {
    let output = workspace::cargo()
        .args(["run", "--quiet", "--locked", "-p", "adagent-http", "--example", "openapi"])
        .output()
        .context("cannot run the OpenAPI example")?;
    if !output.status.success() {
        bail!("the OpenAPI document could not be made:\n{}", steps::tail(&String::from_utf8_lossy(&output.stderr), 15));
    }
    Ok(output.stdout)
}

/// Writes the files, and removes the pages of networks that no longer exist.
pub fn run() -> Result<()> {
    let files = all()?;
    for Generated { path, content } in &files {
        fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
        fs::write(path, content)?;
        println!("wrote {}", path.display());
    }
    for left in left_over(&networks_folder(&workspace::root()), &files) {
        fs::remove_file(&left)?;
        println!("removed {}", left.display());
    }
    Ok(())
}

/// Names the generated files that differ from their sources.
pub fn stale() -> Result<Vec<String>> {
    let files = all()?;
    let changed = files.iter().filter(|file| fs::read(&file.path).ok().as_ref() != Some(&file.content));
    let mut found: Vec<PathBuf> = changed.map(|file| file.path.clone()).collect();
    found.extend(left_over(&networks_folder(&workspace::root()), &files));
    Ok(found.iter().map(|path| format!("{} is stale: run `cargo xtask generate`", path.display())).collect())
}

fn left_over(folder: &Path, files: &[Generated]) -> Vec<PathBuf> {
    let there = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    there.filter(|path| !files.iter().any(|file| file.path == *path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_a_network_that_is_gone_is_left_over() {
        let folder = std::env::temp_dir().join(format!("adagent-generate-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        for name in ["kept.md", "gone.md"] {
            fs::write(folder.join(name), "").expect("written");
        }
        let files = [Generated { path: folder.join("kept.md"), content: Vec::new() }];
        let found = left_over(&folder, &files);
        fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(found, [folder.join("gone.md")]);
    }
}
