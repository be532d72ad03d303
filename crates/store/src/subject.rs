//! What a run is about: its kind, class and subject, whose it is, and which run began it.

use adagent_domain::{AgentId, ChatSessionId, DefinitionId, MessageId, RunId, TriggerId, UserId};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// Which machine advances a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunKind {
    /// A message of a chat.
    Turn,
    /// A compiled graph: a playbook, a plan, a monitor.
    Flow,
}

impl RunKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Flow => "flow",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Turn, Self::Flow].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Who waits for a run: a person who looks at it, or nobody in particular.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunClass {
    Interactive,
    Background,
}

impl RunClass {
    /// All classes, in the order in which workers claim them.
    pub const ALL: [Self; 2] = [Self::Interactive, Self::Background];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Background => "background",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == text)
    }
}

/// The message that a turn answers, and its chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRef {
    pub session: ChatSessionId,
    pub message: MessageId,
}

/// What a run works on, stored as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    Turn(MessageRef),
    Flow {
        definition: DefinitionId,
        /// The hash of the compiled graph: if the definition changes, a run keeps the graph it began with.
        hash: String,
        inputs: Json,
    },
}

impl Subject {
    pub const fn kind(&self) -> RunKind {
        match self {
            Self::Turn(_) => RunKind::Turn,
            Self::Flow { .. } => RunKind::Flow,
        }
    }

    pub const fn turn(&self) -> Option<MessageRef> {
        match self {
            Self::Turn(turn) => Some(*turn),
            Self::Flow { .. } => None,
        }
    }
}

/// Whose rights a run has: a person's, narrowed by the agent's grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Principal {
    pub user: UserId,
    /// `None` means the workspace's default agent.
    pub agent: Option<AgentId>,
    /// What started the run, if no person did.
    pub trigger: Option<TriggerId>,
}

impl Principal {
    /// Returns the principal of a person who asks directly.
    pub const fn person(user: UserId) -> Self {
        Self { user, agent: None, trigger: None }
    }
}

/// The run that began this one, and the step that did so. A step begins at most one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parent {
    pub run: RunId,
    pub path: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use adagent_domain::SequentialIds;

    #[test]
    fn subjects_are_stored_under_the_name_of_their_kind() {
        let ids = SequentialIds::default();
        let turn = MessageRef { session: ChatSessionId::new(&ids), message: MessageId::new(&ids) };
        let definition = DefinitionId::new(&ids);
        let flow = Subject::Flow { definition, hash: "h".into(), inputs: serde_json::json!({"day": "Monday"}) };
        for subject in [Subject::Turn(turn), flow] {
            let text = serde_json::to_string(&subject).expect("it is plain data");
            assert!(text.starts_with(&format!("{{\"{}\":", subject.kind().as_str())), "{text}");
            assert_eq!(serde_json::from_str::<Subject>(&text).expect("it reads what it wrote"), subject);
        }
        assert!(serde_json::from_str::<Subject>(r#"{"watch":{"monitor":1}}"#).is_err(), "of a newer program");
    }
}
