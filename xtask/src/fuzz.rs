//! Fuzzes with hostile input for a while: by mutation on the current toolchain, or guided by coverage on nightly.

use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{steps, tools, workspace};

#[derive(Args)]
pub struct FuzzArgs {
    /// Run only this target of `crates/fuzzing`.
    #[arg(long)]
    target: Option<String>,
    /// Seconds for each target.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Use libFuzzer, which needs a nightly toolchain and a C++ compiler.
    #[arg(long)]
    coverage: bool,
}

pub fn run(args: &FuzzArgs) -> Result<()> {
    if args.coverage { with_coverage(args) } else { by_mutation(args) }
}

fn by_mutation(args: &FuzzArgs) -> Result<()> {
    let mut cargo = workspace::cargo();
    cargo.args(["run", "--quiet", "--locked", "-p", "adagent-fuzzing", "--"]);
    cargo.args(["--seconds", &args.seconds.to_string(), "--seed", &args.seed.to_string()]);
    if let Some(target) = &args.target {
        cargo.args(["--target", target]);
    }
    steps::run("fuzzing by mutation", &mut cargo)
}

fn with_coverage(args: &FuzzArgs) -> Result<()> {
    let nightly = Command::new("rustup").args(["run", "nightly", "rustc", "--version"]).output();
    if !nightly.is_ok_and(|output| output.status.success()) {
        bail!("nightly is missing: run `rustup toolchain install nightly`, or leave out --coverage");
    }
    let program = tools::ensure_tool("cargo-fuzz")?;
    let targets = match &args.target {
        Some(target) => vec![target.clone()],
        None => targets()?,
    };
    for target in targets {
        let mut fuzz = Command::new("rustup");
        fuzz.args(["run", "nightly"]).arg(&program).args(["fuzz", "run", &target, "--"]);
        fuzz.args([format!("-max_total_time={}", args.seconds), format!("-seed={}", args.seed), "-timeout=10".into()]);
        // New findings go outside the checkout: the corpus in it is small on purpose.
        fuzz.current_dir(workspace::root());
        // libFuzzer's build sets its own flags, and then those in `.cargo/config.toml` do not count.
        fuzz.env("RUSTFLAGS", "--cfg erase_components");
        steps::run(&format!("fuzzing {target}"), &mut fuzz)?;
    }
    Ok(())
}

/// Returns the targets, named by their folders in the corpus.
fn targets() -> Result<Vec<String>> {
    let folder = workspace::root().join("fuzz/corpus");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("{} is missing", folder.display()))?;
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}
