//! Loading of parts in the browser: what the server drew, before hydration, and what the person is about to open.

use futures::future::join_all;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::document;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast as _, closure::Closure};
use web_sys::{AddEventListenerOptions, Element, Event, HtmlAnchorElement};

use super::{NotFetched, late, pages};

/// Milliseconds before each new try. After the last one, the page stays as the server drew it and works as it does without
/// JavaScript.
const AGAIN: [u32; 3] = [500, 2_000, 8_000];

/// Milliseconds after hydration until we treat the page as idle.
const QUIET: u32 = 1_500;

/// Loads every part that the server drew into this page; the page's head names them.
pub async fn fetch_drawn() -> Result<(), NotFetched> {
    let mut again = AGAIN.into_iter();
    let page = document().location().and_then(|place| place.pathname().ok()).and_then(|path| pages::file_of(&path));
    loop {
        let drawn = names().filter(|file| page == Some(file) || is_in_head(file));
        let fetched = join_all(drawn.map(fetch)).await;
        let Some(lost) = fetched.into_iter().find_map(Result::err) else { return Ok(()) };
        TimeoutFuture::new(again.next().ok_or(lost)?).await;
    }
}

/// Loads what a chat will draw after the next question. Starts after what the page already shows.
pub async fn fetch_next() {
    if pages::file_of(&document().location().and_then(|place| place.pathname().ok()).unwrap_or_default())
        == Some("chat")
    {
        TimeoutFuture::new(QUIET).await;
        // Ignore a failure: the page reports it when it draws the part.
        drop(fetch("answer").await);
    }
}

/// Returns the names of all files, each once.
fn names() -> impl Iterator<Item = &'static str> {
    let mut files = [pages::FILES, late::FILES].concat();
    files.dedup();
    files.into_iter()
}

async fn fetch(file: &'static str) -> Result<(), NotFetched> {
    pages::fetch(file).await?;
    late::fetch(file).await
}

fn is_in_head(file: &str) -> bool {
    document().query_selector(&format!("head link[href$='/split_{file}.wasm']")).is_ok_and(|link| link.is_some())
}

/// Loads a page's code when the person points at a link to it, reaches the link by keyboard or touches it.
pub fn fetch_on_intent() {
    let hear = Closure::<dyn Fn(Event)>::new(|event: Event| {
        if let Some(file) = meant(&event) {
            // Ignore a failure: the page reports it when the person opens it.
            spawn_local(async move { drop(fetch(file).await) });
        }
    });
    let options = AddEventListenerOptions::new();
    options.set_passive(true);
    for name in ["pointerover", "focusin", "touchstart"] {
        let _ = document().add_event_listener_with_callback_and_add_event_listener_options(
            name,
            hear.as_ref().unchecked_ref(),
            &options,
        );
    }
    hear.forget();
}

/// Returns the file of the page that a link opens, or of the part that a button opens.
fn meant(event: &Event) -> Option<&'static str> {
    let under = event.target()?.dyn_into::<Element>().ok()?;
    // A button names the part that it opens.
    if let Some(file) = under.closest("[data-part]").ok()?.and_then(|button| button.get_attribute("data-part")) {
        return late::FILES.iter().copied().find(|known| *known == file);
    }
    let link = under.closest("a[href]").ok()??;
    let link: HtmlAnchorElement = link.dyn_into().ok()?;
    (link.origin() == document().location()?.origin().ok()?).then(|| pages::file_of(&link.pathname()))?
}
