//! Email: written in the transaction of its cause, sent afterwards, tried again if that fails, and given up visibly.
//!
//! A mail is sent at least once: when the answer of the mail server is lost, nobody knows, and it is sent again under the same
//! `Message-ID`. Addresses, texts and links are never logged. Must not know SMTP.

mod message;
mod outbox;
mod queue;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use adagent_domain::MailId;
use async_trait::async_trait;
use tokio::sync::Notify;

pub use message::Mail;
pub use outbox::{Kept, Outbox};
pub use queue::resend_mails;

/// Why a mail did not leave. The texts are for operators and hold neither the mail nor a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// Another attempt may work.
    #[error("not now: {0}")]
    Later(String),
    /// The server will never take it.
    #[error("refused: {0}")]
    Never(String),
}

/// What takes mails away.
#[async_trait]
pub trait Mailer: Send + Sync {
    /// `id` becomes part of the `Message-ID`, so that a mail that arrives twice can be told from two mails.
    async fn send(&self, id: MailId, mail: &Mail) -> Result<(), MailError>;
}

/// How this server sends mail, if it does.
pub struct Mailing {
    mailer: Option<Arc<dyn Mailer>>,
    /// Whether what it takes arrives in somebody's mailbox.
    reaches: bool,
    pub(crate) news: Notify,
}

impl Mailing {
    /// To people's mailboxes.
    pub fn by(mailer: Arc<dyn Mailer>) -> Self {
        Self { mailer: Some(mailer), reaches: true, news: Notify::new() }
    }

    /// Into an outbox on this machine.
    pub fn kept(outbox: Arc<Outbox>) -> Self {
        Self { mailer: Some(outbox), reaches: false, news: Notify::new() }
    }

    /// Whether somebody shows by a link in a mail that they read an address.
    pub(crate) const fn reaches_people(&self) -> bool {
        self.reaches
    }

    pub const fn sends(&self) -> bool {
        self.mailer.is_some()
    }

    /// What needs mail is refused.
    pub fn off() -> Self {
        Self { mailer: None, reaches: false, news: Notify::new() }
    }
}
