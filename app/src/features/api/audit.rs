//! The audit log of the workspace, and how long the workspace keeps data.

use adagent_contract::{AuditVerdict, AuditView, Page, RetentionView};
use adagent_domain::{UserId, WorkspaceId};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// A page of the log, its workspace, and whether the chain is intact as far as we checked it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditOverview {
    pub workspace: WorkspaceId,
    pub page: Page<AuditView>,
    pub verdict: AuditVerdict,
}

/// Reads a page of the audit log. With `whole`, we check the chain from its beginning; otherwise only the entries since the last
/// check. Days are written as the browser's date fields write them, and `to` is the last day. A filter that cannot be read is
/// ignored.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "audit-log", client = super::DeskClient)]
pub async fn audit_log(
    action: String,
    person: Option<UserId>,
    from: String,
    to: String,
    cursor: Option<String>,
    whole: Option<bool>,
) -> Result<AuditOverview, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let actor = server::granted(&actor)?;
    let from = format!("{from}T00:00:00Z").parse::<adagent_domain::Timestamp>().ok();
    let to = format!("{to}T00:00:00Z").parse::<adagent_domain::Timestamp>().ok();
    let query = adagent_contract::AuditQuery { action, person, from, to: to.map(|day| day.plus_seconds(24 * 60 * 60)) };
    let page = service.audit_log(&actor, &query, cursor.as_deref(), None).await.map_err(server::fail)?;
    let verdict = match whole {
        Some(true) => service.verify_audit(&actor).await,
        Some(false) | None => service.look_at_audit(&actor).await,
    };
    let verdict = verdict.map_err(server::fail)?;
    Ok(AuditOverview { workspace: actor.workspace, page, verdict })
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "retention", client = super::DeskClient)]
pub async fn retention() -> Result<RetentionView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.retention(&actor).await.map_err(server::fail)
}

/// Sets the retention. An empty field means the administrator's default.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "set-retention", client = super::DeskClient)]
pub async fn set_retention(runs: String, checkpoints: String, audit: String) -> Result<RetentionView, ApiError> {
    use super::who::server;
    let days = |pointer: &str, text: &str| match text.trim() {
        "" => Ok(None),
        text => text
            .parse::<u32>()
            .map(Some)
            .map_err(|_| server::refuse(pointer, "Enter a number of days, or leave it blank for the default.")),
    };
    let settings = adagent_contract::RetentionSettings {
        runs_days: days("/runs_days", &runs)?,
        checkpoints_days: days("/checkpoints_days", &checkpoints)?,
        audit_days: days("/audit_days", &audit)?,
    };
    let (service, actor) = server::actor().await?;
    service.set_retention(&server::granted(&actor)?, settings).await.map_err(server::fail)
}
