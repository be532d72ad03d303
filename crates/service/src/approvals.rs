//! The inbox of approvals.

use std::collections::HashSet;

use adagent_contract::{ApprovalStatus, ApprovalView, Page, WorkspaceView};
use adagent_domain::{Actor, ApprovalId, Granted, Permission, Standing, UserId, rights::AnswerForOthers};
use adagent_runtime::may_answer;
use adagent_store::{ApprovalRecord, undone};

use crate::{Service, ServiceError, ServiceResult, cursor};

fn can_be_undone(view: &ApprovalView) -> bool {
    let preview = view.sent.as_ref().map_or(&view.preview, |sent| &sent.preview);
    view.status == ApprovalStatus::Approved && preview.can_go_back()
}

/// Whose approvals a person may answer: `None` is every member's.
pub(crate) fn whose(standing: Standing, user: UserId) -> Option<UserId> {
    (!Permission::AnswerForOthers.is_given_to(standing)).then_some(user)
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
        self.list_approvals_of(actor, Some(actor.user), status, cursor, limit).await
    }

    /// The same of every member: each says who asks.
    pub async fn list_all_approvals(
        &self,
        actor: &Granted<AnswerForOthers>,
        status: Option<ApprovalStatus>,
        cursor: Option<String>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<ApprovalView>> {
        self.list_approvals_of(actor, None, status, cursor, limit).await
    }

    async fn list_approvals_of(
        &self,
        actor: &Actor,
        user: Option<UserId>,
        status: Option<ApprovalStatus>,
        cursor: Option<String>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<ApprovalView>> {
        let limit = cursor::limit(limit)?;
        let before = cursor::to_id::<ApprovalId>(cursor.as_deref())?;
        let rows = self.store.list_approvals(actor.workspace, user, status, before, limit + 1).await?;
        let (rows, more) = cursor::cut(rows, limit);
        let next_cursor = rows.last().filter(|_| more).map(|last| cursor::of_id(last.view.id));
        let mut items = Vec::with_capacity(rows.len());
        // Newest first: a call that a card was seen of before was asked again since.
        let mut seen = HashSet::new();
        for row in rows {
            let mut item = self.approval_view(actor, row).await?;
            item.asked_again = !seen.insert(item.tool_call_id) && item.status == ApprovalStatus::Approved;
            items.push(item);
        }
        if items.iter().any(can_be_undone) {
            let undone = undone(&self.store.list_undos(actor.workspace, actor.user).await?);
            for item in items.iter_mut().filter(|item| can_be_undone(item)) {
                item.undone = undone.contains(&item.id);
            }
        }
        Ok(Page { items, next_cursor })
    }

    pub async fn approval(&self, actor: &Actor, id: ApprovalId) -> ServiceResult<ApprovalView> {
        let record = self.find_approval(actor, id).await?;
        self.approval_view(actor, record).await
    }

    /// How many are pending for a person in each of their workspaces.
    pub async fn pending_by_workspace(&self, user: UserId) -> ServiceResult<Vec<(WorkspaceView, u64)>> {
        let mut counted = Vec::new();
        for workspace in self.workspaces(user).await? {
            let standing = Standing::of(workspace.role, workspace.personal);
            let whose = whose(standing, user);
            let pending = self.store.count_pending_approvals(workspace.id, whose).await?;
            counted.push((workspace, pending));
        }
        Ok(counted)
    }

    /// How many are pending that a person may answer.
    pub async fn count_pending_approvals(&self, actor: &Actor) -> ServiceResult<u64> {
        Ok(self.store.count_pending_approvals(actor.workspace, whose(actor.standing(), actor.user)).await?)
    }

    pub(crate) async fn find_approval(&self, actor: &Actor, id: ApprovalId) -> ServiceResult<ApprovalRecord> {
        let found = self.store.find_approval(actor.workspace, id).await?;
        found.filter(|record| may_answer(actor, record)).ok_or(ServiceError::NotFound("approval"))
    }

    /// Of another person's change: who asks. The conversation stays theirs.
    async fn approval_view(&self, actor: &Actor, record: ApprovalRecord) -> ServiceResult<ApprovalView> {
        if record.user == actor.user {
            return Ok(record.view);
        }
        let asked_by = Some(self.name_of(record.user).await?);
        Ok(ApprovalView { asked_by, session_id: None, ..record.view })
    }
}
