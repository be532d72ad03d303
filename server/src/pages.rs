//! The web app: server-rendered pages, its server functions, and the files they need.

use std::{
    fs,
    future::poll_fn,
    net::SocketAddr,
    panic::AssertUnwindSafe,
    path::Path,
    pin::pin,
    sync::{Arc, LazyLock},
};

use adagent_app::{App, FormTargets, PartFiles, SecureCookies, ServerNow, error_document, of_page, shell};
use adagent_contract::links;
use adagent_domain::Clock;
use adagent_http::RequestId;
use adagent_service::Service;
use axum::{
    Router,
    extract::{Request, State},
    handler::HandlerWithoutStateExt as _,
    http::{HeaderValue, Method, StatusCode, header},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{Html, IntoResponse as _, Response},
    routing::post,
};
use futures::FutureExt as _;
use leptos::prelude::{Env, LeptosOptions, Owner, provide_context};
use leptos_axum::{AxumRouteListing, LeptosRoutes as _, generate_route_list, render_app_async_with_context};
use tower::ServiceExt as _;
use tower_http::{limit::RequestBodyLimitLayer, services::ServeDir};

use crate::{approval_form, page_forms};

/// The longest body of a server function; the operations of the API have their own limit.
const BODY_LIMIT: usize = 2 << 20;
/// The content security policy of pages without JavaScript.
const PLAIN: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

/// The routes of all pages. While Leptos lists them, every page of the process stops loading, and a page that loads then waits
/// forever. So we list them once, before the first router serves.
static ROUTES: LazyLock<Vec<AxumRouteListing>> = LazyLock::new(|| generate_route_list(App));

/// Returns the address of every page, with `{…}` in place of an ID.
pub fn paths() -> Vec<String> {
    ROUTES.iter().map(|route| route.path().to_owned()).collect()
}

/// Serves pages, server functions and files.
pub fn router(service: Arc<Service>, clock: Arc<dyn Clock>, site: &Path, address: SocketAddr) -> Router {
    let options = LeptosOptions::builder()
        .output_name("web")
        .site_root(site.to_string_lossy().into_owned())
        .site_pkg_dir(format!("pkg/{}", build_of(site)).trim_end_matches('/').to_owned())
        .site_addr(address)
        .env(Env::PROD)
        .build();
    let maker = Arc::clone(&service);
    let parts = Arc::new(parts_of(site));
    let context = {
        let clock = Arc::clone(&clock);
        let targets = FormTargets(service.consent_origins().into_iter().chain(service.google_origin()).collect());
        let secure = SecureCookies(service.mcp_url().starts_with("https:"));
        move || {
            provide_context(targets.clone());
            provide_context(Arc::clone(&parts));
            provide_context(secure);
            provide_context(Arc::clone(&service));
            provide_context(ServerNow(clock.now()));
        }
    };
    let document = {
        let options = options.clone();
        move || shell(options.clone())
    };
    let minting = Arc::clone(&maker);
    let mint = move |place, form| page_forms::mint(Arc::clone(&minting), place, form);
    let mint = post(page_forms::answer(mint, context.clone(), document.clone()));
    let renewing = Arc::clone(&maker);
    let renew = move |place, form| page_forms::renew(Arc::clone(&renewing), place, form);
    let renew = post(page_forms::answer(renew, context.clone(), document.clone()));
    let signing = Arc::clone(&maker);
    let sign_in = move |place, form| page_forms::sign_in(Arc::clone(&signing), place, form);
    let sign_in = post(page_forms::answer(sign_in, context.clone(), document.clone()));
    let deciding = Arc::clone(&maker);
    let decide = move |place, form| approval_form::decide(Arc::clone(&deciding), place, form);
    let decide = post(page_forms::answer(decide, context.clone(), document.clone()));
    let saving = Arc::clone(&maker);
    let save = move |place, fields| page_forms::save_agent(Arc::clone(&saving), place, fields);
    let save = post(page_forms::answer(save, context.clone(), document.clone()));
    let writing = Arc::clone(&maker);
    let write = move |place, form| page_forms::save_document(Arc::clone(&writing), place, form);
    let write = post(page_forms::answer(write, context.clone(), document.clone()));
    let page = render_app_async_with_context(context.clone(), document.clone());
    let nowhere = move |request: Request| {
        let page = page(request);
        async move {
            let mut response = page.await;
            // The app accepts `/chat/` for `/chat`, but `/chat/` is not one of our addresses.
            if response.status().is_success() {
                *response.status_mut() = StatusCode::NOT_FOUND;
            }
            response
        }
    };
    let files = ServeDir::new(site)
        .precompressed_br()
        .precompressed_gzip()
        .append_index_html_on_directories(false)
        .call_fallback_on_method_not_allowed(true)
        .fallback(nowhere.clone().into_service());
    let rest = move |request: Request| {
        let (files, nowhere) = (files.clone(), nowhere.clone());
        async move {
            if may_be_a_file(request.uri().path()) {
                files.oneshot(request).await.into_response()
            } else {
                nowhere(request).await
            }
        }
    };
    Router::new()
        .leptos_routes_with_context(&options, ROUTES.clone(), context, document)
        .route(page_forms::TOKENS, mint)
        .route(page_forms::ACCOUNT, renew)
        .route(page_forms::TOOL_SERVERS, sign_in)
        .route(approval_form::APPROVALS, decide)
        .route(page_forms::AGENT, save)
        .route(page_forms::DOCUMENT, write)
        .fallback(rest)
        .with_state(options)
        .layer(from_fn_with_state((maker, Arc::clone(&clock)), settle))
        .layer(from_fn(stays_here))
        .layer(from_fn(alone))
        .layer(RequestBodyLimitLayer::new(BODY_LIMIT))
        .layer(from_fn(keep))
        .layer(from_fn_with_state(clock, broken))
}

/// Returns the folder of the web app's build below `pkg`, as `cargo xtask build` names it; empty if there is no build.
fn build_of(site: &Path) -> String {
    let name = fs::read_to_string(site.join("pkg/BUILD")).unwrap_or_default();
    if is_build(&name) { name } else { String::new() }
}

/// Returns the files of the app's parts, from the manifest of the build.
fn parts_of(site: &Path) -> PartFiles {
    let folder = format!("pkg/{}", build_of(site));
    let manifest = fs::read(site.join(&folder).join("__wasm_split_manifest.json")).unwrap_or_default();
    PartFiles { folder: format!("/{folder}"), needed: serde_json::from_slice(&manifest).unwrap_or_default() }
}

/// Checks the name of a build, which is a hash of its contents.
fn is_build(name: &str) -> bool {
    name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Limits the referrer to this site. After a form without JavaScript, Leptos redirects to the referrer, which another site could
/// set to its own address.
async fn stays_here(mut request: Request, next: Next) -> Response {
    let headers = request.headers_mut();
    if let Some(from) = headers.remove(header::REFERER) {
        let url = from.to_str().ok().and_then(|text| url::Url::parse(text).ok());
        let place = url.and_then(|url| links::return_path(&url[url::Position::BeforePath..url::Position::AfterQuery]));
        if let Some(place) = place.and_then(|place| HeaderValue::try_from(place).ok()) {
            headers.insert(header::REFERER, place);
        }
    }
    next.run(request).await
}

/// Determines the workspace of a page before it is rendered, because everything on the page reads there. If that fails, we render
/// no page: without a workspace, the page would act in another one than its address says.
async fn settle(
    State((service, clock)): State<(Arc<Service>, Arc<dyn Clock>)>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    let page = !path.starts_with("/desk/") && !path.rsplit('/').next().is_some_and(|last| last.contains('.'));
    if !page {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    if let Some(workspace) = of_page(&service, &parts).await {
        if let Some(status) = workspace.broke() {
            let id = parts.extensions.get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
            tracing::error!(request_id = id, %status, "the workspace of a page could not be found out");
            let page = Html(error_document(&id, clock.now(), None));
            return (status, [(header::CONTENT_SECURITY_POLICY, PLAIN)], page).into_response();
        }
        parts.extensions.insert(workspace);
    }
    next.run(Request::from_parts(parts, body)).await
}

/// Checks whether a path could be a file. File systems allow no longer names and no NUL, so asking for such a path would be an
/// error instead of "not found".
fn may_be_a_file(path: &str) -> bool {
    path.len() < 1024 && !path.contains("%00") && path.split('/').all(|name| name.len() <= 255)
}

/// Keeps a page's contexts away from other requests. Rendering leaves the page's owner on the thread. Whatever runs there next
/// would start as a part of that page: it would get the page's status and headers, and would end with the page.
async fn alone(request: Request, next: Next) -> Response {
    let mut answer = pin!(next.run(request));
    poll_fn(|context| {
        if let Some(left_behind) = Owner::current() {
            // Keep a copy until after the unset: dropping the last one runs the cleanup, which looks at the thread's owner again.
            let held = left_behind.clone();
            left_behind.unset();
            drop(held);
        }
        answer.as_mut().poll(context)
    })
    .await
}

/// Sets how long browsers may keep what we serve.
async fn keep(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let versioned = path == "/icons.svg" && request.uri().query().is_some_and(|query| query.starts_with("v="));
    let of_build =
        path.strip_prefix("/pkg/").and_then(|rest| rest.split_once('/')).is_some_and(|(name, _)| is_build(name));
    let policy = if versioned || of_build || path.starts_with("/fonts/") {
        "public, max-age=31536000, immutable"
    } else if path.starts_with("/pkg/") || path.rsplit('/').next().is_some_and(|last| last.contains('.')) {
        // The names stay the same between builds, so browsers must ask whether the file changed.
        "no-cache"
    } else {
        // Pages hold what only their reader may see.
        "no-store"
    };
    let mut response = next.run(request).await;
    let is_page =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    // An address may look like a file and still get a page: "not found" is a page that names its reader.
    let policy = if is_page { "no-store" } else { policy };
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static(policy));
    response
}

/// Answers while the database cannot be reached. A person who opens a page gets one that says so and reloads by itself; programs,
/// and the page's own requests, get the problem.
pub async fn away(State(clock): State<Arc<dyn Clock>>, request: Request, next: Next) -> Response {
    const AGAIN: HeaderValue = HeaderValue::from_static("5");
    let accepts = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let opens = request.method() == Method::GET && accepts.contains("text/html");
    let response = next.run(request).await;
    if !opens || response.status() != StatusCode::SERVICE_UNAVAILABLE {
        return response;
    }
    let id = response.headers().get("x-request-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
    let page = error_document(id, clock.now(), None);
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    parts.headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PLAIN));
    parts.headers.insert(header::REFRESH, AGAIN);
    Response::from_parts(parts, page.into())
}

/// Answers with an error page without JavaScript if rendering a page fails.
async fn broken(State(clock): State<Arc<dyn Clock>>, request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
    if let Ok(response) = AssertUnwindSafe(next.run(request)).catch_unwind().await {
        return response;
    }
    tracing::error!(request_id = id, "a page could not be made");
    let page = Html(error_document(&id, clock.now(), None));
    (StatusCode::INTERNAL_SERVER_ERROR, [(header::CONTENT_SECURITY_POLICY, PLAIN)], page).into_response()
}
