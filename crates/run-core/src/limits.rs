//! The limits of a run, and the explanation of each stop. A run must never end without an explanation.

use serde::{Deserialize, Serialize};

use crate::{Spent, turn::doing};

/// The limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Rounds of the model.
    pub iterations: u32,
    /// Rounds in a row with a failure that may pass.
    pub retryable: u32,
    /// Rounds in a row with a failure that will not pass.
    pub deterministic: u32,
    /// Working time. It does not count the time that the run waits for people.
    pub deadline_ms: i64,
    pub tokens: u64,
    pub cost_micros: i64,
    /// Rows of all reports together, because we hold them in memory while the model writes the answer.
    pub rows: u64,
    /// How often the verifier may reject an answer.
    pub rewrites: u32,
    /// How long an approval stays open.
    pub approval_ms: i64,
    /// Calls per round of the model.
    pub calls_per_turn: usize,
    /// How long a write may still take effect after its sender gave up on it: the network's whole request deadline and a margin. Only a
    /// look that begins later and finds nothing shows that the write did not happen.
    pub settle_ms: i64,
}

impl Limits {
    /// Returns the limit that the run has used up, or would exceed with this much more. `None` if it stays within both.
    pub const fn ceiling(&self, spent: &Spent, next_tokens: u64, next_micros: i64) -> Option<Stop> {
        let used = spent.input_tokens.saturating_add(spent.output_tokens);
        if used >= self.tokens || used.saturating_add(next_tokens) > self.tokens {
            return Some(Stop::Tokens { used, next: next_tokens, limit: self.tokens });
        }
        let used = spent.cost_micros;
        if used >= self.cost_micros || used.saturating_add(next_micros) > self.cost_micros {
            return Some(Stop::Cost { used, next: next_micros, limit: self.cost_micros });
        }
        None
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            iterations: 15,
            retryable: 3,
            deterministic: 2,
            deadline_ms: 300_000,
            tokens: 400_000,
            cost_micros: 2_000_000,
            rows: 60_000,
            rewrites: 2,
            approval_ms: 7 * 24 * 3_600_000,
            calls_per_turn: 12,
            settle_ms: 40_000,
        }
    }
}

/// What people can do without the provider.
const WAY_ON: &str = "To continue right away, choose the local planner as the model under Context. It's free.";

fn who(setting: &str) -> String {
    format!("An administrator can change that (`models.budget.{setting}`).")
}

/// Writes millionths of a dollar, and shows fractions of a cent only if there are any.
fn dollars(micros: i64) -> String {
    let (whole, part) = (micros / 1_000_000, (micros % 1_000_000).abs());
    if part % 10_000 == 0 { format!("${whole}.{:02}", part / 10_000) } else { format!("${whole}.{part:06}") }
}

/// Writes a duration in a suitable unit, rounded up.
pub fn duration(ms: u64) -> String {
    let unit = |count: u64, name: &str| format!("{count} {name}{}", if count == 1 { "" } else { "s" });
    match ms.div_ceil(1000) {
        seconds @ 0..120 => unit(seconds, "second"),
        seconds @ 120..7200 => unit(seconds.div_ceil(60), "minute"),
        seconds => unit(seconds.div_ceil(3600), "hour"),
    }
}

/// Why the stop policy ends a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    Iterations(u32),
    Retryable {
        times: u32,
        last: String,
    },
    Deterministic {
        times: u32,
        last: String,
    },
    Deadline,
    /// `next` is the most that the next question to the model can use.
    Tokens {
        used: u64,
        next: u64,
        limit: u64,
    },
    Cost {
        used: i64,
        next: i64,
        limit: i64,
    },
    /// The workspace's limit for a day. `held` is reserved for other open runs.
    Daily {
        used: i64,
        held: i64,
        next: i64,
        limit: i64,
        /// When the next day begins, in words for people.
        resets: String,
    },
    /// The model provider asks us to wait longer than a run waits.
    Busy {
        wait_ms: u64,
    },
    /// The model declined, with its own words if it gave any.
    Refused {
        model: String,
        words: String,
    },
    Unverified(String),
    Empty,
    /// Our own code broke, twice in the same step.
    Broke {
        step: String,
    },
    /// We could not ask the model.
    Model {
        message: String,
        retryable: bool,
    },
}

impl Stop {
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Iterations(_) => "max_iterations",
            Self::Retryable { .. } => "max_retries",
            Self::Deterministic { .. } => "deterministic_failure",
            Self::Deadline => "deadline_exceeded",
            Self::Tokens { .. } => "token_limit",
            Self::Cost { .. } => "cost_limit",
            Self::Daily { .. } => "daily_cost_limit",
            Self::Busy { .. } => "model_busy",
            Self::Refused { .. } => "model_refused",
            Self::Unverified(_) => "unverified_answer",
            Self::Empty => "empty_answer",
            Self::Broke { .. } => "internal",
            Self::Model { .. } => "model_unavailable",
        }
    }

    /// Returns what happened and what people can do, in words for them.
    pub fn explain(&self) -> String {
        match self {
            Self::Iterations(n) => format!(
                "I stopped after {n} rounds without reaching an answer. Try a narrower question, for example one app or a shorter period."
            ),
            Self::Retryable { times, last } => {
                format!(
                    "I stopped after {times} failed attempts: {last} This often passes; ask again in a few minutes."
                )
            }
            Self::Deterministic { times, last } => format!(
                "I stopped after {times} attempts, because trying again would fail the same way: {last} You can edit the arguments of the failed step, or ask differently."
            ),
            Self::Deadline => {
                "I stopped because this took too long for one run. Ask for less at a time, or ask again to continue."
                    .into()
            }
            Self::Tokens { used, next, limit } => format!(
                "I stopped before asking the model again. A run may use up to {limit} tokens; this one has used {used}{}. {} {WAY_ON}",
                if *next == 0 { String::new() } else { format!(", and the next question could take {next}") },
                who("run_tokens"),
            ),
            Self::Cost { used, next, limit } => format!(
                "I stopped before asking the model again. A run may cost up to {}; this one has cost {} so far{}. {} {WAY_ON}",
                dollars(*limit),
                dollars(*used),
                if *next == 0 {
                    String::new()
                } else {
                    format!(", and the next model call could cost {}", dollars(*next))
                },
                who("run_cost_micros"),
            ),
            Self::Daily { used, held, next, limit, resets } => format!(
                "I didn't ask the model. This workspace can spend up to {} a day on hosted models. It has spent {} today{}, and this question could cost {}. The limit resets at {resets}. {} {WAY_ON}",
                dollars(*limit),
                dollars(*used),
                if *held == 0 {
                    String::new()
                } else {
                    format!(", with {} reserved for runs in progress", dollars(*held))
                },
                dollars(*next),
                who("workspace_daily_cost_micros"),
            ),
            Self::Busy { wait_ms } => format!(
                "The model provider asked us to wait {}, which is longer than a run can wait. Ask again after that. {WAY_ON}",
                duration(*wait_ms)
            ),
            Self::Refused { model, words } => {
                let words = if words.trim().is_empty() {
                    "It gave no reason.".to_owned()
                } else {
                    format!("It said: “{}”", words.trim())
                };
                format!("{model} declined to answer this. {words} Rephrase your question. {WAY_ON}")
            }
            Self::Unverified(why) => format!(
                "I couldn't back up my answer with what the network returned, so I'm not showing it: {why} The results are in the steps above."
            ),
            Self::Empty => {
                "The model gave no answer. Ask again, or choose another model in the context settings.".into()
            }
            Self::Broke { step } => format!(
                "Something went wrong on our end while {}, twice in a row, so I stopped. Nothing else was sent. Try rephrasing, and tell your administrator; the server log has the details.",
                doing(step)
            ),
            Self::Model { message, retryable } => {
                let advice = if *retryable {
                    "Ask again in a moment, or choose another model in the context settings."
                } else {
                    "Choose another model in the context settings, or ask an administrator to check the model's configuration."
                };
                format!("We couldn't reach the model: {message}. {advice}")
            }
        }
    }

    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Model { retryable, .. } => *retryable,
            Self::Retryable { .. } | Self::Deadline | Self::Empty | Self::Busy { .. } | Self::Broke { .. } => true,
            _ => false,
        }
    }

    pub const fn allows_override(&self) -> bool {
        matches!(self, Self::Deterministic { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ceiling_holds_back_what_could_break_it() {
        let limits = Limits { tokens: 100, cost_micros: 10, ..Limits::default() };
        let spent = |input_tokens, cost_micros| Spent { input_tokens, cost_micros, ..Spent::default() };
        assert_eq!(limits.ceiling(&spent(50, 5), 50, 5), None, "exactly up to it");
        assert!(matches!(limits.ceiling(&spent(50, 5), 51, 5), Some(Stop::Tokens { used: 50, next: 51, limit: 100 })));
        assert!(matches!(limits.ceiling(&spent(50, 5), 50, 6), Some(Stop::Cost { used: 5, next: 6, limit: 10 })));
        assert!(limits.ceiling(&spent(100, 0), 0, 0).is_some() && limits.ceiling(&spent(0, 10), 0, 0).is_some());
        assert!(limits.ceiling(&spent(1, 1), u64::MAX, i64::MAX).is_some());
    }

    #[test]
    fn ceilings_say_how_much_who_and_what_now() {
        let daily = Stop::Daily {
            used: 19_990_000,
            held: 1_234,
            next: 120_000,
            limit: 20_000_000,
            resets: "2026-11-23 00:00 UTC".into(),
        };
        let text = daily.explain();
        let setting = "models.budget.workspace_daily_cost_micros";
        for part in ["$20.00", "$19.99", "$0.001234", "$0.12", "2026-11-23 00:00 UTC", setting, "local planner"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(Stop::Busy { wait_ms: 150_000 }.explain().contains("3 minutes"));
        assert_eq!(duration(1), "1 second");
        assert_eq!(duration(7_000), "7 seconds");
        assert_eq!(duration(7_200_000), "2 hours");
    }
}
