//! What the machine reports about a process: CPU time and memory. Works on Linux only; elsewhere the numbers are zero.

use std::fs;

/// Returns the user and system time of a process so far, over all threads.
pub fn cpu_seconds(pid: Option<u32>) -> f64 {
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string(format!("{}/stat", folder(pid))).unwrap_or_default();
    // The 12th and 13th fields after the program's name hold the user and system time.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}

/// Returns the CPU time of a process's threads whose names start with `name`. The time of threads that ended is lost.
pub fn cpu_seconds_of_threads(pid: u32, name: &str) -> f64 {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return 0.0 };
    let named = threads.flatten().map(|thread| thread.path()).filter(|path| {
        // Linux keeps 15 characters of a name.
        fs::read_to_string(path.join("comm")).is_ok_and(|comm| comm.trim().starts_with(&name[..name.len().min(15)]))
    });
    // The first field is the nanoseconds on a processor.
    let on_cpu = named.filter_map(|path| {
        let text = fs::read_to_string(path.join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    });
    on_cpu.sum::<f64>() / 1e9
}

/// Returns the resident memory in megabytes.
pub fn resident_megabytes(pid: Option<u32>) -> f64 {
    let status = fs::read_to_string(format!("{}/status", folder(pid))).unwrap_or_default();
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1024.0
}

/// Returns the CPU time of all processes whose program is called `name`. One process ID is not enough, because a database server's backends
/// come and go.
pub fn cpu_seconds_of_program(name: &str) -> f64 {
    let Ok(entries) = fs::read_dir("/proc") else { return 0.0 };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim() == name))
        .map(|pid| cpu_seconds(Some(pid)))
        .sum()
}

fn folder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "/proc/self".to_owned(), |pid| format!("/proc/{pid}"))
}

/// Returns the value at this percentile (0 to 1).
pub fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index"
    )]
    let index = ((values.len().saturating_sub(1)) as f64 * share).round() as usize;
    values.get(index).copied().unwrap_or_default()
}
