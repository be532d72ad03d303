//! Learns the weights of the understanding. The `train` program of the scorer crate does the work.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{steps, workspace};

/// The path of the product's weights.
const WEIGHTS: &str = "crates/scorer/data/weights.bin";

#[derive(Args)]
pub struct TrainArgs {
    /// Print the table with each writer left out, and write no weights.
    #[arg(long)]
    folds: bool,
    /// With `--folds`: also write the weights that leave each writer out into this folder, one file per writer.
    #[arg(long, requires = "folds")]
    fold_weights: Option<PathBuf>,
    /// With `--folds`: also write every missed question, one per line.
    #[arg(long, requires = "folds")]
    misses: Option<PathBuf>,
    /// The folder of labeled questions.
    #[arg(long, default_value = "evals")]
    data: PathBuf,
    /// Write the weights to this file instead.
    #[arg(long, conflicts_with = "folds")]
    out: Option<PathBuf>,
}

/// Builds and runs the trainer.
pub fn run(args: &TrainArgs) -> Result<()> {
    if !args.data.is_dir() {
        bail!("{} is no folder: --data takes the folder of labeled questions", args.data.display());
    }
    let build = ["build", "--quiet", "--locked", "-p", "adagent-scorer", "--features", "train", "--bin", "train"];
    steps::run("building the trainer", workspace::cargo().args(build))?;
    let mut command = std::process::Command::new(workspace::target_dir().join("debug/train"));
    command.arg("--data").arg(&args.data);
    if args.folds {
        command.arg("--folds");
        for (name, path) in [("--fold-weights", &args.fold_weights), ("--misses", &args.misses)] {
            if let Some(path) = path {
                command.arg(name).arg(path);
            }
        }
    } else {
        command.arg("--out").arg(args.out.clone().unwrap_or_else(|| workspace::root().join(WEIGHTS)));
    }
    let status = command.status().context("cannot start the trainer")?;
    if !status.success() {
        // The program has printed the error; a second line would only hide it.
        std::process::exit(status.code().unwrap_or(1));
    }
    Ok(())
}
