//! Jobs to do outside the database. All queues work the same way and differ only in their statements.

use adagent_domain::Timestamp;
use adagent_store::{ClaimedJob, JobOutcome, Queue, QueueBacklog, QueueReads, QueueWrites, StoreError, StoreResult};
use async_trait::async_trait;

use crate::{
    columns::{Columns, clean, to_i64},
    engine::{Database, Unit},
    run::{execute_maybe, fetch_one, fetch_optional, sql},
};

/// The statements and words of one queue.
struct Words {
    table: &'static str,
    next: &'static str,
    claim: &'static str,
    again: &'static str,
    settle: &'static str,
    backlog: &'static str,
    done: &'static str,
}

const fn words(queue: Queue) -> Words {
    match queue {
        Queue::Mails => Words {
            table: "mail_queue",
            next: include_str!("../sql/mail/next.sql"),
            claim: include_str!("../sql/mail/claim.sql"),
            again: include_str!("../sql/mail/again.sql"),
            settle: include_str!("../sql/mail/settle.sql"),
            backlog: include_str!("../sql/mail/backlog.sql"),
            done: "sent",
        },
        Queue::Revocations => Words {
            table: "revocations",
            next: include_str!("../sql/revocations/next.sql"),
            claim: include_str!("../sql/revocations/claim.sql"),
            again: include_str!("../sql/revocations/again.sql"),
            settle: include_str!("../sql/revocations/settle.sql"),
            backlog: include_str!("../sql/revocations/backlog.sql"),
            done: "done",
        },
    }
}

#[async_trait]
impl QueueReads for Database {
    async fn job_is_due(&self, queue: Queue, now: Timestamp) -> StoreResult<bool> {
        let query = sql(words(queue).next).bind(now.as_micros());
        Ok(fetch_optional(&mut *self.reader().await?, query).await?.is_some())
    }

    async fn queue_backlog(&self, queue: Queue) -> StoreResult<QueueBacklog> {
        let words = words(queue);
        let row = fetch_one(&mut *self.reader().await?, sql(words.backlog)).await?;
        let columns = Columns::new(words.table, &row);
        Ok(QueueBacklog { waiting: columns.count("waiting")?, failed: columns.count("failed")? })
    }
}

#[async_trait]
impl QueueWrites for Unit {
    async fn claim_job(&mut self, queue: Queue, now: Timestamp, lease: Timestamp) -> StoreResult<Option<ClaimedJob>> {
        let words = words(queue);
        loop {
            let query = sql(words.next).bind(now.as_micros());
            let Some(row) = fetch_optional(self.connection(), query).await? else { return Ok(None) };
            let columns = Columns::new(words.table, &row);
            let id = columns.uuid("id")?;
            let attempts = columns.count("attempts")?;
            let query = sql(words.claim).bind(id).bind(to_i64(attempts)?).bind(lease.as_micros());
            // Another server may have claimed the job since we read it. Then try the next one, if any.
            if execute_maybe(self.connection(), query).await? {
                let attempts = u32::try_from(attempts + 1).map_err(|error| StoreError::Driver(Box::new(error)))?;
                return Ok(Some(ClaimedJob {
                    id,
                    kind: columns.text("kind")?,
                    sealed: columns.text("sealed")?,
                    attempts,
                    expires_at: columns.at_opt("expires_at")?,
                }));
            }
        }
    }

    async fn settle_job(
        &mut self,
        queue: Queue,
        claimed: &ClaimedJob,
        outcome: &JobOutcome,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let words = words(queue);
        let settled = |state: &'static str, error: Option<&str>, keeps: bool| {
            sql(words.settle)
                .bind(claimed.id)
                .bind(i64::from(claimed.attempts))
                .bind(state)
                .bind(error.map(|error| clean(error).into_owned()))
                .bind(at.as_micros())
                .bind(keeps)
        };
        let query = match outcome {
            JobOutcome::Done => settled(words.done, None, false),
            JobOutcome::GivenUp { error, keeps } => settled("failed", Some(error), *keeps),
            JobOutcome::Again { at, error } => sql(words.again)
                .bind(claimed.id)
                .bind(i64::from(claimed.attempts))
                .bind(at.as_micros())
                .bind(clean(error).into_owned()),
        };
        execute_maybe(self.connection(), query).await
    }
}
