//! What the operating system reports about this process, under the names that Prometheus' own clients use. Only Linux is supported; other
//! systems report nothing.

use std::{fmt::Write as _, fs};

/// Clock ticks of `/proc` per second, the same on every Linux that we build for.
const TICKS: u64 = 100;

/// Returns what the system reports, as part of the page. We write it by hand, because the processor time is a counter with
/// fractions.
pub(crate) fn exposition() -> String {
    let mut text = String::new();
    let mut put = |name: &str, kind: &str, help: &str, value: String| {
        // Writing to a String cannot fail.
        let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n\n");
    };
    if let Some(kib) = field("/proc/self/status", "VmRSS:") {
        put("process_resident_memory_bytes", "gauge", "Resident memory in bytes.", (kib * 1024).to_string());
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        // Do not count the descriptor of the folder itself.
        put("process_open_fds", "gauge", "Open file descriptors.", open.count().saturating_sub(1).to_string());
    }
    if let Some(stat) = fs::read_to_string("/proc/self/stat").ok().as_deref().and_then(Stat::read) {
        put("process_cpu_seconds_total", "counter", "Processor time used, in seconds.", seconds(stat.ticks));
        put("process_threads", "gauge", "Threads.", stat.threads.to_string());
        if let Some(boot) = field("/proc/stat", "btime") {
            let started = seconds(boot * TICKS + stat.started);
            put("process_start_time_seconds", "gauge", "Start of the process in seconds since 1970.", started);
        }
    }
    text
}

fn seconds(ticks: u64) -> String {
    format!("{}.{:02}", ticks / TICKS, ticks % TICKS)
}

fn field(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[derive(Debug, PartialEq, Eq)]
struct Stat {
    ticks: u64,
    threads: u64,
    started: u64,
}

impl Stat {
    fn read(text: &str) -> Option<Self> {
        // The name in parentheses may contain anything, including spaces and parentheses.
        let after = text.rsplit_once(')')?.1;
        let fields: Vec<&str> = after.split_whitespace().collect();
        let number = |place: usize| fields.get(place).and_then(|text| text.parse::<u64>().ok());
        Some(Self { ticks: number(11)? + number(12)?, threads: number(17)?, started: number(19)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let text = "42 (a) b) S 1 2 3 4 5 6 7 8 9 10 700 50 0 0 20 0 9 0 12345 0";
        assert_eq!(Stat::read(text), Some(Stat { ticks: 750, threads: 9, started: 12345 }));
        assert_eq!(Stat::read("nonsense"), None);
        assert_eq!(seconds(750), "7.50");
        assert_eq!(seconds(5), "0.05");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_uses_memory_and_began_some_time() {
        let text = exposition();
        for name in ["process_resident_memory_bytes", "process_cpu_seconds_total", "process_start_time_seconds"] {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name}: {text}"));
            let value: f64 = line.split(' ').nth(1).expect("a value").parse().expect("a number");
            assert!(value >= 0.0);
        }
    }
}
