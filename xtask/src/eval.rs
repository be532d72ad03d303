//! Scores the understanding on a data set. The `eval` crate does the work.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{steps, workspace};

#[derive(Args)]
pub struct EvalArgs {
    /// A JSONL file, or a folder of them.
    #[arg(long)]
    data: PathBuf,
    /// `local`, or `<provider>/<model>`; a hosted model needs its key in the environment, as in the server.
    #[arg(long, default_value = "local")]
    model: String,
    /// Also write the scores as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Also write every prediction, one JSON object per line, for other programs to score.
    #[arg(long)]
    predictions: Option<PathBuf>,
    /// Weigh the rules against these learned scores. With the folder of `cargo xtask train --folds --fold-weights`, each file
    /// uses the scores that leave its writer out.
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Score the rules alone.
    #[arg(long, conflicts_with = "weights")]
    rules: bool,
    /// The day on which the questions are asked.
    #[arg(long, default_value = "2026-11-21")]
    today: String,
}

/// Builds and runs the evaluation.
pub fn run(args: &EvalArgs) -> Result<()> {
    if !args.data.exists() {
        bail!("{} does not exist: --data takes a JSONL file or a folder of them", args.data.display());
    }
    steps::run(
        "building the evaluation",
        workspace::cargo().args(["build", "--quiet", "--locked", "-p", "adagent-eval", "--bin", "eval"]),
    )?;
    let results = args.json.clone().unwrap_or_else(|| workspace::target_dir().join("eval.json"));
    let mut command = std::process::Command::new(workspace::target_dir().join("debug/eval"));
    command
        .arg("--data")
        .arg(&args.data)
        .args(["--model", &args.model, "--today", &args.today])
        .arg("--json")
        .arg(&results);
    if let Some(path) = &args.predictions {
        command.arg("--predictions").arg(path);
    }
    if let Some(path) = &args.weights {
        command.arg("--weights").arg(path);
    }
    if args.rules {
        command.arg("--rules");
    }
    let status = command.status().context("cannot start the evaluation")?;
    if !status.success() {
        // The program has printed the error; a second line would only hide it.
        std::process::exit(status.code().unwrap_or(1));
    }
    println!("scores stored in {}", results.display());
    Ok(())
}
