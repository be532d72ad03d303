//! Checks what the program is built from: licenses, sources, forbidden and duplicate crates, known vulnerabilities. The rules are
//! in `deny.toml`.
//!
//! It must report whatever it could not check.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::{steps, tools, workspace};

/// The checks that need only the lock file and the sources.
const OFFLINE: [&str; 3] = ["bans", "licenses", "sources"];

/// The result of the checks.
pub struct Findings {
    pub passed: u64,
    pub failed: u64,
    pub detail: String,
    /// What could not be checked here, and why.
    pub unchecked: Option<String>,
}

pub fn run() -> Result<()> {
    let findings = findings()?;
    if findings.failed > 0 {
        bail!("{}", findings.detail);
    }
    println!(
        "deny: {} checks passed{}",
        findings.passed,
        findings.unchecked.map(|why| format!("; {why}")).unwrap_or_default()
    );
    Ok(())
}

pub fn findings() -> Result<Findings> {
    let program = tools::ensure_tool("cargo-deny")?;
    // Its own analysis of the crates needs those of every platform.
    let fetched = steps::capture("deny-fetch", workspace::cargo().args(["fetch", "--locked"]))?;
    if !fetched.ok {
        bail!("the crates could not be fetched:\n{}", steps::tail(&fetched.output, 10));
    }
    let mut found = Findings { passed: 0, failed: 0, detail: String::new(), unchecked: None };
    for what in OFFLINE {
        let checked = check(&program, what)?;
        if checked.ok {
            found.passed += 1;
        } else {
            found.failed += 1;
            found.detail = format!("{}\n{what}:\n{}", found.detail, steps::tail(&checked.output, 60));
        }
    }
    let checked = check(&program, "advisories")?;
    if checked.ok {
        found.passed += 1;
    } else if is_out_of_reach(&checked.output) {
        let why = "known holes were NOT looked for: the advisory database (github.com/rustsec/advisory-db) cannot be reached from here";
        found.unchecked = Some(why.into());
    } else {
        found.failed += 1;
        found.detail = format!("{}\nadvisories:\n{}", found.detail, steps::tail(&checked.output, 60));
    }
    Ok(found)
}

fn check(program: &PathBuf, what: &str) -> Result<steps::Captured> {
    let mut command = Command::new(program);
    command.current_dir(workspace::root()).args(["--color", "never", "check", "--hide-inclusion-graph", what]);
    // The tool calls cargo itself; give it the cargo that called us.
    if let Some(cargo) = workspace::env("CARGO") {
        command.env("CARGO", cargo);
    }
    steps::capture(&format!("deny-{what}"), &mut command)
}

/// Checks whether the advisory database could not be loaded. Any other message is a finding.
fn is_out_of_reach(output: &str) -> bool {
    output.contains("failed to fetch advisory database") || output.contains("failed to open advisory database")
}

#[cfg(test)]
mod tests {
    use super::is_out_of_reach;

    #[test]
    fn a_hole_is_no_missing_database() {
        assert!(is_out_of_reach("[ERROR] failed to fetch advisory database https://github.com/rustsec/advisory-db"));
        assert!(!is_out_of_reach("error[vulnerability]: something in openssl\nadvisories FAILED"));
        assert!(!is_out_of_reach(""));
    }
}
