//! The inbox of approvals.

use adagent_contract::{ApprovalStatus, ApprovalView, Page, WorkspaceView};
use adagent_domain::{Actor, ApprovalId, UserId};
use adagent_store::{ApprovalRecord, undone};

use crate::{Service, ServiceError, ServiceResult, cursor};

fn can_be_undone(view: &ApprovalView) -> bool {
    let preview = view.sent.as_ref().map_or(&view.preview, |sent| &sent.preview);
    view.status == ApprovalStatus::Approved && preview.can_go_back()
}

impl Service {
    /// Newest first; all of them, or those with one status.
    pub async fn list_approvals(
        &self,
        actor: &Actor,
        status: Option<ApprovalStatus>,
        cursor: Option<String>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<ApprovalView>> {
        let limit = cursor::limit(limit)?;
        let before = cursor::to_id::<ApprovalId>(cursor.as_deref())?;
        let rows = self.store.list_approvals(actor.workspace, actor.user, status, before, limit + 1).await?;
        let (rows, more) = cursor::cut(rows, limit);
        let next_cursor = rows.last().filter(|_| more).map(|last| cursor::of_id(last.view.id));
        let mut items: Vec<ApprovalView> = rows.into_iter().map(|row| row.view).collect();
        if items.iter().any(can_be_undone) {
            let undone = undone(&self.store.list_undos(actor.workspace, actor.user).await?);
            for item in items.iter_mut().filter(|item| can_be_undone(item)) {
                item.undone = undone.contains(&item.id);
            }
        }
        Ok(Page { items, next_cursor })
    }

    pub async fn approval(&self, actor: &Actor, id: ApprovalId) -> ServiceResult<ApprovalView> {
        Ok(self.find_approval(actor, id).await?.view)
    }

    /// How many are pending for a person in each of their workspaces.
    pub async fn pending_by_workspace(&self, user: UserId) -> ServiceResult<Vec<(WorkspaceView, u64)>> {
        let mut counted = Vec::new();
        for workspace in self.workspaces(user).await? {
            let pending = self.store.count_pending_approvals(workspace.id, user).await?;
            counted.push((workspace, pending));
        }
        Ok(counted)
    }

    pub async fn count_pending_approvals(&self, actor: &Actor) -> ServiceResult<u64> {
        Ok(self.store.count_pending_approvals(actor.workspace, actor.user).await?)
    }

    pub(crate) async fn find_approval(&self, actor: &Actor, id: ApprovalId) -> ServiceResult<ApprovalRecord> {
        self.store.find_approval(actor.workspace, actor.user, id).await?.ok_or(ServiceError::NotFound("approval"))
    }
}
