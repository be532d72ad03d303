//! The audit log as people read it, and how long a workspace keeps things.

use adagent_domain::{Timestamp, UserId};
use serde::{Deserialize, Serialize};

/// Somebody in the audit log, as they are called now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditPerson {
    pub id: UserId,
    pub name: String,
}

/// A line of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditView {
    /// Its place in the workspace's chain; nothing for what was noted before there was one.
    pub number: Option<u64>,
    pub at: Timestamp,
    /// `connection.connected`, `approval.approved` …
    pub action: String,
    /// Nothing when that person had their account erased.
    pub person: Option<AuditPerson>,
    pub target: String,
    pub detail: serde_json::Value,
    /// Over this line and all before it.
    pub hash: Option<String>,
}

/// What `GET …/audit-log` narrows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditQuery {
    /// `connection`, or `connection.connected`; empty is everything.
    #[serde(default)]
    pub action: String,
    #[serde(default)]
    pub person: Option<UserId>,
    #[serde(default)]
    pub from: Option<Timestamp>,
    /// Not included.
    #[serde(default)]
    pub to: Option<Timestamp>,
}

/// Whether the chain of a workspace holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditVerdict {
    pub holds: bool,
    /// What is wrong, where it does not.
    pub broken: Option<String>,
    pub rows: u64,
    /// How many of them were followed now; those before them were the last time.
    #[serde(default)]
    pub looked_at: u64,
    /// Of those that were followed, rows that lost a person or a content by erasure; they hold their place.
    pub erased: u64,
    /// From before there was a chain.
    pub unchained: u64,
    /// The end of the chain: kept elsewhere, it shows a log that was rewritten as a whole.
    pub head: Option<String>,
}

/// How many days a workspace keeps things. 0 is for ever; nothing is as the operator says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetentionSettings {
    #[serde(default)]
    pub runs_days: Option<u32>,
    #[serde(default)]
    pub checkpoints_days: Option<u32>,
    #[serde(default)]
    pub audit_days: Option<u32>,
}

/// What a workspace chose, and what the operator allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetentionView {
    pub settings: RetentionSettings,
    /// The longest, in days; 0 has no bound.
    pub longest_runs_days: u32,
    pub longest_checkpoints_days: u32,
    pub longest_audit_days: u32,
    /// The audit log is never kept for less.
    pub shortest_audit_days: u32,
}

/// PATCH `/api/account/profile`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfilePatch {
    pub name: String,
}

/// Why an account goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErasureReason {
    #[default]
    UserRequested,
    GdprRequest,
}

/// POST `/api/account/delete`. Nothing of it can be taken back.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasureRequest {
    /// Typed again.
    pub email: String,
    #[serde(default)]
    pub password: String,
    /// Of the second factor, where the account has one: a code of the app, or a recovery code.
    #[serde(default)]
    pub code: String,
    #[serde(default)]
    pub reason: ErasureReason,
}

impl std::fmt::Debug for ErasureRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ErasureRequest").field("reason", &self.reason).finish_non_exhaustive()
    }
}
