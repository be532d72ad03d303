//! Queues, cancels and restarts emails. `queue.rs` does the work of their queue.

use adagent_domain::{MailId, Timestamp};
use adagent_store::{MailWrites, NewMail, StoreResult};
use async_trait::async_trait;

use crate::{
    columns::clean,
    engine::Unit,
    run::{execute, execute_one, sql},
};

#[async_trait]
impl MailWrites for Unit {
    async fn insert_mail(&mut self, mail: &NewMail) -> StoreResult<()> {
        let query = sql(include_str!("../sql/mail/insert.sql"))
            .bind(mail.id.0)
            .bind(clean(&mail.kind))
            .bind(clean(&mail.sealed))
            .bind(mail.created_at.as_micros())
            .bind(mail.expires_at.as_micros());
        execute_one(self.connection(), query, "insert mail").await
    }

    async fn cancel_mail(&mut self, id: MailId) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/mail/cancel.sql")).bind(id.0);
        Ok(execute(self.connection(), query).await? > 0)
    }

    async fn revive_mails(&mut self, now: Timestamp) -> StoreResult<u64> {
        execute(self.connection(), sql(include_str!("../sql/mail/revive.sql")).bind(now.as_micros())).await
    }
}
