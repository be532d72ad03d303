//! What a person wants to do: verbs that write, read or analyze.

use std::sync::LazyLock;

use adagent_scorer::tables::verbs as tables;
pub use adagent_scorer::tables::verbs::Write;

use super::phrases::Phrases;

pub static WRITES: LazyLock<Phrases<Write>> = LazyLock::new(|| Phrases::new(tables::WRITES));

/// For each verb of an operation that only some things have, the words that people use for it. Such a word changes a thing that has the
/// operation.
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

/// Words that cancel the verb after them.
pub const NEGATIONS: &[&str] = &["not", "dont", "never", "without", "no", "cannot", "cant", "doesnt", "didnt", "wont"];
