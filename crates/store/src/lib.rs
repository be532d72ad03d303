//! Repository ports: what any engine stores, reads and writes.
//!
//! [`Store`] has the reads. Only a [`UnitOfWork`], which is a transaction, has the writes: nothing is visible before `commit`, and a drop
//! rolls back. A lookup returns an `Option`; "not found" is not an error here. Every query carries the workspace. This crate must not know
//! any engine. `sql/` holds the statements that both engines share, and `shared/` the code that runs them.

mod accounts;
mod agents;
mod approvals;
pub mod audit;
mod chats;
#[cfg(feature = "conformance")]
pub mod conformance;
mod connections;
mod documents;
mod error;
mod history;
mod home;
mod journal;
mod mail;
mod misc;
mod organizations;
mod privacy;
mod queue;
mod revocations;
mod runs;
mod saved;
mod sealed;
mod sign_in;
mod subject;
mod todos;
mod tokens;
mod tool_servers;
mod usage;

pub use accounts::{AccountReads, AccountWrites, Membership, NewUser, User, Workspace, WorkspaceKind};
pub use agents::{Agent, AgentName, AgentReads, AgentRevision, AgentWrites};
pub use approvals::{ApprovalAnswer, ApprovalReads, ApprovalRecord, ApprovalWrites, UNDO, Undo, Whose, undone};
pub use audit::{
    AuditBreak, AuditCheck, AuditEntry, AuditFilter, AuditHead, AuditLink, AuditReads, AuditRecord, AuditSweeps,
    AuditWrites,
};
pub use chats::{
    ChatEdits, ChatListReads, ChatReads, ChatSession, ChatWrites, Feedback, Message, MessageRow, NewMessage, SharedChat,
};
pub use connections::{Connection, ConnectionReads, ConnectionState, ConnectionWrites, OauthAttempt, SignInInto, Use};
pub use documents::{
    Document, DocumentReads, DocumentVersion, DocumentWrites, NewVersion, Written, asked_words, has_words, kept_words,
    snippet,
};
pub use error::{StoreError, StoreResult};
pub use history::{Fork, HistoryReads, HistoryWrites, Origin, RetentionWrites, Swept};
pub use home::{HomeReading, HomeReads, HomeWrites};
pub use journal::{ByAgent, JournalFilter, JournalMark, JournalReads, JournalRow, by_handle};
pub use mail::{MailState, MailWrites, NewMail};
pub use misc::{HttpSession, IdempotentAnswer, MiscReads, MiscWrites};
pub use organizations::{
    Invitation, InvitationStatus, InviteLink, ListedInvitation, Member, OrganizationReads, OrganizationWrites,
    ReceivedInvitation,
};
pub use privacy::{
    DeletedUser, DeletionReason, ExportMark, ExportSection, ExportedRow, Owned, PrivacyReads, PrivacyWrites,
    WorkspaceRetention,
};
pub use queue::{ClaimedJob, JobOutcome, Queue, QueueBacklog, QueueReads, QueueWrites};
pub use revocations::{NewRevocation, Revocation, RevocationReads, RevocationWrites};
pub use runs::{
    CallRecord, CallStatus, Checkpoint, CheckpointSummary, ClaimedRun, Lease, NewRun, Run, RunReads, RunUpdate,
    RunWrites,
};
pub use saved::{SavedQuestion, SavedReads, SavedWrites};
pub use sealed::{SealedColumn, SealedKey, SealedReads, SealedRow, SealedWrites};
pub use sign_in::{
    AccountToken, BrowserSession, FailedSignIns, Identity, SecondFactor, SignInAttempt, SignInReads, SignInWrites,
    TokenPurpose,
};
pub use subject::{MessageRef, Parent, Principal, RunClass, RunKind, Subject};
pub use todos::{Todo, TodoBody, TodoReads, TodoWrites};
pub use tokens::{AccessToken, TokenReads, TokenWrites};
pub use tool_servers::{ToolServer, ToolServerBody, ToolServerReads, ToolServerWrites};
pub use usage::{DayUsage, Held, QuestionNumber, Reservation, Reserved, Settlement, UsageReads, UsageWrites};

use adagent_domain::{RunId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

/// The engine of the store. We show it to administrators; callers must not branch on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// Connections of this process to its database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pool {
    pub in_use: u32,
    pub idle: u32,
    pub max: u32,
}

/// Waiting work in the whole installation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Runs that a worker can claim now.
    pub ready: u64,
    /// Since when a worker could have claimed the longest-waiting one.
    pub oldest_ready: Option<Timestamp>,
    /// Approvals that nobody has answered yet.
    pub pending_approvals: u64,
}

/// A message to readers and workers that may be waiting. We send it after the commit that caused it, to every process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// The run has new events.
    Events(RunId),
    /// A worker can claim a run.
    Work,
    /// A chat, a run or an approval of this person changed, so pages that list them must read again.
    Activity(UserId),
    /// Wakes may be lost (the connection to other processes was cut), so look at the database again.
    Everything,
}

/// What the engine needs from a database: runs with their calls, approvals, checkpoints and usage, and its reads of people, chats and
/// settings. Every database has the whole [`Store`]; a stand-in, such as the simulation's, has only this part.
#[async_trait]
pub trait EngineStore:
    AccountReads + AgentReads + ChatReads + RunReads + ApprovalReads + UsageReads + HistoryReads + MiscReads + Send + Sync
{
    /// Starts a transaction with the engine's writes that may touch several workspaces, or rows of no workspace.
    async fn engine_unit(&self) -> StoreResult<Box<dyn EngineUnit>>;

    /// Starts a transaction with the engine's writes in one workspace, like [`Store::begin_in`].
    async fn engine_unit_in(&self, workspace: WorkspaceId) -> StoreResult<Box<dyn EngineUnit>> {
        let _ = workspace;
        self.engine_unit().await
    }

    /// Subscribes to wakes from now on. A receiver that lags must look at the database again.
    fn subscribe(&self) -> tokio::sync::broadcast::Receiver<Wake>;
}

/// A database.
#[async_trait]
pub trait Store:
    EngineStore
    + ChatListReads
    + ConnectionReads
    + HomeReads
    + JournalReads
    + SavedReads
    + SignInReads
    + TodoReads
    + DocumentReads
    + ToolServerReads
    + TokenReads
    + OrganizationReads
    + QueueReads
    + RevocationReads
    + SealedReads
    + AuditReads
    + PrivacyReads
{
    /// Starts a transaction that may touch several workspaces, or rows of no workspace.
    async fn begin(&self) -> StoreResult<Box<dyn UnitOfWork>>;

    /// Starts a transaction in one workspace. If the engine has policies, the transaction can neither read nor write rows of other
    /// workspaces, whatever a statement says: a second fence behind the workspace in each statement.
    async fn begin_in(&self, workspace: WorkspaceId) -> StoreResult<Box<dyn UnitOfWork>> {
        let _ = workspace;
        self.begin().await
    }

    /// Checks that the database answers, and that it accepts a write.
    async fn ping(&self) -> StoreResult<()>;

    fn engine(&self) -> Engine;

    /// Returns the time that all processes on this database share. `None` if only one process uses the database.
    async fn shared_time(&self) -> StoreResult<Option<Timestamp>> {
        Ok(None)
    }

    /// Counts the connections, for administrators. Does not query the database.
    fn pool(&self) -> Pool {
        Pool::default()
    }
}

/// A transaction with the engine's writes. We send the wakes from [`EngineUnit::wake`] after the commit.
#[async_trait]
pub trait EngineUnit:
    AccountWrites + ChatWrites + RunWrites + ApprovalWrites + UsageWrites + HistoryWrites + MiscWrites + AuditWrites + Send
{
    fn wake(&mut self, wake: Wake);

    /// Makes `commit` return only after the data is on the disk. Use it for writes that carry a promise (an accepted message, the answer of
    /// an approval, `sending`, the outcome of a write). A power cut may lose other writes made shortly before it.
    fn durable(&mut self) {}

    async fn commit(self: Box<Self>) -> StoreResult<()>;
}

/// A transaction with all writes.
pub trait UnitOfWork:
    EngineUnit
    + AgentWrites
    + ChatEdits
    + ConnectionWrites
    + RetentionWrites
    + HomeWrites
    + SavedWrites
    + SignInWrites
    + TodoWrites
    + DocumentWrites
    + ToolServerWrites
    + TokenWrites
    + OrganizationWrites
    + MailWrites
    + QueueWrites
    + RevocationWrites
    + SealedWrites
    + AuditSweeps
    + PrivacyWrites
{
}
