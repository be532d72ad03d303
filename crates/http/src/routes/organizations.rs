//! Organizations as a whole, and their members.

use adagent_contract::{
    ConsentsLeft, DeleteOrganization, MemberView, NewOrganization, OrganizationPatch, OrganizationSummary, Page,
    RolePatch, TransferOwnershipRequest,
};
use adagent_domain::{UserId, WorkspaceId};
use adagent_service::TokenGrant;
use axum::{
    Extension, Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Deciders, Ids2, InOrganization, Json as Body, OptionalJson, Person, PersonHere},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "organizations";
const ALL: &str = "/api/organizations";
const ONE: &str = "/api/organizations/{id}";
const MEMBER: &str = "/api/organizations/{id}/members/{user_id}";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(ALL, "list_organizations", TAG, "Your organizations, by name")
                .personal()
                .json(200, "OrganizationList"),
            list,
        ),
        Route::new(
            Operation::post(ALL, "create_organization", TAG, "Create an organization; you become its owner")
                .personal()
                .body("NewOrganization")
                .json(201, "Organization"),
            create,
        ),
        Route::new(
            Operation::get(ONE, "get_organization", TAG, "One organization")
                .id("id")
                .personal()
                .json(200, "Organization"),
            read,
        ),
        Route::new(
            Operation::patch(ONE, "rename_organization", TAG, "Rename; the slug stays")
                .id("id")
                .personal()
                .body("OrganizationPatch")
                .json(200, "Organization"),
            rename,
        ),
        Route::new(
            Operation::delete(
                ONE,
                "delete_organization",
                TAG,
                "Delete with everything in it; the body repeats its name",
            )
            .id("id")
            .personal()
            .optional_body("DeleteOrganization")
            .json(200, "ConsentsLeft")
            .empty(204),
            delete,
        ),
        Route::new(
            Operation::get(
                "/api/organizations/{id}/members",
                "list_members",
                TAG,
                "Members: owner, admins, members, each by name",
            )
            .id("id")
            .personal()
            .json(200, "MemberList"),
            members,
        ),
        Route::new(
            Operation::patch(MEMBER, "change_role", TAG, "Make a member an admin or an admin a member")
                .id("id")
                .id("user_id")
                .personal()
                .body("RolePatch")
                .json(200, "Member"),
            change_role,
        ),
        Route::new(
            Operation::delete(MEMBER, "remove_member", TAG, "Remove a member; their runs stop")
                .id("id")
                .id("user_id")
                .personal()
                .empty(204),
            remove,
        ),
        Route::new(
            Operation::post(
                "/api/organizations/{id}/leave",
                "leave_organization",
                TAG,
                "Leave; not possible for the owner",
            )
            .id("id")
            .personal()
            .empty(204),
            leave,
        ),
        Route::new(
            Operation::post(
                "/api/organizations/{id}/transfer-ownership",
                "transfer_ownership",
                TAG,
                "Make another member the owner; you become an admin",
            )
            .id("id")
            .personal()
            .body("TransferOwnershipRequest")
            .empty(204),
            transfer,
        ),
    ]
}

async fn list(
    State(state): State<HttpState>,
    Person(user): Person,
    grant: Option<Extension<TokenGrant>>,
) -> ApiResult<Json<Page<OrganizationSummary>>> {
    let mut organizations = state.service.organizations(user).await?;
    if let Some(Extension(grant)) = grant {
        // A token knows only its own workspace.
        organizations.retain(|organization| organization.id == grant.workspace);
    }
    Ok(Json(Page::last(organizations)))
}

async fn create(
    State(state): State<HttpState>,
    PersonHere(user): PersonHere,
    Body(request): Body<NewOrganization>,
) -> ApiResult<(StatusCode, Json<OrganizationSummary>)> {
    Ok((StatusCode::CREATED, Json(state.service.create_organization(user, request).await?)))
}

async fn read(
    State(state): State<HttpState>,
    InOrganization(actor): InOrganization,
) -> ApiResult<Json<OrganizationSummary>> {
    Ok(Json(state.service.organization(&actor.grant()?).await?))
}

async fn rename(
    State(state): State<HttpState>,
    Deciders(actor): Deciders,
    Body(patch): Body<OrganizationPatch>,
) -> ApiResult<Json<OrganizationSummary>> {
    Ok(Json(state.service.rename_organization(&actor.grant()?, patch).await?))
}

async fn delete(
    State(state): State<HttpState>,
    Deciders(actor): Deciders,
    OptionalJson(typed): OptionalJson<DeleteOrganization>,
) -> ApiResult<Response> {
    let consents_left = state.service.delete_organization(&actor.grant()?, &typed).await?;
    if consents_left.is_empty() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(Json(ConsentsLeft { consents_left }).into_response())
}

async fn members(
    State(state): State<HttpState>,
    InOrganization(actor): InOrganization,
) -> ApiResult<Json<Page<MemberView>>> {
    Ok(Json(state.service.members(&actor.grant()?).await?))
}

async fn change_role(
    State(state): State<HttpState>,
    Deciders(actor): Deciders,
    Ids2(_, user): Ids2<WorkspaceId, UserId>,
    Body(patch): Body<RolePatch>,
) -> ApiResult<Json<MemberView>> {
    Ok(Json(state.service.change_role(&actor.grant()?, user, patch).await?))
}

async fn remove(
    State(state): State<HttpState>,
    Deciders(actor): Deciders,
    Ids2(_, user): Ids2<WorkspaceId, UserId>,
) -> ApiResult<StatusCode> {
    state.service.remove_member(&actor.grant()?, user).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn leave(State(state): State<HttpState>, Deciders(actor): Deciders) -> ApiResult<StatusCode> {
    state.service.leave_organization(&actor.grant()?).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn transfer(
    State(state): State<HttpState>,
    Deciders(actor): Deciders,
    Body(request): Body<TransferOwnershipRequest>,
) -> ApiResult<StatusCode> {
    state.service.transfer_ownership(&actor.grant()?, request.user_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
