//! Tool servers of a workspace.

use adagent_contract::{
    AcceptedChanges, NewToolServer, OauthClientDocument, Page, ServerSignIn, ToolServerUpdate, ToolServerView, codes,
    links,
};
use adagent_domain::ToolServerId;
use adagent_service::{SentBack, SessionHash, connections::OauthFailed};
use axum::{
    Extension, Json,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse as _, Redirect, Response},
};

use super::Route;
use crate::{
    error::{ApiError, ApiResult},
    extract::{Acting, Id, InPerson, Json as Body, Query},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "tool servers";
const ALL: &str = "/api/mcp-servers";
const ONE: &str = "/api/mcp-servers/{id}";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(ALL, "list_mcp_servers", TAG, "Tool servers with their tools, by name")
                .json(200, "ToolServerList"),
            list,
        ),
        Route::new(
            Operation::post(ALL, "create_mcp_server", TAG, "Connect a tool server; we look at it before we keep it")
                .body("NewToolServer")
                .json(201, "ToolServer"),
            create,
        ),
        Route::new(Operation::get(ONE, "get_mcp_server", TAG, "A tool server").id("id").json(200, "ToolServer"), read),
        Route::new(
            Operation::patch(
                ONE,
                "patch_mcp_server",
                TAG,
                "Name, switch, and settings of tools; a change of an older version is refused",
            )
            .id("id")
            .body("ToolServerUpdate")
            .json(200, "ToolServer"),
            update,
        ),
        Route::new(
            Operation::delete(ONE, "delete_mcp_server", TAG, "Delete a tool server, its tools and its key")
                .id("id")
                .empty(204),
            delete,
        ),
        Route::new(
            Operation::post(
                "/api/mcp-servers/{id}/test",
                "test_mcp_server",
                TAG,
                "Look at it again; tools that are described differently go off",
            )
            .id("id")
            .json(200, "ToolServer"),
            test,
        ),
        Route::new(
            Operation::post(
                "/api/mcp-servers/{id}/accept-changes",
                "accept_mcp_server_changes",
                TAG,
                "Accept new descriptions of tools as this version shows them",
            )
            .id("id")
            .body("AcceptedChanges")
            .json(200, "ToolServer"),
            accept,
        ),
        Route::new(
            Operation::post(
                "/api/mcp-servers/{id}/sign-in",
                "sign_in_mcp_server",
                TAG,
                "Begin to sign in with OAuth: open the address in this browser",
            )
            .id("id")
            .json(200, "ServerSignIn"),
            sign_in,
        ),
        Route::new(
            Operation::get(
                "/api/mcp-servers/client/{host}",
                "mcp_server_client",
                TAG,
                "Our client at a host's sign-in; sign-ins that take its address as client ID read it",
            )
            .token("host")
            .public()
            .json(200, "OauthClientDocument"),
            client,
        ),
        Route::new(
            Operation::get(
                "/api/mcp-servers/callback/{host}",
                "mcp_server_callback",
                TAG,
                "Where the sign-in of a tool server sends the browser back to",
            )
            .token("host")
            .query("state", "string", "As given to the sign-in")
            .query("code", "string", "Exchanged for tokens")
            .query("iss", "string", "Which sign-in says so (RFC 9207)")
            .query("error", "string", "Why the sign-in refused")
            .redirect(),
            callback,
        ),
    ]
}

async fn list(State(state): State<HttpState>, Acting(actor): Acting) -> ApiResult<Json<Page<ToolServerView>>> {
    Ok(Json(Page::last(state.service.tool_servers(&actor).await?)))
}

async fn read(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<ToolServerId>,
) -> ApiResult<Json<ToolServerView>> {
    Ok(Json(state.service.tool_server(&actor, id).await?))
}

async fn create(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    Body(new): Body<NewToolServer>,
) -> ApiResult<(StatusCode, Json<ToolServerView>)> {
    Ok((StatusCode::CREATED, Json(state.service.connect_tool_server(&actor.grant()?, new).await?)))
}

async fn update(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    Id(id): Id<ToolServerId>,
    Body(update): Body<ToolServerUpdate>,
) -> ApiResult<Json<ToolServerView>> {
    Ok(Json(state.service.update_tool_server(&actor.grant()?, id, update).await?))
}

async fn delete(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    Id(id): Id<ToolServerId>,
) -> ApiResult<StatusCode> {
    state.service.disconnect_tool_server(&actor.grant()?, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn test(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    Id(id): Id<ToolServerId>,
) -> ApiResult<Json<ToolServerView>> {
    Ok(Json(state.service.test_tool_server(&actor.grant()?, id).await?))
}

async fn accept(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    Id(id): Id<ToolServerId>,
    Body(accepted): Body<AcceptedChanges>,
) -> ApiResult<Json<ToolServerView>> {
    Ok(Json(state.service.accept_tool_changes(&actor.grant()?, id, accepted).await?))
}

async fn sign_in(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    session: Option<Extension<SessionHash>>,
    Id(id): Id<ToolServerId>,
) -> ApiResult<Json<ServerSignIn>> {
    let Extension(SessionHash(session)) = session.ok_or_else(super::no_session)?;
    Ok(Json(state.service.sign_in_tool_server(&actor.grant()?, id, &session, None).await?))
}

async fn client(State(state): State<HttpState>, Path(host): Path<String>) -> ApiResult<Json<OauthClientDocument>> {
    let document = state.service.server_client(&host);
    Ok(Json(document.ok_or_else(|| ApiError::not_found("client"))?))
}

/// Always redirects the browser to a page. An error goes there as a code, never as the words of the sign-in.
async fn callback(
    State(state): State<HttpState>,
    session: Option<Extension<SessionHash>>,
    Path(host): Path<String>,
    query: Query,
) -> ApiResult<Response> {
    let Some(Extension(SessionHash(session))) = session else {
        return Ok(Redirect::to("/sign-in?return=%2Fsettings%2Ftool-servers").into_response());
    };
    let to = |page: Option<&str>, said: &str| {
        Redirect::to(&links::with_query(page.unwrap_or("/settings/tool-servers"), said)).into_response()
    };
    let failed = |page: Option<&str>, code: &str| to(page, &format!("error={code}"));
    let Some(round_trip) = query.text("state") else { return Ok(failed(None, codes::BAD_REQUEST)) };
    let (code, error, issuer) = (query.text("code"), query.text("error"), query.text("iss"));
    let outcome = match (&code, &error) {
        (Some(code), None) => Ok(code.as_str()),
        (_, Some(error)) => Err(error.as_str()),
        (None, None) => return Ok(failed(None, codes::BAD_REQUEST)),
    };
    let back = SentBack { host: &host, state: &round_trip, issuer: issuer.as_deref(), code: outcome };
    match state.service.finish_tool_server_sign_in(back, &session).await {
        Ok(page) => Ok(to(page.as_deref(), "signed_in=true")),
        Err(OauthFailed { error, return_to }) => {
            let error = ApiError::from(error);
            match outcome {
                // If the person declines, nothing failed.
                Err("access_denied") => Ok(failed(return_to.as_deref(), "access_denied")),
                _ if error.problem.status >= 500 => Err(error),
                _ => Ok(failed(return_to.as_deref(), &error.problem.code)),
            }
        }
    }
}
