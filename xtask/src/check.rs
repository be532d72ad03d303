//! Our rules that no compiler checks: which crate may depend on which, migrations in pairs, file sizes, forbidden words.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::workspace;

mod circles;

/// Our crates, and which ones each may name in `[dependencies]`. A crate may depend only on crates above it in this list.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("contract", &["domain"]),
    ("config", &[]),
    ("sandbox", &[]),
    ("telemetry", &["domain"]),
    ("store", &["domain", "contract"]),
    ("llm", &["domain", "contract", "tools"]),
    ("tools", &["domain", "contract"]),
    ("outgoing", &["domain"]),
    ("oauth", &[]),
    ("networks", &["domain", "contract", "outgoing", "oauth", "tools"]),
    ("sources", &["domain", "contract", "outgoing", "oauth", "tools"]),
    ("natives", &["domain", "contract", "store", "tools"]),
    ("run-core", &["domain", "contract"]),
    ("store-sqlite", &["domain", "contract", "store"]),
    ("store-postgres", &["domain", "contract", "store"]),
    ("identity", &["domain", "store"]),
    ("scorer", &["domain", "contract"]),
    ("understanding", &["domain", "contract", "llm", "scorer", "tools"]),
    ("runtime", &["domain", "contract", "store", "run-core", "llm", "tools"]),
    // For tests only: no row names it, so no crate of the product may depend on it.
    ("simulation", &["domain", "contract", "store", "run-core", "llm", "tools", "runtime"]),
    (
        "service",
        &[
            "domain",
            "contract",
            "store",
            "identity",
            "tools",
            "networks",
            "outgoing",
            "oauth",
            "sources",
            "runtime",
            "run-core",
            "llm",
            "understanding",
        ],
    ),
    ("http", &["domain", "contract", "identity", "service"]),
    ("mcp", &["domain", "contract", "tools", "service"]),
    ("app", &["domain", "contract", "service"]),
];

/// The only crates, besides tests, that may name adapters.
const COMPOSITION: &[&str] = &[
    "server",
    "adagent-bench",
    "adagent-testkit",
    "adagent-fuzzing",
    "adagent-eval",
    "adagent-trial",
    "frontend",
    "xtask",
];

/// The highest number of lines in a source file.
const MAX_LINES: usize = 800;

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
}

/// Runs every check and lists all findings.
pub fn run() -> Result<()> {
    let findings = findings()?;
    if findings.is_empty() {
        println!("check: no finding");
        return Ok(());
    }
    for finding in &findings {
        eprintln!("check: {finding}");
    }
    bail!("{} finding(s)", findings.len())
}

/// Returns all findings as sentences.
pub fn findings() -> Result<Vec<String>> {
    let mut found = dependency_direction()?;
    found.extend(migration_pairs()?);
    found.extend(long_files()?);
    found.extend(allowed_lints()?);
    found.extend(crate_doc_lines()?);
    found.extend(circles::findings()?);
    found.extend(crate::strings::findings()?);
    found.extend(crate::generate::stale()?);
    Ok(found)
}

fn dependency_direction() -> Result<Vec<String>> {
    let output = workspace::cargo().args(["metadata", "--no-deps", "--format-version", "1", "--offline"]).output()?;
    let metadata: Metadata = serde_json::from_slice(&output.stdout).context("cargo metadata gave no JSON")?;
    Ok(direction_findings(&metadata))
}

fn direction_findings(metadata: &Metadata) -> Vec<String> {
    let rules: BTreeMap<String, &[&str]> =
        MAY_DEPEND_ON.iter().map(|(name, allowed)| (format!("adagent-{name}"), *allowed)).collect();
    let mut found = Vec::new();
    for package in &metadata.packages {
        if COMPOSITION.contains(&package.name.as_str()) {
            continue;
        }
        let Some(allowed) = rules.get(&package.name) else {
            found.push(format!("{} has no row in the table of xtask/src/check.rs", package.name));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|d| d.kind.is_none()) {
            if let Some(short) = dependency.name.strip_prefix("adagent-")
                && !allowed.contains(&short)
            {
                found.push(format!("{} must not depend on {}", package.name, dependency.name));
            }
        }
    }
    found
}

fn migration_pairs() -> Result<Vec<String>> {
    let names = |engine: &str| -> Result<Vec<String>> {
        let folder = workspace::root().join("migrations").join(engine);
        let mut names: Vec<String> = fs::read_dir(&folder)
            .with_context(|| format!("{} is missing", folder.display()))?
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| Path::new(name).extension().is_some_and(|e| e == "sql"))
            .collect();
        names.sort();
        Ok(names)
    };
    let (sqlite, postgres) = (names("sqlite")?, names("postgres")?);
    Ok(if sqlite == postgres {
        Vec::new()
    } else {
        vec![format!("migrations differ: sqlite has {sqlite:?}, postgres has {postgres:?}")]
    })
}

fn sources() -> Vec<PathBuf> {
    let root = workspace::root();
    let mut files = Vec::new();
    for folder in ["app", "crates", "frontend", "server", "xtask", "style", "end2end"] {
        collect(&root.join(folder), &mut files);
    }
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !["target", "node_modules", "test-results", "playwright-report"].iter().any(|skip| path.ends_with(skip))
            {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|e| e == "rs" || e == "ts" || e == "css" || e == "py") {
            files.push(path);
        }
    }
}

fn long_files() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for file in sources() {
        let lines = fs::read_to_string(&file)?.lines().count();
        if lines > MAX_LINES {
            found.push(format!("{} has {lines} lines; split it (limit {MAX_LINES})", display(&file)));
        }
    }
    Ok(found)
}

/// Finds `#[allow]`: we write `#[expect(…, reason)]` instead.
fn allowed_lints() -> Result<Vec<String>> {
    let forbidden = ["#[", "allow("].concat();
    let forbidden_inner = ["#![", "allow("].concat();
    let mut found = Vec::new();
    for file in sources().into_iter().filter(|path| path.extension().is_some_and(|e| e == "rs")) {
        for (number, line) in fs::read_to_string(&file)?.lines().enumerate() {
            if line.contains(&forbidden) || line.contains(&forbidden_inner) {
                found.push(format!("{}:{}: use #[expect(…, reason = …)] instead of allow", display(&file), number + 1));
            }
        }
    }
    Ok(found)
}

/// Checks that every crate's first doc lines say what it is for and what it must not do.
fn crate_doc_lines() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(workspace::root().join("crates"))?.flatten() {
        // A crate is a library or a program.
        let roots = ["src/lib.rs", "src/main.rs"].map(|root| entry.path().join(root));
        let Some(lib) = roots.into_iter().find(|root| root.is_file()) else { continue };
        let text = fs::read_to_string(&lib)?;
        let doc: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        let says_limit = [" not ", "never", "othing", " no "].iter().any(|word| doc.contains(word));
        if doc.len() < 60 || !says_limit {
            found.push(format!(
                "{}: the first doc lines must say what the crate is for and what it must not do",
                display(&lib)
            ));
        }
    }
    Ok(found)
}

fn display(path: &Path) -> String {
    path.strip_prefix(workspace::root()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependency: &str, kind: Option<&str>) -> Metadata {
        Metadata {
            packages: vec![Package {
                name: name.into(),
                dependencies: vec![Dependency { name: dependency.into(), kind: kind.map(Into::into) }],
            }],
        }
    }

    #[test]
    fn an_arrow_that_points_down_is_found() {
        assert_eq!(direction_findings(&package("adagent-domain", "adagent-store", None)).len(), 1);
        assert_eq!(direction_findings(&package("adagent-http", "adagent-app", None)).len(), 1);
        assert_eq!(direction_findings(&package("adagent-runtime", "adagent-store-sqlite", None)).len(), 1);
    }

    #[test]
    fn arrows_up_and_tests_are_fine_and_an_unknown_crate_is_not() {
        assert!(direction_findings(&package("adagent-service", "adagent-store", None)).is_empty());
        assert!(direction_findings(&package("adagent-runtime", "adagent-store-sqlite", Some("dev"))).is_empty());
        assert_eq!(direction_findings(&package("adagent-surprise", "serde", None)).len(), 1);
    }
}
