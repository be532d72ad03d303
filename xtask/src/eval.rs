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
    /// Ask a running desk with its sandbox, and judge what a person meets instead of how the question is read.
    #[arg(long, conflicts_with_all = ["weights", "rules", "predictions", "json"])]
    run: bool,
    /// With --run: take only each n-th question and script of a file.
    #[arg(long, requires = "run", default_value_t = 1)]
    every: u16,
    /// With --run: write what the desk did, one JSON object per line.
    #[arg(long, requires = "run")]
    turns: Option<PathBuf>,
    /// With --run: judge the turns of an earlier run again, and ask nothing.
    #[arg(long, requires = "run")]
    again: Option<PathBuf>,
}

/// Asks a running desk.
fn try_out(args: &EvalArgs) -> Result<()> {
    steps::run(
        "building the desk that is asked",
        workspace::cargo().args(["build", "--quiet", "--locked", "-p", "adagent-trial", "--bin", "trial"]),
    )?;
    let mut command = std::process::Command::new(workspace::target_dir().join("debug/trial"));
    command.arg("--data").arg(&args.data).args(["--today", &args.today, "--every", &args.every.to_string()]);
    for (name, path) in [("--turns", &args.turns), ("--again", &args.again)] {
        if let Some(path) = path {
            command.arg(name).arg(path);
        }
    }
    let status = command.status().context("cannot start the desk that is asked")?;
    if !status.success() {
        std::process::exit(status.code().unwrap_or(1));
    }
    Ok(())
}

/// Builds and runs the evaluation.
pub fn run(args: &EvalArgs) -> Result<()> {
    if !args.data.exists() {
        bail!("{} does not exist: --data takes a JSONL file or a folder of them", args.data.display());
    }
    if args.run {
        return try_out(args);
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
