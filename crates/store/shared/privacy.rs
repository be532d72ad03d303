//! Exports a person's data, erases a person, and stores how long a workspace keeps data.

use adagent_domain::{Timestamp, UserId, WorkspaceId};
use adagent_store::{
    AuditSweeps as _, DeletedUser, ExportMark, ExportSection, ExportedRow, Owned, PrivacyReads, PrivacyWrites,
    StoreResult, User, WorkspaceRetention,
};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    columns::{Columns, clean, to_i64},
    engine::{self, Database, Row, Unit},
    export::exported,
    run::{Query, execute, execute_one, fetch_all, fetch_one, fetch_optional, sql},
};

const fn statement(section: ExportSection) -> &'static str {
    match section {
        ExportSection::Memberships => include_str!("../sql/privacy/export_memberships.sql"),
        ExportSection::Sessions => include_str!("../sql/privacy/export_sessions.sql"),
        ExportSection::AccessTokens => include_str!("../sql/privacy/export_access_tokens.sql"),
        ExportSection::ContextSettings => include_str!("../sql/privacy/export_context_settings.sql"),
        ExportSection::Connections => include_str!("../sql/privacy/export_connections.sql"),
        ExportSection::Chats => include_str!("../sql/privacy/export_chats.sql"),
        ExportSection::Messages => include_str!("../sql/privacy/export_messages.sql"),
        ExportSection::Runs => include_str!("../sql/privacy/export_runs.sql"),
        ExportSection::RunEvents => include_str!("../sql/privacy/export_run_events.sql"),
        ExportSection::SavedStates => include_str!("../sql/privacy/export_saved_states.sql"),
        ExportSection::ToolCalls => include_str!("../sql/privacy/export_tool_calls.sql"),
        ExportSection::Approvals => include_str!("../sql/privacy/export_approvals.sql"),
        ExportSection::SavedQuestions => include_str!("../sql/privacy/export_saved_questions.sql"),
        ExportSection::Agents => include_str!("../sql/privacy/export_agents.sql"),
        ExportSection::Todos => include_str!("../sql/privacy/export_todos.sql"),
        ExportSection::Documents => include_str!("../sql/privacy/export_documents.sql"),
        ExportSection::DocumentVersions => include_str!("../sql/privacy/export_document_versions.sql"),
        ExportSection::ToolServers => include_str!("../sql/privacy/export_tool_servers.sql"),
        ExportSection::AuditLog => include_str!("../sql/privacy/export_audit_log.sql"),
        ExportSection::Invitations => include_str!("../sql/privacy/export_invitations.sql"),
    }
}

fn owned(row: &Row) -> StoreResult<Owned> {
    let columns = Columns::new("workspaces", row);
    Ok(Owned {
        workspace: WorkspaceId(columns.uuid("id")?),
        name: columns.text("name")?,
        others: columns.count("others")?,
    })
}

fn retention(row: &Row) -> StoreResult<(WorkspaceId, WorkspaceRetention)> {
    let columns = Columns::new("workspace_retention", row);
    let days = |column: &'static str| -> StoreResult<Option<u32>> {
        match columns.get::<Option<i64>>(column)? {
            None => Ok(None),
            Some(days) => u32::try_from(days)
                .map(Some)
                .map_err(|_| columns.inconsistent(column, format!("{days} is no number of days"))),
        }
    };
    let kept = WorkspaceRetention {
        runs_days: days("runs_days")?,
        checkpoints_days: days("checkpoints_days")?,
        audit_days: days("audit_days")?,
    };
    Ok((WorkspaceId(columns.uuid("workspace_id")?), kept))
}

#[async_trait]
impl PrivacyReads for Database {
    async fn export_page(
        &self,
        user: UserId,
        section: ExportSection,
        (id, number): ExportMark,
        limit: u32,
    ) -> StoreResult<Vec<ExportedRow>> {
        let query = sql(statement(section)).bind(user.0).bind(id).bind(number).bind(i64::from(limit));
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(exported).collect()
    }

    async fn find_retention(&self, workspace: WorkspaceId) -> StoreResult<WorkspaceRetention> {
        let query = sql(include_str!("../sql/retention/find.sql")).bind(workspace.0);
        let found = fetch_optional(self.reader_in(workspace).await?.connection(), query).await?;
        Ok(found.as_ref().map(retention).transpose()?.map(|(_, kept)| kept).unwrap_or_default())
    }

    async fn list_retention(
        &self,
        after: Option<WorkspaceId>,
        limit: u32,
    ) -> StoreResult<Vec<(WorkspaceId, WorkspaceRetention)>> {
        let query = sql(include_str!("../sql/retention/list.sql"))
            .bind(after.map_or(Uuid::nil(), |after| after.0))
            .bind(i64::from(limit));
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(retention).collect()
    }
}

impl Unit {
    async fn all(&mut self, query: Query) -> StoreResult<()> {
        execute(self.connection(), query).await.map(drop)
    }

    async fn keep_the_aggregates(&mut self, user: &User, record: &DeletedUser) -> StoreResult<()> {
        let query = sql(include_str!("../sql/privacy/count_chats.sql")).bind(user.id.0);
        let counted = fetch_one(self.connection(), query).await?;
        let columns = Columns::new("users", &counted);
        let query = sql(include_str!("../sql/privacy/insert_deleted_user.sql"))
            .bind(record.id)
            .bind(record.anonymous_id.clone())
            .bind(record.created_on.clone())
            .bind(record.deleted_on.clone())
            .bind(i64::from(record.lifetime_days))
            .bind(to_i64(columns.count("chats")?)?)
            .bind(to_i64(columns.count("messages")?)?)
            .bind(columns.count("connections")? > 0)
            .bind(record.reason.as_str());
        execute_one(self.connection(), query, "note an erased account").await
    }

    /// Removes this person's name, as it was then, from runs of other people. When this person removed a member, we withdrew the member's
    /// open approvals, and those runs noted who had done it.
    async fn forget_in_runs_of_others(&mut self, user: UserId) -> StoreResult<()> {
        let query = sql(include_str!("../sql/privacy/list_answered.sql")).bind(user.0);
        for row in fetch_all(self.connection(), query).await? {
            let columns = Columns::new("approvals", &row);
            let (run, name) = (columns.uuid("run_id")?, columns.text("answered_by_name")?);
            let said = format!("\"by\":{}", serde_json::Value::String(name));
            for text in [
                include_str!("../sql/privacy/forget_in_events.sql"),
                include_str!("../sql/privacy/forget_in_states.sql"),
            ] {
                let query = sql(text).bind(run).bind(said.clone()).bind("\"by\":\"somebody who left\"");
                self.all(query).await?;
            }
        }
        Ok(())
    }

    /// Erases the person from the audit log. Their own rows keep what they did and lose names that they chose. Other people's rows lose the
    /// person's ID and address.
    ///
    /// Touches only workspaces that the person belonged to or was invited to, and only whole values: a name that a person chose must not
    /// blank another person's log.
    async fn forget_in_the_audit_log(&mut self, user: &User, address: Option<&str>) -> StoreResult<()> {
        self.delete_audit(user.personal_workspace).await?;
        let query = sql(include_str!("../sql/privacy/list_audit_places.sql"))
            .bind(user.id.0)
            .bind(address.map(|address| clean(address).into_owned()));
        let rows = fetch_all(self.connection(), query).await?;
        let places = rows
            .iter()
            .map(|row| Columns::new("audit_log", row).uuid("workspace_id"))
            .collect::<StoreResult<Vec<_>>>()?;
        // Lock the chain heads first and in order, as every transaction does that appends or deletes, so that no two wait for each other.
        for place in &places {
            self.all(sql(include_str!("../sql/audit/lock_head.sql")).bind(*place)).await?;
        }
        self.all(sql(include_str!("../sql/privacy/erase_audit_own_what.sql")).bind(user.id.0)).await?;
        let mut said = vec![user.id.to_string()];
        if let Some(address) = address {
            said.extend([clean(address).into_owned(), user.email.to_lowercase()]);
        }
        for text in said {
            let value = serde_json::Value::String(text.clone()).to_string();
            for place in &places {
                let query = sql(include_str!("../sql/privacy/erase_audit_what.sql"))
                    .bind(*place)
                    .bind(text.clone())
                    .bind(value.clone());
                self.all(query).await?;
            }
        }
        self.all(sql(include_str!("../sql/privacy/erase_audit_who.sql")).bind(user.id.0).bind(Uuid::nil())).await
    }
}

#[async_trait]
impl PrivacyWrites for Unit {
    async fn rename_user(&mut self, user: UserId, name: &str) -> StoreResult<()> {
        let query = sql(include_str!("../sql/privacy/rename_user.sql")).bind(user.0).bind(clean(name).into_owned());
        execute_one(self.connection(), query, "rename user").await
    }

    async fn owned_organizations(&mut self, user: UserId) -> StoreResult<Vec<Owned>> {
        let query = sql(include_str!("../sql/privacy/list_owned.sql")).bind(user.0);
        fetch_all(self.connection(), query).await?.iter().map(owned).collect()
    }

    async fn stop_runs_of(&mut self, user: UserId) -> StoreResult<u64> {
        self.all(sql(include_str!("../sql/privacy/stop_runs.sql")).bind(user.0)).await?;
        let query = sql(include_str!("../sql/privacy/count_sending.sql")).bind(user.0);
        let row = fetch_one(self.connection(), query).await?;
        Columns::new("tool_calls", &row).count("sending")
    }

    async fn close_workspace(&mut self, workspace: WorkspaceId) -> StoreResult<bool> {
        let query = sql(engine::CLOSE_WORKSPACE).bind(workspace.0);
        Ok(fetch_optional(self.connection(), query).await?.is_some())
    }

    async fn erase_user(&mut self, user: &User, address: Option<&str>, record: &DeletedUser) -> StoreResult<()> {
        let (id, personal) = (user.id.0, user.personal_workspace.0);
        self.keep_the_aggregates(user, record).await?;
        self.forget_in_the_audit_log(user, address).await?;
        // Sessions that still wait for a second factor have no owner yet, but contain the person's ID. They are few.
        let query = sql(include_str!("../sql/privacy/delete_sessions.sql")).bind(id).bind(user.id.to_string());
        self.all(query).await?;
        // Organizations keep the connections that the person made there.
        self.all(sql(include_str!("../sql/privacy/hand_connections_over.sql")).bind(id).bind(personal)).await?;
        self.forget_in_runs_of_others(user.id).await?;
        self.all(sql(include_str!("../sql/privacy/forget_answers.sql")).bind(id)).await?;
        if let Some(address) = address.map(|address| clean(address).into_owned()) {
            self.all(sql(include_str!("../sql/privacy/delete_invitations.sql")).bind(address.clone())).await?;
            self.all(sql(include_str!("../sql/privacy/forget_mail_errors.sql")).bind(address)).await?;
        }
        self.all(sql(include_str!("../sql/privacy/forget_inviter.sql")).bind(id).bind(Uuid::nil())).await?;
        self.all(sql(include_str!("../sql/privacy/forget_link_maker.sql")).bind(id).bind(Uuid::nil())).await?;
        // Documents of organizations stay, but no longer say that this person wrote them.
        self.all(sql(include_str!("../sql/privacy/forget_agents_of_versions.sql")).bind(id)).await?;
        // This deletes their messages, runs, events, checkpoints, calls and approvals too, in every workspace.
        self.all(sql(include_str!("../sql/privacy/delete_chats.sql")).bind(id)).await?;
        // Runs without a chat.
        self.all(sql(include_str!("../sql/privacy/delete_runs.sql")).bind(id)).await?;
        self.all(sql(include_str!("../sql/privacy/delete_connections.sql")).bind(personal)).await?;
        // This deletes memberships, access tokens, settings, idempotency keys and OAuth attempts too.
        let query = sql(include_str!("../sql/privacy/delete_user.sql")).bind(id);
        execute_one(self.connection(), query, "erase user").await?;
        let query = sql(include_str!("../sql/privacy/delete_workspace.sql")).bind(personal);
        execute_one(self.connection(), query, "erase personal workspace").await
    }

    async fn put_retention(
        &mut self,
        workspace: WorkspaceId,
        kept: &WorkspaceRetention,
        at: Timestamp,
    ) -> StoreResult<()> {
        let query = sql(include_str!("../sql/retention/put.sql"))
            .bind(workspace.0)
            .bind(kept.runs_days.map(i64::from))
            .bind(kept.checkpoints_days.map(i64::from))
            .bind(kept.audit_days.map(i64::from))
            .bind(at.as_micros());
        execute_one(self.connection(), query, "save retention settings").await
    }
}
