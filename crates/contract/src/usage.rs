//! What hosted models cost a workspace today, and what they may.

use adagent_domain::Timestamp;
use serde::{Deserialize, Serialize};

/// GET `/api/usage`. Money is in micros of a US dollar, by list prices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageToday {
    /// As the operator's time zone has it: `2026-11-22`.
    pub day: String,
    /// When the next day begins and everything starts afresh.
    pub resets_at: Timestamp,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    /// Set aside for calls under way.
    pub held_micros: i64,
    /// Questions to hosted models.
    pub calls: u64,
    pub ceilings: UsageCeilings,
}

/// What no call may break; the administrator sets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageCeilings {
    pub workspace_daily_cost_micros: i64,
    pub run_cost_micros: i64,
    pub run_tokens: u64,
}
