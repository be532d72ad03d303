//! Appends to the audit log at the commit, reads the log, and deletes from it.

use adagent_domain::{Timestamp, UserId, WorkspaceId};
use adagent_store::{
    AuditEntry, AuditFilter, AuditHead, AuditLink, AuditReads, AuditRecord, AuditSweeps, AuditWrites, StoreResult,
    audit,
};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    columns::{Columns, clean, to_i64, to_json},
    engine::{Database, Row, Unit},
    run::{execute, execute_one, fetch_all, fetch_one, fetch_optional, sql},
};

/// The ID that replaces an erased person in a row.
const NOBODY: Uuid = Uuid::nil();

fn entry(row: &Row) -> StoreResult<AuditEntry> {
    let columns = Columns::new("audit_log", row);
    Ok(AuditEntry {
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        user: UserId(columns.uuid("user_id")?),
        action: columns.text("action")?,
        target: columns.text("target")?,
        detail: columns.json("detail")?,
        at: columns.at("at")?,
    })
}

fn record(row: &Row) -> StoreResult<AuditRecord> {
    let columns = Columns::new("audit_log", row);
    let link = match columns.get::<Option<i64>>("number")? {
        None => None,
        Some(_) => Some(AuditLink {
            number: columns.count("number")?,
            who_salt: columns.get("who_salt")?,
            who: columns.text("who")?,
            what_salt: columns.get("what_salt")?,
            what: columns.text("what")?,
            hash: columns.text("hash")?,
        }),
    };
    Ok(AuditRecord {
        id: columns.get("id")?,
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        user: Some(columns.uuid("user_id")?).filter(|user| *user != NOBODY).map(UserId),
        user_name: columns.get("user_name")?,
        action: columns.text("action")?,
        target: columns.text("target")?,
        detail: columns.text("detail")?,
        at: columns.at("at")?,
        link,
    })
}

fn head(row: &Row) -> StoreResult<AuditHead> {
    let columns = Columns::new("audit_heads", row);
    let pruned: i64 = columns.get("pruned")?;
    let verified = columns.count("verified")?;
    Ok(AuditHead {
        number: columns.count("number")?,
        hash: columns.text("hash")?,
        unchained: columns.count("unchained")?,
        unchained_gone: columns.count("unchained_gone")?,
        pruned: u64::try_from(pruned).ok().map(|number| Ok((number, columns.text("pruned_hash")?))).transpose()?,
        verified: (verified > 0).then(|| Ok((verified, columns.text("verified_hash")?))).transpose()?,
    })
}

#[async_trait]
impl AuditReads for Database {
    async fn list_audit(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<AuditEntry>> {
        let query = sql(include_str!("../sql/audit/list_newest.sql")).bind(workspace.0).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(entry).collect()
    }

    async fn list_audit_records(
        &self,
        workspace: WorkspaceId,
        filter: &AuditFilter,
        limit: u32,
    ) -> StoreResult<Vec<AuditRecord>> {
        let query = sql(include_str!("../sql/audit/list.sql"))
            .bind(workspace.0)
            .bind(filter.before.unwrap_or(i64::MAX))
            .bind(filter.from.map_or(i64::MIN, Timestamp::as_micros))
            .bind(filter.until.map_or(i64::MAX, Timestamp::as_micros))
            .bind(clean(&filter.action).into_owned())
            .bind(filter.user.map(|user| user.0))
            .bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(record).collect()
    }

    async fn list_audit_chain(&self, workspace: WorkspaceId, after: u64, limit: u32) -> StoreResult<Vec<AuditRecord>> {
        let query = sql(include_str!("../sql/audit/list_chain.sql"))
            .bind(workspace.0)
            .bind(to_i64(after)?)
            .bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(record).collect()
    }

    async fn find_audit_head(&self, workspace: WorkspaceId) -> StoreResult<Option<AuditHead>> {
        let query = sql(include_str!("../sql/audit/find_head.sql")).bind(workspace.0);
        fetch_optional(self.reader_in(workspace).await?.connection(), query).await?.as_ref().map(head).transpose()
    }

    async fn count_unchained_audit(&self, workspace: WorkspaceId) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/audit/count_unchained.sql")).bind(workspace.0);
        let row = fetch_one(self.reader_in(workspace).await?.connection(), query).await?;
        Columns::new("audit_log", &row).count("found")
    }

    async fn list_audit_workspaces(&self, after: Option<WorkspaceId>, limit: u32) -> StoreResult<Vec<WorkspaceId>> {
        let query = sql(include_str!("../sql/audit/list_heads.sql"))
            .bind(after.map_or(Uuid::nil(), |after| after.0))
            .bind(i64::from(limit));
        let rows = fetch_all(&mut *self.reader().await?, query).await?;
        rows.iter().map(|row| Columns::new("audit_heads", row).uuid("workspace_id").map(WorkspaceId)).collect()
    }

    async fn list_ownerless_audits(&self, after: Option<WorkspaceId>, limit: u32) -> StoreResult<Vec<WorkspaceId>> {
        let query = sql(include_str!("../sql/audit/list_ownerless.sql"))
            .bind(after.map_or(Uuid::nil(), |after| after.0))
            .bind(i64::from(limit));
        let rows = fetch_all(&mut *self.reader().await?, query).await?;
        rows.iter().map(|row| Columns::new("audit_heads", row).uuid("workspace_id").map(WorkspaceId)).collect()
    }
}

impl Unit {
    /// Appends in the order of the workspaces, so that two transactions that note something in several never wait for each other. Nothing
    /// else in the transaction follows.
    pub(crate) async fn append_audit(&mut self) -> StoreResult<()> {
        let mut entries = self.take_audit();
        entries.sort_by_key(|entry| entry.workspace);
        for entry in entries {
            self.append(&entry).await?;
        }
        Ok(())
    }

    async fn append(&mut self, entry: &AuditEntry) -> StoreResult<()> {
        // This locks the chain until the commit. The next transaction sees this row's hash, or reuses the number if this one rolls back.
        let query = sql(include_str!("../sql/audit/take_number.sql")).bind(entry.workspace.0);
        let row = fetch_one(self.connection(), query).await?;
        let columns = Columns::new("audit_heads", &row);
        let number = columns.count("number")?;
        let before = match number {
            1 => audit::genesis(entry.workspace, columns.count("unchained")?),
            _ => columns.text("hash")?,
        };
        let (target, detail) = (clean(&entry.target).into_owned(), to_json(&entry.detail)?);
        let action = clean(&entry.action).into_owned();
        let (who_salt, what_salt) = (audit::salt()?, audit::salt()?);
        let who = audit::who(&who_salt, entry.user);
        let what = audit::what(&what_salt, &target, &detail);
        let hash = audit::link_hash(entry.workspace, number, &before, (&action, entry.at), (&who, &what));
        let query = sql(include_str!("../sql/audit/insert.sql"))
            .bind(entry.workspace.0)
            .bind(entry.user.0)
            .bind(action)
            .bind(target)
            .bind(detail)
            .bind(entry.at.as_micros())
            .bind(to_i64(number)?)
            .bind(who_salt)
            .bind(who)
            .bind(what_salt)
            .bind(what)
            .bind(hash.clone());
        execute_one(self.connection(), query, "insert audit entry").await?;
        let query = sql(include_str!("../sql/audit/set_head.sql")).bind(entry.workspace.0).bind(hash);
        execute_one(self.connection(), query, "move the end of the audit log").await
    }

    /// Makes the chain begin after this row, so that earlier rows can be deleted.
    async fn begin_chain_behind(&mut self, workspace: WorkspaceId, number: u64, hash: &str) -> StoreResult<()> {
        let query = sql(include_str!("../sql/audit/set_pruned.sql"))
            .bind(workspace.0)
            .bind(to_i64(number)?)
            .bind(hash.to_owned());
        execute(self.connection(), query).await.map(drop)
    }

    /// Deletes rows from before the chain that are older than `before`. The head counts how many.
    async fn let_unchained_go(&mut self, workspace: WorkspaceId, before: Timestamp, limit: u32) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/audit/has_unchained.sql")).bind(workspace.0).bind(before.as_micros());
        if fetch_optional(self.connection(), query).await?.is_none() {
            return Ok(0);
        }
        self.begin_chain_behind(workspace, 0, "").await?;
        let query = sql(include_str!("../sql/audit/delete_unchained.sql"))
            .bind(workspace.0)
            .bind(before.as_micros())
            .bind(i64::from(limit));
        let gone = execute(self.connection(), query).await?;
        let query = sql(include_str!("../sql/audit/set_unchained_gone.sql")).bind(workspace.0).bind(to_i64(gone)?);
        execute(self.connection(), query).await?;
        Ok(gone)
    }

    /// Deletes the beginning of the chain row by row, as far as `goes` allows.
    async fn let_beginning_go(
        &mut self,
        workspace: WorkspaceId,
        limit: u32,
        goes: impl Fn(&AuditRecord, u64) -> bool + Send,
    ) -> StoreResult<u64> {
        let query =
            sql(include_str!("../sql/audit/list_chain.sql")).bind(workspace.0).bind(0_i64).bind(i64::from(limit));
        let rows = fetch_all(self.connection(), query).await?;
        let mut last = None;
        for row in &rows {
            let record = record(row)?;
            let Some(link) = &record.link else { break };
            if !goes(&record, link.number) {
                break;
            }
            last = record.link;
        }
        let Some(link) = last else { return Ok(0) };
        self.begin_chain_behind(workspace, link.number, &link.hash).await?;
        let query = sql(include_str!("../sql/audit/delete_pruned.sql")).bind(workspace.0).bind(to_i64(link.number)?);
        execute(self.connection(), query).await
    }
}

#[async_trait]
impl AuditWrites for Unit {
    async fn insert_audit(&mut self, entry: &AuditEntry) -> StoreResult<()> {
        self.note(entry.clone());
        Ok(())
    }
}

#[async_trait]
impl AuditSweeps for Unit {
    async fn prune_audit(&mut self, workspace: WorkspaceId, before: Timestamp, limit: u32) -> StoreResult<u64> {
        match self.let_unchained_go(workspace, before, limit).await? {
            0 => self.let_beginning_go(workspace, limit, |record, _| record.at < before).await,
            gone => Ok(gone),
        }
    }

    async fn entomb_audit(&mut self, workspace: WorkspaceId, limit: u32) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/audit/find_head.sql")).bind(workspace.0);
        let Some(row) = fetch_optional(self.connection(), query).await? else { return Ok(0) };
        let end = head(&row)?.number;
        match self.let_unchained_go(workspace, Timestamp::from_micros(i64::MAX), limit).await? {
            0 => self.let_beginning_go(workspace, limit, |_, number| number < end).await,
            gone => Ok(gone),
        }
    }

    async fn set_audit_verified(&mut self, workspace: WorkspaceId, number: u64, hash: &str) -> StoreResult<()> {
        let query = sql(include_str!("../sql/audit/set_verified.sql"))
            .bind(workspace.0)
            .bind(to_i64(number)?)
            .bind(clean(hash).into_owned());
        execute(self.connection(), query).await.map(drop)
    }

    async fn delete_audit(&mut self, workspace: WorkspaceId) -> StoreResult<()> {
        self.begin_chain_behind(workspace, i64::MAX.unsigned_abs(), "").await?;
        execute(self.connection(), sql(include_str!("../sql/audit/delete_all.sql")).bind(workspace.0)).await?;
        let query = sql(include_str!("../sql/audit/delete_head.sql")).bind(workspace.0);
        execute(self.connection(), query).await.map(drop)
    }
}
