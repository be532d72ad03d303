//! Emails to send: written in the transaction of their cause, sent later by the worker that claims them from their [`crate::Queue`].
//!
//! What a mail says may hold a link that is as good as a key, so it is kept sealed; the store never sees it.

use adagent_domain::{MailId, Timestamp};
use async_trait::async_trait;

use crate::StoreResult;

/// A mail as it is queued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMail {
    pub id: MailId,
    /// What it is for: `invitation`, `verification` …
    pub kind: String,
    /// Recipient, subject and text, sealed for this mail.
    pub sealed: String,
    pub created_at: Timestamp,
    /// When what it says is over.
    pub expires_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailState {
    Waiting,
    Sent,
    /// Given up.
    Failed,
}

impl MailState {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sent => "sent",
            Self::Failed => "failed",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::Waiting, Self::Sent, Self::Failed].into_iter().find(|state| state.as_str() == word)
    }
}

#[async_trait]
pub trait MailWrites {
    async fn insert_mail(&mut self, mail: &NewMail) -> StoreResult<()>;
    /// Takes back what was not sent, also what was given up; `false` when it was sent.
    async fn cancel_mail(&mut self, id: MailId) -> StoreResult<bool>;
    /// Lets every mail that was given up, is not over and still has its content begin again; says how many.
    async fn revive_mails(&mut self, now: Timestamp) -> StoreResult<u64>;
}
