//! People, workspaces, memberships.

use adagent_domain::{Role, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    /// The address as the person typed it.
    pub email: String,
    pub name: String,
    /// Empty if the person has no password and signs in only with a provider. See [`User::password`].
    pub password_hash: String,
    pub personal_workspace: WorkspaceId,
    pub created_at: Timestamp,
    /// When we verified that the address belongs to the person.
    pub email_verified_at: Option<Timestamp>,
}

impl User {
    /// Returns the hash to compare with, if the person has a password.
    pub fn password(&self) -> Option<&str> {
        Some(self.password_hash.as_str()).filter(|hash| !hash.is_empty())
    }

    pub const fn has_proven_email(&self) -> bool {
        self.email_verified_at.is_some()
    }
}

/// A user and their personal workspace.
#[derive(Debug, Clone)]
pub struct NewUser {
    pub user: User,
    /// The unique form of the address: trimmed, lower case, NFKC.
    pub email_key: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkspaceKind {
    Personal,
    Organization,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    pub id: WorkspaceId,
    pub kind: WorkspaceKind,
    pub name: String,
    pub slug: String,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    pub workspace: Workspace,
    pub user: UserId,
    pub role: Role,
}

#[async_trait]
pub trait AccountReads {
    async fn find_user(&self, id: UserId) -> StoreResult<Option<User>>;
    async fn find_user_by_email(&self, email_key: &str) -> StoreResult<Option<User>>;
    async fn find_membership(&self, workspace: WorkspaceId, user: UserId) -> StoreResult<Option<Membership>>;
    /// Lists a person's memberships: the personal workspace first, then organizations by name.
    async fn list_memberships(&self, user: UserId) -> StoreResult<Vec<Membership>>;
}

#[async_trait]
pub trait AccountWrites {
    /// Inserts the user, their personal workspace and the membership as its owner. If the email is in use, returns `Taken { users.email_key
    /// }`.
    async fn insert_user(&mut self, new: &NewUser) -> StoreResult<()>;
    async fn update_password_hash(&mut self, user: UserId, hash: &str) -> StoreResult<()>;
}
