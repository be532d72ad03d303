//! Running commands so that a person sees progress and, when it fails, one useful line.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// Says what is being done.
pub fn say(text: &str) {
    eprintln!("\u{2192} {text}");
}

/// Runs a command with its output shown.
pub fn run(what: &str, command: &mut Command) -> Result<()> {
    say(what);
    let start = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("{what}: cannot start {}", command.get_program().to_string_lossy()))?;
    if !status.success() {
        bail!("{what} failed ({status})");
    }
    let seconds = start.elapsed().as_secs_f32();
    if seconds > 3.0 {
        eprintln!("  done in {seconds:.0} s");
    }
    Ok(())
}

/// What a quiet command left behind.
pub struct Captured {
    pub ok: bool,
    pub output: String,
    pub log: PathBuf,
}

/// Runs a command with its output in a log file.
pub fn capture(name: &str, command: &mut Command) -> Result<Captured> {
    let folder = workspace::target_dir().join("xtask");
    fs::create_dir_all(&folder)?;
    let log = folder.join(format!("{name}.log"));
    let file = File::create(&log)?;
    let status = command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .status()
        .with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
    Ok(Captured { ok: status.success(), output: String::from_utf8_lossy(&fs::read(&log)?).into_owned(), log })
}

/// The last lines of a log, for people.
pub fn tail(output: &str, lines: usize) -> String {
    let all: Vec<&str> = output.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}
