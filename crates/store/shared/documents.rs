//! Stores documents and their versions, and searches documents.

use adagent_domain::{DocumentId, RunId, Timestamp, ToolCallId, UserId, WorkspaceId};
use adagent_store::{
    Document, DocumentReads, DocumentVersion, DocumentWrites, NewVersion, StoreResult, Written, kept_words,
};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    columns::{Columns, clean, to_i64},
    engine::{Database, Row, SEARCH_DOCUMENTS, Unit, document_searches},
    run::{execute, execute_maybe, execute_one, fetch_all, fetch_optional, sql},
};

fn written(columns: &Columns<'_>) -> StoreResult<Written> {
    let user = |column| columns.get::<Option<Uuid>>(column).map(|id| id.map(UserId));
    Ok(Written {
        by: user("written_by")?,
        by_name: columns.get("written_name")?,
        agent: columns.get("agent")?,
        run: columns.get::<Option<Uuid>>("run_id")?.map(RunId).zip(user("run_user_id")?),
        at: columns.at("at")?,
    })
}

fn document(row: &Row) -> StoreResult<Document> {
    let columns = Columns::new("documents", row);
    Ok(Document {
        id: DocumentId(columns.uuid("id")?),
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        title: columns.text("title")?,
        folder: columns.text("folder")?,
        version: columns.get("version")?,
        size: columns.get("size")?,
        by_name: columns.get("by_name")?,
        written: written(&columns)?,
        created_at: columns.at("created_at")?,
        trashed_at: columns.at_opt("trashed_at")?,
    })
}

fn version(row: &Row) -> StoreResult<DocumentVersion> {
    let columns = Columns::new("document_versions", row);
    Ok(DocumentVersion {
        number: columns.get("number")?,
        title: columns.text("title")?,
        folder: columns.text("folder")?,
        size: columns.get("size")?,
        written: written(&columns)?,
    })
}

#[async_trait]
impl DocumentReads for Database {
    async fn find_document(&self, workspace: WorkspaceId, id: DocumentId) -> StoreResult<Option<Document>> {
        let query = sql(include_str!("../sql/documents/find.sql")).bind(workspace.0).bind(id.0);
        fetch_optional(self.reader_in(workspace).await?.connection(), query).await?.as_ref().map(document).transpose()
    }

    async fn find_document_version(
        &self,
        workspace: WorkspaceId,
        id: DocumentId,
        number: i64,
    ) -> StoreResult<Option<(DocumentVersion, String)>> {
        let query = sql(include_str!("../sql/documents/find_version.sql")).bind(workspace.0).bind(id.0).bind(number);
        let found = fetch_optional(self.reader_in(workspace).await?.connection(), query).await?;
        let whole = |row: &Row| Ok((version(row)?, Columns::new("document_versions", row).text("text")?));
        found.as_ref().map(whole).transpose()
    }

    async fn find_version_of_call(
        &self,
        workspace: WorkspaceId,
        call: ToolCallId,
    ) -> StoreResult<Option<(DocumentId, i64)>> {
        let query = sql(include_str!("../sql/documents/find_version_of_call.sql")).bind(workspace.0).bind(call.0);
        let found = fetch_optional(self.reader_in(workspace).await?.connection(), query).await?;
        let place = |row: &Row| {
            let columns = Columns::new("document_versions", row);
            Ok((DocumentId(columns.uuid("document_id")?), columns.get("number")?))
        };
        found.as_ref().map(place).transpose()
    }

    async fn list_document_versions(
        &self,
        workspace: WorkspaceId,
        id: DocumentId,
    ) -> StoreResult<Vec<DocumentVersion>> {
        let query = sql(include_str!("../sql/documents/list_versions.sql")).bind(workspace.0).bind(id.0);
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(version).collect()
    }

    async fn list_documents(&self, workspace: WorkspaceId, trashed: bool, limit: u32) -> StoreResult<Vec<Document>> {
        let text = if trashed {
            include_str!("../sql/documents/list_trashed.sql")
        } else {
            include_str!("../sql/documents/list.sql")
        };
        let query = sql(text).bind(workspace.0).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(document).collect()
    }

    async fn search_documents(
        &self,
        workspace: WorkspaceId,
        words: &[String],
        limit: u32,
    ) -> StoreResult<Vec<Document>> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let [all, title] = document_searches(words);
        let query = sql(SEARCH_DOCUMENTS).bind(workspace.0).bind(all).bind(title).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(document).collect()
    }
}

/// Returns the words to index for a version: those of its title, and those of its title, folder and text together.
fn indexed(version: &NewVersion) -> [String; 2] {
    [kept_words(&[&version.title]), kept_words(&[&version.title, &version.folder, &version.text])]
}

fn size(version: &NewVersion) -> StoreResult<i64> {
    to_i64(version.text.len() as u64)
}

impl Unit {
    async fn insert_version(
        &mut self,
        workspace: WorkspaceId,
        id: DocumentId,
        number: i64,
        version: &NewVersion,
    ) -> StoreResult<()> {
        let query = sql(include_str!("../sql/documents/insert_version.sql"))
            .bind(id.0)
            .bind(workspace.0)
            .bind(number)
            .bind(clean(&version.title).into_owned())
            .bind(clean(&version.folder).into_owned())
            .bind(clean(&version.text).into_owned())
            .bind(size(version)?)
            .bind(version.by.0)
            .bind(version.agent.clone())
            .bind(version.call.map(|call| call.0))
            .bind(version.at.as_micros());
        execute_one(self.connection(), query, "save a version").await
    }
}

#[async_trait]
impl DocumentWrites for Unit {
    async fn insert_document(
        &mut self,
        workspace: WorkspaceId,
        id: DocumentId,
        first: &NewVersion,
        most: u32,
    ) -> StoreResult<bool> {
        let [title_words, words] = indexed(first);
        let query = sql(include_str!("../sql/documents/insert.sql"))
            .bind(id.0)
            .bind(workspace.0)
            .bind(clean(&first.title).into_owned())
            .bind(clean(&first.folder).into_owned())
            .bind(size(first)?)
            .bind(title_words)
            .bind(words)
            .bind(first.by.0)
            .bind(first.at.as_micros())
            .bind(i64::from(most));
        if !execute_maybe(self.connection(), query).await? {
            return Ok(false);
        }
        self.insert_version(workspace, id, 1, first).await?;
        Ok(true)
    }

    async fn write_document(
        &mut self,
        workspace: WorkspaceId,
        id: DocumentId,
        from: i64,
        version: &NewVersion,
        keep: i64,
    ) -> StoreResult<bool> {
        let [title_words, words] = indexed(version);
        let query = sql(include_str!("../sql/documents/update.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(from)
            .bind(clean(&version.title).into_owned())
            .bind(clean(&version.folder).into_owned())
            .bind(size(version)?)
            .bind(title_words)
            .bind(words);
        if !execute_maybe(self.connection(), query).await? {
            return Ok(false);
        }
        self.insert_version(workspace, id, from + 1, version).await?;
        let query = sql(include_str!("../sql/documents/forget_versions.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(from + 1 - keep);
        execute(self.connection(), query).await?;
        Ok(true)
    }

    async fn trash_document(
        &mut self,
        workspace: WorkspaceId,
        id: DocumentId,
        at: Option<Timestamp>,
    ) -> StoreResult<bool> {
        let query = match at {
            Some(at) => {
                sql(include_str!("../sql/documents/trash.sql")).bind(workspace.0).bind(id.0).bind(at.as_micros())
            }
            None => sql(include_str!("../sql/documents/restore.sql")).bind(workspace.0).bind(id.0),
        };
        execute_maybe(self.connection(), query).await
    }
}
