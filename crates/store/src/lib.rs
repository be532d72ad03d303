//! Repository ports: what is stored, read and written, for any engine.
//!
//! Reads hang on [`Store`]; writes only on a [`UnitOfWork`], which is a transaction: nothing is visible before `commit`, and
//! dropping it rolls back. Look-ups give `Option`; "not found" is no error here. Every query carries the workspace.
//! This crate must not know any engine; the statements both engines share lie in `sql/`, the code that runs them in `shared/`.

mod accounts;
mod agents;
mod approvals;
pub mod audit;
mod chats;
#[cfg(feature = "conformance")]
pub mod conformance;
mod connections;
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
pub use agents::{Agent, AgentReads, AgentRevision, AgentWrites};
pub use approvals::{ApprovalAnswer, ApprovalReads, ApprovalRecord, ApprovalWrites, UNDO, Undo, Whose, undone};
pub use audit::{
    AuditBreak, AuditCheck, AuditEntry, AuditFilter, AuditHead, AuditLink, AuditReads, AuditRecord, AuditSweeps,
    AuditWrites,
};
pub use chats::{
    ChatEdits, ChatListReads, ChatReads, ChatSession, ChatWrites, Feedback, Message, MessageRow, NewMessage, SharedChat,
};
pub use connections::{Connection, ConnectionReads, ConnectionState, ConnectionWrites, OauthAttempt, Use};
pub use error::{StoreError, StoreResult};
pub use history::{Fork, HistoryReads, HistoryWrites, Origin, RetentionWrites, Swept};
pub use home::{HomeReading, HomeReads, HomeWrites};
pub use journal::{ByAgent, JournalFilter, JournalReads, JournalRow, by_handle};
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

/// Which engine is underneath: shown to operators, never branched on by callers.
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

/// What waits, in the whole installation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Runs that may be claimed now.
    pub ready: u64,
    /// From when on the longest-waiting of them might have been claimed.
    pub oldest_ready: Option<Timestamp>,
    /// Approvals nobody answered yet.
    pub pending_approvals: u64,
}

/// Something readers and workers may be waiting for; sent after the commit that caused it, to every process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// Events were appended to the run.
    Events(RunId),
    /// A run may be claimed.
    Work,
    /// A chat, a run or an approval of a person changed: pages that list them read again.
    Activity(UserId),
    /// Wakes may have been missed (the connection that hears of other processes was cut): look at the database again.
    Everything,
}

/// What the engine needs of a database: runs with their calls, approvals, checkpoints and usage, and what it reads of people, chats and
/// settings. Every engine has the whole [`Store`]; whoever stands in for one, as the simulation does, has only this.
#[async_trait]
pub trait EngineStore:
    AccountReads + AgentReads + ChatReads + RunReads + ApprovalReads + UsageReads + HistoryReads + MiscReads + Send + Sync
{
    /// Starts a transaction of the engine's that may touch several workspaces, or those of nobody.
    async fn engine_unit(&self) -> StoreResult<Box<dyn EngineUnit>>;

    /// Starts a transaction of the engine's in one workspace, as [`Store::begin_in`].
    async fn engine_unit_in(&self, workspace: WorkspaceId) -> StoreResult<Box<dyn EngineUnit>> {
        let _ = workspace;
        self.engine_unit().await
    }

    /// Wakes from now on. A lagging receiver must look at the database again.
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
    + ToolServerReads
    + TokenReads
    + OrganizationReads
    + QueueReads
    + RevocationReads
    + SealedReads
    + AuditReads
    + PrivacyReads
{
    /// Starts a transaction that may touch several workspaces, or those of nobody.
    async fn begin(&self) -> StoreResult<Box<dyn UnitOfWork>>;

    /// Starts a transaction of one workspace. Where the engine has policies, no row of another is there for it, to be read or to be
    /// written, whatever a statement says: a second fence behind the workspace in each statement.
    async fn begin_in(&self, workspace: WorkspaceId) -> StoreResult<Box<dyn UnitOfWork>> {
        let _ = workspace;
        self.begin().await
    }

    /// Whether the database answers.
    async fn ping(&self) -> StoreResult<()>;

    fn engine(&self) -> Engine;

    /// What time it is for everybody who shares this database; nothing where one process has it to itself.
    async fn shared_time(&self) -> StoreResult<Option<Timestamp>> {
        Ok(None)
    }

    /// For operators; asks the database nothing.
    fn pool(&self) -> Pool {
        Pool::default()
    }
}

/// A transaction of the engine's. Wakes asked for with [`EngineUnit::wake`] are sent after the commit.
#[async_trait]
pub trait EngineUnit:
    AccountWrites + ChatWrites + RunWrites + ApprovalWrites + UsageWrites + HistoryWrites + MiscWrites + AuditWrites + Send
{
    fn wake(&mut self, wake: Wake);

    /// Makes `commit` return only after the disk has the data. For writes that carry a promise (an accepted message, the
    /// answer of an approval, `sending`, the outcome of a write): others may be lost by a power cut shortly after.
    fn durable(&mut self) {}

    async fn commit(self: Box<Self>) -> StoreResult<()>;
}

/// A transaction over everything.
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
