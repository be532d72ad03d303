//! Emails to send. We write them in the transaction that causes them; a worker claims them from their [`crate::Queue`] and sends them
//! later.
//!
//! An email may hold a link that is as good as a key, so its content is sealed and the store never sees it.

use adagent_domain::{MailId, Timestamp};
use async_trait::async_trait;

use crate::StoreResult;

/// An email as it enters the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMail {
    pub id: MailId,
    /// Its purpose: `invitation`, `verification` …
    pub kind: String,
    /// The recipient, subject and text, sealed for this email.
    pub sealed: String,
    pub created_at: Timestamp,
    /// When its content is no longer useful.
    pub expires_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailState {
    Waiting,
    Sent,
    /// We gave up.
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
    /// Cancels an email that was not sent, even one that we gave up. Returns `false` if it was sent.
    async fn cancel_mail(&mut self, id: MailId) -> StoreResult<bool>;
    /// Restarts every email that we gave up, that has not expired and still has its content. Returns how many.
    async fn revive_mails(&mut self, now: Timestamp) -> StoreResult<u64>;
}
