//! Email: written in the transaction that causes it and sent afterwards. We try again after a failure, and give up visibly.
//!
//! We send an email at least once: if the answer of the mail server is lost, we send it again under the same `Message-ID`. We never log
//! addresses, texts or links. This module must not know SMTP.

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

/// Why an email was not sent. The texts are for administrators and contain neither the email nor a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// Another attempt may work.
    #[error("not now: {0}")]
    Later(String),
    /// The mail server will never accept it.
    #[error("refused: {0}")]
    Never(String),
}

/// The way in which this server sends emails.
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Sends an email. `id` becomes part of the `Message-ID`, so that one email that arrives twice can be told from two emails.
    async fn send(&self, id: MailId, mail: &Mail) -> Result<(), MailError>;
}

/// How this server sends email, if it does.
pub struct Mailing {
    mailer: Option<Arc<dyn Mailer>>,
    /// Whether the emails reach people's mailboxes.
    reaches: bool,
    pub(crate) news: Notify,
}

impl Mailing {
    /// Sends to people's mailboxes.
    pub fn by(mailer: Arc<dyn Mailer>) -> Self {
        Self { mailer: Some(mailer), reaches: true, news: Notify::new() }
    }

    /// Stores emails in an outbox on this machine.
    pub fn kept(outbox: Arc<Outbox>) -> Self {
        Self { mailer: Some(outbox), reaches: false, news: Notify::new() }
    }

    /// Checks whether people can show by a link in an email that they read an address.
    pub(crate) const fn reaches_people(&self) -> bool {
        self.reaches
    }

    pub const fn sends(&self) -> bool {
        self.mailer.is_some()
    }

    /// Sends nothing; actions that need email are refused.
    pub fn off() -> Self {
        Self { mailer: None, reaches: false, news: Notify::new() }
    }
}
