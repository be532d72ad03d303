//! Approvals: the inbox, the cards' choices, and undo.

use std::collections::BTreeMap;

use adagent_contract::{ApprovalStatus, ApprovalView, ChangeState, EntityOption, Page};
use adagent_domain::{ApprovalId, WorkspaceId};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "approvals", client = super::DeskClient)]
pub async fn approvals(status: Option<ApprovalStatus>) -> Result<Page<ApprovalView>, ApiError> {
    use super::who::server::{actor, fail};
    let (service, actor) = actor().await?;
    let mut page = service.list_approvals(&actor, status, None, Some(100)).await.map_err(fail)?;
    // Show what other people's runs ask for as long as it is pending, however long the list of answered approvals is.
    if let (Ok(answers_for_others), None | Some(ApprovalStatus::Pending)) = (actor.grant(), status) {
        let pending = Some(ApprovalStatus::Pending);
        let all = service.list_all_approvals(&answers_for_others, pending, None, Some(100)).await.map_err(fail)?;
        let new = all.items.into_iter().filter(|one| page.items.iter().all(|own| own.id != one.id));
        let new: Vec<ApprovalView> = new.collect();
        page.items.extend(new);
        page.items.sort_by_key(|one| std::cmp::Reverse(one.id));
    }
    Ok(page)
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "approval", client = super::DeskClient)]
pub async fn approval(id: ApprovalId) -> Result<ApprovalView, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    service.approval(&actor, id).await.map_err(super::who::server::fail)
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "pending-approvals", client = super::DeskClient)]
pub async fn pending_count() -> Result<u64, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    service.count_pending_approvals(&actor).await.map_err(super::who::server::fail)
}

/// Pending approvals of a person in another of their workspaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingThere {
    pub workspace: WorkspaceId,
    pub personal: bool,
    pub pending: u64,
}

/// Returns the person's other workspaces that have pending approvals.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "pending-elsewhere", client = super::DeskClient)]
pub async fn pending_elsewhere() -> Result<Vec<PendingThere>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let all = service.pending_by_workspace(actor.user).await.map_err(server::fail)?;
    let others = all.into_iter().filter(|(workspace, pending)| workspace.id != actor.workspace && *pending > 0);
    let there = |(workspace, pending): (adagent_contract::WorkspaceView, u64)| PendingThere {
        workspace: workspace.id,
        personal: workspace.personal,
        pending,
    };
    Ok(others.map(there).collect())
}

/// Returns the choices that the form of a pending approval offers for these arguments, by kind. For example, a different account
/// has different apps.
#[server(protocol = super::SentJson, prefix = "/desk", endpoint = "approval-choices", client = super::DeskClient)]
pub async fn approval_choices(
    id: ApprovalId,
    args: serde_json::Value,
) -> Result<BTreeMap<String, Vec<EntityOption>>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.form_choices(&server::granted(&actor)?, id, &args).await.map_err(server::fail)
}

/// Proposes an undo of a change, in the chat where the change was made.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "undo", client = super::DeskClient)]
pub async fn undo_change(id: ApprovalId) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.undo(&server::granted(&actor)?, id, None).await.map_err(server::fail)?;
    Ok(())
}

/// Returns the state of a change that can be undone.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "change-state", client = super::DeskClient)]
pub async fn read_change_state(id: ApprovalId) -> Result<ChangeState, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.change_state(&actor, id).await.map_err(server::fail)
}
