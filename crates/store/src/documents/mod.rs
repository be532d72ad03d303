//! Documents of a workspace: everybody in it reads and writes them. A save is a version; the trash keeps what was deleted for a while.

mod words;

use adagent_domain::{DocumentId, RunId, Timestamp, ToolCallId, UserId, WorkspaceId};
use async_trait::async_trait;

pub use self::words::{asked_words, has_words, kept_words, snippet};
use crate::StoreResult;

/// Who wrote a version, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// `None`: their account was deleted.
    pub by: Option<UserId>,
    pub by_name: Option<String>,
    /// The handle of the agent that wrote it for them.
    pub agent: Option<String>,
    /// The run whose call wrote it, and whose run that is.
    pub run: Option<(RunId, UserId)>,
    pub at: Timestamp,
}

/// A document without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub id: DocumentId,
    pub workspace: WorkspaceId,
    pub title: String,
    /// As `adagent_contract::folder_path` writes it.
    pub folder: String,
    /// The newest version; counts saves, from 1.
    pub version: i64,
    /// Bytes of its text.
    pub size: i64,
    /// What the person is called who made it; `None`: their account was deleted.
    pub by_name: Option<String>,
    pub written: Written,
    pub created_at: Timestamp,
    pub trashed_at: Option<Timestamp>,
}

/// A version without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentVersion {
    pub number: i64,
    pub title: String,
    pub folder: String,
    pub size: i64,
    pub written: Written,
}

/// What a save writes. `call`: the one that wrote it; a call writes one version at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVersion {
    pub title: String,
    pub folder: String,
    pub text: String,
    pub by: UserId,
    pub agent: Option<String>,
    pub call: Option<ToolCallId>,
    pub at: Timestamp,
}

#[async_trait]
pub trait DocumentReads {
    /// Also one in the trash.
    async fn find_document(&self, workspace: WorkspaceId, id: DocumentId) -> StoreResult<Option<Document>>;
    /// A version with its text.
    async fn find_document_version(
        &self,
        workspace: WorkspaceId,
        id: DocumentId,
        number: i64,
    ) -> StoreResult<Option<(DocumentVersion, String)>>;
    /// The document and the version that a call wrote.
    async fn find_version_of_call(
        &self,
        workspace: WorkspaceId,
        call: ToolCallId,
    ) -> StoreResult<Option<(DocumentId, i64)>>;
    /// Those that are kept, newest first.
    async fn list_document_versions(&self, workspace: WorkspaceId, id: DocumentId)
    -> StoreResult<Vec<DocumentVersion>>;
    /// Those written last come first; of the trash those deleted last.
    async fn list_documents(&self, workspace: WorkspaceId, trashed: bool, limit: u32) -> StoreResult<Vec<Document>>;
    /// Those with all of these words ([`asked_words`]), of which the last may be the beginning of a word. Those with the words in their title come
    /// first, of each kind those written last. None where no word is given.
    async fn search_documents(
        &self,
        workspace: WorkspaceId,
        words: &[String],
        limit: u32,
    ) -> StoreResult<Vec<Document>>;
}

#[async_trait]
pub trait DocumentWrites {
    /// `false`, and nothing is kept, when the workspace has `most` already.
    async fn insert_document(
        &mut self,
        workspace: WorkspaceId,
        id: DocumentId,
        first: &NewVersion,
        most: u32,
    ) -> StoreResult<bool>;
    /// The version after `from`; `false` when the newest is another one, or the document is in the trash. Keeps the newest `keep` versions.
    async fn write_document(
        &mut self,
        workspace: WorkspaceId,
        id: DocumentId,
        from: i64,
        version: &NewVersion,
        keep: i64,
    ) -> StoreResult<bool>;
    /// Into the trash, or out of it with `None`; `false` when it is there, or not there, already.
    async fn trash_document(
        &mut self,
        workspace: WorkspaceId,
        id: DocumentId,
        at: Option<Timestamp>,
    ) -> StoreResult<bool>;
}
