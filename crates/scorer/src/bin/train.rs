//! The program that `cargo xtask train` runs: learns the weights, or measures them with each writer left out.

use std::path::PathBuf;
use std::process::ExitCode;

use adagent_scorer::train;

#[derive(Debug, Default)]
struct Arguments {
    evals: PathBuf,
    out: Option<PathBuf>,
    folds: bool,
    /// Use few steps for the ranker, to compare the other parts.
    quick: bool,
    /// Leave out this many groups of writers in turn; by default, every writer separately.
    groups: Option<usize>,
    fold_weights: Option<PathBuf>,
    misses: Option<PathBuf>,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments { evals: "evals".into(), ..Arguments::default() };
    while let Some(name) = words.next() {
        if name == "--folds" {
            arguments.folds = true;
            continue;
        }
        if name == "--quick" {
            arguments.quick = true;
            continue;
        }
        let value = PathBuf::from(words.next().ok_or_else(|| format!("{name} needs a value"))?);
        match name.as_str() {
            "--groups" => {
                let groups = value.to_str().and_then(|value| value.parse().ok()).filter(|groups| *groups > 1);
                arguments.groups = Some(groups.ok_or("--groups takes a number of two or more")?);
            }
            "--data" => arguments.evals = value,
            "--out" => arguments.out = Some(value),
            "--fold-weights" => arguments.fold_weights = Some(value),
            "--misses" => arguments.misses = Some(value),
            _ => {
                return Err(format!(
                    "unknown option {name}; known are --data, --out, --folds, --quick, --groups, --fold-weights, --misses"
                ));
            }
        }
    }
    Ok(arguments)
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let records = train::read(&arguments.evals)?;
    let store = |path: &PathBuf, bytes: &[u8]| {
        std::fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
    };
    if arguments.folds {
        let report = train::cross_validate(
            &records,
            if arguments.quick { 8 } else { train::STEPS },
            arguments.groups.unwrap_or(usize::MAX),
            (arguments.fold_weights.as_deref(), arguments.out.as_deref()),
        )?;
        println!("{}", report.text());
        if let Some(path) = &arguments.misses {
            store(path, report.misses().as_bytes())?;
        }
    }
    if let Some(path) = arguments.out.as_ref().filter(|_| !arguments.folds) {
        let bytes = train::train(&records);
        store(path, &bytes)?;
        println!("{} bytes of weights from {} questions, in {}", bytes.len(), records.len(), path.display());
    }
    Ok(())
}

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)).and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
