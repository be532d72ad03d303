//! What a person may ask about themselves: everything that is held, in pieces that fit into memory, and to be forgotten.
//!
//! Must not know how it is shown, nor who may ask.

use adagent_domain::{Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use crate::{StoreResult, User};

/// A part of what is held about a person, over all workspaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportSection {
    Memberships,
    Sessions,
    AccessTokens,
    ContextSettings,
    Connections,
    Chats,
    Messages,
    Runs,
    RunEvents,
    SavedStates,
    ToolCalls,
    Approvals,
    SavedQuestions,
    Agents,
    Todos,
    ToolServers,
    AuditLog,
    Invitations,
}

impl ExportSection {
    pub const ALL: [Self; 18] = [
        Self::Memberships,
        Self::Sessions,
        Self::AccessTokens,
        Self::ContextSettings,
        Self::Connections,
        Self::Chats,
        Self::Messages,
        Self::Runs,
        Self::RunEvents,
        Self::SavedStates,
        Self::ToolCalls,
        Self::Approvals,
        Self::SavedQuestions,
        Self::Agents,
        Self::Todos,
        Self::ToolServers,
        Self::AuditLog,
        Self::Invitations,
    ];

    /// What it is called in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memberships => "memberships",
            Self::Sessions => "browser_sessions",
            Self::AccessTokens => "access_tokens",
            Self::ContextSettings => "context_settings",
            Self::Connections => "connections",
            Self::Chats => "chats",
            Self::Messages => "messages",
            Self::Runs => "runs",
            Self::RunEvents => "run_events",
            Self::SavedStates => "saved_states",
            Self::ToolCalls => "tool_calls",
            Self::Approvals => "approvals",
            Self::SavedQuestions => "saved_questions",
            Self::Agents => "agents",
            Self::Todos => "todos",
            Self::ToolServers => "tool_servers",
            Self::AuditLog => "audit_log",
            Self::Invitations => "invitations",
        }
    }
}

/// Where a page ended: an id and, where rows of one id are many, a number within it.
pub type ExportMark = (Uuid, i64);

/// A row, and where to go on behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedRow {
    pub mark: ExportMark,
    pub row: Map<String, Json>,
}

/// What stays of an account that was erased: nothing that leads back to anybody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedUser {
    pub id: Uuid,
    pub anonymous_id: String,
    /// Days, not instants: an instant would be as good as a name.
    pub created_on: String,
    pub deleted_on: String,
    pub lifetime_days: u32,
    pub reason: DeletionReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletionReason {
    UserRequested,
    GdprRequest,
}

impl DeletionReason {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UserRequested => "user_requested",
            Self::GdprRequest => "gdpr_request",
        }
    }
}

/// An organisation of somebody, and how many are in it with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owned {
    pub workspace: WorkspaceId,
    pub name: String,
    pub others: u64,
}

/// How long a workspace keeps things, in days; nothing: as the operator says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkspaceRetention {
    pub runs_days: Option<u32>,
    pub checkpoints_days: Option<u32>,
    pub audit_days: Option<u32>,
}

#[async_trait]
pub trait PrivacyReads {
    /// The rows behind `after`, in the order of their marks.
    async fn export_page(
        &self,
        user: UserId,
        section: ExportSection,
        after: ExportMark,
        limit: u32,
    ) -> StoreResult<Vec<ExportedRow>>;
    async fn find_retention(&self, workspace: WorkspaceId) -> StoreResult<WorkspaceRetention>;
    /// Workspaces with settings of their own, by id.
    async fn list_retention(
        &self,
        after: Option<WorkspaceId>,
        limit: u32,
    ) -> StoreResult<Vec<(WorkspaceId, WorkspaceRetention)>>;
}

#[async_trait]
pub trait PrivacyWrites {
    async fn rename_user(&mut self, user: UserId, name: &str) -> StoreResult<()>;
    /// Organisations that somebody owns, as this transaction sees them.
    async fn owned_organizations(&mut self, user: UserId) -> StoreResult<Vec<Owned>>;
    /// Holds every run of somebody that is not over; says how many changes of theirs are on their way to a network.
    async fn stop_runs_of(&mut self, user: UserId) -> StoreResult<u64>;
    /// Nothing comes into a workspace that is about to go, and what is on its way into it is waited for. `false` when there is none.
    async fn close_workspace(&mut self, workspace: WorkspaceId) -> StoreResult<bool>;
    /// Takes the person out of every table; `docs/security.md` says what becomes of each. Their organisations are gone or handed
    /// over before. `address` is the key of their e-mail address where it counts as theirs: what others wrote about an address that
    /// somebody merely named stays as it is.
    async fn erase_user(&mut self, user: &User, address: Option<&str>, record: &DeletedUser) -> StoreResult<()>;
    async fn put_retention(
        &mut self,
        workspace: WorkspaceId,
        retention: &WorkspaceRetention,
        at: Timestamp,
    ) -> StoreResult<()>;
}
