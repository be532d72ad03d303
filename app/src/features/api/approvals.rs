//! The inbox.

use adagent_contract::{ApprovalStatus, ApprovalView, Page};
use adagent_domain::ApprovalId;
use leptos::prelude::*;

use super::ApiError;

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "approvals", client = super::DeskClient)]
pub async fn approvals(status: Option<ApprovalStatus>) -> Result<Page<ApprovalView>, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    service.list_approvals(&actor, status, None, Some(100)).await.map_err(super::who::server::fail)
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
