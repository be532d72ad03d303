//! Home: the numbers that a person sees without asking.

use adagent_domain::{ChatSessionId, SavedQuestionId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Artifact, RunStatus};

/// A question on the home page, with its newest answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HomeFigures {
    /// `yesterday`, `week`, `apps`, `impressions`, or the ID of a saved question.
    pub key: String,
    pub title: String,
    pub question: String,
    #[serde(default)]
    pub saved: Option<SavedQuestionId>,
    /// A run is working on a newer answer.
    pub working: bool,
    #[serde(default)]
    pub answer: Option<HomeAnswer>,
}

/// The answer of a run, and the chat that holds it with its sources.
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
    /// At least one question has no recent answer, and no run is working on one.
    pub stale: bool,
    pub saved: Vec<SavedQuestionView>,
    /// Chats that members shared with the workspace, including the person's own.
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

/// How many questions one person can save in one workspace.
pub const MOST_SAVED: u32 = 50;
/// How many saved questions fit on home. Each costs a run when the person opens home.
pub const MOST_PINNED: usize = 6;
/// The longest question that a person can save, in characters. Nobody asks a longer one again.
pub const MOST_QUESTION: usize = 1_000;

/// A question that a person saved to ask it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedQuestionView {
    pub id: SavedQuestionId,
    pub title: String,
    pub question: String,
    /// Home shows its answer.
    pub pinned: bool,
}
