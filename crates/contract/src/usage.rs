//! What hosted models cost a workspace today, and the limits on it.

use adagent_domain::Timestamp;
use serde::{Deserialize, Serialize};

/// The answer of GET `/api/usage`. Money is in micros of a US dollar, at list prices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageToday {
    /// The day in the time zone that the administrator set: `2026-11-22`.
    pub day: String,
    /// When the next day begins and all counts start at zero.
    pub resets_at: Timestamp,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    /// The amount set aside for calls that are running.
    pub held_micros: i64,
    /// How many questions went to hosted models.
    pub calls: u64,
    pub ceilings: UsageCeilings,
}

/// Limits that no call may exceed; the administrator sets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageCeilings {
    pub workspace_daily_cost_micros: i64,
    pub run_cost_micros: i64,
    pub run_tokens: u64,
}
