//! What the credentials of a connection allow: read, report, write. We find this out by reading, never by changing anything.

use adagent_domain::Timestamp;
use serde::{Deserialize, Serialize};

/// What we know about one ability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// The network answered, or said that it granted this.
    Yes,
    /// The network did not grant this, so it would refuse.
    No,
    /// The network refused this the last time; that may have changed since.
    Refused,
    /// No harmless way exists to find out.
    NotKnown,
}

impl Ability {
    pub const ALL: [Self; 4] = [Self::Yes, Self::No, Self::Refused, Self::NotKnown];

    /// Returns the name on the wire and in addresses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Refused => "refused",
            Self::NotKnown => "not_known",
        }
    }
}

/// One of the three abilities, with a sentence about what we know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbilityView {
    pub ability: Ability,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl AbilityView {
    pub const fn yes() -> Self {
        Self { ability: Ability::Yes, why: None }
    }

    pub fn said(ability: Ability, why: impl Into<String>) -> Self {
        Self { ability, why: Some(why.into()) }
    }
}

/// What we found, and when we looked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abilities {
    pub read: AbilityView,
    pub report: AbilityView,
    pub write: AbilityView,
    pub looked_at: Timestamp,
}

impl Abilities {
    /// Returns the three abilities with their names, in the order in which pages show them.
    pub const fn each(&self) -> [(&'static str, &AbilityView); 3] {
        [("Read", &self.read), ("Report", &self.report), ("Change", &self.write)]
    }
}
