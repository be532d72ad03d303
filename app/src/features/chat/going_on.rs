//! Continues the question after the person connected a network or turned it on.
//!
//! The address says what happened, and anybody can write an address. So the page sends the message by itself only if the person
//! left this chat for the network in this tab, which leaves a mark for one use. Otherwise it puts the message into the composer
//! for them to send.

use adagent_domain::Network;
use leptos::prelude::*;
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_query_map},
};

use super::thread::{Thread, unfinished_question};
use crate::platform;

/// The part of a link to the settings that holds the return path.
const BACK: &str = "return=";

/// Returns the key under which a tab remembers that its person left a chat for a network.
fn mark(chat: &str) -> String {
    format!("left:{chat}")
}

/// Remembers that the person leaves for the settings by this link, or turns the network on right here.
pub fn leave(link: &str) {
    let back = link.split_once(BACK).and_then(|(_, path)| path.split('&').next());
    if let Some(chat) = back.filter(|path| path.starts_with("/chat/")) {
        platform::keep_in_tab(&mark(chat), Some("1"));
    }
}

/// Checks whether the person left from here. The mark is removed, so it counts only once.
fn came_back(chat: &str) -> bool {
    let left = platform::kept_in_tab(&mark(chat)).is_some();
    platform::keep_in_tab(&mark(chat), None);
    left
}

/// What the address says was done.
#[derive(Clone, Copy)]
struct Done {
    network: Network,
    how: &'static str,
}

impl Done {
    fn of(asked: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let named = |name: &str| asked(name).and_then(|text| text.parse::<Network>().ok());
        let connected = named("connected").map(|network| Self { network, how: "connected" });
        connected.or_else(|| named("enabled").map(|network| Self { network, how: "switched on" }))
    }

    /// Returns the message that continues the question that waited for the network, if there was one.
    fn message(self, thread: Thread) -> Option<String> {
        let question = thread.entries.with_untracked(|entries| unfinished_question(entries, self.network))?;
        Some(format!("{} is {} now. Continue with: {question}", self.network.display_name(), self.how))
    }
}

/// Sends the message, or puts it into the composer.
pub fn go_on(thread: Thread) {
    let query = use_query_map();
    let navigate = use_navigate();
    Effect::new(move |_| {
        // Tracked, because a network that is turned on in the chat itself leads back to the open page.
        let Some(done) = Done::of(|name| query.read().get(name)) else { return };
        let left = came_back(&thread.path());
        navigate(&thread.path(), NavigateOptions { replace: true, scroll: false, ..NavigateOptions::default() });
        match done.message(thread) {
            Some(message) if left => thread.send(message),
            Some(message) if thread.draft.with_untracked(|draft| draft.trim().is_empty()) => {
                thread.draft.set(message);
                platform::focus("ask");
            }
            _ => {}
        }
    });
}

/// Offers the same without JavaScript: a button that sends the message.
#[component]
pub fn GoOn(thread: Thread) -> impl IntoView {
    let query = use_query_map();
    let done = Done::of(|name| query.read_untracked().get(name));
    let form = done.and_then(|done| Some(form(&thread.path(), done.message(thread)?)));
    form.map(|form| view! { <noscript inner_html=form></noscript> })
}

/// Returns the form as HTML text. It is inside `noscript`, which browsers with JavaScript ignore, so only the server writes it.
fn form(chat: &str, message: String) -> String {
    if cfg!(not(feature = "ssr")) {
        return String::new();
    }
    let session = chat.trim_start_matches("/chat/").to_owned();
    view! {
        <form class="part row" action=crate::features::form::here("/chat/stream") method="post">
            <input type="hidden" name="session_id" value=session/>
            <input type="hidden" name="message" value=message/>
            <button class="button primary" type="submit">"Continue"</button>
        </form>
    }
    .to_html()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_was_done_and_nothing_else() {
        let done = |given: &'static [(&str, &str)]| {
            let found = |name: &str| given.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            Done::of(found).map(|done| (done.network, done.how))
        };
        assert_eq!(done(&[("connected", "admob")]), Some((Network::AdMob, "connected")));
        assert_eq!(done(&[("enabled", "unity")]), Some((Network::Unity, "switched on")));
        assert_eq!(done(&[("connected", "facebook")]), None);
        assert_eq!(done(&[]), None);
    }
}
