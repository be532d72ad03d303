//! The audit log: append-only, a chain of hashes for each workspace, and what it takes to see that nobody changed it.
//!
//! A row's hash covers its place, time and action, the hash before it, and two digests: of who, and of what. Each digest has a salt
//! of its own in the row. Erasing a person removes values and salts; what is left cannot be guessed and the chain still holds.
//! Must not know why something is noted.

use adagent_domain::{Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;
use sha2::{Digest as _, Sha256};

use crate::{StoreError, StoreResult};

#[derive(Debug, Clone, PartialEq)]
pub struct AuditEntry {
    pub workspace: WorkspaceId,
    pub user: UserId,
    /// `connection.created`, `approval.approved` …
    pub action: String,
    pub target: String,
    pub detail: serde_json::Value,
    pub at: Timestamp,
}

/// A row as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// Grows with every row of the installation; pages go by it.
    pub id: i64,
    pub workspace: WorkspaceId,
    /// Nothing when the person was erased.
    pub user: Option<UserId>,
    /// As the person is called now.
    pub user_name: Option<String>,
    pub action: String,
    pub target: String,
    /// JSON, exactly as it was hashed.
    pub detail: String,
    pub at: Timestamp,
    /// Nothing for what was written before there was a chain.
    pub link: Option<AuditLink>,
}

/// What makes a row part of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLink {
    pub number: u64,
    /// Nothing once it was erased; `who` then stands for itself.
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
    /// Rows from before the chain, as its first row notes them.
    pub unchained: u64,
    /// How many of those retention let go.
    pub unchained_gone: u64,
    /// The last row that retention let go, and its hash.
    pub pruned: Option<(u64, String)>,
    /// Up to where somebody followed the chain already, and the hash there. It spares work and proves nothing: anyone who can change
    /// rows can change this.
    pub verified: Option<(u64, String)>,
}

impl AuditHead {
    /// Rows from before the chain that should be there.
    pub const fn unchained_left(&self) -> u64 {
        self.unchained.saturating_sub(self.unchained_gone)
    }
}

/// What to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// `connection` or `connection.connected`; empty is all.
    pub action: String,
    pub user: Option<UserId>,
    pub from: Option<Timestamp>,
    /// Not included.
    pub until: Option<Timestamp>,
    /// Rows older than this one.
    pub before: Option<i64>,
}

#[async_trait]
pub trait AuditReads {
    /// Newest first.
    async fn list_audit(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<AuditEntry>>;
    /// Newest first.
    async fn list_audit_records(
        &self,
        workspace: WorkspaceId,
        filter: &AuditFilter,
        limit: u32,
    ) -> StoreResult<Vec<AuditRecord>>;
    /// Chained rows behind a number, in their order.
    async fn list_audit_chain(&self, workspace: WorkspaceId, after: u64, limit: u32) -> StoreResult<Vec<AuditRecord>>;
    async fn find_audit_head(&self, workspace: WorkspaceId) -> StoreResult<Option<AuditHead>>;
    /// Rows outside the chain that are there now.
    async fn count_unchained_audit(&self, workspace: WorkspaceId) -> StoreResult<u64>;
    /// Workspaces with a chain, in the order of their ids.
    async fn list_audit_workspaces(&self, after: Option<WorkspaceId>, limit: u32) -> StoreResult<Vec<WorkspaceId>>;
    /// Those among them that are gone and left more than one row, in the order of their ids.
    async fn list_ownerless_audits(&self, after: Option<WorkspaceId>, limit: u32) -> StoreResult<Vec<WorkspaceId>>;
}

#[async_trait]
pub trait AuditWrites {
    /// Appended at the commit, so that nobody else waits for a chain longer than that.
    async fn insert_audit(&mut self, entry: &AuditEntry) -> StoreResult<()>;
}

/// What becomes of old rows.
#[async_trait]
pub trait AuditSweeps {
    /// Lets rows go that are older than `before`, first those from before the chain, then its beginning; at most `limit` rows. Says
    /// how many went.
    async fn prune_audit(&mut self, workspace: WorkspaceId, before: Timestamp, limit: u32) -> StoreResult<u64>;
    /// The same for a workspace that is gone: everything but the last row of the chain, which says so.
    async fn entomb_audit(&mut self, workspace: WorkspaceId, limit: u32) -> StoreResult<u64>;
    /// Notes how far the chain was followed; never further back.
    async fn set_audit_verified(&mut self, workspace: WorkspaceId, number: u64, hash: &str) -> StoreResult<()>;
    /// The whole log of a workspace that goes with its last person.
    async fn delete_audit(&mut self, workspace: WorkspaceId) -> StoreResult<()>;
}

/// Who stands in a row whose person was erased, or that nobody caused.
pub const NOBODY: UserId = UserId(uuid::Uuid::nil());

/// Where a chain begins.
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

/// The hash of a row.
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

/// A salt nobody can guess.
pub fn salt() -> StoreResult<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|_| StoreError::Unavailable("the system gave no randomness".into()))?;
    Ok(hex::encode(bytes))
}

/// Where a chain does not hold, and how.
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

/// Follows a chain row by row.
pub struct AuditCheck {
    workspace: WorkspaceId,
    number: u64,
    hash: String,
    /// Rows whose person or content was erased: they hold their place and nothing else.
    pub erased: u64,
    pub rows: u64,
}

impl AuditCheck {
    pub fn new(workspace: WorkspaceId, head: &AuditHead) -> Self {
        let pruned = head.pruned.clone().filter(|(number, _)| *number > 0);
        let (number, hash) = pruned.unwrap_or_else(|| (0, genesis(workspace, head.unchained)));
        Self { workspace, number, hash, erased: 0, rows: 0 }
    }

    /// From where it was followed to the last time: what lies before is not looked at.
    pub fn resumed(workspace: WorkspaceId, head: &AuditHead) -> Self {
        let whole = Self::new(workspace, head);
        match &head.verified {
            Some((number, hash)) if *number > whole.number && *number <= head.number => {
                Self { number: *number, hash: hash.clone(), ..whole }
            }
            _ => whole,
        }
    }

    /// The row that was followed last.
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Its hash.
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
            // Nobody did it: what the program notes when a person is gone.
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

    /// Whether it ended where it should. `unchained` counts the entries from before the chain.
    pub fn end(&self, head: &AuditHead, unchained: u64) -> Result<(), AuditBreak> {
        let ends = head.number == 0 || head.number == self.number && head.hash == self.hash;
        if !ends {
            return Err(AuditBreak::End { expected: head.number, found: self.number });
        }
        let expected = head.unchained_left();
        // A server of before lets them all go with the first row of the chain, and does not count them.
        let all_gone = unchained == 0 && head.pruned.as_ref().is_some_and(|(number, _)| *number > 0);
        if unchained == expected || all_gone {
            Ok(())
        } else {
            Err(AuditBreak::Unchained { expected, found: unchained })
        }
    }
}
