//! Browser sessions, context settings, idempotency keys, and sweeping.

use adagent_contract::{ContextSettings, TRASH_DAYS};
use adagent_domain::{Timestamp, UserId, WorkspaceId};
use adagent_store::{HttpSession, IdempotentAnswer, MiscReads, MiscWrites, StoreResult};
use async_trait::async_trait;

use crate::{
    columns::{Columns, clean, to_json},
    engine::{Database, Row, Unit},
    run::{execute, execute_maybe, execute_one, fetch_optional, sql},
};

/// How long a request with the same idempotency key gets the same answer.
const IDEMPOTENCY_SECONDS: i64 = 24 * 60 * 60;
/// How long the queue remembers that an email was sent or given up.
const MAIL_SECONDS: i64 = 14 * 24 * 60 * 60;
/// How long we show wrong passwords after the last one.
const FAILED_SECONDS: i64 = 30 * 24 * 60 * 60;
/// How long we tell a workspace that it must revoke an access itself.
const REVOCATION_SECONDS: i64 = 90 * 24 * 60 * 60;

fn http_session(row: &Row) -> StoreResult<HttpSession> {
    let columns = Columns::new("http_sessions", row);
    Ok(HttpSession { id: columns.text("id")?, data: columns.text("data")?, expires_at: columns.at("expires_at")? })
}

fn idempotent(row: &Row) -> StoreResult<IdempotentAnswer> {
    let columns = Columns::new("idempotency_keys", row);
    Ok(IdempotentAnswer { request_digest: columns.text("request_digest")?, answer: columns.text("answer")? })
}

#[async_trait]
impl MiscReads for Database {
    async fn find_http_session(&self, id: &str, now: Timestamp) -> StoreResult<Option<HttpSession>> {
        let query = sql(include_str!("../sql/misc/find_http_session.sql")).bind(clean(id)).bind(now.as_micros());
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(http_session).transpose()
    }

    async fn find_context(&self, workspace: WorkspaceId, user: UserId) -> StoreResult<ContextSettings> {
        let query = sql(include_str!("../sql/misc/find_context.sql")).bind(workspace.0).bind(user.0);
        match fetch_optional(self.reader_in(workspace).await?.connection(), query).await? {
            Some(row) => Columns::new("context_settings", &row).json("settings"),
            None => Ok(ContextSettings::default()),
        }
    }

    async fn find_time_zone(&self, workspace: WorkspaceId) -> StoreResult<Option<String>> {
        let query = sql(include_str!("../sql/reporting/find.sql")).bind(workspace.0);
        let found = fetch_optional(self.reader_in(workspace).await?.connection(), query).await?;
        found.map(|row| Columns::new("workspace_reporting", &row).text("time_zone")).transpose()
    }

    async fn find_idempotent(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        key: &str,
    ) -> StoreResult<Option<IdempotentAnswer>> {
        let query =
            sql(include_str!("../sql/misc/find_idempotent.sql")).bind(workspace.0).bind(user.0).bind(clean(key));
        fetch_optional(self.reader_in(workspace).await?.connection(), query).await?.as_ref().map(idempotent).transpose()
    }
}

#[async_trait]
impl MiscWrites for Unit {
    async fn insert_http_session(&mut self, session: &HttpSession) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/misc/insert_http_session.sql"))
            .bind(clean(&session.id))
            .bind(clean(&session.data))
            .bind(session.expires_at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn save_http_session(&mut self, session: &HttpSession) -> StoreResult<()> {
        let query = sql(include_str!("../sql/misc/save_http_session.sql"))
            .bind(clean(&session.id))
            .bind(clean(&session.data))
            .bind(session.expires_at.as_micros());
        execute_one(self.connection(), query, "save browser session").await
    }

    async fn delete_http_session(&mut self, id: &str) -> StoreResult<()> {
        let query = sql(include_str!("../sql/misc/delete_http_session.sql")).bind(clean(id));
        execute(self.connection(), query).await.map(drop)
    }

    async fn put_time_zone(&mut self, workspace: WorkspaceId, zone: Option<&str>, at: Timestamp) -> StoreResult<()> {
        let Some(zone) = zone else {
            let query = sql(include_str!("../sql/reporting/delete.sql")).bind(workspace.0);
            return execute(self.connection(), query).await.map(drop);
        };
        let query =
            sql(include_str!("../sql/reporting/put.sql")).bind(workspace.0).bind(zone.to_owned()).bind(at.as_micros());
        execute_one(self.connection(), query, "save the reporting time zone").await
    }

    async fn put_context(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        settings: &ContextSettings,
        at: Timestamp,
    ) -> StoreResult<()> {
        let query = sql(include_str!("../sql/misc/put_context.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(to_json(settings)?)
            .bind(at.as_micros());
        execute_one(self.connection(), query, "save context settings").await
    }

    async fn insert_idempotent(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        key: &str,
        answer: &IdempotentAnswer,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/misc/insert_idempotent.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(clean(key))
            .bind(clean(&answer.request_digest))
            .bind(clean(&answer.answer))
            .bind(at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn sweep(&mut self, now: Timestamp) -> StoreResult<u64> {
        let mut swept = 0;
        for (text, until) in [
            (include_str!("../sql/misc/sweep_http_sessions.sql"), now),
            (include_str!("../sql/misc/sweep_oauth_attempts.sql"), now),
            (include_str!("../sql/sign_in/sweep_account_tokens.sql"), now),
            (include_str!("../sql/sign_in/sweep_attempts.sql"), now),
            (include_str!("../sql/usage/sweep.sql"), now),
            (include_str!("../sql/misc/sweep_idempotency_keys.sql"), now.plus_seconds(-IDEMPOTENCY_SECONDS)),
            (include_str!("../sql/mail/sweep.sql"), now.plus_seconds(-MAIL_SECONDS)),
            (include_str!("../sql/sign_in/sweep_failed.sql"), now.plus_seconds(-FAILED_SECONDS)),
            (include_str!("../sql/mail/forget_expired.sql"), now),
            (include_str!("../sql/revocations/sweep.sql"), now.plus_seconds(-REVOCATION_SECONDS)),
            (include_str!("../sql/documents/sweep.sql"), now.plus_seconds(-TRASH_DAYS * 24 * 60 * 60)),
        ] {
            swept += execute(self.connection(), sql(text).bind(until.as_micros())).await?;
        }
        Ok(swept)
    }
}
