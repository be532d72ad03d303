//! The limit of each figure. A figure without a budget is only shown.

/// Packages with criterion benches.
pub const BENCHED: &[&str] = &["adagent-understanding"];

#[derive(Debug, Clone, Copy)]
pub struct Budget {
    pub limit: f64,
    /// Whether the limit is a minimum.
    at_least: bool,
}

impl Budget {
    pub fn holds(&self, value: f64) -> bool {
        if self.at_least { value >= self.limit } else { value <= self.limit }
    }
}

/// Beginning and end of a figure's name, its limit, and whether the limit is a minimum.
const BUDGETS: &[(&str, &str, f64, bool)] = &[
    ("ready after start", "", 300.0, false),
    ("idle memory", "", 60.0, false),
    ("server-rendered", "p50", 5.0, false),
    ("first page", "", 400.0, false),
    ("first event after the message, p50", "", 20.0, false),
    ("memory with these streams", "", 500.0, false),
    ("", "pipeline over the bare client, p50", 100.0, false),
    ("question: CPU", "", 4.0, false),
    ("question: events", "", 15.0, false),
    ("question: 64 at a time", "first event, p50", 60.0, false),
    ("question: 64 at a time", "time", 400.0, true),
    ("question: its chat page", "CPU", 5.0, false),
    ("question: its chat page", "compressed", 60.0, false),
    ("MCP: tools/list", "CPU for 1,000", 2.0, false),
    ("MCP: tools/call", "at a time", 5_000.0, true),
    ("SQLite: CPU per 1,000 runs", "", 1.0, false),
    ("PostgreSQL: CPU per 1,000 runs", "", 1.8, false),
    ("SQLite: runs per second", "", 600.0, true),
    ("PostgreSQL: runs per second", "", 400.0, true),
    ("SQLite: first event beside", "p99", 60.0, false),
    ("PostgreSQL: first event beside", "p99", 60.0, false),
    ("SQLite: one run alone, p99", "", 5.0, false),
    ("SQLite: stored per run", "", 12.0, false),
    ("PostgreSQL: stored per run", "", 12.0, false),
    ("", "CPU, full over empty", 1.2, false),
    ("", "last over first", 1.5, false),
    ("router", "", 200.0, false),
    ("retrieval_283", "", 500.0, false),
    ("retrieval_100,000", "", 5_000.0, false),
];

pub fn of(name: &str) -> Option<Budget> {
    BUDGETS
        .iter()
        .find(|(start, end, ..)| name.starts_with(start) && name.ends_with(end))
        .map(|&(_, _, limit, at_least)| Budget { limit, at_least })
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_budget_is_found_by_the_name_and_knows_its_direction() {
        assert!(of("SQLite: runs per second, 64 at a time").is_some_and(|b| b.holds(700.0) && !b.holds(500.0)));
        assert!(of("SQLite, 1000000 stored runs: CPU, full over empty").is_some_and(|b| b.holds(1.1) && !b.holds(1.3)));
        assert!(of("memory per waiting stream").is_none());
    }
}
