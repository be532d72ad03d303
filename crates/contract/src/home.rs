//! Home: what a person sees of their figures without asking.

use adagent_domain::{ChatSessionId, SavedQuestionId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Artifact, RunStatus};

/// A question of home with its newest answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HomeFigures {
    /// `yesterday`, `week`, `apps`, `impressions`, or the id of a saved question.
    pub key: String,
    pub title: String,
    pub question: String,
    #[serde(default)]
    pub saved: Option<SavedQuestionId>,
    /// A newer answer is on its way.
    pub working: bool,
    #[serde(default)]
    pub answer: Option<HomeAnswer>,
}

/// What a run answered, and the chat where it stands with its sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HomeAnswer {
    pub session: ChatSessionId,
    pub asked_at: Timestamp,
    pub status: RunStatus,
    /// Markdown.
    pub text: String,
    pub artifacts: Vec<Artifact>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HomeView {
    pub figures: Vec<HomeFigures>,
    /// Some question has no answer that is new enough, and none is on its way.
    pub stale: bool,
    pub saved: Vec<SavedQuestionView>,
    /// Chats that members shared with the workspace, the person's own among them.
    #[serde(default)]
    pub shared: Vec<SharedChatView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedChatView {
    pub id: ChatSessionId,
    pub title: String,
    pub by: String,
    pub updated_at: Timestamp,
}

/// Saved questions of one person in one workspace.
pub const MOST_SAVED: u32 = 50;
/// Those on home: each costs a run when somebody looks at home.
pub const MOST_PINNED: usize = 6;
/// Characters; longer ones are no question to ask again.
pub const MOST_QUESTION: usize = 1_000;

/// A question that a person saved to ask it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedQuestionView {
    pub id: SavedQuestionId,
    pub title: String,
    pub question: String,
    /// Its answer is on home.
    pub pinned: bool,
}
