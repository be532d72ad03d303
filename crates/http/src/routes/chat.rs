//! Chats, their messages, and feedback.

use adagent_contract::{CreateSessionRequest, FeedbackRequest, Page, SessionMessages, SessionPatch, SessionView};
use adagent_domain::{ChatSessionId, MessageId};
use axum::{Json, extract::State, http::StatusCode};

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Acting, Deciding, Id, IdempotencyKey, Json as Body, OptionalJson, Query},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "chat";
const LIST: &str = "/api/chat/sessions";
const ONE: &str = "/api/chat/sessions/{id}";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(LIST, "list_sessions", TAG, "Chats, most recently used first")
                .query("search", "string", "Words in titles and messages")
                .paged()
                .json(200, "SessionPage"),
            list,
        ),
        Route::new(
            Operation::post(LIST, "create_session", TAG, "Start a chat")
                .optional_body("CreateSessionRequest")
                .idempotent()
                .json(201, "Session"),
            create,
        ),
        Route::new(Operation::get(ONE, "get_session", TAG, "One chat").id("id").json(200, "Session"), read),
        Route::new(
            Operation::patch(ONE, "patch_session", TAG, "Rename or change a chat")
                .id("id")
                .body("SessionPatch")
                .json(200, "Session"),
            patch,
        ),
        Route::new(
            Operation::delete(ONE, "delete_session", TAG, "Delete a chat with everything in it").id("id").empty(204),
            delete,
        ),
        Route::new(
            Operation::get(
                "/api/chat/sessions/{id}/messages",
                "list_messages",
                TAG,
                "The chat's messages with their blocks",
            )
            .id("id")
            .paged()
            .json(200, "SessionMessages"),
            messages,
        ),
        Route::new(
            Operation::post("/api/messages/{id}/feedback", "rate_message", TAG, "Rate the answer to a message")
                .id("id")
                .body("FeedbackRequest")
                .idempotent()
                .empty(204),
            feedback,
        ),
    ]
}

async fn list(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    query: Query,
) -> ApiResult<Json<Page<SessionView>>> {
    Ok(Json(state.service.list_sessions(&actor, query.text("search"), query.cursor(), query.limit()?).await?))
}

async fn create(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    IdempotencyKey(key): IdempotencyKey,
    OptionalJson(request): OptionalJson<CreateSessionRequest>,
) -> ApiResult<(StatusCode, Json<SessionView>)> {
    Ok((StatusCode::CREATED, Json(state.service.create_session_once(&actor.grant()?, request, key.as_deref()).await?)))
}

async fn read(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<ChatSessionId>,
) -> ApiResult<Json<SessionView>> {
    Ok(Json(state.service.session(&actor, id).await?))
}

async fn patch(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(id): Id<ChatSessionId>,
    Body(patch): Body<SessionPatch>,
) -> ApiResult<Json<SessionView>> {
    Ok(Json(state.service.patch_session(&actor, id, patch).await?))
}

async fn delete(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(id): Id<ChatSessionId>,
) -> ApiResult<StatusCode> {
    state.service.delete_session(&actor.grant()?, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn messages(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<ChatSessionId>,
    query: Query,
) -> ApiResult<Json<SessionMessages>> {
    Ok(Json(state.service.session_messages(&actor, id, query.cursor(), query.limit()?).await?))
}

async fn feedback(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<MessageId>,
    IdempotencyKey(key): IdempotencyKey,
    Body(request): Body<FeedbackRequest>,
) -> ApiResult<StatusCode> {
    state.service.rate_message_once(&actor, id, request, key.as_deref()).await?;
    Ok(StatusCode::NO_CONTENT)
}
