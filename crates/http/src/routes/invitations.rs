//! How people join an organization: invitations by email and invite links, which members create and others answer.

use adagent_contract::{
    InvitationView, InviteLinkView, InviteView, NewInvitation, NewInviteLink, OrganizationSummary, Page,
};
use adagent_domain::{InvitationId, InviteLinkId, WorkspaceId};
use adagent_service::CurrentUser;
use axum::{
    Extension, Json,
    extract::{Path, State},
    http::StatusCode,
};

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Client, Deciders, Id, Ids2, InOrganization, Json as Body, PersonHere},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "organizations";
const INVITATIONS: &str = "/api/organizations/{id}/invitations";
const LINKS: &str = "/api/organizations/{id}/invite-links";

pub fn routes() -> Vec<Route> {
    inside().into_iter().chain(outside()).collect()
}

/// Returns the routes for people who invite.
fn inside() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(INVITATIONS, "list_invitations", TAG, "Pending invitations, newest first")
                .id("id")
                .personal()
                .json(200, "InvitationList"),
            list,
        ),
        Route::new(
            Operation::post(INVITATIONS, "invite", TAG, "Invite someone by email")
                .id("id")
                .personal()
                .body("NewInvitation")
                .json(201, "Invitation"),
            invite,
        ),
        Route::new(
            Operation::post(
                "/api/organizations/{id}/invitations/{invitation_id}/resend",
                "resend_invitation",
                TAG,
                "Resend the email; the expiration starts over",
            )
            .id("id")
            .id("invitation_id")
            .personal()
            .json(200, "Invitation"),
            resend,
        ),
        Route::new(
            Operation::delete(
                "/api/organizations/{id}/invitations/{invitation_id}",
                "revoke_invitation",
                TAG,
                "Revoke an invitation",
            )
            .id("id")
            .id("invitation_id")
            .personal()
            .empty(204),
            revoke,
        ),
        Route::new(
            Operation::get(LINKS, "list_invite_links", TAG, "Active links, with their URLs")
                .id("id")
                .personal()
                .json(200, "InviteLinkList"),
            links,
        ),
        Route::new(
            Operation::post(LINKS, "create_invite_link", TAG, "Create an invite link")
                .id("id")
                .personal()
                .body("NewInviteLink")
                .json(201, "InviteLink"),
            create_link,
        ),
        Route::new(
            Operation::delete(
                "/api/organizations/{id}/invite-links/{link_id}",
                "deactivate_invite_link",
                TAG,
                "Deactivate a link; members who joined stay",
            )
            .id("id")
            .id("link_id")
            .personal()
            .empty(204),
            deactivate_link,
        ),
    ]
}

/// Returns the routes for people who are invited.
fn outside() -> Vec<Route> {
    vec![
        Route::new(
            Operation::post("/api/invitations/{id}/accept", "accept_invitation", TAG, "Accept; once")
                .id("id")
                .personal()
                .json(200, "Organization"),
            accept,
        ),
        Route::new(
            Operation::post("/api/invitations/{id}/reject", "reject_invitation", TAG, "Decline; once")
                .id("id")
                .personal()
                .empty(204),
            reject,
        ),
        Route::new(
            Operation::get("/api/invite/{token}", "look_at_invite", TAG, "What an invite link leads to")
                .token("token")
                .public()
                .json(200, "Invite"),
            look,
        ),
        Route::new(
            Operation::post("/api/invite/{token}/accept", "accept_invite", TAG, "Join with a link")
                .token("token")
                .personal()
                .json(200, "Organization"),
            accept_link,
        ),
    ]
}

async fn list(
    State(state): State<HttpState>,
    InOrganization(actor): InOrganization,
) -> ApiResult<Json<Page<InvitationView>>> {
    Ok(Json(state.service.invitations(&actor.grant()?).await?))
}

async fn invite(
    State(state): State<HttpState>,
    Deciders(actor): Deciders,
    Body(request): Body<NewInvitation>,
) -> ApiResult<(StatusCode, Json<InvitationView>)> {
    Ok((StatusCode::CREATED, Json(state.service.invite(&actor.grant()?, request).await?)))
}

async fn resend(
    State(state): State<HttpState>,
    Deciders(actor): Deciders,
    Ids2(_, id): Ids2<WorkspaceId, InvitationId>,
) -> ApiResult<Json<InvitationView>> {
    Ok(Json(state.service.resend_invitation(&actor.grant()?, id).await?))
}

async fn revoke(
    State(state): State<HttpState>,
    Deciders(actor): Deciders,
    Ids2(_, id): Ids2<WorkspaceId, InvitationId>,
) -> ApiResult<StatusCode> {
    state.service.revoke_invitation(&actor.grant()?, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the invite links, only for a signed-in person, because these links let people in.
async fn links(State(state): State<HttpState>, Deciders(actor): Deciders) -> ApiResult<Json<Page<InviteLinkView>>> {
    Ok(Json(state.service.invite_links(&actor.grant()?).await?))
}

async fn create_link(
    State(state): State<HttpState>,
    Deciders(actor): Deciders,
    Body(request): Body<NewInviteLink>,
) -> ApiResult<(StatusCode, Json<InviteLinkView>)> {
    Ok((StatusCode::CREATED, Json(state.service.create_invite_link(&actor.grant()?, request).await?)))
}

async fn deactivate_link(
    State(state): State<HttpState>,
    Deciders(actor): Deciders,
    Ids2(_, id): Ids2<WorkspaceId, InviteLinkId>,
) -> ApiResult<StatusCode> {
    state.service.deactivate_invite_link(&actor.grant()?, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn accept(
    State(state): State<HttpState>,
    PersonHere(user): PersonHere,
    Id(id): Id<InvitationId>,
) -> ApiResult<Json<OrganizationSummary>> {
    Ok(Json(state.service.accept_invitation(user, id).await?))
}

async fn reject(
    State(state): State<HttpState>,
    PersonHere(user): PersonHere,
    Id(id): Id<InvitationId>,
) -> ApiResult<StatusCode> {
    state.service.reject_invitation(user, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn look(
    State(state): State<HttpState>,
    client: Client,
    Extension(CurrentUser(user)): Extension<CurrentUser>,
    Path(token): Path<String>,
) -> ApiResult<Json<InviteView>> {
    Ok(Json(state.service.look_at_invite(&token, user, client.0).await?))
}

async fn accept_link(
    State(state): State<HttpState>,
    client: Client,
    PersonHere(user): PersonHere,
    Path(token): Path<String>,
) -> ApiResult<Json<OrganizationSummary>> {
    Ok(Json(state.service.accept_invite(user, &token, client.0).await?))
}
