//! Mails that are to be sent: written with what caused them, sent later by whoever claims them.
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
}

/// A mail that the caller may send until its lease is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedMail {
    pub id: MailId,
    pub kind: String,
    pub sealed: String,
    /// This one included; also what tells this claim from an earlier one.
    pub attempts: u32,
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

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailOutcome {
    Sent,
    /// Not now: again from then on.
    Again {
        at: Timestamp,
        error: String,
    },
    /// Never.
    GivenUp {
        error: String,
    },
}

/// How the queue is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MailBacklog {
    pub waiting: u64,
    pub failed: u64,
}

#[async_trait]
pub trait MailReads {
    /// Whether one may be claimed now.
    async fn mail_is_due(&self, now: Timestamp) -> StoreResult<bool>;
    async fn mail_backlog(&self) -> StoreResult<MailBacklog>;
}

#[async_trait]
pub trait MailWrites {
    async fn insert_mail(&mut self, mail: &NewMail) -> StoreResult<()>;
    /// The longest-waiting one, invitations behind all others, until `lease`: then it is claimed again, because nobody knows what became of it.
    async fn claim_mail(&mut self, now: Timestamp, lease: Timestamp) -> StoreResult<Option<ClaimedMail>>;
    /// `false` when the claim is not the newest any more; then nothing is written. What was sent or given up loses its content.
    async fn settle_mail(&mut self, claimed: &ClaimedMail, outcome: &MailOutcome, at: Timestamp) -> StoreResult<bool>;
    /// Takes back what was not sent yet; `false` when it is over.
    async fn cancel_mail(&mut self, id: MailId) -> StoreResult<bool>;
}
