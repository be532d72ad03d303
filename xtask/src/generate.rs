//! Generated files: written by `cargo xtask generate`, held up to date by `cargo xtask check`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::{steps, workspace};

fn document() -> PathBuf {
    workspace::root().join("docs/api/openapi.json")
}

/// The OpenAPI document as the code describes it now.
fn current_document() -> Result<Vec<u8>> {
    let output = workspace::cargo()
        .args(["run", "--quiet", "--locked", "-p", "adagent-http", "--example", "openapi"])
        .output()
        .context("cannot run the OpenAPI example")?;
    if !output.status.success() {
        bail!("the OpenAPI document could not be made:\n{}", steps::tail(&String::from_utf8_lossy(&output.stderr), 15));
    }
    Ok(output.stdout)
}

/// Writes the files.
pub fn run() -> Result<()> {
    let path = document();
    fs::create_dir_all(path.parent().context("the document has a folder")?)?;
    fs::write(&path, current_document()?)?;
    println!("wrote {}", path.display());
    Ok(())
}

/// Names generated files that no longer say what the code says.
pub fn stale() -> Result<Vec<String>> {
    let path = document();
    let same = fs::read(&path).ok() == Some(current_document()?);
    Ok(if same { Vec::new() } else { vec![format!("{} is stale: run `cargo xtask generate`", path.display())] })
}
