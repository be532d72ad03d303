//! Measures start-up, pages, first event and sizes of the real server against the budgets, as a table and JSON.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;

use crate::server::{self, Running};
use crate::{ServeArgs, steps, web, workspace};

#[derive(Args)]
pub struct BenchArgs {
    /// Measure the debug build (quick, for trying the bench itself).
    #[arg(long)]
    debug: bool,
}

#[derive(Serialize)]
struct Figure {
    name: &'static str,
    value: f64,
    unit: &'static str,
    budget: f64,
    within: bool,
}

fn figure(name: &'static str, value: f64, unit: &'static str, budget: f64) -> Figure {
    Figure { name, value, unit, budget, within: value <= budget }
}

/// Builds, measures, prints.
pub fn run(args: &BenchArgs) -> Result<()> {
    let release = !args.debug;
    let site = web::build(release)?;
    server::build(release)?;
    let folder = workspace::target_dir().join("xtask/bench");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let serve =
        ServeArgs { release, port: server::free_port()?, data_dir: folder.join("data"), ..ServeArgs::default() };
    // The first start makes the database; the budget is for a start that finds it.
    drop(Running::start(&serve, &site, folder.join("first.log"))?);
    let running = Running::start(&serve, &site, folder.join("server.log"))?;
    let mut figures = vec![
        figure("ready after start", millis(running.ready_after), "ms", 300.0),
        figure("idle memory", resident_megabytes(running.pid())?, "MB", 60.0),
    ];
    let page = format!("{}/sign-in", running.base_url);
    figures.push(figure("server-rendered page, p50", page_p50(&page)?, "ms", 5.0));
    let wasm = site.join("pkg/web_bg.wasm.br");
    if let Ok(meta) = fs::metadata(&wasm) {
        #[expect(clippy::cast_precision_loss, reason = "a file of a few hundred kilobytes")]
        figures.push(figure("WASM, brotli", meta.len() as f64 / 1000.0, "kB", 450.0));
    }
    println!("\n{:<28} {:>10} {:>6} {:>10}", "measured", "value", "unit", "budget");
    for f in &figures {
        println!(
            "{:<28} {:>10.2} {:>6} {:>10} {}",
            f.name,
            f.value,
            f.unit,
            f.budget,
            if f.within { "ok" } else { "OVER" }
        );
    }
    let out = workspace::target_dir().join("bench.json");
    fs::write(&out, serde_json::to_vec_pretty(&figures)?)?;
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

/// The median of 200 sequential requests over one connection each.
fn page_p50(url: &str) -> Result<f64> {
    use std::io::{Read, Write};
    let rest = url.strip_prefix("http://").context("an http address")?;
    let (host, path) = rest.split_once('/').context("an address with a path")?;
    let mut times = Vec::new();
    for _ in 0..200 {
        let start = Instant::now();
        let mut stream = std::net::TcpStream::connect(host)?;
        write!(stream, "GET /{path} HTTP/1.0\r\nHost: {host}\r\nAccept: text/html\r\n\r\n")?;
        let mut body = Vec::new();
        stream.read_to_end(&mut body)?;
        times.push(millis(start.elapsed()));
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}
