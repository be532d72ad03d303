//! The sign-in of a tool server: its state, the button that begins, and the way to the server's own page.
//!
//! The button posts to this page, and the answer is this page with a link to the sign-in. So people see where they go, it works without
//! JavaScript, and no form of ours leads to a foreign address.

use adagent_contract::ServerAccess;
use adagent_domain::ToolServerId;
use leptos::prelude::*;

use crate::{
    clock::PageClock,
    features::{api::SignInPosted, form},
    ui::{Glyph, Icon},
};

pub(super) const PAGE: &str = "/settings/tool-servers";

/// Returns the result of the form that was posted to this page. Only the server that answers the post knows it.
pub(super) fn given() -> Option<SignInPosted> {
    #[cfg(feature = "ssr")]
    return use_context::<SignInPosted>();
    #[cfg(not(feature = "ssr"))]
    None
}

/// Explains what the round trip put into the address.
pub(super) fn explain(code: &str) -> &'static str {
    match code {
        "access_denied" => "You declined, so nobody was signed in.",
        "validation_failed" => "That sign-in expired or started in another browser. Sign in again.",
        "forbidden" => "You may no longer manage tool servers here. Nobody was signed in.",
        _ => "The sign-in didn’t finish. The server below says why.",
    }
}

/// Returns the host of an address, as people read it.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

#[component]
pub(super) fn SignIn(
    id: ToolServerId,
    name: String,
    access: ServerAccess,
    /// Where our client sends the browser back to, if an admin registered it.
    callback: Option<String>,
    may_manage: bool,
    posted: Option<SignInPosted>,
) -> impl IntoView {
    let clock = PageClock::get();
    let posted = posted.filter(|posted| posted.id == id);
    let (text, tone) = match access {
        ServerAccess::SignedIn { .. } => (String::new(), ""),
        ServerAccess::SignedOut => {
            (format!("Nobody has signed in to {name} yet, so we don’t know its tools."), "note wait")
        }
        ServerAccess::Expired { .. } => (
            format!("The sign-in to {name} has expired. Its tools don’t work until someone signs in again."),
            "note bad",
        ),
    };
    let asks_admin = (!may_manage && !text.is_empty()).then_some(" An admin can sign in.");
    let label = if access == ServerAccess::SignedOut { "Sign in" } else { "Sign in again" };
    let said = format!(" to {name}");
    let button = may_manage.then(|| {
        let class =
            if matches!(access, ServerAccess::SignedIn { .. }) { "button ghost small" } else { "button primary small" };
        view! {
            <form method="post" action=form::here(PAGE)>
                <input type="hidden" name="id" value=id.to_string()/>
                <button class=class type="submit">{label}<span class="unseen">{said}</span></button>
            </form>
        }
    });
    let state = match access {
        ServerAccess::SignedIn { since } => view! {
            <div class="row wrap between">
                <p class="quiet-text">"Signed in "<time datetime=since.to_string()>{move || clock.ago(since)}</time></p>
                {button}
            </div>
        }
        .into_any(),
        _ => view! {
            <div class=tone role="note">
                <Icon glyph=Glyph::KeyRound/>
                <div class="grow">
                    <p>{text}{asks_admin}</p>
                    {callback.map(|url| view! { <p>"Its redirect address is "<code>{url}</code></p> })}
                </div>
                {button}
            </div>
        }
        .into_any(),
    };
    let begun = posted.map(|posted| match posted.begun {
        Ok(begun) => {
            let to = host(&begun.authorization_url).to_owned();
            view! {
                <div class="note good" role="status" id="sign-in-at">
                    <Icon glyph=Glyph::KeyRound/>
                    <p class="grow">"Continue at "<strong>{to}</strong>" to sign in. Afterwards you come back here."</p>
                    <a class="button primary small" href=begun.authorization_url rel="noreferrer">"Continue"</a>
                </div>
            }
            .into_any()
        }
        Err(problem) => {
            let text = problem.errors.first().map_or(problem.detail.clone(), |field| field.message.clone());
            view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> }.into_any()
        }
    });
    view! { {state}{begun} }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_the_host_they_go_to() {
        assert_eq!(host("https://accounts.example.com/authorize?x=https://evil.example"), "accounts.example.com");
        assert_eq!(host("http://127.0.0.1:4330?x"), "127.0.0.1:4330");
    }
}
