//! The files with strings that people read.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::workspace;

/// Files and folders, from the root of the checkout.
const READ_BY_PEOPLE: &[&str] = &[
    "README.md",
    "app/src",
    "crates/config/src",
    "crates/contract/src",
    "crates/domain/src",
    "crates/http/src",
    "crates/identity/src",
    "crates/llm/src",
    "crates/mcp/src",
    "crates/networks/catalog",
    "crates/networks/reports",
    "crates/networks/src",
    "crates/run-core/src",
    "crates/runtime/src",
    "crates/service/src",
    "crates/understanding/src/planner",
    "docs/mcp.md",
    "docs/operations.md",
    "docs/performance.md",
    "docs/security.md",
    "server/src",
    "xtask/src",
];

/// Files that people do not read: tests, samples for developers, instructions to models, and the list of ruled-out words itself.
const LEFT_OUT: &[&str] = &[
    "/tests/",
    "/fixtures",
    "app/src/features/dev_ui/",
    "crates/llm/src/prompt.rs",
    "registry/tenth/",
    "xtask/src/strings/",
];

/// Checks whether the doc comments of this file are the help of a command.
pub fn is_command_line(file: &str) -> bool {
    file == "server/src/main.rs" || file.starts_with("xtask/src/")
}

/// Returns every file with strings that people read, in order.
pub fn files() -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for place in READ_BY_PEOPLE {
        collect(&workspace::root().join(place), &mut files)?;
    }
    Ok(files)
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_dir() {
        let entries = fs::read_dir(path).with_context(|| format!("cannot list {}", path.display()))?;
        let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        inside.sort();
        return inside.iter().try_for_each(|path| collect(path, files));
    }
    // A place that no longer exists must leave the list: a check that reads nothing finds nothing.
    anyhow::ensure!(path.exists(), "{} is listed in xtask/src/strings/places.rs and does not exist", path.display());
    let name = path.to_string_lossy().replace('\\', "/");
    let is_test = name.ends_with("tests.rs") || LEFT_OUT.iter().any(|part| name.contains(part));
    if !is_test && path.extension().is_some_and(|e| e == "rs" || e == "json" || e == "md") {
        files.push(path.to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_answers_are_listed_and_tests_are_not() {
        let names: Vec<String> =
            files().expect("listed").iter().map(|path| path.to_string_lossy().replace('\\', "/")).collect();
        assert!(names.iter().any(|name| name.ends_with("app/src/features/api/error.rs")), "{names:?}");
        assert!(names.iter().any(|name| name.ends_with("README.md")));
        assert!(!names.iter().any(|name| name.contains("/tests/") || name.ends_with("tests.rs")));
    }
}
