//! The HTML document around the app, and the separate pages for "not found" and for errors.
//!
//! It has two inline scripts: one sets the theme, the other sends a question before hydration. Both carry the nonce that the
//! content security policy names.

use leptos::prelude::*;
use leptos_meta::{MetaTags, Title};

use crate::{
    early,
    features::{api::PERSONAL, desk::SwitchTo},
    theme,
    ui::{CopyButton, Glyph, Icon, format},
};

/// Where our forms may lead besides our own pages: the origins of the networks' consent pages.
#[derive(Debug, Clone, Default)]
pub struct FormTargets(pub Vec<String>);

/// Returns the document. The server calls this for every page.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    #[cfg(feature = "ssr")]
    server::set_policy();
    let nonce = leptos::nonce::use_nonce();
    #[cfg(feature = "ssr")]
    let (workspace, name) = match standing() {
        Some(standing) => (Some(standing.actor.workspace.to_string()), standing.several.then(|| standing.name())),
        None => (is_nowhere().then(String::new), None),
    };
    #[cfg(not(feature = "ssr"))]
    let (workspace, name) = (None::<String>, None::<String>);
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=chosen_theme() data-workspace=workspace data-workspace-name=name>
            <head>
                <Head nonce=nonce.clone()/>
                <script nonce=nonce>{early::SCRIPT}</script>
                <AutoReload options=options.clone()/>
                <HydrationScripts options/>
                <MetaTags/>
            </head>
            <body>
                <crate::App/>
            </body>
        </html>
    }
}

/// Returns the theme that this browser chose; `None` follows the device.
fn chosen_theme() -> Option<&'static str> {
    #[cfg(feature = "ssr")]
    {
        let theme = crate::features::api::theme_of_page();
        (theme != crate::features::api::Theme::System).then(|| theme.id())
    }
    #[cfg(not(feature = "ssr"))]
    None
}

/// Returns the person and the workspace that the page acts for; `None` if nobody is signed in, or if the person is not a member
/// of the workspace in the address.
#[cfg(feature = "ssr")]
pub fn standing() -> Option<crate::features::api::Standing> {
    let parts = use_context::<axum::http::request::Parts>()?;
    let crate::PageWorkspace(found) = parts.extensions.get()?;
    found.as_ref().ok().copied()
}

/// Checks whether the address names a workspace that the person is not a member of.
#[cfg(feature = "ssr")]
pub fn is_nowhere() -> bool {
    let parts = use_context::<axum::http::request::Parts>();
    let page = parts.as_ref().and_then(|parts| parts.extensions.get::<crate::PageWorkspace>());
    page.is_some_and(|crate::PageWorkspace(found)| found.as_ref().is_err_and(|problem| problem.status == 404))
}

/// Sets the status of the page to 404.
pub fn mark_not_found() {
    #[cfg(feature = "ssr")]
    server::not_found();
}

#[component]
fn Head(nonce: Option<leptos::nonce::Nonce>) -> impl IntoView {
    view! {
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover"/>
        <meta name="color-scheme" content="light dark"/>
        <script nonce=nonce>{theme::SCRIPT}</script>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml"/>
        <link rel="preload" href="/fonts/hanken-grotesk-latin.woff2" r#as="font" type="font/woff2" crossorigin="anonymous"/>
        <link rel="stylesheet" href="/pkg/web.css"/>
    }
}

/// Shows the first link that the keyboard reaches. It leads to `main`, which every page has.
#[component]
pub fn SkipLink() -> impl IntoView {
    view! { <SkipTo to="main">"Skip to content"</SkipTo> }
}

/// Shows a link that is visible only while it has the focus. It moves the focus to the element with the given ID.
#[component]
pub fn SkipTo(#[prop(into)] to: Signal<String>, children: Children) -> impl IntoView {
    view! {
        <a
            class="skip" href=move || format!("#{}", to.get())
            on:click=move |event| {
                // The router would only scroll there.
                event.prevent_default();
                event.stop_propagation();
                crate::platform::focus(&to.get_untracked());
            }
        >{children()}</a>
    }
}

#[component]
fn Brand() -> impl IntoView {
    view! {
        <a class="brand" href="/">
            <Icon glyph=Glyph::Brand/>
            "ADAgentAI"
        </a>
    }
}

/// Shows the page for an unknown address, or for an address of another workspace.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    let request_id = request_id();
    let path = leptos_router::hooks::use_location().pathname.get_untracked();
    let (text, way, place) = match path.split('/').nth(1) {
        Some("chat") => ("The chat may have been deleted, or it belongs to another workspace.", "New chat", "/chat"),
        Some("runs") => {
            ("The run may have been deleted with its chat, or it belongs to another workspace.", "Go home", "/")
        }
        _ => ("Check the address; the page may have been deleted.", "Go home", "/"),
    };
    view! {
        <Title text="Page not found"/>
        <AlonePage code="404" title="Page not found" request_id>
            <p class="prose quiet-text">
                {text}
            </p>
            <div class="row wrap">
                <a class="button primary" href=place>{way}</a>
            </div>
        </AlonePage>
    }
}

/// Shows that the page's code could not be loaded: there is no connection, or the server was updated in the meantime.
#[component]
pub fn LostPage() -> impl IntoView {
    view! {
        <Title text="Page not loaded"/>
        <main id="main" class="page" tabindex="-1">
            <div class="page-in"><LostPart/></div>
        </main>
    }
}

/// Shows the same for a part of a page.
#[component]
pub fn LostPart() -> impl IntoView {
    view! {
        <div class="note bad" role="alert">
            <Icon glyph=Glyph::CircleAlert/>
            <p class="grow"><strong>"This couldn't be loaded."</strong>" Check your connection, then reload. Your chats and approvals are saved."</p>
            <a class="button small" href="" rel="external">"Reload"</a>
        </div>
    }
}

/// Shows that the workspace in the address does not exist or is not the person's. It does not say which.
#[component]
pub fn UnknownWorkspacePage() -> impl IntoView {
    let request_id = request_id();
    view! {
        <Title text="Workspace not found"/>
        <AlonePage code="404" title="Workspace not found" request_id>
            <p class="prose quiet-text">
                "It may have been deleted, or you're no longer a member. Your personal workspace is still here."
            </p>
            <div class="row wrap">
                <SwitchTo to=PERSONAL class="button primary">"Go to Personal"</SwitchTo>
            </div>
        </AlonePage>
    }
}

/// Shows a friendly page for a server error, with the details that support needs.
#[cfg(feature = "ssr")]
#[component]
fn BrokenPage(#[prop(into)] request_id: String) -> impl IntoView {
    view! {
        <AlonePage code="500" title="Something went wrong on our end" request_id>
            <p class="prose quiet-text">
                "Nothing you approved was sent twice, and your runs continue in the background. Try again in a moment. If it keeps happening, send us the request ID."
            </p>
            <div class="row wrap">
                <a class="button primary" href="">
                    <Icon glyph=Glyph::RefreshCw small=true/>
                    "Try again"
                </a>
                <a class="button" href="/">"Go home"</a>
            </div>
        </AlonePage>
    }
}

/// Shows a page without the rail: code, heading, what to do, and the request ID to report.
#[component]
pub fn AlonePage(code: &'static str, title: &'static str, request_id: String, children: Children) -> impl IntoView {
    let at = crate::PageClock::get().now_untracked();
    let known = !request_id.is_empty();
    view! {
        <div class="alone single">
            <main id="main" tabindex="-1">
                <div class="box">
                    <Brand/>
                    {(!code.is_empty()).then(|| view! { <p class="big-code">{code}</p> })}
                    <h1>{title}</h1>
                    {children()}
                    {known.then(|| view! {
                        <dl class="params num" style="border-top:1px solid var(--line);padding-top:16px;margin-top:8px">
                            <dt>"Request"</dt>
                            <dd class="row">
                                <span class="mono">{request_id.clone()}</span>
                                <CopyButton text=request_id label="Copy request ID"/>
                            </dd>
                            <dt>"Time"</dt>
                            <dd>{format::date_time_utc(at)}</dd>
                        </dl>
                    })}
                </div>
            </main>
        </div>
    }
}

/// Returns the ID under which the server logged this request. It is carried over to the browser for hydration.
fn request_id() -> String {
    SharedValue::new(|| {
        #[cfg(feature = "ssr")]
        {
            server::not_found();
            server::request_id()
        }
        #[cfg(not(feature = "ssr"))]
        String::new()
    })
    .into_inner()
}

#[cfg(feature = "ssr")]
mod server {
    use axum::http::{HeaderName, HeaderValue, StatusCode, request::Parts};
    use leptos::prelude::*;
    use leptos_axum::ResponseOptions;

    /// Sets the content security policy: scripts only from us and with this page's nonce. Styles may be inline, because charts
    /// position things by attribute.
    pub fn set_policy() {
        let (Some(response), Some(nonce)) = (use_context::<ResponseOptions>(), leptos::nonce::use_nonce()) else {
            return;
        };
        let policy = format!(
            "default-src 'self'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
             img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' {}",
            use_context::<super::FormTargets>().unwrap_or_default().0.join(" ")
        );
        if let Ok(value) = HeaderValue::from_str(&policy) {
            response.insert_header(HeaderName::from_static("content-security-policy"), value);
        }
    }

    pub fn not_found() {
        if let Some(response) = use_context::<ResponseOptions>() {
            response.set_status(StatusCode::NOT_FOUND);
        }
    }

    pub fn request_id() -> String {
        use_context::<Parts>()
            .and_then(|parts| parts.headers.get("x-request-id").and_then(|id| id.to_str().ok()).map(str::to_owned))
            .unwrap_or_default()
    }
}

/// Returns the whole document of the 500 page, for the layer that catches panics. It has no script except the theme's.
#[cfg(feature = "ssr")]
pub fn error_document(request_id: &str, at: adagent_domain::Timestamp, nonce: Option<leptos::nonce::Nonce>) -> String {
    let owner = Owner::new();
    owner.with(|| {
        provide_context(crate::PageClock::at(at));
        let page = view! {
            <html lang="en">
                <head>
                    <Head nonce/>
                    <title>"Something went wrong on our end · ADAgentAI"</title>
                </head>
                <body>
                    <BrokenPage request_id/>
                </body>
            </html>
        };
        format!("<!DOCTYPE html>{}", page.to_html())
    })
}
