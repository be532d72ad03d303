//! The consent page: plain HTML that works without scripts. Every text from outside is escaped.

use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use crate::networks::admob::tokens::{AD_MANAGER_SCOPES, SCOPES};
use crate::world::accounts::IDENTITIES;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color:#1f1f1f;background:#fff}\
fieldset{border:1px solid #c4c7c5;border-radius:12px;margin:1rem 0;padding:1rem}label{display:block;padding:.35rem 0}\
button{font:inherit;padding:.6rem 1.6rem;border-radius:999px;border:1px solid #747775;background:#fff;cursor:pointer;margin-right:.5rem}\
button[value=allow]{background:#0b57d0;border-color:#0b57d0;color:#fff}.note{color:#444746}\
@media(prefers-color-scheme:dark){body{background:#131314;color:#e3e3e3}button{background:#131314;color:#e3e3e3}.note{color:#c4c7c5}}";

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

fn page(status: StatusCode, title: &str, body: &str) -> Response {
    let title = escape(title);
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style></head><body><main><h1>{title}</h1>{body}</main></body></html>"
    );
    let headers = [
        (header::CACHE_CONTROL, "no-store"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
        ),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    (status, headers, Html(html)).into_response()
}

/// Returns the page for an error that must not be redirected.
pub fn problem(title: &str, text: &str) -> Response {
    page(StatusCode::BAD_REQUEST, title, &format!("<p>{}</p>", escape(text)))
}

fn meaning(scope: &str) -> &str {
    match SCOPES.iter().position(|known| *known == scope) {
        Some(0) => "See all AdMob data",
        Some(1) => "See ad performance and earnings reports",
        Some(_) => "See, create and change AdMob monetization settings",
        None if scope == AD_MANAGER_SCOPES[0] => "See, create and change Google Ad Manager data",
        None if scope == AD_MANAGER_SCOPES[1] => "See Google Ad Manager data",
        None => scope,
    }
}

/// Returns the page that asks for an identity, shows the scopes and offers Allow and Deny. Hidden fields carry the request.
pub fn consent(client: &str, scope: &str, asked: &[(String, String)], hint: Option<&str>) -> Response {
    let chosen = IDENTITIES.iter().position(|identity| Some(identity.email) == hint).unwrap_or(0);
    let hidden: String = asked
        .iter()
        .filter(|(name, _)| !["identity", "decision", "granular", "granted"].contains(&name.as_str()))
        .map(|(name, value)| format!("<input type=\"hidden\" name=\"{}\" value=\"{}\">", escape(name), escape(value)))
        .collect::<Vec<_>>()
        .concat();
    let identities: String = IDENTITIES
        .iter()
        .enumerate()
        .map(|(index, identity)| {
            let checked = if index == chosen { " checked" } else { "" };
            format!(
                "<label><input type=\"radio\" name=\"identity\" value=\"{}\"{checked}> {} <span class=\"note\">{}</span></label>",
                escape(identity.email),
                escape(identity.label),
                escape(identity.email)
            )
        })
        .collect::<Vec<_>>()
        .concat();
    let scopes: String = scope
        .split(' ')
        .map(|scope| {
            let (value, meaning) = (escape(scope), escape(meaning(scope)));
            format!("<label><input type=\"checkbox\" name=\"granted\" value=\"{value}\" checked> {meaning}</label>")
        })
        .collect::<Vec<_>>()
        .concat();
    let body = format!(
        "<p class=\"note\">Simulated Google sign-in of the sandbox. No real account is involved.</p>\
         <form method=\"post\">{hidden}<fieldset><legend>Choose an account</legend>{identities}</fieldset>\
         <p><strong>{}</strong> wants to:</p><input type=\"hidden\" name=\"granular\" value=\"1\">{scopes}\
         <p><button type=\"submit\" name=\"decision\" value=\"allow\">Allow</button>\
         <button type=\"submit\" name=\"decision\" value=\"deny\">Deny</button></p></form>",
        escape(client)
    );
    page(StatusCode::OK, "Sign in with Google (sandbox)", &body)
}
