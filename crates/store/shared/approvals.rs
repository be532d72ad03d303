//! Stores approvals: the view that a person was asked about, and the answer in its own columns.

use adagent_contract::{ApprovalStatus, ApprovalView};
use adagent_domain::{ApprovalId, RunId, Timestamp, UserId, WorkspaceId};
use adagent_store::{
    ApprovalAnswer, ApprovalReads, ApprovalRecord, ApprovalWrites, Lease, StoreResult, UNDO, Undo, Whose,
};
use async_trait::async_trait;

use crate::{
    columns::{Columns, clean, to_json},
    engine::{Database, Row, Unit},
    run::{execute_maybe, execute_one, fetch_all, fetch_one, fetch_optional, sql},
    run_writes::belongs,
};

const fn status_word(status: ApprovalStatus) -> &'static str {
    match status {
        ApprovalStatus::Pending => "pending",
        ApprovalStatus::Approved => "approved",
        ApprovalStatus::Denied => "denied",
        ApprovalStatus::Cancelled => "cancelled",
        ApprovalStatus::Expired => "expired",
    }
}

fn parse_status(word: &str) -> Option<ApprovalStatus> {
    [
        ApprovalStatus::Pending,
        ApprovalStatus::Approved,
        ApprovalStatus::Denied,
        ApprovalStatus::Cancelled,
        ApprovalStatus::Expired,
    ]
    .into_iter()
    .find(|status| status_word(*status) == word)
}

fn record(row: &Row) -> StoreResult<ApprovalRecord> {
    let columns = Columns::new("approvals", row);
    let mut view: ApprovalView = columns.json("view")?;
    view.status = columns.word("status", parse_status)?;
    view.answered_at = columns.at_opt("answered_at")?;
    view.answered_by = columns.get("answered_by_name")?;
    view.edited_args = columns.json_opt("edited_args")?;
    view.sent = columns.json_opt("sent")?;
    view.reason = columns.get("reason")?;
    Ok(ApprovalRecord {
        view,
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        user: UserId(columns.uuid("user_id")?),
        digest: columns.text("digest")?,
    })
}

fn undo(row: &Row) -> StoreResult<Option<Undo>> {
    let asked: Option<String> = Columns::new("runs", row).get("asked_key")?;
    let by = ApprovalId(Columns::new("approvals", row).uuid("id")?);
    let of = asked.and_then(|asked| asked.strip_prefix(UNDO)?.parse().ok());
    Ok(of.map(|of| Undo { of, by }))
}

#[async_trait]
impl ApprovalReads for Database {
    async fn list_undos(&self, workspace: WorkspaceId, user: UserId) -> StoreResult<Vec<Undo>> {
        let query = sql(include_str!("../sql/approvals/list_undos.sql")).bind(workspace.0).bind(user.0);
        let rows = fetch_all(self.reader_in(workspace).await?.connection(), query).await?;
        rows.iter().filter_map(|row| undo(row).transpose()).collect()
    }

    async fn find_approval(&self, workspace: WorkspaceId, id: ApprovalId) -> StoreResult<Option<ApprovalRecord>> {
        let query = sql(include_str!("../sql/approvals/find.sql")).bind(workspace.0).bind(id.0);
        fetch_optional(self.reader_in(workspace).await?.connection(), query).await?.as_ref().map(record).transpose()
    }

    async fn list_approvals(
        &self,
        workspace: WorkspaceId,
        whose: Whose,
        status: Option<ApprovalStatus>,
        before: Option<ApprovalId>,
        limit: u32,
    ) -> StoreResult<Vec<ApprovalRecord>> {
        let query = sql(include_str!("../sql/approvals/list.sql"))
            .bind(workspace.0)
            .bind(whose.user.0)
            .bind(whose.others)
            .bind(status.map(status_word))
            .bind(before.map(|id| id.0))
            .bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(record).collect()
    }

    async fn count_pending_approvals(&self, workspace: WorkspaceId, whose: Whose) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/approvals/count_pending.sql"))
            .bind(workspace.0)
            .bind(whose.user.0)
            .bind(whose.others);
        let row = fetch_one(self.reader_in(workspace).await?.connection(), query).await?;
        Columns::new("approvals", &row).count("pending")
    }

    async fn list_pending_approvals(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<ApprovalRecord>> {
        let query = sql(include_str!("../sql/approvals/list_pending.sql")).bind(workspace.0).bind(i64::from(limit));
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(record).collect()
    }

    async fn list_approvals_of_run(&self, run: RunId) -> StoreResult<Vec<ApprovalRecord>> {
        let query = sql(include_str!("../sql/approvals/list_of_run.sql")).bind(run.0);
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(record).collect()
    }

    async fn list_expired_approvals(&self, now: Timestamp, limit: u32) -> StoreResult<Vec<ApprovalRecord>> {
        let query = sql(include_str!("../sql/approvals/list_expired.sql")).bind(now.as_micros()).bind(i64::from(limit));
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(record).collect()
    }
}

#[async_trait]
impl ApprovalWrites for Unit {
    async fn approvals_of(&mut self, run: RunId) -> StoreResult<Vec<ApprovalRecord>> {
        let query = sql(include_str!("../sql/approvals/list_of_run.sql")).bind(run.0);
        fetch_all(self.connection(), query).await?.iter().map(record).collect()
    }

    async fn insert_approval(&mut self, lease: &Lease, approval: &ApprovalRecord) -> StoreResult<()> {
        let view = &approval.view;
        belongs("approval of the leased run", lease, view.run_id)?;
        self.fence(lease).await?;
        let query = sql(include_str!("../sql/approvals/insert.sql"))
            .bind(view.id.0)
            .bind(approval.workspace.0)
            .bind(approval.user.0)
            .bind(view.run_id.0)
            .bind(view.session_id.map(|id| id.0))
            .bind(view.tool_call_id.0)
            .bind(view.source.id())
            .bind(status_word(view.status))
            .bind(clean(&approval.digest))
            .bind(to_json(view)?)
            .bind(view.created_at.as_micros())
            .bind(view.expires_at.map(Timestamp::as_micros));
        execute_one(self.connection(), query, "insert approval").await
    }

    async fn answer_approval(
        &mut self,
        workspace: WorkspaceId,
        id: ApprovalId,
        answer: &ApprovalAnswer,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/approvals/answer.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(status_word(answer.status))
            .bind(answer.by.0)
            .bind(clean(&answer.by_name))
            .bind(answer.at.as_micros())
            .bind(answer.edited_args.as_ref().map(to_json).transpose()?)
            .bind(clean(&answer.digest))
            .bind(answer.reason.as_deref().map(clean))
            .bind(answer.sent.as_ref().map(to_json).transpose()?);
        execute_maybe(self.connection(), query).await
    }
}
