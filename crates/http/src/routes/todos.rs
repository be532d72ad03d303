//! To-dos of a workspace.

use adagent_contract::{Page, TodoDraft, TodoUpdate, TodoView};
use adagent_domain::TodoId;
use axum::{Json, extract::State, http::StatusCode};

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Acting, Deciding, Id, Json as Body, Query},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "library";
const ALL: &str = "/api/todos";
const ONE: &str = "/api/todos/{id}";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(ALL, "list_todos", TAG, "Open to-dos by due date, or the newest that are done")
                .query("done", "boolean", "Those that are done; left out: the open ones")
                .json(200, "TodoList"),
            list,
        ),
        Route::new(Operation::post(ALL, "create_todo", TAG, "Add a to-do").body("TodoDraft").json(201, "Todo"), create),
        Route::new(Operation::get(ONE, "get_todo", TAG, "A to-do").id("id").json(200, "Todo"), read),
        Route::new(
            Operation::put(ONE, "put_todo", TAG, "Change a to-do; a change of an older version is refused")
                .id("id")
                .body("TodoUpdate")
                .json(200, "Todo"),
            update,
        ),
        Route::new(Operation::delete(ONE, "delete_todo", TAG, "Delete a to-do").id("id").empty(204), delete),
    ]
}

async fn list(State(state): State<HttpState>, Acting(actor): Acting, query: Query) -> ApiResult<Json<Page<TodoView>>> {
    Ok(Json(Page::last(state.service.todos(&actor, query.flag("done")?).await?)))
}

async fn read(State(state): State<HttpState>, Acting(actor): Acting, Id(id): Id<TodoId>) -> ApiResult<Json<TodoView>> {
    Ok(Json(state.service.todo(&actor, id).await?))
}

async fn create(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Body(draft): Body<TodoDraft>,
) -> ApiResult<(StatusCode, Json<TodoView>)> {
    Ok((StatusCode::CREATED, Json(state.service.create_todo(&actor.grant()?, draft).await?)))
}

async fn update(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(id): Id<TodoId>,
    Body(update): Body<TodoUpdate>,
) -> ApiResult<Json<TodoView>> {
    Ok(Json(state.service.update_todo(&actor.grant()?, id, update).await?))
}

async fn delete(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(id): Id<TodoId>,
) -> ApiResult<StatusCode> {
    state.service.delete_todo(&actor.grant()?, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
