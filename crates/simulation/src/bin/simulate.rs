//! The program that `cargo xtask soak` runs. Plays many seeds, or one with its trace. Prints the findings and stores the numbers.

use std::{path::PathBuf, process::ExitCode, time::Duration};

use adagent_simulation::{Campaign, Plan, Planted, Report, explain, play};
use serde_json::json;

/// The command line: pairs of `--name value`, `--trace` and `--whole`.
#[derive(Debug, PartialEq, Eq)]
struct Arguments {
    seeds: u64,
    first: u64,
    threads: usize,
    at_most: Option<Duration>,
    json: Option<PathBuf>,
    /// Play only this seed.
    seed: Option<u64>,
    trace: bool,
    /// Print the trace of a failing seed without making its plan smaller, which takes long if a run never ends.
    whole: bool,
    planted: Option<Planted>,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut read = Arguments {
        seeds: 10_000,
        first: 0,
        threads: 2,
        at_most: None,
        json: None,
        seed: None,
        trace: false,
        whole: false,
        planted: None,
    };
    while let Some(name) = words.next() {
        match name.as_str() {
            "--trace" => {
                read.trace = true;
                continue;
            }
            "--whole" => {
                read.whole = true;
                continue;
            }
            _ => {}
        }
        let value = words.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{name} {value}: not a number"));
        match name.as_str() {
            "--seeds" => read.seeds = number()?,
            "--first" => read.first = number()?,
            "--threads" => read.threads = usize::try_from(number()?).unwrap_or(1),
            "--seconds" => read.at_most = Some(Duration::from_secs(number()?)),
            "--seed" => read.seed = Some(number()?),
            "--json" => read.json = Some(PathBuf::from(&value)),
            "--planted" => {
                let known = Planted::ALL.into_iter().find(|bug| bug.name() == value);
                read.planted = Some(known.ok_or_else(|| format!("no planted bug is called {value}"))?);
            }
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(read)
}

fn one(seed: u64, arguments: &Arguments) -> bool {
    let plan = Plan { planted: arguments.planted, ..Plan::of(seed) };
    let outcome = play(plan.clone(), arguments.trace);
    if outcome.violations.is_empty() {
        outcome.trace.iter().for_each(|line| println!("{line}"));
        println!("seed {seed}: nothing wrong in {} steps", outcome.steps);
        return true;
    }
    if arguments.trace && arguments.whole {
        outcome.trace.iter().for_each(|line| println!("{line}"));
        println!("{plan:#?}");
    } else if arguments.trace {
        println!("{}", explain(plan));
    } else {
        outcome.violations.iter().for_each(|what| println!("seed {seed}: {what}"));
    }
    false
}

fn tell(report: &Report) {
    println!(
        "{} seeds, {} runs, {} writes sent, {} steps in {:.1} s: {:.0} seeds/s, {} failed, fingerprint {:016x}",
        report.seeds,
        report.runs,
        report.sent,
        report.steps,
        report.took.as_secs_f64(),
        report.seeds_per_second(),
        report.failures.len(),
        report.fingerprint
    );
    for failure in &report.failures {
        for what in &failure.violations {
            println!("seed {}: {what}", failure.seed);
        }
    }
}

fn store(report: &Report, arguments: &Arguments) -> Result<(), String> {
    let Some(path) = &arguments.json else { return Ok(()) };
    let failures: Vec<_> = report
        .failures
        .iter()
        .map(|failure| json!({ "seed": failure.seed, "violations": failure.violations }))
        .collect();
    let figures = json!({
        "first": arguments.first, "seeds": report.seeds, "runs": report.runs, "writes": report.sent,
        "steps": report.steps, "fingerprint": format!("{:016x}", report.fingerprint), "seconds": report.took.as_secs_f64(), "seeds_per_second": report.seeds_per_second(),
        "threads": arguments.threads, "failures": failures,
    });
    std::fs::write(path, format!("{figures:#}\n")).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn main() -> ExitCode {
    let arguments = match parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let good = if let Some(seed) = arguments.seed {
        one(seed, &arguments)
    } else {
        let campaign = Campaign {
            first: arguments.first,
            threads: arguments.threads,
            at_most: arguments.at_most,
            planted: arguments.planted,
            failures: 20,
            ..Campaign::of(arguments.seeds)
        };
        let report = campaign.run();
        tell(&report);
        if let Some(first) = report.failures.first() {
            println!("{}", explain(Plan { planted: arguments.planted, ..Plan::of(first.seed) }));
        }
        if let Err(error) = store(&report, &arguments) {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
        report.failures.is_empty()
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> impl Iterator<Item = String> {
        text.split(' ').map(str::to_owned).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn options_are_read_and_strangers_refused() {
        let read = parse(words("--seeds 7 --trace --planted forget-epoch --seconds 60")).unwrap();
        assert_eq!((read.seeds, read.trace, read.planted), (7, true, Some(Planted::ForgetEpoch)));
        assert_eq!(read.at_most, Some(Duration::from_mins(1)));
        for bad in ["--sed 1", "--seeds", "--seeds many", "--planted moth"] {
            assert!(parse(words(bad)).is_err(), "{bad}");
        }
    }
}
