//! Organizations: members, invitations, links.

use adagent_domain::{ChatSessionId, InvitationId, InviteLinkId, MailId, Role, RunId, Timestamp, UserId, WorkspaceId};
use adagent_store::{
    Invitation, InvitationStatus, InviteLink, ListedInvitation, MailState, Member, Membership, OrganizationReads,
    OrganizationWrites, ReceivedInvitation, StoreError, StoreResult, Workspace, WorkspaceKind,
};
use async_trait::async_trait;

use crate::{
    accounts::membership,
    columns::{Columns, clean},
    engine::{self, Database, Row, Unit},
    run::{Query, execute, execute_maybe, execute_one, fetch_all, fetch_one, fetch_optional, sql},
};

fn workspace(row: &Row) -> StoreResult<Workspace> {
    let columns = Columns::new("workspaces", row);
    Ok(Workspace {
        id: WorkspaceId(columns.uuid("id")?),
        kind: WorkspaceKind::Organization,
        name: columns.text("name")?,
        slug: columns.text("slug")?,
        created_at: columns.at("created_at")?,
    })
}

fn member(row: &Row) -> StoreResult<Member> {
    let columns = Columns::new("memberships", row);
    Ok(Member {
        user: UserId(columns.uuid("user_id")?),
        name: columns.text("name")?,
        email: columns.text("email")?,
        role: columns.word("role", |word| word.parse().ok())?,
        joined_at: columns.at("created_at")?,
    })
}

fn place(row: &Row) -> StoreResult<WorkspaceId> {
    Columns::new("workspaces", row).uuid("workspace_id").map(WorkspaceId)
}

fn number(columns: &Columns<'_>, column: &'static str) -> StoreResult<u32> {
    let count = columns.count(column)?;
    u32::try_from(count).map_err(|_| columns.inconsistent(column, format!("{count} is too many")))
}

fn invitation(row: &Row) -> StoreResult<Invitation> {
    let columns = Columns::new("invitations", row);
    Ok(Invitation {
        id: InvitationId(columns.uuid("id")?),
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        email: columns.text("email")?,
        email_key: columns.text("email_key")?,
        role: columns.word("role", |word| word.parse().ok())?,
        status: columns.word("status", InvitationStatus::parse)?,
        invited_by: UserId(columns.uuid("invited_by")?),
        created_at: columns.at("created_at")?,
        expires_at: columns.at("expires_at")?,
        mail: MailId(columns.uuid("mail_id")?),
        mailed_at: columns.at("mailed_at")?,
        mails: number(&columns, "mails")?,
    })
}

fn listed(row: &Row) -> StoreResult<ListedInvitation> {
    let columns = Columns::new("invitations", row);
    let mail_state = match columns.get::<Option<String>>("mail_state")? {
        None => None,
        Some(_) => Some(columns.word("mail_state", MailState::parse)?),
    };
    Ok(ListedInvitation {
        invitation: invitation(row)?,
        invited_by_name: columns.get("invited_by_name")?,
        mail_state,
        mail_error: columns.get("mail_error")?,
    })
}

fn received(row: &Row) -> StoreResult<ReceivedInvitation> {
    let columns = Columns::new("invitations", row);
    Ok(ReceivedInvitation {
        invitation: invitation(row)?,
        organization: columns.text("organization")?,
        invited_by_name: columns.get("invited_by_name")?,
    })
}

fn link(row: &Row) -> StoreResult<InviteLink> {
    let columns = Columns::new("invite_links", row);
    let max_uses = match columns.get::<Option<i64>>("max_uses")? {
        None => None,
        Some(_) => Some(number(&columns, "max_uses")?),
    };
    Ok(InviteLink {
        id: InviteLinkId(columns.uuid("id")?),
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        role: columns.word("role", |word| word.parse().ok())?,
        sealed: columns.text("sealed")?,
        created_by: UserId(columns.uuid("created_by")?),
        created_at: columns.at("created_at")?,
        expires_at: columns.at_opt("expires_at")?,
        max_uses,
        uses: number(&columns, "uses")?,
        deactivated_at: columns.at_opt("deactivated_at")?,
    })
}

fn link_with_workspace(row: &Row) -> StoreResult<(InviteLink, Workspace)> {
    let columns = Columns::new("workspaces", row);
    let link = link(row)?;
    let workspace = Workspace {
        id: link.workspace,
        kind: WorkspaceKind::Organization,
        name: columns.text("organization_name")?,
        slug: columns.text("organization_slug")?,
        created_at: columns.at("organization_created_at")?,
    };
    Ok((link, workspace))
}

#[async_trait]
impl OrganizationReads for Database {
    async fn list_members(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Member>> {
        let query = sql(include_str!("../sql/organizations/list_members.sql")).bind(workspace.0).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(member).collect()
    }

    async fn count_members(&self, workspace: WorkspaceId) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/organizations/count_members.sql")).bind(workspace.0);
        let row = fetch_one(self.reader_in(workspace).await?.connection(), query).await?;
        Columns::new("memberships", &row).count("members")
    }

    async fn place_of_chat(&self, user: UserId, id: ChatSessionId) -> StoreResult<Option<WorkspaceId>> {
        let query = sql(include_str!("../sql/organizations/place_of_chat.sql")).bind(user.0).bind(id.0);
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(place).transpose()
    }

    async fn place_of_run(&self, user: UserId, id: RunId) -> StoreResult<Option<WorkspaceId>> {
        let query = sql(include_str!("../sql/organizations/place_of_run.sql")).bind(user.0).bind(id.0);
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(place).transpose()
    }

    async fn list_invitations(
        &self,
        workspace: WorkspaceId,
        now: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<ListedInvitation>> {
        let query = sql(include_str!("../sql/organizations/list_invitations.sql"))
            .bind(workspace.0)
            .bind(now.as_micros())
            .bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(listed).collect()
    }

    async fn list_received_invitations(
        &self,
        email_key: &str,
        now: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<ReceivedInvitation>> {
        let query = sql(include_str!("../sql/organizations/list_received.sql"))
            .bind(clean(email_key))
            .bind(now.as_micros())
            .bind(i64::from(limit));
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(received).collect()
    }

    async fn find_invitation(&self, id: InvitationId) -> StoreResult<Option<Invitation>> {
        let query = sql(include_str!("../sql/organizations/find_invitation.sql")).bind(id.0);
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(invitation).transpose()
    }

    async fn list_invite_links(
        &self,
        workspace: WorkspaceId,
        now: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<InviteLink>> {
        let query = sql(include_str!("../sql/organizations/list_links.sql"))
            .bind(workspace.0)
            .bind(now.as_micros())
            .bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(link).collect()
    }

    async fn find_invite_link(&self, token_hash: &str) -> StoreResult<Option<(InviteLink, Workspace)>> {
        let query = sql(include_str!("../sql/organizations/find_link.sql")).bind(clean(token_hash));
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(link_with_workspace).transpose()
    }
}

impl Unit {
    async fn count(&mut self, query: Query, column: &'static str) -> StoreResult<u64> {
        let row = fetch_one(self.connection(), query).await?;
        Columns::new("memberships", &row).count(column)
    }

    /// Deletes what a person has only as a member of an organization.
    async fn delete_belongings(&mut self, workspace: WorkspaceId, user: UserId) -> StoreResult<()> {
        for text in [
            include_str!("../sql/organizations/delete_access_tokens.sql"),
            include_str!("../sql/organizations/delete_context_settings.sql"),
            include_str!("../sql/organizations/delete_oauth_attempts.sql"),
            include_str!("../sql/organizations/delete_idempotency_keys.sql"),
            // Their to-dos become unassigned, so that others can take them.
            include_str!("../sql/organizations/unassign_todos.sql"),
        ] {
            execute(self.connection(), sql(text).bind(workspace.0).bind(user.0)).await?;
        }
        Ok(())
    }

    async fn set_role(&mut self, workspace: WorkspaceId, user: UserId, from: Role, to: Role) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/organizations/set_role.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(from.as_str())
            .bind(to.as_str());
        execute_maybe(self.connection(), query).await
    }
}

#[async_trait]
impl OrganizationWrites for Unit {
    async fn insert_organization(&mut self, organization: &Workspace, owner: UserId) -> StoreResult<()> {
        let at = organization.created_at.as_micros();
        let query = sql(include_str!("../sql/accounts/insert_workspace.sql"))
            .bind(organization.id.0)
            .bind("organization")
            .bind(clean(&organization.name))
            .bind(clean(&organization.slug))
            .bind(at);
        execute_one(self.connection(), query, "insert organisation").await?;
        let query = sql(include_str!("../sql/accounts/insert_membership.sql"))
            .bind(organization.id.0)
            .bind(owner.0)
            .bind(Role::Owner.as_str())
            .bind(at);
        execute_one(self.connection(), query, "insert owner").await
    }

    async fn lock_organization(&mut self, id: WorkspaceId) -> StoreResult<Option<Workspace>> {
        let query = sql(engine::LOCK_ORGANIZATION).bind(id.0);
        fetch_optional(self.connection(), query).await?.as_ref().map(workspace).transpose()
    }

    async fn lock_workspace(&mut self, id: WorkspaceId) -> StoreResult<bool> {
        let query = sql(engine::LOCK_WORKSPACE).bind(id.0);
        Ok(fetch_optional(self.connection(), query).await?.is_some())
    }

    async fn rename_organization(&mut self, id: WorkspaceId, name: &str) -> StoreResult<()> {
        let query = sql(include_str!("../sql/organizations/rename.sql")).bind(id.0).bind(clean(name));
        execute_one(self.connection(), query, "rename organisation").await
    }

    async fn delete_organization(&mut self, id: WorkspaceId) -> StoreResult<()> {
        let query = sql(include_str!("../sql/organizations/cancel_mails.sql")).bind(id.0);
        execute(self.connection(), query).await?;
        // A run without a chat is deleted with no other row, so delete it here.
        let query = sql(include_str!("../sql/privacy/delete_runs_in.sql")).bind(id.0);
        execute(self.connection(), query).await?;
        let query = sql(include_str!("../sql/organizations/delete.sql")).bind(id.0);
        execute_one(self.connection(), query, "delete organisation").await
    }

    async fn lock_user(&mut self, user: UserId) -> StoreResult<()> {
        let query = sql(include_str!("../sql/tokens/lock_user.sql")).bind(user.0);
        execute(self.connection(), query).await.map(drop)
    }

    async fn count_owned(&mut self, user: UserId) -> StoreResult<u64> {
        self.count(sql(include_str!("../sql/organizations/count_owned.sql")).bind(user.0), "owned").await
    }

    async fn membership(&mut self, workspace: WorkspaceId, user: UserId) -> StoreResult<Option<Membership>> {
        let query = sql(include_str!("../sql/accounts/find_membership.sql")).bind(workspace.0).bind(user.0);
        fetch_optional(self.connection(), query).await?.as_ref().map(membership).transpose()
    }

    async fn count_people(&mut self, workspace: WorkspaceId, now: Timestamp) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/organizations/count_members.sql")).bind(workspace.0);
        let members = self.count(query, "members").await?;
        let query =
            sql(include_str!("../sql/organizations/count_invitations.sql")).bind(workspace.0).bind(now.as_micros());
        Ok(members + self.count(query, "invitations").await?)
    }

    async fn insert_member(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        role: Role,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/organizations/insert_member.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(role.as_str())
            .bind(at.as_micros());
        let joined = execute_maybe(self.connection(), query).await?;
        if joined {
            // Delete rows that a request wrote while the person was being removed. Otherwise they would be theirs again.
            self.delete_belongings(workspace, user).await?;
        }
        Ok(joined)
    }

    async fn change_role(&mut self, workspace: WorkspaceId, user: UserId, from: Role, to: Role) -> StoreResult<bool> {
        if from == Role::Owner || to == Role::Owner {
            return Err(StoreError::RowsAffected { what: "change role of an owner", expected: 1, actual: 0 });
        }
        self.set_role(workspace, user, from, to).await
    }

    async fn transfer_ownership(&mut self, workspace: WorkspaceId, from: UserId, to: UserId) -> StoreResult<bool> {
        // This order matters: the index never allows two owners, not even for a moment.
        if from == to || !self.set_role(workspace, from, Role::Owner, Role::Admin).await? {
            return Ok(false);
        }
        Ok(self.set_role(workspace, to, Role::Admin, Role::Owner).await?
            || self.set_role(workspace, to, Role::Member, Role::Owner).await?)
    }

    async fn delete_member(&mut self, workspace: WorkspaceId, user: UserId) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/organizations/delete_member.sql")).bind(workspace.0).bind(user.0);
        if !execute_maybe(self.connection(), query).await? {
            return Ok(false);
        }
        self.delete_belongings(workspace, user).await?;
        Ok(true)
    }

    async fn insert_invitation(&mut self, new: &Invitation) -> StoreResult<()> {
        let query = sql(include_str!("../sql/organizations/insert_invitation.sql"))
            .bind(new.id.0)
            .bind(new.workspace.0)
            .bind(clean(&new.email))
            .bind(clean(&new.email_key))
            .bind(new.role.as_str())
            .bind(new.status.as_str())
            .bind(new.invited_by.0)
            .bind(new.created_at.as_micros())
            .bind(new.expires_at.as_micros())
            .bind(new.mail.0)
            .bind(new.mailed_at.as_micros())
            .bind(i64::from(new.mails));
        execute_one(self.connection(), query, "insert invitation").await
    }

    async fn invitation(&mut self, id: InvitationId) -> StoreResult<Option<Invitation>> {
        let query = sql(include_str!("../sql/organizations/find_invitation.sql")).bind(id.0);
        fetch_optional(self.connection(), query).await?.as_ref().map(invitation).transpose()
    }

    async fn pending_invitation(&mut self, workspace: WorkspaceId, email_key: &str) -> StoreResult<Option<Invitation>> {
        let query = sql(include_str!("../sql/organizations/find_pending_invitation.sql"))
            .bind(workspace.0)
            .bind(clean(email_key));
        fetch_optional(self.connection(), query).await?.as_ref().map(invitation).transpose()
    }

    async fn settle_invitation(&mut self, id: InvitationId, to: InvitationStatus, at: Timestamp) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/organizations/settle_invitation.sql"))
            .bind(id.0)
            .bind(to.as_str())
            .bind(at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn revoke_invitations_of(&mut self, workspace: WorkspaceId, user: UserId, at: Timestamp) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/organizations/cancel_mails_of.sql")).bind(workspace.0).bind(user.0);
        execute(self.connection(), query).await?;
        let query = sql(include_str!("../sql/organizations/revoke_invitations_of.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(at.as_micros());
        execute(self.connection(), query).await
    }

    async fn remail_invitation(
        &mut self,
        id: InvitationId,
        mail: MailId,
        at: Timestamp,
        expires_at: Timestamp,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/organizations/remail_invitation.sql"))
            .bind(id.0)
            .bind(mail.0)
            .bind(at.as_micros())
            .bind(expires_at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn insert_invite_link(&mut self, link: &InviteLink, token_hash: &str) -> StoreResult<()> {
        let query = sql(include_str!("../sql/organizations/insert_link.sql"))
            .bind(link.id.0)
            .bind(link.workspace.0)
            .bind(link.role.as_str())
            .bind(clean(token_hash))
            .bind(clean(&link.sealed))
            .bind(link.created_by.0)
            .bind(link.created_at.as_micros())
            .bind(link.expires_at.map(Timestamp::as_micros))
            .bind(link.max_uses.map(i64::from))
            .bind(i64::from(link.uses))
            .bind(link.deactivated_at.map(Timestamp::as_micros));
        execute_one(self.connection(), query, "insert invite link").await
    }

    async fn count_invite_links(&mut self, workspace: WorkspaceId, now: Timestamp) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/organizations/count_links.sql")).bind(workspace.0).bind(now.as_micros());
        self.count(query, "links").await
    }

    async fn deactivate_invite_link(
        &mut self,
        workspace: WorkspaceId,
        id: InviteLinkId,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/organizations/deactivate_link.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn deactivate_invite_links(&mut self, workspace: WorkspaceId, at: Timestamp) -> StoreResult<u64> {
        let query =
            sql(include_str!("../sql/organizations/deactivate_links.sql")).bind(workspace.0).bind(at.as_micros());
        execute(self.connection(), query).await
    }

    async fn use_invite_link(&mut self, id: InviteLinkId, now: Timestamp) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/organizations/use_link.sql")).bind(id.0).bind(now.as_micros());
        execute_maybe(self.connection(), query).await
    }
}
