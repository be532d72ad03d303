//! The long checks, which take half an hour and more. They consist of parts, and their report is kept.
//!
//! A part is a name and a function; `PARTS` is the one list of them. The parts run at the same time. Each reports in Markdown and
//! in JSON, and its failure does not stop the others.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use crate::{steps, tools, workspace};

#[derive(Args)]
pub struct SoakArgs {
    /// Run only this part: simulation, fire or limits. The report keeps the last results of the other parts.
    #[arg(long)]
    only: Option<String>,
    /// Minutes for each part; the parts run at the same time.
    #[arg(long, default_value_t = 30)]
    minutes: u64,
    /// The highest number of seeds that the simulation plays.
    #[arg(long, default_value_t = 1_000_000)]
    seeds: u64,
    /// Play only this seed again.
    #[arg(long)]
    seed: Option<u64>,
    /// With `--seed`, print everything that happens. A failing run is made smaller first.
    #[arg(long)]
    trace: bool,
    /// With `--trace`, do not make the run smaller.
    #[arg(long)]
    whole: bool,
    /// The file for the report.
    #[arg(long, default_value = "docs/soak.md")]
    report: PathBuf,
}

/// What a part may use.
pub struct Share<'a> {
    pub args: &'a SoakArgs,
    pub seconds: u64,
}

/// The result of a part.
pub struct Done {
    pub good: bool,
    /// The text for the report, under the part's heading.
    pub text: String,
    pub figures: Value,
}

type Part = (&'static str, &'static str, fn(&Share) -> Result<Done>);

/// The parts, each with its name, heading and function.
const PARTS: &[Part] = &[
    ("simulation", "Deterministic simulation", simulation),
    ("fire", "Servers under fire", fire),
    ("limits", "Questions that the networks' own limits slow down", limits),
];

/// Runs the parts and writes the report.
pub fn run(args: &SoakArgs) -> Result<()> {
    let parts: Vec<_> = PARTS.iter().filter(|part| args.only.as_deref().is_none_or(|only| only == part.0)).collect();
    if parts.is_empty() {
        let known = PARTS.iter().map(|part| part.0).collect::<Vec<_>>().join(", ");
        bail!("there is no part of that name; known are: {known}");
    }
    if args.trace || args.seed.is_some() {
        return again(args);
    }
    let seconds = args.minutes * 60;
    let at = commit();
    // Run them at the same time: the servers under fire mostly wait, and the simulation uses the remaining CPU time.
    let all = std::thread::scope(|scope| {
        let begun: Vec<_> =
            parts.iter().map(|(.., part)| scope.spawn(|| timed(*part, &Share { args, seconds }))).collect();
        begun.into_iter().map(|part| part.join().expect("a part answers for itself")).collect::<Vec<_>>()
    });
    let data = workspace::target_dir().join("soak.json");
    let mut kept = read(&data);
    let mut failed = Vec::new();
    for ((name, ..), (done, took)) in parts.into_iter().zip(all) {
        if !done.good {
            failed.push(*name);
        }
        let Done { good, text, figures } = done;
        let part = json!({ "good": good, "seconds": took, "at": at, "text": text.trim_end(), "figures": figures });
        kept.insert((*name).to_owned(), part);
    }
    let path = workspace::root().join(&args.report);
    fs::write(&path, report(&kept)).with_context(|| format!("cannot write {}", path.display()))?;
    fs::write(&data, format!("{:#}\n", Value::Object(kept)))
        .with_context(|| format!("cannot write {}", data.display()))?;
    println!("report in {}, figures in {}", path.display(), data.display());
    if failed.is_empty() { Ok(()) } else { bail!("failed: {}", failed.join(", ")) }
}

/// Returns the last results of the parts on this machine. A part that runs alone leaves the others' results as they are.
fn read(data: &Path) -> serde_json::Map<String, Value> {
    let text = fs::read_to_string(data).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Returns the report, from the last result of each part.
fn report(kept: &serde_json::Map<String, Value>) -> String {
    let mut report = String::from(
        "# Soak\n\nWritten by `cargo xtask soak`; the figures are those of the machine it ran on, named at the end.\n",
    );
    for (name, heading, _) in PARTS {
        let Some(part) = kept.get(*name) else {
            let _ = write!(report, "\n## {heading}\n\nHas not run here.\n");
            continue;
        };
        let verdict = if part["good"] == true { "nothing wrong" } else { "FAILED" };
        let word = |name: &str| part[name].as_str().unwrap_or_default();
        let (took, at, text) = (&part["seconds"], word("at"), word("text"));
        let _ = write!(report, "\n## {heading}\n\n**{verdict}**, after {took} s, at commit {at}.\n\n{text}\n");
    }
    let _ = write!(report, "\n## The machine\n\n{}\n", machine());
    report
}

/// Returns the name of the tested commit.
fn commit() -> String {
    let git = |args: &[&str]| {
        let output = std::process::Command::new("git").args(args).current_dir(workspace::root()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let name = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|| "unknown".into());
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|text| !text.is_empty());
    if changed { format!("{name}, with changes") } else { name }
}

fn timed(part: fn(&Share) -> Result<Done>, share: &Share) -> (Done, u64) {
    let start = Instant::now();
    let done = part(share).unwrap_or_else(|error| Done {
        good: false,
        text: format!("Could not run: {error:#}"),
        figures: json!({ "error": format!("{error:#}") }),
    });
    (done, start.elapsed().as_secs())
}

fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim()));
    format!("{cores} cores, {}.", model.unwrap_or("of a make it does not tell"))
}

fn simulator() -> Result<PathBuf> {
    steps::run(
        "building the simulation",
        workspace::cargo().args([
            "build",
            "--quiet",
            "--locked",
            "--release",
            "-p",
            "adagent-simulation",
            "--bin",
            "simulate",
        ]),
    )?;
    Ok(workspace::target_dir().join(format!("release/simulate{}", std::env::consts::EXE_SUFFIX)))
}

/// Plays one seed again.
fn again(args: &SoakArgs) -> Result<()> {
    let seed = args.seed.context("--trace needs --seed")?;
    let mut command = std::process::Command::new(simulator()?);
    command.args(["--seed", &seed.to_string()]);
    if args.trace {
        command.arg("--trace");
    }
    if args.whole {
        command.arg("--whole");
    }
    let status = command.status().context("cannot start the simulation")?;
    if status.success() { Ok(()) } else { bail!("seed {seed} fails") }
}

fn simulation(share: &Share) -> Result<Done> {
    let binary = simulator()?;
    let figures = workspace::target_dir().join("simulation.json");
    // The results of an earlier run must not count for this one.
    let _ = fs::remove_file(&figures);
    steps::say("playing seeds");
    let status = std::process::Command::new("nice")
        .args(["-n", "10"])
        .arg(binary)
        .args(["--seeds", &share.args.seeds.to_string(), "--seconds", &share.seconds.to_string(), "--threads", "2"])
        .arg("--json")
        .arg(&figures)
        .status()
        .context("cannot start the simulation")?;
    let text = fs::read_to_string(&figures).context("the simulation left no figures")?;
    let figures: Value = serde_json::from_str(&text).context("the simulation's figures are no JSON")?;
    let number = |name: &str| figures[name].as_f64().unwrap_or_default();
    let mut text = format!(
        "The driver and the machine against a simulated store, network, model, clock and several workers; one seed decides \
         everything.\n\n| | |\n| --- | ---: |\n| seeds | {} |\n| runs | {} |\n| writes sent | {} |\n| steps | {} |\n\
         | seeds a second, two threads | {:.0} |\n| seeds that failed | {} |\n",
        number("seeds"),
        number("runs"),
        number("writes"),
        number("steps"),
        number("seeds_per_second"),
        figures["failures"].as_array().map_or(0, Vec::len),
    );
    for failure in figures["failures"].as_array().into_iter().flatten() {
        let _ = write!(
            text,
            "\n- seed {}: {}; again with `cargo xtask soak --only simulation --seed {} --trace`",
            failure["seed"], failure["violations"], failure["seed"]
        );
    }
    Ok(Done { good: status.success(), text, figures })
}

/// Runs the long tests of real processes, one after the other. Each completes what it started.
fn fire(share: &Share) -> Result<Done> {
    const LONG: [&str; 4] =
        ["soak_kills_on_sqlite", "soak_kills_on_postgres", "soak_three_servers", "soak_cut_from_the_networks"];
    let (mut good, mut told) = (true, Vec::new());
    let mut text = String::from(
        "Real servers are killed, several on one database, and cut off from the networks. Then every account is checked: nothing lost, nothing done twice, nothing without approval.\n\n| test | result | kills | runs | writes | asked again |\n\
         | --- | --- | ---: | ---: | ---: | ---: |\n",
    );
    tools::ensure_postgres()?;
    tools::ensure_faketime()?;
    let seconds = share.seconds / LONG.len() as u64;
    for name in LONG {
        steps::say(name);
        let output = workspace::cargo()
            .args(["test", "--quiet", "--locked", "-p", "server", "--test", "fire", "--", "--ignored", "--nocapture"])
            .args(["--exact", &module_of(name)])
            .env("FIRE_SECONDS", seconds.to_string())
            .output()
            .context("cannot start the tests of servers under fire")?;
        let printed = String::from_utf8_lossy(&output.stdout);
        // A name that no longer names a test would pass without running anything.
        let passed = output.status.success() && printed.contains("1 passed");
        good &= passed;
        let figures = printed.lines().find_map(|line| serde_json::from_str::<Value>(line.strip_prefix("fire: ")?).ok());
        let number = |key: &str| figures.as_ref().map_or("–".to_owned(), |figures| figures[key].to_string());
        let verdict = if passed { "passed" } else { "FAILED" };
        let _ = writeln!(
            text,
            "| `{name}` | {verdict} | {} | {} | {} | {} |",
            number("kills"),
            number("runs"),
            number("writes"),
            number("asked_again")
        );
        if !passed {
            let seeds: Vec<_> = printed.lines().filter(|line| line.contains("FIRE_SEED=")).collect();
            eprintln!("{printed}{}", String::from_utf8_lossy(&output.stderr));
            let _ = writeln!(text, "| | {} | | | | |", seeds.last().unwrap_or(&"no seed was told"));
        }
        told.push(json!({ "test": name, "good": passed, "figures": figures }));
    }
    Ok(Done { good, text, figures: Value::Array(told) })
}

/// Asks questions with so many calls that the networks' published limits make them take minutes.
fn limits(_: &Share) -> Result<Done> {
    let output = workspace::cargo()
        .args(["test", "--quiet", "--locked", "-p", "adagent-understanding", "--test", "nine", "--", "--ignored"])
        .output()
        .context("cannot start the questions to nine networks")?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let good = output.status.success() && !printed.contains(" 0 passed");
    if !good {
        eprintln!("{printed}{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = if good { "Each is answered with all that was read." } else { "FAILED" };
    Ok(Done { good, text: text.to_owned(), figures: json!({ "good": good }) })
}

/// Returns `module::test`, the name in the test program.
fn module_of(name: &str) -> String {
    let module = match name {
        name if name.contains("servers") => "nodes",
        name if name.contains("cut") => "cuts",
        _ => "kills",
    };
    format!("{module}::{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tests_are_found_in_their_modules() {
        assert_eq!(module_of("soak_kills_on_sqlite"), "kills::soak_kills_on_sqlite");
        assert_eq!(module_of("soak_three_servers"), "nodes::soak_three_servers");
        assert_eq!(module_of("soak_cut_from_the_networks"), "cuts::soak_cut_from_the_networks");
    }
}
