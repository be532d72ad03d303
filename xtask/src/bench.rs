//! Measures the real server and the engine against the budgets; prints one table and writes one JSON file. It never fails because
//! of a number.

mod budgets;

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::server::{self, Running};
use crate::{ServeArgs, steps, tools, web, workspace};

/// What can be measured, by name.
const PARTS: [&str; 11] =
    ["start", "served", "question", "mcp", "calls", "engine", "background", "talk", "agents", "aged", "parts"];

#[derive(Args)]
pub struct BenchArgs {
    /// Measure the debug build (quick, for trying the bench itself).
    #[arg(long)]
    debug: bool,
    /// Measure only the parts whose name contains this text: start, served, question, mcp, calls, engine, background, talk, agents,
    /// aged, parts.
    #[arg(long, value_parser = some_part)]
    only: Option<String>,
    /// Number of stored runs to start with when measuring an old database.
    #[arg(long, default_value_t = 1_000_000)]
    stored: u32,
    /// Event streams held open at the same time.
    #[arg(long, default_value_t = 10_000)]
    streams: u32,
}

#[derive(Serialize, Deserialize)]
struct Figure {
    name: String,
    value: f64,
    unit: String,
}

#[derive(Serialize)]
struct Judged {
    #[serde(flatten)]
    figure: Figure,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<bool>,
}

struct Bench<'a> {
    args: &'a BenchArgs,
    figures: Vec<Figure>,
}

/// Checks that a part matches. Measuring nothing would look like success and replace the last table with an empty one.
fn some_part(only: &str) -> Result<String> {
    if !PARTS.iter().any(|name| name.contains(only)) {
        bail!("no part has this in its name; there are {}", PARTS.join(", "));
    }
    Ok(only.to_owned())
}

/// Builds, measures and prints.
pub fn run(args: &BenchArgs) -> Result<()> {
    let mut bench = Bench { args, figures: Vec::new() };
    bench.part("start", Bench::start)?;
    bench.part("served", Bench::served)?;
    bench.part("question", Bench::question)?;
    bench.part("calls", |bench| bench.load(&["calls"]))?;
    bench.part("mcp", Bench::mcp)?;
    for engine in ["sqlite", "postgres"] {
        bench.part("engine", |bench| bench.load(&["engine", engine]))?;
        bench.part("background", |bench| bench.load(&["background", engine]))?;
        bench.part("talk", |bench| bench.load(&["talk", engine]))?;
        bench.part("agents", |bench| bench.load(&["agents", engine]))?;
        let stored = args.stored.to_string();
        bench.part("aged", |bench| bench.load(&["aged", engine, "--stored", &stored]))?;
    }
    bench.part("parts", Bench::parts)?;
    report(bench.figures)
}

impl Bench<'_> {
    fn part(&mut self, name: &str, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        debug_assert!(PARTS.contains(&name), "{name} cannot be asked for with --only");
        if self.args.only.as_deref().is_none_or(|only| name.contains(only)) { work(self) } else { Ok(()) }
    }

    fn add(&mut self, name: &str, value: f64, unit: &str) {
        self.figures.push(Figure { name: name.into(), value, unit: unit.into() });
    }

    fn start(&mut self) -> Result<()> {
        let (site, serve, folder) = self.built_server()?;
        // The first start creates the database; the budget is for a start with an existing one.
        drop(Running::start(&serve, &site, folder.join("first.log"))?);
        let running = Running::start(&serve, &site, folder.join("server.log"))?;
        self.add("ready after start", millis(running.ready_after), "ms");
        self.add("idle memory", resident_megabytes(running.pid())?, "MB");
        self.add("server-rendered page over a connection of its own, p50", page_p50(&running.base_url)?, "ms");
        if !self.args.debug {
            for size in web::sizes::measure(&web::built(&site)?)? {
                #[expect(clippy::cast_precision_loss, reason = "files of a few hundred kilobytes")]
                if size.page == web::sizes::FIRST_PAGE {
                    self.add("first page: WASM and glue, brotli", size.first as f64 / 1000.0, "kB");
                }
            }
        }
        Ok(())
    }

    fn served(&mut self) -> Result<()> {
        let (site, serve, folder) = self.built_server()?;
        let running = Running::start(&serve, &site, folder.join("served.log"))?;
        let (pid, streams) = (running.pid().to_string(), self.args.streams.to_string());
        self.load(&["served", "--base-url", &running.base_url, "--pid", &pid, "--streams", &streams])
    }

    /// Measures whole questions. The sandbox runs in another server, so that its CPU time is not counted.
    fn question(&mut self) -> Result<()> {
        let (site, serve, folder) = self.built_server()?;
        let elsewhere = ServeArgs { data_dir: folder.join("networks"), ..serve.clone() };
        let networks = Running::start(&elsewhere, &site, folder.join("networks.log"))?;
        let sandbox = format!("http://127.0.0.1:{}", elsewhere.port + 1);
        let serve = ServeArgs { port: server::free_port()?, ..serve };
        let log = folder.join("question.log");
        let running = Running::start_with(&serve, &site, log, &[("ADAGENT_SANDBOX__URL", &sandbox)])?;
        let pid = running.pid().to_string();
        let measured = self.load(&["question", "--base-url", &running.base_url, "--pid", &pid]);
        drop(networks);
        measured
    }

    fn mcp(&mut self) -> Result<()> {
        let (site, serve, folder) = self.built_server()?;
        let running = Running::start(&serve, &site, folder.join("mcp.log"))?;
        let pid = running.pid().to_string();
        self.load(&["mcp", "--base-url", &running.base_url, "--pid", &pid])
    }

    fn built_server(&self) -> Result<(PathBuf, ServeArgs, PathBuf)> {
        let release = !self.args.debug;
        let site = web::build(release)?;
        server::build(release)?;
        let folder = workspace::target_dir().join("xtask/bench");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder)?;
        let serve =
            ServeArgs { release, port: server::free_port()?, data_dir: folder.join("data"), ..ServeArgs::default() };
        Ok((site, serve, folder))
    }

    /// Runs the load program once; its standard output is a JSON list of figures.
    fn load(&mut self, what: &[&str]) -> Result<()> {
        if what.contains(&"postgres") {
            tools::ensure_postgres()?;
        }
        let mut cargo = workspace::cargo();
        cargo.args(["run", "--locked", "--quiet", "-p", "adagent-bench"]);
        if !self.args.debug {
            cargo.arg("--release");
        }
        steps::say(&format!("measuring: {}", what.join(" ")));
        let output = cargo.arg("--").args(what).stderr(Stdio::inherit()).output().context("cannot start the load")?;
        if !output.status.success() {
            bail!("the load `{}` ended with {}", what.join(" "), output.status);
        }
        let figures: Vec<Figure> = serde_json::from_slice(&output.stdout).context("the load gave no JSON")?;
        self.figures.extend(figures);
        Ok(())
    }

    /// Runs the criterion benches of the inner parts.
    fn parts(&mut self) -> Result<()> {
        for package in budgets::BENCHED {
            let mut cargo = workspace::cargo();
            cargo.args(["bench", "--locked", "-p", package, "--benches"]);
            steps::run(&format!("measuring the parts of {package}"), &mut cargo)?;
        }
        let folder = workspace::target_dir().join("criterion");
        let mut found = Vec::new();
        collect_estimates(&folder, &mut Vec::new(), &mut found)?;
        found.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, nanoseconds) in found {
            self.add(&name, nanoseconds / 1000.0, "µs");
        }
        Ok(())
    }
}

/// Collects `<group>/<name>/new/estimates.json`, the files that criterion leaves.
fn collect_estimates(folder: &std::path::Path, path: &mut Vec<String>, found: &mut Vec<(String, f64)>) -> Result<()> {
    let estimates = folder.join("new/estimates.json");
    if estimates.is_file() {
        let json: serde_json::Value = serde_json::from_slice(&fs::read(&estimates)?)?;
        if let Some(median) = json.pointer("/median/point_estimate").and_then(serde_json::Value::as_f64) {
            found.push((path.join("/"), median));
        }
        return Ok(());
    }
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries.flatten().filter(|entry| entry.path().is_dir()) {
        path.push(entry.file_name().to_string_lossy().into_owned());
        collect_estimates(&entry.path(), path, found)?;
        path.pop();
    }
    Ok(())
}

fn report(figures: Vec<Figure>) -> Result<()> {
    let judged: Vec<Judged> = figures
        .into_iter()
        .map(|figure| {
            let budget = budgets::of(&figure.name);
            let within = budget.as_ref().map(|budget| budget.holds(figure.value));
            Judged { figure, budget: budget.map(|budget| budget.limit), within }
        })
        .collect();
    println!("\n{:<72} {:>10} {:>5} {:>8}", "measured", "value", "unit", "budget");
    for Judged { figure, budget, within } in &judged {
        let budget = budget.map_or_else(String::new, |budget| budget.to_string());
        let word = match within {
            Some(true) => "ok",
            Some(false) => "MISSED",
            None => "",
        };
        println!("{:<72} {:>10.2} {:>5} {budget:>8} {word}", figure.name, figure.value, figure.unit);
    }
    let out = workspace::target_dir().join("bench.json");
    fs::write(&out, serde_json::to_vec_pretty(&judged)?)?;
    steps::say(&format!("written to {}", out.display()));
    Ok(())
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn resident_megabytes(pid: u32) -> Result<f64> {
    let status =
        fs::read_to_string(format!("/proc/{pid}/status")).context("the server's memory can be read on Linux only")?;
    let kilobytes: f64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .context("no VmRSS in /proc")?;
    Ok(kilobytes / 1024.0)
}

/// Returns the median of 200 sign-in pages, each over its own connection.
fn page_p50(base_url: &str) -> Result<f64> {
    let host = base_url.strip_prefix("http://").context("an http address")?;
    let mut times = Vec::new();
    for _ in 0..200 {
        let start = Instant::now();
        let mut stream = std::net::TcpStream::connect(host)?;
        write!(stream, "GET /sign-in HTTP/1.0\r\nHost: {host}\r\nAccept: text/html\r\n\r\n")?;
        let mut body = Vec::new();
        stream.read_to_end(&mut body)?;
        times.push(millis(start.elapsed()));
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_names_a_part_is_measured() {
        for known in PARTS.into_iter().chain(["art", "e"]) {
            assert_eq!(some_part(known).expect(known), known);
        }
        let text = some_part("serverd").expect_err("a typo").to_string();
        assert!(PARTS.iter().all(|name| text.contains(name)), "{text}");
    }
}
