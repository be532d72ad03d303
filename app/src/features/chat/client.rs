//! Sends messages and follows runs, in the browser. On the server these functions do nothing, because forms post instead.

use adagent_contract::{AnswerRequest, ApprovePlanRequest, ChatRequest, OverrideRequest, Problem, RunEvent};
use adagent_domain::{ChatSessionId, MessageId, RunId};

/// The chat and the run that a message started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    pub session: ChatSessionId,
    pub run: RunId,
    pub message: MessageId,
}

#[cfg(feature = "hydrate")]
mod imp {
    use std::{cell::Cell, rc::Rc};

    use adagent_contract::{
        AnswerRequest, ApprovePlanRequest, ChatRequest, EventBody, OverrideRequest, Problem, RunEvent, codes,
    };
    use adagent_domain::{ChatSessionId, RunId};
    use futures::StreamExt;
    use gloo_net::http::{Request, RequestBuilder, Response};
    use wasm_bindgen::JsCast;

    use super::Started;
    use crate::features::chat::stream::{SseDecoder, retry_delay_ms};

    fn unreachable_server() -> Problem {
        Problem::new(503, codes::UNAVAILABLE, "No response", "We can't reach the server. We kept your text; try again.")
    }

    async fn problem(response: Response) -> Problem {
        let status = response.status();
        response.json().await.unwrap_or_else(|_| {
            Problem::new(status, codes::INTERNAL, "Request rejected", "The server rejected the request.")
        })
    }

    /// Names the workspace in a request. If the page does not know its workspace, it sends nothing: a request without one would
    /// act in the personal workspace.
    fn in_workspace(request: RequestBuilder) -> Result<RequestBuilder, Problem> {
        match crate::platform::workspace() {
            Some(workspace) => Ok(request.header("x-organization-id", &workspace)),
            None => Err(Problem::new(
                409,
                codes::BAD_REQUEST,
                "Unknown workspace",
                "This page lost track of its workspace. Nothing was sent. Reload the page and try again.",
            )),
        }
    }

    fn post(path: &str) -> Result<RequestBuilder, Problem> {
        in_workspace(Request::post(path))
    }

    /// Posts a request and reads only the head of the answer. The events are followed separately, so that leaving the page costs
    /// nothing.
    async fn post_head<T: serde::Serialize>(path: &str, body: &T, key: Option<&str>) -> Result<Response, Problem> {
        let controller = web_sys::AbortController::new().map_err(|_| unreachable_server())?;
        let mut request = post(path)?.header("accept", "text/event-stream").abort_signal(Some(&controller.signal()));
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let response =
            request.json(body).map_err(|_| unreachable_server())?.send().await.map_err(|_| unreachable_server())?;
        if !response.ok() {
            return Err(problem(response).await);
        }
        controller.abort();
        Ok(response)
    }

    pub async fn send(request: &ChatRequest, key: &str) -> Result<Started, Problem> {
        let response = post_head("/chat/stream", request, Some(key)).await?;
        let header = |name: &str| response.headers().get(name).unwrap_or_default();
        match (header("x-session-id").parse(), header("x-run-id").parse(), header("x-message-id").parse()) {
            (Ok(session), Ok(run), Ok(message)) => Ok(Started { session, run, message }),
            _ => Err(Problem::new(
                502,
                codes::INTERNAL,
                "Unexpected response",
                "The server's response was incomplete. Reload the page.",
            )),
        }
    }

    pub async fn answer(request: &AnswerRequest) -> Result<(), Problem> {
        post_head("/chat/approve-tool", request, None).await.map(|_| ())
    }

    pub async fn approve_plan(session: ChatSessionId, request: &ApprovePlanRequest) -> Result<(), Problem> {
        let path = format!("/api/chat/sessions/{session}/plan/approve");
        let request = post(&path)?.json(request).map_err(|_| unreachable_server())?;
        let response = request.send().await.map_err(|_| unreachable_server())?;
        if response.ok() { Ok(()) } else { Err(problem(response).await) }
    }

    pub async fn cancel(run: RunId) -> Result<(), Problem> {
        let response = post(&format!("/api/runs/{run}/cancel"))?.send().await.map_err(|_| unreachable_server())?;
        if response.ok() { Ok(()) } else { Err(problem(response).await) }
    }

    pub async fn correct(run: RunId, request: &OverrideRequest) -> Result<RunId, Problem> {
        let response = post(&format!("/api/runs/{run}/override"))?
            .json(request)
            .map_err(|_| unreachable_server())?
            .send()
            .await
            .map_err(|_| unreachable_server())?;
        if !response.ok() {
            return Err(problem(response).await);
        }
        let started: serde_json::Value = response.json().await.map_err(|_| unreachable_server())?;
        let id = started.get("run_id").and_then(serde_json::Value::as_str).and_then(|id| id.parse().ok());
        id.ok_or_else(|| {
            Problem::new(
                502,
                codes::INTERNAL,
                "Unexpected response",
                "The server's response was incomplete. Reload the page.",
            )
        })
    }

    /// Checks whether the page is hidden; hidden pages keep no connection open.
    fn is_hidden() -> bool {
        let document = web_sys::window().and_then(|window| window.document());
        document
            .and_then(|document| js_sys::Reflect::get(&document, &"hidden".into()).ok())
            .and_then(|hidden| hidden.as_bool())
            .unwrap_or(false)
    }

    async fn pause(ms: u32) {
        gloo_timers::future::TimeoutFuture::new(ms).await;
    }

    /// How often a hidden page, or a stream without events, checks whether it should change.
    const LOOK_MS: u32 = 1_000;
    /// How often lists are loaded again if they cannot be followed.
    const READ_AGAIN_MS: u32 = 15_000;

    /// How long a page that seems to leave stays quiet. A download also looks like leaving, but its page continues afterwards.
    const LEAVING_MS: f64 = 5_000.0;

    pub async fn watch(alive: impl Fn() -> bool, on_news: impl Fn()) {
        let left_at = Rc::new(Cell::new(f64::NEG_INFINITY));
        let leave = Rc::clone(&left_at);
        let listener = leptos::prelude::window_event_listener(leptos::ev::beforeunload, move |_| {
            leave.set(js_sys::Date::now());
        });
        let leaving = move || js_sys::Date::now() - left_at.get() < LEAVING_MS;
        follow_activity(alive, on_news, leaving).await;
        listener.remove();
    }

    /// Follows the activity stream. A page that leaves sends no request, because signing out or deleting the account may already
    /// have ended its session.
    async fn follow_activity(alive: impl Fn() -> bool, on_news: impl Fn(), leaving: impl Fn() -> bool) {
        let mut attempt = 0;
        while alive() {
            if is_hidden() || leaving() {
                pause(LOOK_MS).await;
                continue;
            }
            pause(retry_delay_ms(attempt)).await;
            if leaving() {
                continue;
            }
            let Ok(controller) = web_sys::AbortController::new() else { return };
            let Ok(request) = in_workspace(Request::get("/api/activity")) else { return };
            let sent =
                request.header("accept", "text/event-stream").abort_signal(Some(&controller.signal())).send().await;
            match sent {
                Ok(response) if response.ok() => {
                    attempt = 1;
                    let Some(body) = response.body() else { return };
                    let mut chunks = wasm_streams::ReadableStream::from_raw(body.unchecked_into()).into_stream();
                    loop {
                        let look = Box::pin(pause(LOOK_MS));
                        match futures::future::select(chunks.next(), look).await {
                            // A comment that keeps the connection open is not an event.
                            futures::future::Either::Left((Some(Ok(chunk)), _)) => {
                                if js_sys::Uint8Array::from(chunk).to_vec().windows(6).any(|part| part == b"event:") {
                                    on_news();
                                }
                            }
                            futures::future::Either::Left(_) => break,
                            futures::future::Either::Right(_) => {}
                        }
                        if !alive() || is_hidden() {
                            controller.abort();
                            break;
                        }
                    }
                }
                // The person is no longer signed in or no longer a member. The next load of the lists says so, and redirects if
                // needed.
                Ok(response) if matches!(response.status(), 401 | 403 | 404) => {
                    on_news();
                    return;
                }
                // Too many pages follow already, or the server cannot be reached: load again from time to time instead.
                _ => {
                    attempt += 1;
                    if attempt > 3 {
                        pause(READ_AGAIN_MS).await;
                        if alive() && !is_hidden() {
                            on_news();
                        }
                    }
                }
            }
        }
    }

    pub async fn follow(
        run: RunId,
        after: u64,
        alive: impl Fn() -> bool,
        mut on_event: impl FnMut(RunEvent),
        mut on_link: impl FnMut(bool),
    ) {
        let mut last = after;
        let mut attempt = 0;
        while alive() {
            gloo_timers::future::TimeoutFuture::new(retry_delay_ms(attempt)).await;
            let Ok(controller) = web_sys::AbortController::new() else { return };
            let Ok(request) = in_workspace(Request::get(&format!("/api/runs/{run}/events?results=brief&after={last}")))
            else {
                return;
            };
            let sent =
                request.header("accept", "text/event-stream").abort_signal(Some(&controller.signal())).send().await;
            match sent {
                Ok(response) if response.ok() => {
                    on_link(true);
                    attempt = 1;
                    let Some(body) = response.body() else { return };
                    let mut chunks = wasm_streams::ReadableStream::from_raw(body.unchecked_into()).into_stream();
                    let mut decoder = SseDecoder::default();
                    while let Some(Ok(chunk)) = chunks.next().await {
                        if !alive() {
                            controller.abort();
                            return;
                        }
                        for event in decoder.push(&js_sys::Uint8Array::from(chunk).to_vec()) {
                            last = last.max(event.seq);
                            let finished = matches!(event.body, EventBody::Done { .. });
                            on_event(event);
                            if finished {
                                controller.abort();
                                return;
                            }
                        }
                    }
                }
                Ok(response) if response.status() < 500 && response.status() != 429 => return,
                _ => {
                    on_link(false);
                    attempt += 1;
                }
            }
        }
    }
}

#[cfg(not(feature = "hydrate"))]
#[expect(clippy::unused_async, reason = "twins of the browser's functions")]
mod imp {
    use adagent_contract::{AnswerRequest, ApprovePlanRequest, ChatRequest, OverrideRequest, Problem, RunEvent, codes};
    use adagent_domain::{ChatSessionId, RunId};

    use super::Started;

    fn browser_only() -> Problem {
        Problem::new(501, codes::UNAVAILABLE, "Browser only", "This happens in the browser.")
    }

    pub async fn send(_request: &ChatRequest, _key: &str) -> Result<Started, Problem> {
        Err(browser_only())
    }

    pub async fn answer(_request: &AnswerRequest) -> Result<(), Problem> {
        Err(browser_only())
    }

    pub async fn approve_plan(_session: ChatSessionId, _request: &ApprovePlanRequest) -> Result<(), Problem> {
        Err(browser_only())
    }

    pub async fn cancel(_run: RunId) -> Result<(), Problem> {
        Err(browser_only())
    }

    pub async fn correct(_run: RunId, _request: &OverrideRequest) -> Result<RunId, Problem> {
        Err(browser_only())
    }

    pub async fn watch(_alive: impl Fn() -> bool, _on_news: impl Fn()) {}

    pub async fn follow(
        _run: RunId,
        _after: u64,
        _alive: impl Fn() -> bool,
        _on_event: impl FnMut(RunEvent),
        _on_link: impl FnMut(bool),
    ) {
    }
}

/// Sends a message and returns the run that answers it. Sent again with the same key, it counts as the same message.
pub async fn send(request: &ChatRequest, key: &str) -> Result<Started, Problem> {
    imp::send(request, key).await
}

/// Answers an approval.
pub async fn answer(request: &AnswerRequest) -> Result<(), Problem> {
    imp::answer(request).await
}

/// Approves every pending change of the chat's plan; the events report the results.
pub async fn approve_plan(session: ChatSessionId, request: &ApprovePlanRequest) -> Result<(), Problem> {
    imp::approve_plan(session, request).await
}

/// Stops a run at its next safe point.
pub async fn cancel(run: RunId) -> Result<(), Problem> {
    imp::cancel(run).await
}

/// Runs a failed call again with corrected arguments: starts a new run and returns its ID.
pub async fn correct(run: RunId, request: &OverrideRequest) -> Result<RunId, Problem> {
    imp::correct(run, request).await
}

/// Calls `on_news` whenever something of this person's changes in the workspace, as long as `alive` returns `true` and the page
/// is visible.
pub async fn watch(alive: impl Fn() -> bool, on_news: impl Fn()) {
    imp::watch(alive, on_news).await;
}

/// Passes on every event after `after` until the run is done or `alive` returns `false`. Reconnects broken streams, and reports
/// through `on_link` whether the server can be reached.
pub async fn follow(
    run: RunId,
    after: u64,
    alive: impl Fn() -> bool,
    on_event: impl FnMut(RunEvent),
    on_link: impl FnMut(bool),
) {
    imp::follow(run, after, alive, on_event, on_link).await;
}
