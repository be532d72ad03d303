//! Wrong passwords for an existing account: counted by address, shown to the person, noted in their audit log.
//!
//! A separate task writes them after the answer, so that the time of an answer does not reveal whether an account exists. Guesses cannot
//! fill the database: per person we count only a few addresses one by one (`PLACES`), and the audit log notes each once an hour.

use std::{net::IpAddr, sync::Arc};

use adagent_contract::FailedSignInsView;
use adagent_domain::{Clock, Timestamp};
use adagent_store::{AuditEntry, FailedSignIns, Store, User};
use serde_json::json;

use crate::{Service, ServiceResult, limits};

/// How many addresses we count one by one; all others count together.
const PLACES: u32 = 20;
/// How long the audit log waits before it notes the same address again.
const NOTE_SECONDS: i64 = 60 * 60;
/// How long we show attempts after the last one. Then the store deletes them.
const SHOWN_SECONDS: i64 = 30 * 24 * 60 * 60;

impl Service {
    /// Notes a wrong password in the background. Nobody waits for it, and a failure is only logged.
    pub(crate) fn note_wrong_password(&self, user: &User, from: Option<IpAddr>) {
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        let (user, from) = (user.clone(), limits::place(from));
        self.tasks.spawn(async move {
            if let Err(error) = note(&*store, &*clock, &user, &from).await {
                tracing::warn!(user = %user.id, %error, "a wrong password could not be written down");
            }
        });
    }

    pub(super) async fn failed_sign_ins(&self, user: &User) -> ServiceResult<Vec<FailedSignInsView>> {
        let since = self.clock.now().plus_seconds(-SHOWN_SECONDS);
        let failed = self.store.list_failed_sign_ins(user.id, since, PLACES + 1).await?;
        let view = |FailedSignIns { address, attempts, first_at, last_at }| FailedSignInsView {
            address,
            attempts,
            first_at,
            last_at,
        };
        Ok(failed.into_iter().map(view).collect())
    }
}

async fn note(store: &dyn Store, clock: &dyn Clock, user: &User, from: &str) -> ServiceResult<()> {
    let now: Timestamp = clock.now();
    let mut work = store.begin().await?;
    let counted = work.count_failed_sign_in(user.id, from, now, PLACES).await?;
    let since = now.plus_seconds(-NOTE_SECONDS);
    if work.note_failed_sign_in(user.id, &counted.address, now, since).await? {
        let detail = json!({"from": counted.address, "attempts": counted.attempts, "since": counted.first_at});
        work.insert_audit(&AuditEntry {
            workspace: user.personal_workspace,
            user: user.id,
            action: "account.sign_in_failed".to_owned(),
            target: user.id.to_string(),
            detail,
            at: now,
        })
        .await?;
    }
    Ok(work.commit().await?)
}
