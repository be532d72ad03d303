//! People, workspaces, memberships.

use adagent_domain::{Role, Timestamp, UserId, WorkspaceId};
use adagent_store::{AccountReads, AccountWrites, Membership, NewUser, StoreResult, User, Workspace, WorkspaceKind};
use async_trait::async_trait;

use crate::{
    columns::{Columns, clean},
    engine::{Database, Row, Unit},
    run::{execute_one, fetch_all, fetch_optional, sql},
};

fn user(row: &Row) -> StoreResult<User> {
    let columns = Columns::new("users", row);
    Ok(User {
        id: UserId(columns.uuid("id")?),
        email: columns.text("email")?,
        name: columns.text("name")?,
        password_hash: columns.text("password_hash")?,
        personal_workspace: WorkspaceId(columns.uuid("personal_workspace_id")?),
        created_at: columns.at("created_at")?,
        email_verified_at: columns.at_opt("email_verified_at")?,
    })
}

pub(crate) fn membership(row: &Row) -> StoreResult<Membership> {
    let columns = Columns::new("memberships", row);
    Ok(Membership {
        workspace: Workspace {
            id: WorkspaceId(columns.uuid("id")?),
            kind: columns.word("kind", |word| match word {
                "personal" => Some(WorkspaceKind::Personal),
                "organization" => Some(WorkspaceKind::Organization),
                _ => None,
            })?,
            name: columns.text("name")?,
            slug: columns.text("slug")?,
            created_at: columns.at("created_at")?,
        },
        user: UserId(columns.uuid("user_id")?),
        role: columns.word("role", |word| word.parse().ok())?,
    })
}

#[async_trait]
impl AccountReads for Database {
    async fn find_user(&self, id: UserId) -> StoreResult<Option<User>> {
        let query = sql(include_str!("../sql/accounts/find_user.sql")).bind(id.0);
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(user).transpose()
    }

    async fn find_user_by_email(&self, email_key: &str) -> StoreResult<Option<User>> {
        let query = sql(include_str!("../sql/accounts/find_user_by_email.sql")).bind(clean(email_key));
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(user).transpose()
    }

    async fn find_membership(&self, workspace: WorkspaceId, user: UserId) -> StoreResult<Option<Membership>> {
        let query = sql(include_str!("../sql/accounts/find_membership.sql")).bind(workspace.0).bind(user.0);
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(membership).transpose()
    }

    async fn list_memberships(&self, user: UserId) -> StoreResult<Vec<Membership>> {
        let query = sql(include_str!("../sql/accounts/list_memberships.sql")).bind(user.0);
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(membership).collect()
    }
}

#[async_trait]
impl AccountWrites for Unit {
    async fn insert_user(&mut self, new: &NewUser) -> StoreResult<()> {
        let NewUser { user, email_key } = new;
        let at = user.created_at.as_micros();
        let workspace = user.personal_workspace;
        // The slug of a personal workspace is its ID, because people's names are not unique and may change.
        let query = sql(include_str!("../sql/accounts/insert_workspace.sql"))
            .bind(workspace.0)
            .bind("personal")
            .bind("Personal")
            .bind(workspace.to_string())
            .bind(at);
        execute_one(self.connection(), query, "insert workspace").await?;
        let query = sql(include_str!("../sql/accounts/insert_user.sql"))
            .bind(user.id.0)
            .bind(clean(&user.email))
            .bind(clean(email_key))
            .bind(clean(&user.name))
            .bind(clean(&user.password_hash))
            .bind(workspace.0)
            .bind(at)
            .bind(user.email_verified_at.map(Timestamp::as_micros));
        execute_one(self.connection(), query, "insert user").await?;
        let query = sql(include_str!("../sql/accounts/insert_membership.sql"))
            .bind(workspace.0)
            .bind(user.id.0)
            .bind(Role::Owner.as_str())
            .bind(at);
        execute_one(self.connection(), query, "insert membership").await
    }

    async fn update_password_hash(&mut self, user: UserId, hash: &str) -> StoreResult<()> {
        let query = sql(include_str!("../sql/accounts/update_password_hash.sql")).bind(user.0).bind(clean(hash));
        execute_one(self.connection(), query, "update password").await
    }
}
