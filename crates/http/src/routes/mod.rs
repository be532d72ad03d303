//! The table of routes: the router and the OpenAPI document use the same list.

mod account;
mod activity;
mod agents;
mod approvals;
mod audit_log;
mod auth;
mod chat;
mod chat_stream;
mod checkpoints;
mod context;
mod documents;
mod forms;
mod google;
mod invitations;
mod journal;
mod links;
mod metrics;
mod networks;
mod organizations;
mod plans;
mod providers;
mod reporting;
mod retention;
mod revocations;
mod runs;
mod sandbox;
mod sign_in;
mod system;
mod todos;
mod tokens;
mod tool_servers;
mod usage;

use adagent_contract::codes;
use axum::{
    Router,
    extract::Request,
    http::{HeaderName, HeaderValue, Method, header},
    middleware::{Next, from_fn},
    response::{IntoResponse as _, Response},
    routing::{MethodFilter, MethodRouter, any, on},
};

use crate::{
    error::ApiError,
    openapi::{self, Operation},
    state::HttpState,
};

pub use metrics::{Metrics, Scrape, router as metrics_router};

/// An operation and its handler.
pub struct Route {
    pub operation: Operation,
    handler: MethodRouter<HttpState>,
}

impl Route {
    fn new<H, T>(operation: Operation, handler: H) -> Self
    where
        H: axum::handler::Handler<T, HttpState>,
        T: 'static,
    {
        let method = MethodFilter::try_from(operation.method.clone()).expect("operations use the common methods");
        Self { operation, handler: on(method, handler) }
    }
}

/// Returns every route of the contract.
pub fn all() -> Vec<Route> {
    let families: &[fn() -> Vec<Route>] = &[
        auth::routes,
        google::routes,
        links::routes,
        sign_in::routes,
        providers::routes,
        networks::routes,
        context::routes,
        chat::routes,
        chat_stream::routes,
        plans::routes,
        runs::routes,
        checkpoints::routes,
        approvals::routes,
        activity::routes,
        sandbox::routes,
        system::routes,
        metrics::routes,
        usage::routes,
        tokens::routes,
        organizations::routes,
        invitations::routes,
        audit_log::routes,
        account::routes,
        agents::routes,
        journal::routes,
        todos::routes,
        documents::routes,
        tool_servers::routes,
        reporting::routes,
        retention::routes,
        revocations::routes,
    ];
    families.iter().flat_map(|routes| routes()).collect()
}

/// Makes the router of the contract, without the layers around it.
pub fn api(state: HttpState) -> Router {
    let document = openapi::document();
    let mut router = Router::new();
    for route in all() {
        router = router.route(route.operation.path, route.handler);
    }
    router
        .route("/api/openapi.json", on(MethodFilter::GET, move || std::future::ready(axum::Json(document.clone()))))
        .route("/api/{*rest}", any(unknown))
        // Programs look here for what a server offers, and expect JSON.
        .route("/.well-known/{*rest}", any(unknown))
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn(headers))
        .with_state(state)
}

/// Returns the error for a sign-in elsewhere that a program began: it ends in the browser session where it began.
fn no_session() -> ApiError {
    ApiError::bad_request("Signing in there needs a browser session. Begin on the settings page.")
}

async fn unknown() -> ApiError {
    ApiError::not_found("route")
}

async fn method_not_allowed(method: Method) -> ApiError {
    ApiError::new(
        405,
        codes::METHOD_NOT_ALLOWED,
        "Method not allowed",
        format!("{method} isn't allowed here. See /api/openapi.json."),
    )
}

/// Keeps responses of operations out of caches, and keeps them from running anything in a browser.
async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await.into_response();
    let headers = response.headers_mut();
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.insert(
        HeaderName::from_static("content-security-policy"),
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    );
    response
}
