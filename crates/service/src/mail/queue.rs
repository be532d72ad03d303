//! Mails in their queue: sealed when they are written, sent when their turn comes, kept for a while when that never worked.

use adagent_domain::MailId;
use adagent_identity::{Owner, Purpose};
use adagent_store::{ClaimedJob, JobOutcome, NewMail, Queue, Store, StoreResult, UnitOfWork};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::{Mail, MailError};
use crate::{
    Service, ServiceError, ServiceResult,
    queue::{Course, Errand, Failure, WorkedOff},
};

/// Tried over about four hours. A claim holds longer than any mail server is waited for.
const COURSE: Course =
    Course { lease_seconds: 180, attempts: 10, first_wait_seconds: 30, longest_wait_seconds: 6 * 60 * 60, keeps: true };

pub(super) fn owner(kind: &str, id: MailId) -> Owner {
    Owner::of("mail", kind, Purpose::Mail, id)
}

/// Lets mails that were given up begin again, as long as what they say still stands; for operators who mended what was in the way.
/// Says how many.
pub async fn resend_mails(store: &dyn Store, now: adagent_domain::Timestamp) -> StoreResult<u64> {
    let mut work = store.begin().await?;
    let revived = work.revive_mails(now).await?;
    work.durable();
    work.commit().await?;
    Ok(revived)
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

    /// Writes a mail into the transaction of what caused it. What it says is over after `stands_seconds`: later it is not sent. Call
    /// [`Self::mail_was_queued`] after the commit.
    pub(crate) async fn queue_mail(
        &self,
        work: &mut dyn UnitOfWork,
        kind: &'static str,
        mail: &Mail,
        stands_seconds: i64,
    ) -> ServiceResult<MailId> {
        self.needs_mail()?;
        let id = MailId::new(&*self.ids);
        let sealed = self.connections.vault().seal_json(&owner(kind, id), mail);
        let sealed = sealed.map_err(|error| ServiceError::Internal(error.to_string()))?;
        let (kind, created_at) = (kind.to_owned(), self.clock.now());
        let expires_at = created_at.plus_seconds(stands_seconds);
        work.insert_mail(&NewMail { id, kind, sealed, created_at, expires_at }).await?;
        Ok(id)
    }

    /// Lets the sender look at once instead of at its next turn.
    pub(crate) fn mail_was_queued(&self) {
        self.mail.news.notify_one();
    }

    /// Sends what is queued, until `stop`; the server runs it.
    pub async fn send_mails(&self, stop: CancellationToken) {
        if self.sends_mail() {
            self.keep_working_off(&Sending(self), &self.mail.news, &stop).await;
        }
    }

    /// Sends everything that is due now. What is under way when `stop` comes is finished.
    pub async fn deliver_mails(&self, stop: &CancellationToken) -> ServiceResult<WorkedOff> {
        self.work_off(&Sending(self), stop).await
    }

    fn mail_of(&self, job: &ClaimedJob) -> Result<Mail, String> {
        let opened = self.connections.vault().open_json(&owner(&job.kind, MailId(job.id)), &job.sealed);
        opened.map_err(|error| error.to_string())
    }
}

struct Sending<'s>(&'s Service);

#[async_trait]
impl Errand for Sending<'_> {
    type Found = ();

    fn queue(&self) -> Queue {
        Queue::Mails
    }

    fn course(&self) -> Course {
        COURSE
    }

    async fn attempt(&self, job: &ClaimedJob) -> Result<(), Failure> {
        if job.expires_at.is_some_and(|over| over <= self.0.clock.now()) {
            return Err(Failure::Never("it expired before it could be sent".into()));
        }
        // Another process may hold the key, or this one once it is mended.
        let mail = self.0.mail_of(job).map_err(Failure::Later)?;
        let Some(mailer) = &self.0.mail.mailer else {
            return Err(Failure::Later("this server can't send email".into()));
        };
        mailer.send(MailId(job.id), &mail).await.map_err(|error| match error {
            MailError::Later(error) => Failure::Later(error),
            MailError::Never(error) => Failure::Never(error),
        })
    }

    fn told(&self, job: &ClaimedJob, outcome: &JobOutcome) {
        let (mail, kind, attempts) = (MailId(job.id), &job.kind, job.attempts);
        let word = match outcome {
            JobOutcome::Done => "sent",
            JobOutcome::Again { at, error } => {
                tracing::warn!(%mail, kind, attempts, again = %at, error, "a mail could not be sent yet");
                "again"
            }
            JobOutcome::GivenUp { error, keeps } => {
                tracing::error!(%mail, kind, attempts, error, kept = keeps, "a mail was given up");
                "given_up"
            }
        };
        metrics::counter!("adagent_mails_total", "outcome" => word).increment(1);
    }
}
