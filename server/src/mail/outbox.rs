//! `/dev/outbox`: shows mails that were not sent, for a developer at this machine; mounted nowhere else. It answers only requests
//! that name this machine as the host, so that a foreign page cannot read it through a name that resolves to this machine (DNS
//! rebinding). It refuses requests that a proxy passed on.

use std::{fmt::Write as _, sync::Arc};

use adagent_http::was_forwarded;
use adagent_service::{Kept, Outbox};
use axum::{
    Json, Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, Version, header},
    middleware::{Next, from_fn},
    response::{Html, IntoResponse as _, Response},
    routing::get,
};
use serde_json::{Value, json};

use crate::keys::is_here;

/// Blocks scripts and all loading; only the mails' own inline styles apply.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

pub fn router(outbox: Arc<Outbox>) -> Router {
    Router::new()
        .route("/dev/outbox", get(page))
        .route("/dev/outbox.json", get(list))
        .layer(from_fn(this_machine))
        .with_state(outbox)
}

async fn this_machine(request: Request, next: Next) -> Response {
    if !names_this_machine(request.headers()) || was_passed_on(&request) {
        return (StatusCode::MISDIRECTED_REQUEST, "Open this page at localhost.").into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

/// Checks whether a proxy passed the request on. A proxy on this machine also names this machine, no matter who called the proxy.
/// Proxies that add no header, such as nginx by default, mostly speak HTTP/1.0 to the server behind them, which browsers never
/// do.
fn was_passed_on(request: &Request) -> bool {
    was_forwarded(request.headers()) || request.version() < Version::HTTP_11
}

fn names_this_machine(headers: &HeaderMap) -> bool {
    let named = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let uri = named.and_then(|host| format!("http://{host}/").parse::<Uri>().ok());
    let url = uri.and_then(|uri| url::Url::parse(&uri.to_string()).ok());
    url.is_some_and(|url| is_here(&url))
}

async fn list(State(outbox): State<Arc<Outbox>>) -> Json<Value> {
    let items = outbox.mails().into_iter().map(|Kept { id, at, mail }| {
        json!({
            "id": id, "at": at, "to": mail.to(), "subject": mail.subject(), "text": mail.text(), "html": mail.html(),
            "url": mail.url(),
        })
    });
    Json(json!({ "items": items.collect::<Vec<_>>() }))
}

async fn page(State(outbox): State<Arc<Outbox>>) -> Html<String> {
    let mails = outbox.mails();
    let mut html = String::from(
        "<!doctype html><html lang=\"en\"><head><title>Outbox</title><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <style>:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}\
         h1{font-size:1.4rem}h2{font-size:1.05rem;margin:0 0 .25rem}article{border:1px solid #8886;border-radius:8px;padding:1rem 1.25rem;margin:1rem 0}\
         .meta{margin:0 0 .75rem;opacity:.75;font-size:.85rem}</style></head><body><h1>Outbox</h1>\
         <p>Emails this server would have sent, newest first. They are gone when it stops.</p>",
    );
    if mails.is_empty() {
        html.push_str("<p>No emails yet.</p>");
    }
    for Kept { at, mail, .. } in mails {
        let (to, subject) = (escaped(mail.to()), escaped(mail.subject()));
        let _ = write!(
            html,
            "<article><h2>{subject}</h2><p class=\"meta\">To {to}, {at}</p>{}</article>",
            body_of(&mail.html())
        );
    }
    html.push_str("</body></html>");
    Html(html)
}

/// Returns the inside of a mail's `body`.
fn body_of(html: &str) -> &str {
    let inner = html.split_once("<body").and_then(|(_, rest)| rest.split_once('>'));
    inner.and_then(|(_, rest)| rest.rsplit_once("</body>")).map_or("", |(body, _)| body)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let asked = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
            names_this_machine(&headers)
        };
        assert!(asked("localhost:3000") && asked("127.0.0.1") && asked("[::1]:3000"));
        assert!(!asked("rebound.example:3000") && !asked("127.0.0.1.nip.example") && !asked(""));
        assert!(!names_this_machine(&HeaderMap::new()));
    }

    #[test]
    fn what_a_proxy_passes_on_is_not_answered() {
        let asked = |name: &str, version: Version| {
            let request = Request::builder().version(version).header(name, "x").body(axum::body::Body::empty());
            was_passed_on(&request.unwrap())
        };
        for name in ["x-forwarded-for", "X-Forwarded-Proto", "x-forwarded-port", "forwarded", "x-real-ip", "via"] {
            assert!(asked(name, Version::HTTP_11), "{name}");
        }
        assert!(!asked("accept", Version::HTTP_11) && !asked("accept", Version::HTTP_2));
        assert!(asked("accept", Version::HTTP_10));
    }
}
