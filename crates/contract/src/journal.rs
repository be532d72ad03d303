//! The journal: what was done, by which agent, for whom. Each run that ended is an entry; we store nothing twice.

use adagent_domain::{ChatSessionId, RunId, Timestamp, UserId};
use serde::{Deserialize, Serialize};

use crate::{AgentRef, DEFAULT_AGENT, RunStatus};

/// What one run did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    pub run: RunId,
    /// The chat, if the reader may open it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<ChatSessionId>,
    /// Who asked, if another person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether the run began by itself, at a time or an event.
    #[serde(default, skip_serializing_if = "is_false")]
    pub scheduled: bool,
    /// Whether another agent asked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub delegated: bool,
    /// `None` means the workspace's own agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRef>,
    /// When the run ended.
    pub at: Timestamp,
    pub status: RunStatus,
    /// The question, without the agent's handle.
    pub question: String,
    /// The beginning of the answer, without Markdown marks.
    pub summary: String,
    /// The changes that were sent and took effect, one sentence each.
    pub changes: Vec<String>,
    pub cost_micros: i64,
    /// How long the run took, with the time that it waited for people.
    pub took_ms: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as `skip_serializing_if` takes it")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl JournalEntry {
    pub fn handle(&self) -> &str {
        self.agent.as_ref().map_or(DEFAULT_AGENT, |agent| agent.handle.as_str())
    }
}

/// How many entries there are on one day, of one agent, or of one person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalCount {
    pub entries: u32,
    /// Runs that failed or reached a limit.
    pub failed: u32,
    pub cost_micros: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayCount {
    /// The day in the workspace's reporting time zone, such as `2026-11-26`.
    pub day: String,
    #[serde(flatten)]
    pub count: JournalCount,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentCount {
    /// `None` means the workspace's own agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRef>,
    #[serde(flatten)]
    pub count: JournalCount,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonCount {
    pub id: UserId,
    pub name: String,
    #[serde(flatten)]
    pub count: JournalCount,
}

/// What there is in the journal of some days.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JournalSummary {
    pub time_zone: String,
    pub from: String,
    pub to: String,
    #[serde(flatten)]
    pub count: JournalCount,
    /// Whether every entry was counted. A very long list is counted from its newest entries.
    pub complete: bool,
    /// Days with entries, newest first.
    pub days: Vec<DayCount>,
    /// The agent with most entries comes first.
    pub agents: Vec<AgentCount>,
    pub people: Vec<PersonCount>,
    /// The newest five entries.
    pub latest: Vec<JournalEntry>,
}

/// An entry with the time of day at which its run ended, in the workspace's reporting time zone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalLine {
    pub time: String,
    pub entry: JournalEntry,
}

/// The entries of one day, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalDay {
    /// `2026-11-26`.
    pub day: String,
    pub lines: Vec<JournalLine>,
}

/// What the journal's page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalPage {
    /// The newest day comes first.
    pub days: Vec<JournalDay>,
    pub next_cursor: Option<String>,
    /// Everything that the month on the page has, whatever the list leaves out.
    pub month: JournalSummary,
    pub today: String,
}

/// Filters for the entries. A person sees their own, and those of shared agents whose journal is shared, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JournalQuery {
    /// The handle of the agent; `desk` is the workspace's own agent.
    pub agent: Option<String>,
    /// The first and last day in the workspace's reporting time zone, such as `2026-11-26`.
    pub from: Option<String>,
    pub to: Option<String>,
    pub status: Option<RunStatus>,
    /// The ID of the person who asked.
    pub person: Option<String>,
    /// A text in the question or the answer; case does not matter.
    pub q: Option<String>,
}

/// The longest summary in characters.
const SUMMARY: usize = 240;

/// Returns the first sentences of an answer: its first paragraph, without Markdown marks.
pub fn summary_of(answer: &str) -> String {
    let first = answer.trim().split("\n\n").next().unwrap_or_default();
    let mut plain = String::with_capacity(first.len());
    let mut rest = first;
    // Replace `[text](address)` by its text.
    while let Some((before, from)) = rest.split_once('[') {
        plain.push_str(before);
        let link = from.split_once("](").and_then(|(text, after)| Some((text, after.split_once(')')?.1)));
        if let Some((text, after)) = link {
            plain.push_str(text);
            rest = after;
        } else {
            plain.push('[');
            rest = from;
        }
    }
    plain.push_str(rest);
    let plain: String = plain.chars().filter(|c| !matches!(c, '*' | '`' | '#')).collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if plain.chars().count() <= SUMMARY {
        return plain;
    }
    let cut: String = plain.chars().take(SUMMARY).collect();
    // Keep whole sentences if possible, otherwise whole words.
    let sentence = cut.rsplit_once(". ").map(|(whole, _)| format!("{whole}."));
    let kept = sentence.or_else(|| Some(cut.rsplit_once(' ')?.0.to_owned())).unwrap_or(cut);
    if kept.ends_with('.') { kept } else { format!("{kept} …") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_the_first_paragraph_in_plain_words() {
        let answer = "**AdMob** earned [$12.50](/runs/1) on Nov 25.\n\n| a | b |";
        assert_eq!(summary_of(answer), "AdMob earned $12.50 on Nov 25.");
        assert_eq!(summary_of("Use `admob_list_apps` [now"), "Use admob_list_apps [now");
        assert_eq!(summary_of(""), "");
        let long = format!("One sentence. {}", "word ".repeat(100));
        assert_eq!(summary_of(&long), "One sentence.");
        let endless = "é".repeat(500);
        assert_eq!(summary_of(&endless).chars().count(), 242);
    }
}
