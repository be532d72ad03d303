//! Runs commands so that a person sees progress and, after a failure, one useful line.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::workspace;

/// A step without output for this long is hanging. It is longer than any crate takes to build and any test takes to run.
const QUIET: Duration = Duration::from_mins(10);

/// Prints what is being done.
pub fn say(text: &str) {
    eprintln!("\u{2192} {text}");
}

/// Runs a command and shows its output.
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

/// The result of a command that ran without showing its output.
pub struct Captured {
    pub ok: bool,
    pub output: String,
    pub log: PathBuf,
}

/// Runs a command and writes its output to a log file.
pub fn capture(name: &str, command: &mut Command) -> Result<Captured> {
    let folder = workspace::target_dir().join("xtask");
    fs::create_dir_all(&folder)?;
    let log = folder.join(format!("{name}.log"));
    let file = File::create(&log)?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
    let ended = watch(&mut child, QUIET, || fs::metadata(&log).map_or(0, |log| log.len()))?;
    let mut output = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    if ended.is_none() {
        output.push_str("\nerror: it said nothing for ten minutes and was ended; what it was at stands above\n");
    }
    Ok(Captured { ok: ended.is_some_and(|status| status.success()), output, log })
}

/// Waits for the end. Returns `None` if `said` did not change for too long; then this has killed the command and everything it
/// started.
fn watch(child: &mut Child, quiet: Duration, said: impl Fn() -> u64) -> Result<Option<ExitStatus>> {
    let mut last = (said(), Instant::now());
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(Duration::from_millis(50));
        let now = said();
        if now != last.0 {
            last = (now, Instant::now());
        } else if last.1.elapsed() > quiet {
            let mut doomed = descendants(child.id());
            doomed.push(child.id());
            let ids = doomed.iter().map(u32::to_string);
            Command::new("kill").arg("-KILL").args(ids).stderr(Stdio::null()).status().context("cannot run kill")?;
            child.wait()?;
            return Ok(None);
        }
    }
}

/// Returns the processes below a process, as far as the system reports them.
fn descendants(id: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    let children = children.split_whitespace().filter_map(|child| child.parse().ok());
    children.flat_map(|child| descendants(child).into_iter().chain([child])).collect()
}

/// Returns the last lines of a log, for people.
pub fn tail(output: &str, lines: usize) -> String {
    let all: Vec<&str> = output.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hangs_is_ended_with_all_it_started_and_what_ends_is_waited_for() {
        let mut hangs = Command::new("sh").args(["-c", "sleep 600 & wait"]).spawn().expect("a shell");
        let below = loop {
            if let Some(id) = descendants(hangs.id()).first() {
                break *id;
            }
        };
        assert!(watch(&mut hangs, Duration::ZERO, || 0).expect("watched").is_none());
        // Nobody collects its exit status, so it may remain as a zombie.
        let runs = |stat: String| !stat.contains(") Z ") && !stat.contains(") X ");
        while fs::read_to_string(format!("/proc/{below}/stat")).is_ok_and(runs) {
            thread::sleep(Duration::from_millis(5));
        }

        let mut ends = Command::new("sh").args(["-c", "exit 3"]).spawn().expect("a shell");
        let status = watch(&mut ends, QUIET, || 0).expect("watched").expect("ended by itself");
        assert_eq!(status.code(), Some(3));
    }
}
