//! The journal: what was done, by which agent, for whom. An entry is a run that ended; nothing is written twice.

use adagent_domain::{ChatSessionId, RunId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{AgentRef, DEFAULT_AGENT, RunStatus};

/// What one run did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    pub run: RunId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<ChatSessionId>,
    /// `None`: the workspace's own agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRef>,
    /// When it ended.
    pub at: Timestamp,
    pub status: RunStatus,
    /// What was asked, without the agent it was asked of.
    pub question: String,
    /// The beginning of its answer, without marks of Markdown.
    pub summary: String,
    /// Changes that were sent and took effect, each in a sentence.
    pub changes: Vec<String>,
    pub cost_micros: i64,
}

impl JournalEntry {
    pub fn handle(&self) -> &str {
        self.agent.as_ref().map_or(DEFAULT_AGENT, |agent| agent.handle.as_str())
    }
}

/// Which entries are wanted; all are one's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JournalQuery {
    /// Of the agent with this handle; `desk` is the workspace's own.
    pub agent: Option<String>,
    /// First and last day in the workspace's reporting time zone, `2026-11-26`.
    pub from: Option<String>,
    pub to: Option<String>,
    pub status: Option<RunStatus>,
    /// In the question or the answer, in any case.
    pub q: Option<String>,
}

/// Characters of a summary.
const SUMMARY: usize = 240;

/// The first sentences of an answer: the paragraph it begins with, without marks of Markdown.
pub fn summary_of(answer: &str) -> String {
    let first = answer.trim().split("\n\n").next().unwrap_or_default();
    let mut plain = String::with_capacity(first.len());
    let mut rest = first;
    // `[text](address)` is its text.
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
    // The last whole sentence, or else the last whole word.
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
