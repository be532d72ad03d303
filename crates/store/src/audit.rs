//! The audit log: append-only, with a chain of hashes for each workspace, and the check that nobody changed it.
//!
//! A row's hash covers its place, time and action, the hash before it, and two digests: of the person and of the content. Each digest has
//! its own salt in the row. To erase a person, we remove the values and the salts. Without the salts, nobody can guess the values from the
//! digests, and the chain stays intact. This module must not know why something is noted.

use adagent_domain::{Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;
use sha2::{Digest as _, Sha256};

use crate::{StoreError, StoreResult};

#[derive(Debug, Clone, PartialEq)]
pub struct AuditEntry {
    pub workspace: WorkspaceId,
    pub user: UserId,
    /// The action, such as `connection.created` or `approval.approved`.
    pub action: String,
    pub target: String,
    pub detail: serde_json::Value,
    pub at: Timestamp,
}

/// A row as we wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// Grows with every row of the installation; pages use it as their cursor.
    pub id: i64,
    pub workspace: WorkspaceId,
    /// `None` if the person was erased.
    pub user: Option<UserId>,
    /// The person's current name.
    pub user_name: Option<String>,
    pub action: String,
    pub target: String,
    /// JSON, exactly as it was hashed.
    pub detail: String,
    pub at: Timestamp,
    /// `None` for a row from before the chain existed.
    pub link: Option<AuditLink>,
}

/// The fields that make a row part of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLink {
    pub number: u64,
    /// `None` after the person was erased; then nobody can check `who` any further.
    pub who_salt: Option<String>,
    pub who: String,
    pub what_salt: Option<String>,
    pub what: String,
    pub hash: String,
}

/// The end of a workspace's chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditHead {
    pub number: u64,
    pub hash: String,
    /// How many rows are from before the chain, as the chain's first row notes.
    pub unchained: u64,
    /// How many of those rows retention has deleted.
    pub unchained_gone: u64,
    /// The last row that retention deleted, and its hash.
    pub pruned: Option<(u64, String)>,
    /// The last row that a check has verified, and its hash. It saves work and proves nothing: anyone who can change rows can change this.
    pub verified: Option<(u64, String)>,
}

impl AuditHead {
    /// Returns how many rows from before the chain should still exist.
    pub const fn unchained_left(&self) -> u64 {
        self.unchained.saturating_sub(self.unchained_gone)
    }
}

/// Filters for the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// `connection` or `connection.connected`; empty means every action.
    pub action: String,
    pub user: Option<UserId>,
    pub from: Option<Timestamp>,
    /// The end of the period; this instant itself is excluded.
    pub until: Option<Timestamp>,
    /// Only rows older than this one.
    pub before: Option<i64>,
}

#[async_trait]
pub trait AuditReads {
    /// Lists the entries, newest first.
    async fn list_audit(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<AuditEntry>>;
    /// Lists the rows that pass the filter, newest first.
    async fn list_audit_records(
        &self,
        workspace: WorkspaceId,
        filter: &AuditFilter,
        limit: u32,
    ) -> StoreResult<Vec<AuditRecord>>;
    /// Lists the chained rows after a number, in their order.
    async fn list_audit_chain(&self, workspace: WorkspaceId, after: u64, limit: u32) -> StoreResult<Vec<AuditRecord>>;
    async fn find_audit_head(&self, workspace: WorkspaceId) -> StoreResult<Option<AuditHead>>;
    /// Counts the rows outside the chain.
    async fn count_unchained_audit(&self, workspace: WorkspaceId) -> StoreResult<u64>;
    /// Lists workspaces that have a chain, in the order of their IDs.
    async fn list_audit_workspaces(&self, after: Option<WorkspaceId>, limit: u32) -> StoreResult<Vec<WorkspaceId>>;
    /// Lists workspaces that were deleted and left more than one row, in the order of their IDs.
    async fn list_ownerless_audits(&self, after: Option<WorkspaceId>, limit: u32) -> StoreResult<Vec<WorkspaceId>>;
}

#[async_trait]
pub trait AuditWrites {
    /// Notes an entry. We append it at the commit, so that nobody waits longer than that for a chain.
    async fn insert_audit(&mut self, entry: &AuditEntry) -> StoreResult<()>;
}

/// The deletion of old rows.
#[async_trait]
pub trait AuditSweeps {
    /// Deletes rows that are older than `before`, at most `limit`: first those from before the chain, then the chain's beginning. Returns
    /// how many.
    async fn prune_audit(&mut self, workspace: WorkspaceId, before: Timestamp, limit: u32) -> StoreResult<u64>;
    /// Deletes the log of a deleted workspace, at most `limit` rows, except the chain's last row, which notes the deletion. Returns how
    /// many.
    async fn entomb_audit(&mut self, workspace: WorkspaceId, limit: u32) -> StoreResult<u64>;
    /// Notes up to which row a check has verified the chain. Never moves back.
    async fn set_audit_verified(&mut self, workspace: WorkspaceId, number: u64, hash: &str) -> StoreResult<()>;
    /// Deletes the whole log of a workspace that is deleted with its last person.
    async fn delete_audit(&mut self, workspace: WorkspaceId) -> StoreResult<()>;
}

/// The ID in a row whose person was erased, or that no person caused.
pub const NOBODY: UserId = UserId(uuid::Uuid::nil());

/// Returns the hash that a chain begins with.
pub fn genesis(workspace: WorkspaceId, unchained: u64) -> String {
    let mut hash = Sha256::new_with_prefix(b"adagent audit genesis 1\0");
    hash.update(workspace.0.as_bytes());
    hash.update(unchained.to_be_bytes());
    hex::encode(hash.finalize())
}

fn part(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}

pub fn who(salt: &str, user: UserId) -> String {
    let mut hash = Sha256::new_with_prefix(b"adagent audit who 1\0");
    part(&mut hash, salt.as_bytes());
    hash.update(user.0.as_bytes());
    hex::encode(hash.finalize())
}

pub fn what(salt: &str, target: &str, detail: &str) -> String {
    let mut hash = Sha256::new_with_prefix(b"adagent audit what 1\0");
    for text in [salt, target, detail] {
        part(&mut hash, text.as_bytes());
    }
    hex::encode(hash.finalize())
}

/// Computes the hash of a row.
pub fn link_hash(
    workspace: WorkspaceId,
    number: u64,
    before: &str,
    (action, at): (&str, Timestamp),
    (who, what): (&str, &str),
) -> String {
    let mut hash = Sha256::new_with_prefix(b"adagent audit row 1\0");
    hash.update(workspace.0.as_bytes());
    hash.update(number.to_be_bytes());
    hash.update(at.as_micros().to_be_bytes());
    for text in [before, action, who, what] {
        part(&mut hash, text.as_bytes());
    }
    hex::encode(hash.finalize())
}

/// Makes a salt that nobody can guess.
pub fn salt() -> StoreResult<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|_| StoreError::Unavailable("the system gave no randomness".into()))?;
    Ok(hex::encode(bytes))
}

/// Where and how a chain is broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuditBreak {
    #[error("row {expected} is missing; {found} follows")]
    Missing { expected: u64, found: u64 },
    #[error("row {0} was changed: who did it")]
    Who(u64),
    #[error("row {0} was changed: what was done")]
    What(u64),
    #[error("row {0} does not follow the one before it")]
    Link(u64),
    #[error("the chain ends at row {found}, it should end at {expected}")]
    End { expected: u64, found: u64 },
    #[error("{found} row(s) from before the chain, there were {expected}")]
    Unchained { expected: u64, found: u64 },
}

/// A check of a chain, row by row.
pub struct AuditCheck {
    workspace: WorkspaceId,
    number: u64,
    hash: String,
    /// Rows whose person or content was erased. They only keep their place.
    pub erased: u64,
    pub rows: u64,
}

impl AuditCheck {
    pub fn new(workspace: WorkspaceId, head: &AuditHead) -> Self {
        let pruned = head.pruned.clone().filter(|(number, _)| *number > 0);
        let (number, hash) = pruned.unwrap_or_else(|| (0, genesis(workspace, head.unchained)));
        Self { workspace, number, hash, erased: 0, rows: 0 }
    }

    /// Starts after the last verified row and does not check the rows before it.
    pub fn resumed(workspace: WorkspaceId, head: &AuditHead) -> Self {
        let whole = Self::new(workspace, head);
        match &head.verified {
            Some((number, hash)) if *number > whole.number && *number <= head.number => {
                Self { number: *number, hash: hash.clone(), ..whole }
            }
            _ => whole,
        }
    }

    /// Returns the number of the last checked row.
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Returns the hash of the last checked row.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    pub fn follow(&mut self, record: &AuditRecord) -> Result<(), AuditBreak> {
        let Some(link) = &record.link else { return Ok(()) };
        let expected = self.number + 1;
        if link.number != expected {
            return Err(AuditBreak::Missing { expected, found: link.number });
        }
        match (&link.who_salt, record.user) {
            // Without a person, the row is one that the program wrote after a person was deleted.
            (Some(salt), user) if who(salt, user.unwrap_or(NOBODY)) == link.who => {}
            (None, None) => {}
            _ => return Err(AuditBreak::Who(expected)),
        }
        match &link.what_salt {
            Some(salt) if what(salt, &record.target, &record.detail) == link.what => {}
            None if record.target.is_empty() && record.detail == "{}" => {}
            _ => return Err(AuditBreak::What(expected)),
        }
        let about = (record.action.as_str(), record.at);
        let hash = link_hash(self.workspace, expected, &self.hash, about, (&link.who, &link.what));
        if hash != link.hash {
            return Err(AuditBreak::Link(expected));
        }
        self.erased += u64::from(link.who_salt.is_none() || link.what_salt.is_none());
        self.rows += 1;
        (self.number, self.hash) = (expected, hash);
        Ok(())
    }

    /// Checks that the chain ends where the head says. `unchained` counts the rows from before the chain.
    pub fn end(&self, head: &AuditHead, unchained: u64) -> Result<(), AuditBreak> {
        let ends = head.number == 0 || head.number == self.number && head.hash == self.hash;
        if !ends {
            return Err(AuditBreak::End { expected: head.number, found: self.number });
        }
        let expected = head.unchained_left();
        // An older server deletes all these rows together with the chain's first row, and does not count them.
        let all_gone = unchained == 0 && head.pruned.as_ref().is_some_and(|(number, _)| *number > 0);
        if unchained == expected || all_gone {
            Ok(())
        } else {
            Err(AuditBreak::Unchained { expected, found: unchained })
        }
    }
}
