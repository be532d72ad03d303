//! Organizations: create one, see its members, invite people, leave it or delete it. The forms work without JavaScript: the
//! server then answers with a redirect, and the address carries an error as a code.

use adagent_contract::{InvitationView, InviteLinkView, InviteView, MemberView, WorkspaceView};
use adagent_domain::{InvitationId, InviteLinkId, Network, Permission, Role, Standing, UserId};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::{ApiError, Told};

/// What the team page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Team {
    pub here: WorkspaceView,
    /// The person who looks at the page.
    pub me: UserId,
    pub members: Vec<MemberView>,
    /// Empty for people who may not invite.
    pub invitations: Vec<InvitationView>,
    pub links: Vec<InviteLinkView>,
    /// The networks where our access remains after the organization is deleted; empty for people who may not delete it.
    pub consents_left: Vec<Network>,
}

impl Team {
    /// Checks whether the person who looks has this permission here.
    pub const fn may(&self, permission: Permission) -> bool {
        permission.is_given_to(Standing::of(self.here.role, self.here.personal))
    }
}

/// An invite link, and the signed-in person who would join by it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invite {
    pub view: InviteView,
    /// The name of the signed-in person.
    pub person: Option<String>,
}

/// Returns the team of this workspace; `None` in a personal one.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "team", client = super::DeskClient)]
pub async fn read_team() -> Result<Option<Team>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    if actor.personal {
        return Ok(None);
    }
    let here = service.workspaces(actor.user).await.map_err(server::fail)?;
    let Some(here) = here.into_iter().find(|workspace| workspace.id == actor.workspace) else { return Ok(None) };
    let members = service.members(&server::granted(&actor)?).await.map_err(server::fail)?.items;
    let (invitations, links) = match actor.grant() {
        Ok(granted) => (
            service.invitations(&granted).await.map_err(server::fail)?.items,
            service.invite_links(&granted).await.map_err(server::fail)?.items,
        ),
        Err(_) => (Vec::new(), Vec::new()),
    };
    let consents_left = match actor.grant() {
        Ok(granted) => service.consents_left(&granted).await.map_err(server::fail)?,
        Err(_) => Vec::new(),
    };
    Ok(Some(Team { here, me: actor.user, members, invitations, links, consents_left }))
}

/// Creates an organization and opens it. Returns the address of its page.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "create-organization", client = super::DeskClient)]
pub async fn create_organization(name: String) -> Result<Told<String>, ApiError> {
    use super::who::server;
    let (service, user) = (server::service()?, server::person()?);
    let made = service.create_organization(user, adagent_contract::NewOrganization { name }).await;
    match made {
        Ok(organization) => server::lead_into(&service, user, Some(organization.id), "/settings/team").await,
        Err(error) => server::told("create", error),
    }
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "rename-organization", client = super::DeskClient)]
pub async fn rename_organization(name: String) -> Result<Told<()>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let patch = adagent_contract::OrganizationPatch { name };
    let renamed = service.rename_organization(&server::granted(&actor)?, patch).await;
    server::back_to_team("rename", renamed)
}

/// Deletes the organization if the person typed its name. Returns the address of the next page, which says what the person must
/// remove by hand.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "delete-organization", client = super::DeskClient)]
pub async fn delete_organization(name: String) -> Result<Told<String>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let typed = adagent_contract::DeleteOrganization { name: Some(name) };
    match service.delete_organization(&server::granted(&actor)?, &typed).await {
        Ok(left) if left.is_empty() => server::lead_into(&service, actor.user, None, "/chat").await,
        Ok(left) => {
            let page = adagent_contract::links::leaving("/settings/networks", &left);
            server::lead_into(&service, actor.user, None, &page).await
        }
        Err(error) => server::told("delete", error),
    }
}

/// Leaves the organization. Returns the address of the next page.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "leave-organization", client = super::DeskClient)]
pub async fn leave_organization() -> Result<Told<String>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    match service.leave_organization(&server::granted(&actor)?).await {
        Ok(()) => server::lead_into(&service, actor.user, None, "/chat").await,
        Err(error) => server::told("leave", error),
    }
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "transfer-ownership", client = super::DeskClient)]
pub async fn transfer_ownership(user: UserId) -> Result<Told<()>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let done = service.transfer_ownership(&server::granted(&actor)?, user).await;
    server::back_to_team("transfer", done)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "change-role", client = super::DeskClient)]
pub async fn change_role(user: UserId, role: Role) -> Result<Told<()>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let done = service.change_role(&server::granted(&actor)?, user, adagent_contract::RolePatch { role }).await;
    server::back_to_team("role", done)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "remove-member", client = super::DeskClient)]
pub async fn remove_member(user: UserId) -> Result<Told<()>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let done = service.remove_member(&server::granted(&actor)?, user).await;
    server::back_to_team("remove", done)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "invite", client = super::DeskClient)]
pub async fn invite_member(email: String, role: Role) -> Result<Told<()>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let done = service.invite(&server::granted(&actor)?, adagent_contract::NewInvitation { email, role }).await;
    server::back_to_team("invite", done)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "resend-invitation", client = super::DeskClient)]
pub async fn resend_invitation(id: InvitationId) -> Result<Told<()>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let done = service.resend_invitation(&server::granted(&actor)?, id).await;
    server::back_to_team("invite", done)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "revoke-invitation", client = super::DeskClient)]
pub async fn revoke_invitation(id: InvitationId) -> Result<Told<()>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let done = service.revoke_invitation(&server::granted(&actor)?, id).await;
    server::back_to_team("invite", done)
}

/// Creates an invite link. `days` and `uses` come from selects; empty means no limit.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "create-invite-link", client = super::DeskClient)]
pub async fn create_invite_link(role: Role, days: String, uses: String) -> Result<Told<()>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let number = |text: &str, pointer| match text {
        "" => Ok(None),
        text => text.parse::<u32>().map(Some).map_err(|_| server::refuse(pointer, "Enter a number.")),
    };
    let request = adagent_contract::NewInviteLink {
        role,
        expires_in_days: number(&days, "/expires_in_days")?,
        max_uses: number(&uses, "/max_uses")?,
    };
    let done = service.create_invite_link(&server::granted(&actor)?, request).await;
    server::back_to_team("link", done)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "deactivate-invite-link", client = super::DeskClient)]
pub async fn deactivate_invite_link(id: InviteLinkId) -> Result<Told<()>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let done = service.deactivate_invite_link(&server::granted(&actor)?, id).await;
    server::back_to_team("link", done)
}

/// Accepts or declines an invitation to this person's address. After accepting, returns the address of the organization's page.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "answer-invitation", client = super::DeskClient)]
pub async fn answer_invitation(id: InvitationId, accept: bool) -> Result<Told<Option<String>>, ApiError> {
    use super::who::server;
    const PAGE: &str = "/chat?invitation=";
    let (service, user) = (server::service()?, server::person()?);
    if !accept {
        return match service.reject_invitation(user, id).await {
            Ok(()) => Ok(Ok(None)),
            Err(error) => server::told_on(PAGE, error),
        };
    }
    match service.accept_invitation(user, id).await {
        Ok(joined) => Ok(server::lead_into(&service, user, Some(joined.id), "/chat").await?.map(Some)),
        Err(error) => server::told_on(PAGE, error),
    }
}

/// Returns what an invite link leads to, for anyone who has the link.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "read-invite", client = super::DeskClient)]
pub async fn read_invite(token: String) -> Result<Invite, ApiError> {
    use super::who::server;
    let (service, user) = (server::service()?, server::user());
    let view = service.look_at_invite(&token, user, server::client()).await.map_err(server::fail)?;
    let person = match user {
        Some(user) => service.me(user).await.ok().map(|me| me.user.name),
        None => None,
    };
    Ok(Invite { view, person })
}

/// Joins by an invite link. Returns the address of the organization's page.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "accept-invite-link", client = super::DeskClient)]
pub async fn accept_invite_link(token: String) -> Result<Told<String>, ApiError> {
    use super::who::server;
    let (service, user) = (server::service()?, server::person()?);
    let joined = match service.accept_invite(user, &token, server::client()).await {
        Ok(joined) => joined,
        Err(error) => {
            let page = format!("/invite/{}?error=", adagent_contract::links::encode(&token));
            return server::told_on(&page, error);
        }
    };
    server::lead_into(&service, user, Some(joined.id), "/chat").await
}
