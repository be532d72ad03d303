//! Streams what changes for a person in a workspace.

use std::convert::Infallible;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{
        IntoResponse as _, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures::StreamExt as _;

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Acting, CameWith},
    openapi::Operation,
    sse::HEARTBEAT,
    state::HttpState,
};

pub fn routes() -> Vec<Route> {
    vec![Route::new(
        Operation::get(
            "/api/activity",
            "get_activity",
            "approvals",
            "Approvals that are pending; asked for as text/event-stream, said again whenever a chat, a run or an approval of yours changed",
        )
        .json(200, "Activity"),
        activity,
    )]
}

async fn activity(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    CameWith(pass): CameWith,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let follows = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    if !follows.is_some_and(|accept| accept.contains("text/event-stream")) {
        return Ok(Json(state.service.activity(&actor).await?).into_response());
    }
    let news = state.service.follow_activity(&actor, pass)?;
    let events = news
        .map(|activity| Ok::<_, Infallible>(Event::default().event("activity").json_data(activity).unwrap_or_default()))
        .take_until(state.stopping.clone().cancelled_owned());
    let mut response = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT).text("")).into_response();
    let headers = response.headers_mut();
    // Proxies must not buffer events.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
