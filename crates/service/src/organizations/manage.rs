//! An organization as a whole: creates, lists, renames, transfers and deletes it.

use adagent_contract::{DeleteOrganization, NewOrganization, OrganizationPatch, OrganizationSummary};
use adagent_domain::{
    Actor, Granted, Network, Role, UserId, WorkspaceId,
    rights::{DeleteOrganization as MayDelete, RenameOrganization, TransferOwnership, ViewTeam},
};
use adagent_runtime::stop_open_runs;
use adagent_store::{CallStatus, Membership, StoreError, Workspace, WorkspaceKind};
use serde_json::json;

use super::{MOST_OWNED, ORGANIZATION, checked_name, conflict, is_organization, slug};
use crate::{Service, ServiceError, ServiceResult, connections::revocations::Consent};

/// If a slug is in use we try another one. So many failures in a row are not a coincidence.
const SLUGS: u32 = 5;

impl Service {
    /// Creates an organization; its creator owns it.
    pub async fn create_organization(
        &self,
        user: UserId,
        request: NewOrganization,
    ) -> ServiceResult<OrganizationSummary> {
        let name = checked_name(&request.name)?;
        self.limits.organization(user)?;
        for attempt in 0..SLUGS {
            let id = WorkspaceId::new(&*self.ids);
            let organization = Workspace {
                id,
                kind: WorkspaceKind::Organization,
                name: name.clone(),
                slug: slug::of(&name, (attempt > 0).then_some(id.0)),
                created_at: self.clock.now(),
            };
            let mut work = self.store.begin_in(id).await?;
            // If a person creates several at once, each request sees what the one before it created.
            work.lock_user(user).await?;
            if work.count_owned(user).await? >= MOST_OWNED {
                return Err(conflict(&format!(
                    "You already own {MOST_OWNED} organizations, the maximum. Delete or transfer one first."
                )));
            }
            match work.insert_organization(&organization, user).await {
                Err(StoreError::Taken { column, .. }) if column == "slug" => continue,
                done => done?,
            }
            let actor = Actor { user, workspace: id, role: Role::Owner, personal: false };
            self.audit(&mut *work, &actor, "organization.created", id, json!({"name": name})).await?;
            work.durable();
            work.commit().await?;
            return Ok(summary(organization, Role::Owner));
        }
        Err(ServiceError::Internal("no free address for an organization".into()))
    }

    /// Lists the organizations of a person, by name.
    pub async fn organizations(&self, user: UserId) -> ServiceResult<Vec<OrganizationSummary>> {
        let memberships = self.store.list_memberships(user).await?;
        let theirs = memberships.into_iter().filter(|membership| is_organization(&membership.workspace));
        Ok(theirs.map(|Membership { workspace, role, .. }| summary(workspace, role)).collect())
    }

    /// Returns the person in an organization with this ID. A personal workspace, or an organization of others, does not exist here.
    pub async fn resolve_organization(&self, user: UserId, id: WorkspaceId) -> ServiceResult<Actor> {
        let actor = self.resolve_actor(user, Some(id)).await?;
        if actor.personal { Err(ServiceError::NotFound(ORGANIZATION)) } else { Ok(actor) }
    }

    pub async fn organization(&self, actor: &Granted<ViewTeam>) -> ServiceResult<OrganizationSummary> {
        let membership = self.store.find_membership(actor.workspace, actor.user).await?;
        let membership = membership.ok_or(ServiceError::NotFound(ORGANIZATION))?;
        Ok(summary(membership.workspace, membership.role))
    }

    /// Renames the organization. Its slug stays, so that links and bookmarks continue to work.
    pub async fn rename_organization(
        &self,
        actor: &Granted<RenameOrganization>,
        patch: OrganizationPatch,
    ) -> ServiceResult<OrganizationSummary> {
        let name = checked_name(&patch.name)?;
        let mut work = self.store.begin_in(actor.workspace).await?;
        let locked = self.lock(&mut *work, actor).await?;
        work.rename_organization(actor.workspace, &name).await?;
        let detail = json!({"from": locked.organization.name, "to": name});
        self.audit(&mut *work, actor, "organization.renamed", actor.workspace, detail).await?;
        work.commit().await?;
        Ok(summary(Workspace { name, ..locked.organization }, locked.role))
    }

    /// Deletes everything in it, for everybody; the page makes the person type its name, so that nobody does it by mistake. Refuses while a
    /// change is being sent to a network, because its outcome would have no place. Returns the networks at which a person must now revoke
    /// our access, because the page that would show them is deleted too.
    pub async fn delete_organization(
        &self,
        actor: &Granted<MayDelete>,
        typed: &DeleteOrganization,
    ) -> ServiceResult<Vec<Network>> {
        let mut left = self.given_up_at(actor.workspace).await?;
        let by_name = self.name_of(actor.user).await?;
        let mut work = self.store.begin_in(actor.workspace).await?;
        let locked = self.lock(&mut *work, actor).await?;
        if typed.name.as_deref().is_some_and(|name| name.trim() != locked.organization.name) {
            return Err(ServiceError::field(
                "/name",
                format!("To delete the organization, type its exact name: {:?}.", locked.organization.name),
            ));
        }
        let reason = "The organization was deleted.";
        let stopped =
            stop_open_runs(&self.runtime, &mut *work, actor.workspace, None, actor.user, &by_name, reason).await?;
        for run in &stopped {
            if work.calls_of(*run).await?.iter().any(|call| call.status == CallStatus::Sending) {
                return Err(conflict("One of its changes is being sent right now. Delete it when that's done."));
            }
        }
        let connections = work.connections_of(actor.workspace).await?;
        for connection in &connections {
            if self.take_consent_back(&mut *work, connection).await? == Consent::ByHand {
                left.insert(connection.network);
            }
        }
        work.delete_organization(actor.workspace).await?;
        let networks: Vec<Network> = connections.iter().map(|connection| connection.network).collect();
        let detail = json!({"name": locked.organization.name, "stopped_runs": stopped.len(), "networks": networks});
        self.audit(&mut *work, actor, "organization.deleted", actor.workspace, detail).await?;
        work.durable();
        work.commit().await?;
        self.connections.forget_all(&connections);
        self.revocations_were_queued();
        Ok(left.into_iter().collect())
    }

    /// Makes the owner an admin and the other person the owner, or changes nothing.
    pub async fn transfer_ownership(&self, actor: &Granted<TransferOwnership>, to: UserId) -> ServiceResult<()> {
        if to == actor.user {
            return Err(ServiceError::field("/user_id", "You're already the owner. Choose another member."));
        }
        let mut work = self.store.begin_in(actor.workspace).await?;
        self.lock(&mut *work, actor).await?;
        if work.membership(actor.workspace, to).await?.is_none() {
            return Err(ServiceError::field("/user_id", "This person isn't a member of the organization."));
        }
        work.lock_user(to).await?;
        if work.count_owned(to).await? >= MOST_OWNED {
            return Err(conflict(&format!("They already own {MOST_OWNED} organizations, the maximum per person.")));
        }
        if !work.transfer_ownership(actor.workspace, actor.user, to).await? {
            return Err(conflict("The roles changed in the meantime. Reload the team page."));
        }
        let detail = json!({"to": to});
        self.audit(&mut *work, actor, "organization.transferred", actor.workspace, detail).await?;
        work.durable();
        work.commit().await?;
        Ok(())
    }
}

pub(super) fn summary(organization: Workspace, role: Role) -> OrganizationSummary {
    OrganizationSummary { id: organization.id, name: organization.name, slug: organization.slug, role }
}
