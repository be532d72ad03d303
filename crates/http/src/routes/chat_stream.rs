//! Sends a message, or answers an approval: both start or wake a run and stream it.

use adagent_contract::{AnswerRequest, ChatRequest};
use adagent_domain::WorkspaceId;
use adagent_service::{Results, Started};
use axum::{
    extract::{OriginalUri, State},
    http::{HeaderName, HeaderValue, StatusCode, Uri},
    response::{IntoResponse as _, Redirect, Response},
};

use super::Route;
use crate::{
    error::{ApiError, ApiResult},
    extract::{Acting, CameWith, Deciding, IdempotencyKey, Json as Body, JsonOrForm},
    openapi::Operation,
    sse,
    state::HttpState,
};

const TAG: &str = "chat";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::post("/chat/stream", "ask", TAG, "Ask; the run continues if the reader disconnects")
                .form("ChatRequest")
                .idempotent()
                .events(),
            ask,
        ),
        Route::new(
            Operation::post(
                "/chat/approve-tool",
                "answer_approval",
                TAG,
                "Approve (with changes) or deny; the first answer wins, a second gets 409",
            )
            .body("AnswerRequest")
            .idempotent()
            .events()
            .empty(204),
            answer,
        ),
    ]
}

async fn ask(
    State(state): State<HttpState>,
    acting: ApiResult<Acting>,
    OriginalUri(address): OriginalUri,
    came_with: ApiResult<CameWith>,
    IdempotencyKey(key): IdempotencyKey,
    JsonOrForm { value, form }: JsonOrForm<ChatRequest>,
) -> ApiResult<Response> {
    let Some(form) = form else {
        let (Acting(actor), CameWith(pass)) = (acting?, came_with?);
        // Take the seat before anything begins: a person who cannot follow the run must get the refusal first.
        let seat = state.service.take_seat(&actor)?;
        let Started { session_id, run_id, message_id } =
            state.service.send(&actor.grant()?, value?, key.as_deref()).await?;
        let events = state.service.follow_events_with(&actor, run_id, (0, Results::Whole), (pass, seat)).await?;
        let mut response = sse::stream(&state, run_id, Some(session_id), events);
        if let Ok(id) = HeaderValue::from_str(&message_id.to_string()) {
            response.headers_mut().insert(HeaderName::from_static("x-message-id"), id);
        }
        return Ok(response);
    };
    // The composer without JavaScript: go to the chat, which reads the run.
    let outcome = async {
        let Acting(actor) = acting?;
        Ok::<_, ApiError>(state.service.send(&actor.grant()?, value?, key.as_deref()).await?)
    }
    .await;
    match outcome {
        Ok(started) => {
            Ok(Redirect::to(&in_workspace(&format!("/chat/{}", started.session_id), &address)).into_response())
        }
        Err(error) if error.problem.status >= 500 => Err(error),
        Err(error) => Ok(Redirect::to(&in_workspace(&back(&form, &error), &address)).into_response()),
    }
}

/// Returns the page in the workspace that the form named.
fn in_workspace(page: &str, address: &Uri) -> String {
    let named = url::form_urlencoded::parse(address.query().unwrap_or_default().as_bytes())
        .find(|(name, value)| name == "workspace" && (value == "personal" || value.parse::<WorkspaceId>().is_ok()));
    match named {
        Some((_, id)) => format!("{page}{}workspace={id}", if page.contains('?') { '&' } else { '?' }),
        None => page.to_owned(),
    }
}

/// Returns the address of the form's page with the error and the written text, so that the text is not lost.
fn back(form: &[(String, String)], error: &ApiError) -> String {
    const LONGEST_DRAFT: usize = 1500;
    let field =
        |name: &str| form.iter().find(|(key, value)| key == name && !value.is_empty()).map(|(_, value)| value.as_str());
    if error.problem.status == 401 {
        return "/sign-in?return=%2Fchat".into();
    }
    // Only an ID can be part of the path.
    let session =
        field("session_id").filter(|id| id.len() == 36 && id.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-'));
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("error", &error.problem.code);
    if let Some(draft) = field("message").filter(|draft| draft.len() <= LONGEST_DRAFT) {
        query.append_pair("draft", draft);
    }
    match session {
        Some(id) if error.problem.status != 404 => format!("/chat/{id}?{}", query.finish()),
        _ => format!("/chat?{}", query.finish()),
    }
}

async fn answer(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    CameWith(pass): CameWith,
    IdempotencyKey(key): IdempotencyKey,
    Body(request): Body<AnswerRequest>,
) -> ApiResult<Response> {
    let seat = state.service.take_seat(&actor)?;
    let answered = state.service.answer_approval_once(&actor.grant()?, request, key.as_deref()).await?;
    // Another person's run is theirs alone to read.
    let Some(after) = answered.after else { return Ok(StatusCode::NO_CONTENT.into_response()) };
    let from = (after, Results::Whole);
    let events = state.service.follow_events_with(&actor, answered.run_id, from, (pass, seat)).await?;
    Ok(sse::stream(&state, answered.run_id, answered.session_id, events))
}
