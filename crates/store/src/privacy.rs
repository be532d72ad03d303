//! A person's rights over their own data: to export everything we hold, in pieces that fit into memory, and to be erased.
//!
//! This module must not know how the data is shown, or who may ask for it.

use adagent_domain::{Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use crate::{StoreResult, User};

/// A part of the data that we hold about a person, across all workspaces.
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
    Documents,
    DocumentVersions,
    ToolServers,
    AuditLog,
    Invitations,
}

impl ExportSection {
    pub const ALL: [Self; 20] = [
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
        Self::Documents,
        Self::DocumentVersions,
        Self::ToolServers,
        Self::AuditLog,
        Self::Invitations,
    ];

    /// Returns the section's name in the file.
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
            Self::Documents => "documents",
            Self::DocumentVersions => "document_versions",
            Self::ToolServers => "tool_servers",
            Self::AuditLog => "audit_log",
            Self::Invitations => "invitations",
        }
    }
}

/// Where a page ended: an ID and, if one ID has many rows, a number within it.
pub type ExportMark = (Uuid, i64);

/// A row, and the mark after which to continue.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedRow {
    pub mark: ExportMark,
    pub row: Map<String, Json>,
}

/// What stays of an erased account. Nothing in it leads back to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedUser {
    pub id: Uuid,
    pub anonymous_id: String,
    /// Days, not instants, because an instant can identify a person as well as a name does.
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

/// An organization that a person owns, and how many other members it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owned {
    pub workspace: WorkspaceId,
    pub name: String,
    pub others: u64,
}

/// How long a workspace keeps its data, in days. `None` means the administrator's setting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkspaceRetention {
    pub runs_days: Option<u32>,
    pub checkpoints_days: Option<u32>,
    pub audit_days: Option<u32>,
}

#[async_trait]
pub trait PrivacyReads {
    /// Returns the rows after `after`, in the order of their marks.
    async fn export_page(
        &self,
        user: UserId,
        section: ExportSection,
        after: ExportMark,
        limit: u32,
    ) -> StoreResult<Vec<ExportedRow>>;
    async fn find_retention(&self, workspace: WorkspaceId) -> StoreResult<WorkspaceRetention>;
    /// Lists the workspaces with their own settings, by ID.
    async fn list_retention(
        &self,
        after: Option<WorkspaceId>,
        limit: u32,
    ) -> StoreResult<Vec<(WorkspaceId, WorkspaceRetention)>>;
}

#[async_trait]
pub trait PrivacyWrites {
    async fn rename_user(&mut self, user: UserId, name: &str) -> StoreResult<()>;
    /// Lists the organizations that a person owns, as this transaction sees them.
    async fn owned_organizations(&mut self, user: UserId) -> StoreResult<Vec<Owned>>;
    /// Asks every open run of a person to stop, and locks these runs. Returns how many of the person's changes are being sent to a network.
    async fn stop_runs_of(&mut self, user: UserId) -> StoreResult<u64>;
    /// Keeps new rows out of a workspace that is about to be deleted, and waits for those being written. Returns `false` if there is no
    /// such workspace.
    async fn close_workspace(&mut self, workspace: WorkspaceId) -> StoreResult<bool>;
    /// Removes the person from every table; `docs/security.md` says what happens to each. Their organizations must have been deleted or
    /// transferred before. `address` is the key of their email address if it counts as theirs: what others wrote about an address that the
    /// person only claimed stays as it is.
    async fn erase_user(&mut self, user: &User, address: Option<&str>, record: &DeletedUser) -> StoreResult<()>;
    async fn put_retention(
        &mut self,
        workspace: WorkspaceId,
        retention: &WorkspaceRetention,
        at: Timestamp,
    ) -> StoreResult<()>;
}
