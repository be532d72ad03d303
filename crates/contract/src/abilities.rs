//! What the credentials of a connection may do: read, report, write. Found by looking, never by changing anything.

use adagent_domain::Timestamp;
use serde::{Deserialize, Serialize};

/// How sure it is that something may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// The network answered, or said that it was granted.
    Yes,
    /// It was not granted: the network would refuse.
    No,
    /// The network refused it the last time; that may have changed since.
    Refused,
    /// There is no harmless way to find out.
    NotKnown,
}

impl Ability {
    pub const ALL: [Self; 4] = [Self::Yes, Self::No, Self::Refused, Self::NotKnown];

    /// As the wire and addresses say it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Refused => "refused",
            Self::NotKnown => "not_known",
        }
    }
}

/// One of the three, with what is known of it in a sentence.
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

/// What was found, and when somebody looked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abilities {
    pub read: AbilityView,
    pub report: AbilityView,
    pub write: AbilityView,
    pub looked_at: Timestamp,
}

impl Abilities {
    /// The three by name, in the order in which they are shown.
    pub const fn each(&self) -> [(&'static str, &AbilityView); 3] {
        [("Read", &self.read), ("Report", &self.report), ("Change", &self.write)]
    }
}
