//! The cost of asking models.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    /// Whether part of it is an estimate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

impl Spent {
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost_micros: self.cost_micros.saturating_add(other.cost_micros),
            estimated: self.estimated || other.estimated,
        }
    }
}

/// The cost of one question to a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedModel {
    pub model: String,
    pub usage: Spent,
}
