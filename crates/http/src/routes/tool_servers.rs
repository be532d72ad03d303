//! Tool servers of a workspace.

use adagent_contract::{AcceptedChanges, NewToolServer, Page, ToolServerUpdate, ToolServerView};
use adagent_domain::ToolServerId;
use axum::{Json, extract::State, http::StatusCode};

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Acting, Id, InPerson, Json as Body},
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
