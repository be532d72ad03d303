//! Lists of approvals.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use adagent_contract::{ApprovalStatus, ApprovalView, Page, WorkspaceView};
use adagent_domain::{
    Actor, ApprovalId, Granted, Permission, RunId, Standing, ToolCallId, UserId, rights::AnswerForOthers,
};
use adagent_runtime::may_answer;
use adagent_store::{ApprovalRecord, Whose, undone};

use crate::{Service, ServiceError, ServiceResult, cursor};

fn can_be_undone(view: &ApprovalView) -> bool {
    let preview = view.sent.as_ref().map_or(&view.preview, |sent| &sent.preview);
    view.status == ApprovalStatus::Approved && preview.can_go_back()
}

/// Returns whose approvals a person may answer.
pub(crate) fn whose(standing: Standing, user: UserId) -> Whose {
    Whose { user, others: Permission::AnswerForOthers.is_given_to(standing) }
}

impl Service {
    /// Lists a person's approvals, newest first: all of them, or those with one status.
    pub async fn list_approvals(
        &self,
        actor: &Actor,
        status: Option<ApprovalStatus>,
        cursor: Option<String>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<ApprovalView>> {
        self.list_approvals_of(actor, Whose::own(actor.user), status, cursor, limit).await
    }

    /// Lists the approvals of all members; each says who asks.
    pub async fn list_all_approvals(
        &self,
        actor: &Granted<AnswerForOthers>,
        status: Option<ApprovalStatus>,
        cursor: Option<String>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<ApprovalView>> {
        self.list_approvals_of(actor, Whose { user: actor.user, others: true }, status, cursor, limit).await
    }

    async fn list_approvals_of(
        &self,
        actor: &Actor,
        whose: Whose,
        status: Option<ApprovalStatus>,
        cursor: Option<String>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<ApprovalView>> {
        let limit = cursor::limit(limit)?;
        let before = cursor::to_id::<ApprovalId>(cursor.as_deref())?;
        let rows = self.store.list_approvals(actor.workspace, whose, status, before, limit + 1).await?;
        let (rows, more) = cursor::cut(rows, limit);
        let next_cursor = rows.last().filter(|_| more).map(|last| cursor::of_id(last.view.id));
        let items = self.approval_views(actor, rows).await?;
        Ok(Page { items, next_cursor })
    }

    pub async fn approval(&self, actor: &Actor, id: ApprovalId) -> ServiceResult<ApprovalView> {
        let record = self.find_approval(actor, id).await?;
        let found = self.approval_views(actor, vec![record]).await?;
        found.into_iter().next().ok_or(ServiceError::NotFound("approval"))
    }

    /// Counts the pending approvals that a person may answer, for each of their workspaces.
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

    /// Counts the pending approvals that a person may answer here.
    pub async fn count_pending_approvals(&self, actor: &Actor) -> ServiceResult<u64> {
        Ok(self.store.count_pending_approvals(actor.workspace, whose(actor.standing(), actor.user)).await?)
    }

    pub(crate) async fn find_approval(&self, actor: &Actor, id: ApprovalId) -> ServiceResult<ApprovalRecord> {
        let found = self.store.find_approval(actor.workspace, id).await?;
        found.filter(|record| may_answer(actor, record)).ok_or(ServiceError::NotFound("approval"))
    }

    /// Returns the approvals in their current state. For another person's change, adds who asks and removes the chat, which stays theirs.
    async fn approval_views(&self, actor: &Actor, records: Vec<ApprovalRecord>) -> ServiceResult<Vec<ApprovalView>> {
        let mut names = HashMap::<UserId, String>::new();
        let mut undone_by = HashMap::<UserId, HashSet<ApprovalId>>::new();
        let mut newest = HashMap::<RunId, HashMap<ToolCallId, ApprovalId>>::new();
        let mut views = Vec::with_capacity(records.len());
        for ApprovalRecord { mut view, user, .. } in records {
            if view.status == ApprovalStatus::Approved {
                if let Entry::Vacant(unread) = newest.entry(view.run_id) {
                    let of_run = self.store.list_approvals_of_run(view.run_id).await?;
                    // The list is oldest first, so the last card of each call stays in the map.
                    unread.insert(of_run.into_iter().map(|one| (one.view.tool_call_id, one.view.id)).collect());
                }
                let last = newest[&view.run_id].get(&view.tool_call_id);
                view.asked_again = last.is_some_and(|last| *last != view.id);
            }
            if can_be_undone(&view) {
                if let Entry::Vacant(unread) = undone_by.entry(user) {
                    unread.insert(undone(&self.store.list_undos(actor.workspace, user).await?));
                }
                view.undone = undone_by[&user].contains(&view.id);
            }
            if user != actor.user {
                if let Entry::Vacant(unread) = names.entry(user) {
                    let name = self.store.find_user(user).await?.map(|user| user.name);
                    unread.insert(name.unwrap_or_else(|| "Someone who left".to_owned()));
                }
                view.asked_by = names.get(&user).cloned();
                view.session_id = None;
            }
            views.push(view);
        }
        Ok(views)
    }
}
