//! The queue: sealed rows, one claim at a time, waiting longer after each failure.

use std::time::Duration;

use adagent_domain::MailId;
use adagent_identity::{Owner, Purpose};
use adagent_store::{ClaimedMail, MailOutcome, NewMail, UnitOfWork};
use tokio_util::sync::CancellationToken;

use super::{Mail, MailError};
use crate::{Service, ServiceError, ServiceResult};

/// How long a claim holds; longer than any mail server is waited for.
const LEASE_SECONDS: i64 = 180;
/// Tried over about four hours.
const ATTEMPTS: u32 = 10;
const FIRST_WAIT_SECONDS: i64 = 30;
/// How often another process's mails, and those whose wait is over, are looked for.
const LOOK: Duration = Duration::from_secs(2);
const MAX_ERROR: usize = 300;

/// What one pass did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delivered {
    pub sent: u64,
    pub again: u64,
    pub given_up: u64,
}

pub(super) fn owner(kind: &str, id: MailId) -> Owner {
    Owner::of("mail", kind, Purpose::Mail, id)
}

impl Service {
    /// Whether what needs mail is possible here.
    pub fn sends_mail(&self) -> bool {
        self.mail.sends()
    }

    /// Refuses what would need a mail where none is sent.
    pub(crate) fn needs_mail(&self) -> ServiceResult<()> {
        if self.sends_mail() { Ok(()) } else { Err(ServiceError::MailOff) }
    }

    /// Writes a mail into the transaction of what caused it. Call [`Self::mail_was_queued`] after the commit.
    pub(crate) async fn queue_mail(
        &self,
        work: &mut dyn UnitOfWork,
        kind: &'static str,
        mail: &Mail,
    ) -> ServiceResult<MailId> {
        self.needs_mail()?;
        let id = MailId::new(&*self.ids);
        let sealed = self.connections.vault().seal_json(&owner(kind, id), mail);
        let sealed = sealed.map_err(|error| ServiceError::Internal(error.to_string()))?;
        work.insert_mail(&NewMail { id, kind: kind.to_owned(), sealed, created_at: self.clock.now() }).await?;
        Ok(id)
    }

    /// Lets the sender look at once instead of at its next turn.
    pub(crate) fn mail_was_queued(&self) {
        self.mail.news.notify_one();
    }

    /// Sends what is queued, until `stop`; the server runs it.
    pub async fn send_mails(&self, stop: CancellationToken) {
        if !self.sends_mail() {
            return;
        }
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = self.mail.news.notified() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
            if let Err(error) = self.deliver_mails(&stop).await {
                tracing::warn!(%error, "the queue of mails could not be worked on");
            }
        }
    }

    /// Sends everything that is due now. What is under way when `stop` comes is finished.
    pub async fn deliver_mails(&self, stop: &CancellationToken) -> ServiceResult<Delivered> {
        let mut delivered = Delivered::default();
        // A read first: looking for nothing must not keep those who write waiting.
        while !stop.is_cancelled() && self.store.mail_is_due(self.clock.now()).await? {
            let now = self.clock.now();
            let mut work = self.store.begin().await?;
            let claimed = work.claim_mail(now, now.plus_seconds(LEASE_SECONDS)).await?;
            work.commit().await?;
            let Some(claimed) = claimed else { break };
            let outcome = self.attempt(&claimed).await;
            match &outcome {
                MailOutcome::Sent => delivered.sent += 1,
                MailOutcome::Again { .. } => delivered.again += 1,
                MailOutcome::GivenUp { .. } => delivered.given_up += 1,
            }
            let mut work = self.store.begin().await?;
            work.settle_mail(&claimed, &outcome, self.clock.now()).await?;
            work.durable();
            work.commit().await?;
        }
        Ok(delivered)
    }

    async fn attempt(&self, claimed: &ClaimedMail) -> MailOutcome {
        let ClaimedMail { id, kind, attempts, .. } = claimed;
        let outcome = match self.mail_of(claimed) {
            Ok(mail) => match &self.mail.mailer {
                Some(mailer) => mailer.send(*id, &mail).await,
                None => Err(MailError::Later("this server sends no mail".into())),
            },
            // Another process may hold the key, or this one once it is mended.
            Err(error) => Err(MailError::Later(error)),
        };
        let (outcome, word) = match outcome {
            Ok(()) => (MailOutcome::Sent, "sent"),
            Err(MailError::Later(error)) if *attempts < ATTEMPTS => {
                let wait = FIRST_WAIT_SECONDS << (attempts - 1).min(16);
                tracing::warn!(mail = %id, kind, attempts, wait, error, "a mail could not be sent yet");
                (MailOutcome::Again { at: self.clock.now().plus_seconds(wait), error: cut(&error) }, "again")
            }
            Err(MailError::Later(error) | MailError::Never(error)) => {
                tracing::error!(mail = %id, kind, attempts, error, "a mail was given up");
                (MailOutcome::GivenUp { error: cut(&error) }, "given_up")
            }
        };
        metrics::counter!("adagent_mails_total", "outcome" => word).increment(1);
        outcome
    }

    fn mail_of(&self, claimed: &ClaimedMail) -> Result<Mail, String> {
        let opened = self.connections.vault().open_json(&owner(&claimed.kind, claimed.id), &claimed.sealed);
        opened.map_err(|error| error.to_string())
    }
}

fn cut(error: &str) -> String {
    adagent_domain::text::visible(error).chars().take(MAX_ERROR).collect()
}
