//! Documents of a workspace. Everybody in the workspace reads and writes them. Each save makes a version. The trash keeps deleted documents
//! for a while.

mod words;

use adagent_domain::{DocumentId, RunId, Timestamp, ToolCallId, UserId, WorkspaceId};
use async_trait::async_trait;

pub use self::words::{asked_words, has_words, kept_words, snippet};
use crate::StoreResult;

/// Who wrote a version, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// `None` if this person's account was deleted.
    pub by: Option<UserId>,
    pub by_name: Option<String>,
    /// The handle of the agent that wrote the version for the person.
    pub agent: Option<String>,
    /// The run whose call wrote the version, and the person of that run.
    pub run: Option<(RunId, UserId)>,
    pub at: Timestamp,
}

/// A document without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub id: DocumentId,
    pub workspace: WorkspaceId,
    pub title: String,
    /// The folder's path, in the form that `adagent_contract::folder_path` returns.
    pub folder: String,
    /// The newest version: 1 at first, and each save adds 1.
    pub version: i64,
    /// The length of the text in bytes.
    pub size: i64,
    /// The name of the person who made the document. `None` if that account was deleted.
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

/// What a save writes. `call` is the call that wrote it; one call writes at most one version.
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
    /// Finds a document, even in the trash.
    async fn find_document(&self, workspace: WorkspaceId, id: DocumentId) -> StoreResult<Option<Document>>;
    /// Finds a version, with its text.
    async fn find_document_version(
        &self,
        workspace: WorkspaceId,
        id: DocumentId,
        number: i64,
    ) -> StoreResult<Option<(DocumentVersion, String)>>;
    /// Finds the document and the number of the version that a call wrote.
    async fn find_version_of_call(
        &self,
        workspace: WorkspaceId,
        call: ToolCallId,
    ) -> StoreResult<Option<(DocumentId, i64)>>;
    /// Lists the versions that we keep, newest first.
    async fn list_document_versions(&self, workspace: WorkspaceId, id: DocumentId)
    -> StoreResult<Vec<DocumentVersion>>;
    /// Lists the documents outside the trash, last written first. With `trashed`, lists those in the trash, last deleted first.
    async fn list_documents(&self, workspace: WorkspaceId, trashed: bool, limit: u32) -> StoreResult<Vec<Document>>;
    /// Finds the documents outside the trash that have all of these words (see [`asked_words`]). The last word may be only the beginning of
    /// a word. Documents with the words in their title come first, and within both groups those written last. Without words, finds none.
    async fn search_documents(
        &self,
        workspace: WorkspaceId,
        words: &[String],
        limit: u32,
    ) -> StoreResult<Vec<Document>>;
}

#[async_trait]
pub trait DocumentWrites {
    /// Inserts a document with its first version. Returns `false` and stores nothing if the workspace already has `most`.
    async fn insert_document(
        &mut self,
        workspace: WorkspaceId,
        id: DocumentId,
        first: &NewVersion,
        most: u32,
    ) -> StoreResult<bool>;
    /// Writes the version after `from`, and keeps the newest `keep` versions. Returns `false` if the newest version is another one, or if
    /// the document is in the trash.
    async fn write_document(
        &mut self,
        workspace: WorkspaceId,
        id: DocumentId,
        from: i64,
        version: &NewVersion,
        keep: i64,
    ) -> StoreResult<bool>;
    /// Moves a document to the trash, or, if `at` is `None`, out of it. Returns `false` if it is there already.
    async fn trash_document(
        &mut self,
        workspace: WorkspaceId,
        id: DocumentId,
        at: Option<Timestamp>,
    ) -> StoreResult<bool>;
}
