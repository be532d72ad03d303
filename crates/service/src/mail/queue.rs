//! Emails in their queue: sealed when they are written, sent when it is their turn, and kept for a while if all attempts fail.

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

/// How we try: for about four hours. A claim lasts longer than we wait for any mail server.
const COURSE: Course =
    Course { lease_seconds: 180, attempts: 10, first_wait_seconds: 30, longest_wait_seconds: 6 * 60 * 60, keeps: true };

pub(super) fn owner(kind: &str, id: MailId) -> Owner {
    Owner::of("mail", kind, Purpose::Mail, id)
}

/// Restarts emails that we gave up, as long as their content is still valid. Administrators call it after they have fixed the cause.
/// Returns how many.
pub async fn resend_mails(store: &dyn Store, now: adagent_domain::Timestamp) -> StoreResult<u64> {
    let mut work = store.begin().await?;
    let revived = work.revive_mails(now).await?;
    work.durable();
    work.commit().await?;
    Ok(revived)
}

impl Service {
    /// Checks whether actions that need email are possible on this server.
    pub fn sends_mail(&self) -> bool {
        self.mail.sends()
    }

    /// Refuses an action that needs email if this server sends none.
    pub(crate) fn needs_mail(&self) -> ServiceResult<()> {
        if self.sends_mail() { Ok(()) } else { Err(ServiceError::MailOff) }
    }

    /// Writes an email into the transaction that causes it. Its content expires after `stands_seconds`; after that we do not send it. Call
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

    /// Wakes the sender, so that it does not wait for its next turn.
    pub(crate) fn mail_was_queued(&self) {
        self.mail.news.notify_one();
    }

    /// Sends queued emails until `stop`; the server runs this.
    pub async fn send_mails(&self, stop: CancellationToken) {
        if self.sends_mail() {
            self.keep_working_off(&Sending(self), &self.mail.news, &stop).await;
        }
    }

    /// Sends everything that is due now. After `stop`, finishes only what has begun.
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
        // Another process may hold the key, or this one after its configuration is fixed.
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
