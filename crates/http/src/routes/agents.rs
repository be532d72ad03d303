//! Agents of a workspace.

use adagent_contract::{AgentBody, AgentTemplate, AgentUpdate, AgentVersion, AgentView, Page};
use adagent_domain::AgentId;
use axum::{Json, extract::State, http::StatusCode};

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Acting, Id, InPerson, Json as Body},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "agents";
const ALL: &str = "/api/agents";
const ONE: &str = "/api/agents/{id}";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(ALL, "list_agents", TAG, "Your agents, then those shared with you, by handle")
                .json(200, "AgentList"),
            list,
        ),
        Route::new(
            Operation::post(ALL, "create_agent", TAG, "Create an agent").body("AgentBody").json(201, "Agent"),
            create,
        ),
        Route::new(
            Operation::get("/api/agents/templates", "list_agent_templates", TAG, "Agents to begin with")
                .json(200, "AgentTemplateList"),
            templates,
        ),
        Route::new(Operation::get(ONE, "get_agent", TAG, "An agent").id("id").json(200, "Agent"), read),
        Route::new(
            Operation::put(ONE, "put_agent", TAG, "Change an agent; a change of an older version is refused")
                .id("id")
                .body("AgentUpdate")
                .json(200, "Agent"),
            update,
        ),
        Route::new(
            Operation::delete(ONE, "delete_agent", TAG, "Delete an agent; what it did stays in the record")
                .id("id")
                .empty(204),
            delete,
        ),
        Route::new(
            Operation::post("/api/agents/{id}/duplicate", "duplicate_agent", TAG, "A private copy of your own")
                .id("id")
                .json(201, "Agent"),
            duplicate,
        ),
        Route::new(
            Operation::get("/api/agents/{id}/versions", "list_agent_versions", TAG, "How it was before, newest first")
                .id("id")
                .json(200, "AgentVersionList"),
            versions,
        ),
    ]
}

async fn list(State(state): State<HttpState>, Acting(actor): Acting) -> ApiResult<Json<Page<AgentView>>> {
    Ok(Json(Page::last(state.service.agents(&actor).await?)))
}

async fn templates(State(state): State<HttpState>, Acting(_): Acting) -> Json<Page<AgentTemplate>> {
    Json(Page::last(state.service.agent_templates()))
}

async fn read(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<AgentId>,
) -> ApiResult<Json<AgentView>> {
    Ok(Json(state.service.agent(&actor, id).await?))
}

async fn create(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    Body(body): Body<AgentBody>,
) -> ApiResult<(StatusCode, Json<AgentView>)> {
    Ok((StatusCode::CREATED, Json(state.service.create_agent(&actor.grant()?, body).await?)))
}

async fn update(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    Id(id): Id<AgentId>,
    Body(update): Body<AgentUpdate>,
) -> ApiResult<Json<AgentView>> {
    Ok(Json(state.service.update_agent(&actor.grant()?, id, update).await?))
}

async fn delete(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    Id(id): Id<AgentId>,
) -> ApiResult<StatusCode> {
    state.service.delete_agent(&actor.grant()?, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn duplicate(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    Id(id): Id<AgentId>,
) -> ApiResult<(StatusCode, Json<AgentView>)> {
    Ok((StatusCode::CREATED, Json(state.service.duplicate_agent(&actor.grant()?, id).await?)))
}

async fn versions(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<AgentId>,
) -> ApiResult<Json<Page<AgentVersion>>> {
    Ok(Json(Page::last(state.service.agent_versions(&actor, id).await?)))
}
