//! What is to be done: verbs of writing, reading, analysing.

use std::sync::LazyLock;

use adagent_scorer::tables::verbs as tables;
pub use adagent_scorer::tables::verbs::Write;

use super::phrases::Phrases;

pub static WRITES: LazyLock<Phrases<Write>> = LazyLock::new(|| Phrases::new(tables::WRITES));

/// The words people say for the verbs of operations that only some things have: a thing with such an operation is changed by it.
pub const SPECIAL: &[(&str, &[&str])] = &[
    ("pause", &["pause", "hold", "halt", "freeze", "suspend", "stop"]),
    ("resume", &["resume", "unpause", "continue", "restart", "running", "run"]),
    ("approve", &["approve", "greenlight", "okay", "sign"]),
    ("disapprove", &["disapprove", "reject", "decline"]),
    ("retract", &["retract", "withdraw"]),
    ("reserve", &["reserve", "book"]),
    ("release", &["release", "unreserve", "free"]),
    ("unarchive", &["unarchive", "restore", "reopen", "out"]),
    ("archive", &["archive"]),
    ("submit", &["submit", "resubmit", "send", "approval", "review"]),
    ("activate", &["activate", "reactivate", "enable", "resurrect"]),
    ("deactivate", &["deactivate", "disable"]),
    ("block", &["block", "ban", "reject"]),
    ("allow", &["allow", "unblock", "through"]),
];

pub static READS: LazyLock<Phrases<()>> = LazyLock::new(|| Phrases::new(tables::READS));

pub static ANALYSIS: LazyLock<Phrases<()>> = LazyLock::new(|| Phrases::new(tables::ANALYSIS));

/// Words that turn the verb after them off.
pub const NEGATIONS: &[&str] = &["not", "dont", "never", "without", "no", "cannot", "cant", "doesnt", "didnt", "wont"];
