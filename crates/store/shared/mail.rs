//! The queue of mails.

use adagent_domain::{MailId, Timestamp};
use adagent_store::{
    ClaimedMail, MailBacklog, MailOutcome, MailReads, MailState, MailWrites, NewMail, StoreError, StoreResult,
};
use async_trait::async_trait;

use crate::{
    columns::{Columns, clean, to_i64},
    engine::{Database, Unit},
    run::{execute, execute_maybe, execute_one, fetch_one, fetch_optional, sql},
};

#[async_trait]
impl MailReads for Database {
    async fn mail_is_due(&self, now: Timestamp) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/mail/next.sql")).bind(now.as_micros());
        Ok(fetch_optional(&mut *self.reader().await?, query).await?.is_some())
    }

    async fn mail_backlog(&self) -> StoreResult<MailBacklog> {
        let row = fetch_one(&mut *self.reader().await?, sql(include_str!("../sql/mail/backlog.sql"))).await?;
        let columns = Columns::new("mail_queue", &row);
        Ok(MailBacklog { waiting: columns.count("waiting")?, failed: columns.count("failed")? })
    }
}

#[async_trait]
impl MailWrites for Unit {
    async fn insert_mail(&mut self, mail: &NewMail) -> StoreResult<()> {
        let query = sql(include_str!("../sql/mail/insert.sql"))
            .bind(mail.id.0)
            .bind(clean(&mail.kind))
            .bind(clean(&mail.sealed))
            .bind(mail.created_at.as_micros());
        execute_one(self.connection(), query, "insert mail").await
    }

    async fn claim_mail(&mut self, now: Timestamp, lease: Timestamp) -> StoreResult<Option<ClaimedMail>> {
        loop {
            let query = sql(include_str!("../sql/mail/next.sql")).bind(now.as_micros());
            let Some(row) = fetch_optional(self.connection(), query).await? else { return Ok(None) };
            let columns = Columns::new("mail_queue", &row);
            let id = MailId(columns.uuid("id")?);
            let attempts = columns.count("attempts")?;
            let query =
                sql(include_str!("../sql/mail/claim.sql")).bind(id.0).bind(to_i64(attempts)?).bind(lease.as_micros());
            // Between the look and the write another one may have taken it; then there is a next one, or none.
            if execute_maybe(self.connection(), query).await? {
                let attempts = u32::try_from(attempts + 1).map_err(|error| StoreError::Driver(Box::new(error)))?;
                return Ok(Some(ClaimedMail {
                    id,
                    kind: columns.text("kind")?,
                    sealed: columns.text("sealed")?,
                    attempts,
                }));
            }
        }
    }

    async fn settle_mail(&mut self, claimed: &ClaimedMail, outcome: &MailOutcome, at: Timestamp) -> StoreResult<bool> {
        let settled = |state: MailState, error: Option<&str>| {
            sql(include_str!("../sql/mail/settle.sql"))
                .bind(claimed.id.0)
                .bind(i64::from(claimed.attempts))
                .bind(state.as_str())
                .bind(error.map(|error| clean(error).into_owned()))
                .bind(at.as_micros())
        };
        let query = match outcome {
            MailOutcome::Sent => settled(MailState::Sent, None),
            MailOutcome::GivenUp { error } => settled(MailState::Failed, Some(error)),
            MailOutcome::Again { at, error } => sql(include_str!("../sql/mail/again.sql"))
                .bind(claimed.id.0)
                .bind(i64::from(claimed.attempts))
                .bind(at.as_micros())
                .bind(clean(error)),
        };
        execute_maybe(self.connection(), query).await
    }

    async fn cancel_mail(&mut self, id: MailId) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/mail/cancel.sql")).bind(id.0);
        Ok(execute(self.connection(), query).await? > 0)
    }
}
