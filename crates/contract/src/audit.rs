//! The audit log as people read it, and how long a workspace keeps its data.

use adagent_domain::{Timestamp, UserId};
use serde::{Deserialize, Serialize};

/// A person in the audit log, with their current name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditPerson {
    pub id: UserId,
    pub name: String,
}

/// An entry of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditView {
    /// The entry's place in the workspace's chain. `None` for an entry from before the chain existed.
    pub number: Option<u64>,
    pub at: Timestamp,
    /// `connection.connected`, `approval.approved` …
    pub action: String,
    /// `None` if this person had their account erased.
    pub person: Option<AuditPerson>,
    pub target: String,
    pub detail: serde_json::Value,
    /// The hash over this entry and all entries before it.
    pub hash: Option<String>,
}

/// The filters of `GET …/audit-log`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditQuery {
    /// `connection` or `connection.connected`; empty means every action.
    #[serde(default)]
    pub action: String,
    #[serde(default)]
    pub person: Option<UserId>,
    #[serde(default)]
    pub from: Option<Timestamp>,
    /// The end of the period; this instant itself is excluded.
    #[serde(default)]
    pub to: Option<Timestamp>,
}

/// The result of a check: whether the chain of a workspace is intact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditVerdict {
    pub holds: bool,
    /// What is wrong with the chain, if anything.
    pub broken: Option<String>,
    pub rows: u64,
    /// How many of the rows we checked now. We had checked the rows before them already.
    #[serde(default)]
    pub looked_at: u64,
    /// How many of the checked rows lost a person or their content by erasure. They keep their place in the chain.
    pub erased: u64,
    /// Rows from before the chain existed.
    pub unchained: u64,
    /// The last hash of the chain. A copy kept elsewhere reveals whether somebody rewrote the whole log.
    pub head: Option<String>,
}

/// How many days a workspace keeps its data. 0 means without end; `None` means the administrator's setting.
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

/// What a workspace chose, and what the administrator allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetentionView {
    pub settings: RetentionSettings,
    /// The longest time in days; 0 means no limit.
    pub longest_runs_days: u32,
    pub longest_checkpoints_days: u32,
    pub longest_audit_days: u32,
    /// A workspace must keep the audit log for at least this many days.
    pub shortest_audit_days: u32,
}

/// The body of PATCH `/api/account/profile`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfilePatch {
    pub name: String,
}

/// Why an account is deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErasureReason {
    #[default]
    UserRequested,
    GdprRequest,
}

/// The body of POST `/api/account/delete`. Nobody can undo the deletion.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasureRequest {
    /// The address of the account, typed once more.
    pub email: String,
    #[serde(default)]
    pub password: String,
    /// A code of the authenticator app or a recovery code, if the account has two-factor authentication.
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
