//! The browsers in which the person is signed in.

use adagent_contract::{BrowserSessionView, FailedSignInsView};
use leptos::prelude::*;

use super::Told;
use crate::{
    PageClock,
    ui::{ErrorLine, Glyph, Icon, format},
};

/// Returns the name of a browser as people know it. It is a guess for display; nothing depends on it.
fn called(agent: &str) -> String {
    let first =
        |known: &[(&str, &'static str)]| known.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name);
    let browser = first(&[
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]);
    let system = first(&[
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ]);
    match (browser, system) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) if agent.is_empty() => "Unknown browser".to_owned(),
        (None, None) => agent.chars().take(60).collect(),
    }
}

#[component]
pub fn Sessions(sessions: Vec<BrowserSessionView>, failed: Vec<FailedSignInsView>, told: Told) -> impl IntoView {
    let others = sessions.iter().any(|session| !session.current);
    let error = told.of("sessions");
    view! {
        <section class="section" aria-labelledby="sessions-h">
            <div class="section-head">
                <h3 id="sessions-h">"Where you're signed in"</h3>
                {others.then(|| view! {
                    <form action="/api/account/sessions/end-others" method="post">
                        <button class="button" type="submit">"Sign out all other browsers"</button>
                    </form>
                })}
            </div>
            {error.map(|text| view! { <ErrorLine text/> })}
            {(!failed.is_empty()).then(|| view! { <Failed failed/> })}
            <ul class="card">{sessions.into_iter().map(|session| view! { <Session session/> }).collect_view()}</ul>
        </section>
    }
}

/// Lists failed sign-ins: the person mistyped, or somebody else tried.
#[component]
fn Failed(failed: Vec<FailedSignInsView>) -> impl IntoView {
    let clock = PageClock::get();
    let lines = failed.into_iter().map(|FailedSignInsView { address, attempts, last_at, .. }| {
        let times =
            format::plural(usize::try_from(attempts).unwrap_or(usize::MAX), "wrong password", "wrong passwords");
        let from = if address.is_empty() { "other places".to_owned() } else { address };
        view! { <li>{move || format!("{times} from {from}, most recently {}", clock.ago(last_at))}</li> }
    });
    view! {
        <div class="note" id="failed-sign-ins">
            <Icon glyph=Glyph::TriangleAlert/>
            <div>
                <p><strong>"Someone tried to sign in with a wrong password."</strong>" If that wasn't you, your account is still safe: nobody got in. Turn on two-factor authentication for extra protection."</p>
                <ul>{lines.collect_view()}</ul>
            </div>
        </div>
    }
}

#[component]
fn Session(session: BrowserSessionView) -> impl IntoView {
    let clock = PageClock::get();
    let BrowserSessionView { id, current, created_at, last_seen_at, agent, address } = session;
    let name = called(&agent);
    let unseen = format!(" of {name}");
    view! {
        <li class="net-row">
            <Icon glyph=Glyph::KeyRound/>
            <div>
                <h4 title=agent>{name}{current.then(|| view! { <span class="badge good">"This browser"</span> })}</h4>
                <p class="facts">
                    <span>{move || format!("signed in {}", clock.ago(created_at))}</span>
                    <span>{move || format!("last used {}", clock.ago(last_seen_at))}</span>
                    {(!address.is_empty()).then(|| view! { <span>{format!("from {address}")}</span> })}
                </p>
            </div>
            <div class="actions">
                {(!current).then(|| view! {
                    <form action=format!("/api/account/sessions/{id}/end") method="post">
                        <button class="button" type="submit">"Sign out"<span class="unseen">{unseen}</span></button>
                    </form>
                })}
            </div>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_called_as_people_call_them() {
        for (agent, name) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
                "Chrome on Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1",
                "Safari on iPhone",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:144.0) Gecko/20100101 Firefox/144.0",
                "Firefox on macOS",
            ),
            ("", "Unknown browser"),
            ("curl/8.5.0", "curl/8.5.0"),
        ] {
            assert_eq!(called(agent), name);
        }
        assert_eq!(called(&"x".repeat(300)).len(), 60);
    }
}
