//! The few things that only a browser can do. Each has a twin on the server that does nothing, so that features need no `cfg`.

use adagent_domain::Timestamp;

mod popovers;

pub use popovers::{close_popover, popover_open, show_popover};

#[cfg(feature = "hydrate")]
mod imp {
    use adagent_domain::Timestamp;
    use wasm_bindgen::{JsCast, JsValue, closure::Closure};

    pub fn now() -> Timestamp {
        #[expect(clippy::cast_possible_truncation, reason = "milliseconds since 1970 fit for the next 290,000 years")]
        let millis = js_sys::Date::now() as i64;
        Timestamp::EPOCH.plus_millis(millis)
    }

    pub fn offset_minutes() -> i32 {
        #[expect(clippy::cast_possible_truncation, reason = "minutes of a time zone")]
        let behind = js_sys::Date::new_0().get_timezone_offset() as i32;
        -behind
    }

    pub fn language() -> String {
        web_sys::window().and_then(|window| window.navigator().language()).unwrap_or_default()
    }

    pub async fn copy_text(text: String) -> bool {
        let Some(window) = web_sys::window() else { return false };
        let promise = window.navigator().clipboard().write_text(&text);
        wasm_bindgen_futures::JsFuture::from(promise).await.is_ok()
    }

    pub fn download(file_name: &str, mime: &str, content: &str) -> Option<()> {
        let document = web_sys::window()?.document()?;
        let parts = js_sys::Array::of1(&content.into());
        let options = web_sys::BlobPropertyBag::new();
        options.set_type(mime);
        let blob = web_sys::Blob::new_with_str_sequence_and_options(&parts, &options).ok()?;
        let url = web_sys::Url::create_object_url_with_blob(&blob).ok()?;
        let link: web_sys::HtmlAnchorElement = document.create_element("a").ok()?.dyn_into().ok()?;
        link.set_href(&url);
        link.set_download(file_name);
        link.click();
        web_sys::Url::revoke_object_url(&url).ok()
    }

    pub fn focus(id: &str) -> Option<()> {
        let element = web_sys::window()?.document()?.get_element_by_id(id)?;
        let element: web_sys::HtmlElement = element.dyn_into().ok()?;
        element.focus().ok()
    }

    pub fn focus_if_free(id: &str) -> Option<()> {
        let document = web_sys::window()?.document()?;
        // Do not move the focus away from a person who works elsewhere on the page. The focus on the link that led here may move.
        let free = document
            .active_element()
            .is_none_or(|element| ["BODY", "A"].contains(&element.tag_name().as_str()) || element.id() == "main");
        if free { focus(id) } else { None }
    }

    pub fn focus_within(id: &str) -> Option<()> {
        let inside = element(id)?.query_selector("input, summary, button, a[href]").ok()??;
        let inside: web_sys::HtmlElement = inside.dyn_into().ok()?;
        inside.scroll_into_view();
        inside.focus().ok()
    }

    pub fn typed_while_asleep(id: &str) -> Option<String> {
        let field: web_sys::HtmlTextAreaElement = element(id)?.dyn_into().ok()?;
        field.form()?.has_attribute("data-asleep").then(|| field.value())
    }

    pub fn fits(media: &str) -> Option<bool> {
        Some(web_sys::window()?.match_media(media).ok()??.matches())
    }

    pub fn walk(event: &web_sys::Event, selector: &str, step: super::Step) -> Option<()> {
        let container: web_sys::Element = event.current_target()?.dyn_into().ok()?;
        let document = web_sys::window()?.document()?;
        let items = container.query_selector_all(selector).ok()?;
        let last = items.length().checked_sub(1)?;
        let focused = document.active_element()?;
        let at = (0..=last).find(|i| items.item(*i).is_some_and(|item| *item == **focused))?;
        let to = match step {
            super::Step::Next => (at + 1).min(last),
            super::Step::Previous => at.saturating_sub(1),
            super::Step::First => 0,
            super::Step::Last => last,
        };
        let item: web_sys::HtmlElement = items.item(to)?.dyn_into().ok()?;
        item.focus().ok()
    }

    pub fn lies_behind(id: &str, bar: &str) -> Option<bool> {
        let bar = element(bar)?.get_bounding_client_rect();
        // Allow one pixel for rounding.
        Some(element(id)?.get_bounding_client_rect().bottom() > bar.top() + 1.0)
    }

    pub fn scroll_into_view(id: &str) -> Option<()> {
        let element = web_sys::window()?.document()?.get_element_by_id(id)?;
        let options = web_sys::ScrollIntoViewOptions::new();
        js_sys::Reflect::set(&options, &"block".into(), &"nearest".into()).ok()?;
        element.scroll_into_view_with_scroll_into_view_options(&options);
        Some(())
    }

    pub fn open_details(id: &str) -> Option<()> {
        let document = web_sys::window()?.document()?;
        let mut at = document.get_element_by_id(id);
        while let Some(element) = at {
            if element.tag_name() == "DETAILS" {
                element.set_attribute("open", "").ok()?;
            }
            at = element.parent_element();
        }
        Some(())
    }

    fn element(id: &str) -> Option<web_sys::Element> {
        web_sys::window()?.document()?.get_element_by_id(id)
    }

    pub fn say_unreached() -> Option<bool> {
        let event = web_sys::Event::new(super::UNREACHED).ok()?;
        web_sys::window()?.dispatch_event(&event).ok()
    }

    pub fn filled_form(id: &str) -> Option<web_sys::FormData> {
        let form: web_sys::HtmlFormElement = element(id)?.dyn_into().ok()?;
        form.report_validity().then(|| web_sys::FormData::new_with_form(&form).ok()).flatten()
    }

    pub fn press(id: &str) -> Option<()> {
        let element: web_sys::HtmlElement = element(id)?.dyn_into().ok()?;
        element.click();
        Some(())
    }

    pub fn walk_menu(id: &str, forward: bool) -> Option<()> {
        let document = web_sys::window()?.document()?;
        let items = element(id)?.query_selector_all("[role^=menuitem]:not(:disabled)").ok()?;
        let count = items.length();
        let focused = document.active_element();
        let at = (0..count).find(|i| items.item(*i).as_ref() == focused.as_ref().map(AsRef::as_ref));
        let to = match (at, forward) {
            (Some(at), true) => (at + 1) % count.max(1),
            (Some(at), false) => at.checked_sub(1).unwrap_or(count.saturating_sub(1)),
            (None, true) => 0,
            (None, false) => count.saturating_sub(1),
        };
        let item: web_sys::HtmlElement = items.item(to)?.dyn_into().ok()?;
        item.focus().ok()
    }

    pub fn scroll_state(event: &web_sys::Event) -> Option<(f64, f64, f64)> {
        let frame: web_sys::Element = event.current_target()?.dyn_into().ok()?;
        let row = frame.query_selector("tbody tr:not(.filler)").ok()??.get_bounding_client_rect().height();
        Some((f64::from(frame.scroll_top()), f64::from(frame.client_height()), row))
    }

    pub fn matches(pattern: &str, text: &str) -> Option<bool> {
        // A pattern that this browser cannot read must not lock the form, because the server checks it anyway.
        let constructor: js_sys::Function =
            js_sys::Reflect::get(&js_sys::global(), &"RegExp".into()).ok()?.dyn_into().ok()?;
        let made = js_sys::Reflect::construct(&constructor, &js_sys::Array::of2(&pattern.into(), &"u".into())).ok()?;
        Some(made.unchecked_into::<js_sys::RegExp>().test(text))
    }

    pub fn remembered(key: &str) -> Option<String> {
        web_sys::window()?.local_storage().ok()??.get_item(key).ok()?
    }

    pub fn remember(key: &str, value: Option<&str>) -> Option<()> {
        let storage = web_sys::window()?.local_storage().ok()??;
        match value {
            Some(value) => storage.set_item(key, value).ok(),
            None => storage.remove_item(key).ok(),
        }
    }

    pub fn kept_in_tab(key: &str) -> Option<String> {
        web_sys::window()?.session_storage().ok()??.get_item(key).ok()?
    }

    pub fn keep_in_tab(key: &str, value: Option<&str>) -> Option<()> {
        let storage = web_sys::window()?.session_storage().ok()??;
        match value {
            Some(value) => storage.set_item(key, value).ok(),
            None => storage.remove_item(key).ok(),
        }
    }

    pub fn is_wide() -> bool {
        let query = web_sys::window().and_then(|window| window.match_media("(width >= 1240px)").ok().flatten());
        query.is_some_and(|query| query.matches())
    }

    pub fn random() -> String {
        format!("{:x}-{:x}", js_sys::Date::now().to_bits(), js_sys::Math::random().to_bits())
    }

    pub fn of_document(attribute: &str) -> Option<String> {
        web_sys::window()?.document()?.document_element()?.get_attribute(attribute)
    }

    pub fn go_to(path: &str) -> Option<()> {
        web_sys::window()?.location().assign(path).ok()
    }

    /// Returns the address with the workspace in it; `None` if it already names one or is not one of our pages.
    fn named(address: &str, name: &str) -> Option<String> {
        let location = web_sys::window()?.location();
        let url = web_sys::Url::new_with_base(address, &location.href().ok()?).ok()?;
        let ours = url.origin() == location.origin().ok()? && !url.pathname().starts_with("/api/");
        if !ours || url.search_params().has(crate::features::api::QUERY) {
            return None;
        }
        let path = format!("{}{}{}", url.pathname(), url.search(), url.hash());
        Some(crate::features::api::in_workspace(&path, name))
    }

    /// Checks whether the address is one of our pages in another workspace.
    fn leads_away(address: &str, name: &str) -> bool {
        let Some(location) = web_sys::window().map(|window| window.location()) else { return false };
        let url = location.href().ok().and_then(|here| web_sys::Url::new_with_base(address, &here).ok());
        url.is_some_and(|url| {
            let other = url.search_params().get(crate::features::api::QUERY).is_some_and(|other| other != name);
            other && location.origin().is_ok_and(|origin| origin == url.origin())
        })
    }

    pub fn keep_workspace(name: &'static str) -> Option<()> {
        let window = web_sys::window()?;
        let history = window.history().ok()?;
        if let Some(address) = named(&window.location().href().ok()?, name) {
            history.replace_state_with_url(&history.state().ok()?, "", Some(&address)).ok()?;
        }
        // Every change of address within this page uses these two functions.
        for way in ["pushState", "replaceState"] {
            let original: js_sys::Function = js_sys::Reflect::get(&history, &way.into()).ok()?.dyn_into().ok()?;
            let own = history.clone();
            let kept = Closure::<dyn Fn(JsValue, JsValue, JsValue)>::new(
                move |state: JsValue, title: JsValue, url: JsValue| {
                    let address = url.as_string().and_then(|address| named(&address, name)).map_or(url, JsValue::from);
                    // The browser itself reports what it refuses.
                    let _ = original.call3(&own, &state, &title, &address);
                },
            );
            js_sys::Reflect::set(&history, &way.into(), kept.as_ref()).ok()?;
            kept.forget();
        }
        // Links that open in a new tab must lead to the same workspace.
        let mark = Closure::<dyn Fn(web_sys::Event)>::new(move |event: web_sys::Event| {
            let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
            let link = target.and_then(|element| element.closest("a[href]").ok().flatten());
            if let Some(link) = link
                && let Some(href) = link.get_attribute("href").filter(|href| !href.starts_with('#'))
            {
                if let Some(address) = named(&href, name) {
                    let _ = link.set_attribute("href", &address);
                } else if leads_away(&href, name) {
                    // A page belongs to one workspace for its whole life, so this link must open a new page instead of using the
                    // router.
                    let _ = link.set_attribute("rel", "external");
                }
            }
        });
        for event in ["pointerdown", "click", "contextmenu"] {
            let listen = mark.as_ref().unchecked_ref();
            window.add_event_listener_with_callback_and_bool(event, listen, true).ok()?;
        }
        mark.forget();
        Some(())
    }

    pub fn switch_theme() -> Option<()> {
        let window = web_sys::window()?;
        let root = window.document()?.document_element()?;
        let dark = match root.get_attribute("data-theme") {
            Some(theme) => theme == "dark",
            None => window.match_media("(prefers-color-scheme: dark)").ok()??.matches(),
        };
        let next = if dark { "light" } else { "dark" };
        // Sign-out clears the storage. The theme is no secret, so it stays in a cookie.
        let cookie = format!("theme={next}; Path=/; Max-Age=31536000; SameSite=Lax");
        let document = window.document()?;
        let _ = js_sys::Reflect::set(&document, &"cookie".into(), &cookie.into());
        show_theme(next)
    }

    pub fn show_theme(theme: &str) -> Option<()> {
        let window = web_sys::window()?;
        let root = window.document()?.document_element()?;
        let storage = window.local_storage().ok().flatten();
        // If the browser refuses storage, the theme still changes for this page.
        if matches!(theme, "light" | "dark") {
            root.set_attribute("data-theme", theme).ok()?;
            storage?.set_item("theme", theme).ok()
        } else {
            root.remove_attribute("data-theme").ok()?;
            storage?.remove_item("theme").ok()
        }
    }
}

#[cfg(not(feature = "hydrate"))]
mod imp {
    use adagent_domain::Timestamp;

    pub fn now() -> Timestamp {
        Timestamp::EPOCH
    }

    pub fn offset_minutes() -> i32 {
        0
    }

    pub fn language() -> String {
        String::new()
    }

    #[expect(clippy::unused_async, reason = "twin of the browser's")]
    pub async fn copy_text(_text: String) -> bool {
        false
    }

    pub fn download(_file_name: &str, _mime: &str, _content: &str) -> Option<()> {
        None
    }

    pub fn focus(_id: &str) -> Option<()> {
        None
    }

    pub fn focus_if_free(_id: &str) -> Option<()> {
        None
    }

    pub fn focus_within(_id: &str) -> Option<()> {
        None
    }

    pub fn typed_while_asleep(_id: &str) -> Option<String> {
        None
    }

    pub fn fits(_media: &str) -> Option<bool> {
        None
    }

    pub fn walk(_event: &leptos::web_sys::Event, _selector: &str, _step: super::Step) -> Option<()> {
        None
    }

    pub fn scroll_into_view(_id: &str) -> Option<()> {
        None
    }

    pub fn lies_behind(_id: &str, _bar: &str) -> Option<bool> {
        None
    }

    pub fn open_details(_id: &str) -> Option<()> {
        None
    }

    pub fn say_unreached() -> Option<bool> {
        None
    }

    pub fn filled_form(_id: &str) -> Option<leptos::web_sys::FormData> {
        None
    }

    pub fn press(_id: &str) -> Option<()> {
        None
    }

    pub fn walk_menu(_id: &str, _forward: bool) -> Option<()> {
        None
    }

    pub fn scroll_state(_event: &leptos::web_sys::Event) -> Option<(f64, f64, f64)> {
        None
    }

    pub fn matches(_pattern: &str, _text: &str) -> Option<bool> {
        None
    }

    pub fn remembered(_key: &str) -> Option<String> {
        None
    }

    pub fn remember(_key: &str, _value: Option<&str>) -> Option<()> {
        None
    }

    pub fn kept_in_tab(_key: &str) -> Option<String> {
        None
    }

    pub fn keep_in_tab(_key: &str, _value: Option<&str>) -> Option<()> {
        None
    }

    pub fn is_wide() -> bool {
        true
    }

    pub fn random() -> String {
        String::new()
    }

    pub fn of_document(_attribute: &str) -> Option<String> {
        None
    }

    pub fn go_to(_path: &str) -> Option<()> {
        None
    }

    pub fn keep_workspace(_name: &'static str) -> Option<()> {
        None
    }

    pub fn switch_theme() -> Option<()> {
        None
    }

    pub fn show_theme(_: &str) -> Option<()> {
        None
    }
}

/// The direction in which an arrow key moves within a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Next,
    Previous,
    First,
    Last,
}

/// Focuses an element unless the person works elsewhere on the page.
pub fn focus_if_free(id: &str) {
    let _done = imp::focus_if_free(id);
}

/// Runs `act` once the element is on the page. The router builds a page before it inserts the page.
#[cfg(feature = "hydrate")]
fn once_drawn(id: &'static str, act: impl FnOnce() + 'static) {
    fn look(id: &'static str, frames: u32, act: impl FnOnce() + 'static) {
        leptos::prelude::request_animation_frame(move || match by_id(id) {
            Some(_) => act(),
            None if frames > 0 => look(id, frames - 1, act),
            None => {}
        });
    }
    /// How many frames to wait: two seconds on most screens.
    const MOST_FRAMES: u32 = 120;
    look(id, MOST_FRAMES, act);
}

/// Runs `act` whenever the element changes its size, for as long as the page is shown: parts that load their code appear late.
#[cfg_attr(not(feature = "hydrate"), expect(unused_variables, reason = "twin of the browser's"))]
pub fn on_each_size(id: &'static str, act: impl Fn() + 'static) {
    #[cfg(feature = "hydrate")]
    {
        use leptos::prelude::{SetValue as _, StoredValue, UpdateValue as _, on_cleanup};
        use wasm_bindgen::{JsCast as _, closure::Closure};

        let kept = StoredValue::new_local(None::<(web_sys::ResizeObserver, Closure<dyn Fn()>)>);
        on_cleanup(move || {
            kept.try_update_value(|kept| kept.take().map(|(observer, _)| observer.disconnect()));
        });
        once_drawn(id, move || {
            let act = Closure::<dyn Fn()>::new(act);
            let Ok(observer) = web_sys::ResizeObserver::new(act.as_ref().unchecked_ref()) else { return };
            if let Some(element) = by_id(id) {
                observer.observe(&element);
            }
            kept.try_set_value(Some((observer, act)));
        });
    }
}

/// Focuses the first focusable element inside an element, and scrolls to it.
pub fn focus_within(id: &str) {
    let _done = imp::focus_within(id);
}

/// Returns what was typed into a field before hydration; `None` after hydration.
pub fn typed_while_asleep(id: &str) -> Option<String> {
    imp::typed_while_asleep(id)
}

/// Checks a media query; always `false` on the server.
pub fn fits(media: &str) -> bool {
    imp::fits(media).unwrap_or(false)
}

/// Moves the focus among the elements that match a selector inside the listening element.
pub fn walk(event: &leptos::ev::KeyboardEvent, selector: &str, step: Step) {
    let _done = imp::walk(event, selector, step);
}

/// Returns the browser's time; the epoch on the server, which passes its clock in instead.
pub fn now() -> Timestamp {
    imp::now()
}

/// Returns the minutes to add to UTC for the reader's wall clock.
pub fn offset_minutes() -> i32 {
    imp::offset_minutes()
}

/// Returns the reader's language tag, such as `en-US`.
pub fn language() -> String {
    imp::language()
}

/// Copies text to the clipboard; returns `false` if the browser refused.
pub async fn copy_text(text: String) -> bool {
    imp::copy_text(text).await
}

/// Saves text as a file.
pub fn download(file_name: &str, mime: &str, content: &str) {
    let _done = imp::download(file_name, mime, content);
}

/// Focuses the element with this ID if it exists.
pub fn focus(id: &str) {
    let _done = imp::focus(id);
}

/// Checks whether the element lies below the top of a bar that covers the page, where nobody sees it.
pub fn lies_behind(id: &str, bar: &str) -> bool {
    imp::lies_behind(id, bar).unwrap_or(false)
}

/// Scrolls just enough to show the element with this ID.
pub fn scroll_into_view(id: &str) {
    let _done = imp::scroll_into_view(id);
}

/// Opens the `details` with this ID and those around it.
pub fn open_details(id: &str) {
    let _done = imp::open_details(id);
}

/// The window event for a request that did not reach the server.
pub const UNREACHED: &str = "desk-unreached";

/// Tells the page that a request did not reach the server.
pub fn say_unreached() {
    let _said = imp::say_unreached();
}

/// Returns the contents of a form; `None` if it is incomplete, in which case the browser shows what is missing.
pub fn filled_form(id: &str) -> Option<leptos::web_sys::FormData> {
    imp::filled_form(id)
}

/// Presses the button with this ID, as a person would.
pub fn press(id: &str) {
    let _done = imp::press(id);
}

/// Focuses the next or the previous item of a menu, and wraps around at the ends.
pub fn walk_menu(id: &str, forward: bool) {
    let _done = imp::walk_menu(id, forward);
}

/// Returns the scroll position of a table's frame, its visible height, and the height of a row.
pub fn scroll_state(event: &leptos::web_sys::Event) -> Option<(f64, f64, f64)> {
    imp::scroll_state(event)
}

/// Checks whether a text matches a JSON Schema pattern, which is a JavaScript one; `true` if that is unknown.
pub fn matches(pattern: &str, text: &str) -> bool {
    imp::matches(pattern, text).unwrap_or(true)
}

/// Returns a value that this browser remembers; `None` if it refuses storage.
pub fn remembered(key: &str) -> Option<String> {
    imp::remembered(key)
}

/// Remembers a value in this browser, or forgets it.
pub fn remember(key: &str, value: Option<&str>) {
    let _done = imp::remember(key, value);
}

/// Returns a value stored for this tab: it survives a reload and ends with the tab.
pub fn kept_in_tab(key: &str) -> Option<String> {
    imp::kept_in_tab(key)
}

/// Stores a value for this tab, or removes it.
pub fn keep_in_tab(key: &str, value: Option<&str>) {
    let _done = imp::keep_in_tab(key, value);
}

/// Checks whether a side panel fits next to the chat; the width is the one in the style sheet.
pub fn is_wide() -> bool {
    imp::is_wide()
}

/// Returns a random text for keys that must differ, not for secrets.
pub fn random() -> String {
    imp::random()
}

/// Returns the workspace of this page, which every request names; `None` if nobody is signed in.
pub fn workspace() -> Option<String> {
    #[cfg(feature = "ssr")]
    return crate::shell::standing().map(|standing| standing.actor.workspace.to_string());
    #[cfg(not(feature = "ssr"))]
    imp::of_document("data-workspace").filter(|id| !id.is_empty())
}

/// Returns this workspace's name in addresses; `None` for a person with only one.
pub fn workspace_in_addresses() -> Option<String> {
    #[cfg(feature = "ssr")]
    return crate::shell::standing().filter(|standing| standing.several).map(|standing| standing.name());
    #[cfg(not(feature = "ssr"))]
    imp::of_document("data-workspace-name")
}

/// Checks whether the address of this page names a workspace that the person is not a member of.
pub fn is_nowhere() -> bool {
    #[cfg(feature = "ssr")]
    return crate::shell::is_nowhere();
    #[cfg(not(feature = "ssr"))]
    imp::of_document("data-workspace").is_some_and(|id| id.is_empty())
}

/// Keeps the workspace in the address bar and in links, for people with several workspaces. That way, a page shows the same when
/// it is reloaded, opened twice or opened from a bookmark.
pub fn keep_workspace() {
    if let Some(name) = imp::of_document("data-workspace-name") {
        // The leak happens once per page, which keeps the name for its whole life.
        let _done = imp::keep_workspace(name.leak());
    }
}

/// Opens one of our pages as if the person typed its address: nothing of this page remains.
pub fn go_to(path: &str) {
    let _done = imp::go_to(path);
}

/// Switches to the other theme and remembers it.
pub fn switch_theme() {
    let _done = imp::switch_theme();
}

/// Shows a theme by its ID; any other word follows the device.
pub fn show_theme(theme: &str) {
    let _done = imp::show_theme(theme);
}

/// Checks whether a key press goes into a field, so that single-letter shortcuts stay out of the way.
#[cfg_attr(not(feature = "hydrate"), expect(unused_variables, reason = "twin of the browser's"))]
pub fn is_typing(event: &leptos::ev::KeyboardEvent) -> bool {
    #[cfg(feature = "hydrate")]
    {
        use wasm_bindgen::JsCast;
        event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()).is_some_and(|element| {
            matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
                || element.has_attribute("contenteditable")
        })
    }
    #[cfg(not(feature = "hydrate"))]
    false
}

/// Checks whether a menu, a dialog or a sheet is open, which Escape closes first. The panel next to a wide page covers nothing.
pub fn something_lies_over_the_page() -> bool {
    #[cfg(feature = "hydrate")]
    {
        let document = web_sys::window().and_then(|window| window.document());
        let sheet = if is_wide() { "" } else { ", .split.with-side > .side" };
        let over = format!(":popover-open, dialog[open]{sheet}");
        document.and_then(|document| document.query_selector(&over).ok().flatten()).is_some()
    }
    #[cfg(not(feature = "hydrate"))]
    false
}

/// Checks whether an element on the page matches the selector.
#[cfg_attr(not(feature = "hydrate"), expect(unused_variables, reason = "twin of the browser's"))]
pub fn is_on_page(selector: &str) -> bool {
    #[cfg(feature = "hydrate")]
    {
        let document = web_sys::window().and_then(|window| window.document());
        document.and_then(|document| document.query_selector(selector).ok().flatten()).is_some()
    }
    #[cfg(not(feature = "hydrate"))]
    false
}

/// Marks the document: the page now reacts to clicks.
pub fn mark_hydrated() {
    #[cfg(feature = "hydrate")]
    if let Some(root) =
        web_sys::window().and_then(|window| window.document()).and_then(|document| document.document_element())
    {
        let _set = root.set_attribute("data-hydrated", "true");
    }
}

/// Scrolls `container` down to show its end, but never past the top of its last `item`: the beginning of an answer stays visible
/// however long the answer becomes.
#[cfg_attr(not(feature = "hydrate"), expect(unused_variables, reason = "twin of the browser's"))]
pub fn scroll_to_last(container: &str, item: &str) {
    #[cfg(feature = "hydrate")]
    {
        let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
        let Some(container) = document.get_element_by_id(container) else { return };
        let end = container.scroll_height() - container.client_height();
        // Without an item there is nothing to follow, so show the content from its top.
        let top =
            container.query_selector_all(item).ok().and_then(|all| all.item(all.length().checked_sub(1)?)).and_then(
                |last| {
                    use wasm_bindgen::JsCast;
                    let last: web_sys::Element = last.dyn_into().ok()?;
                    #[expect(clippy::cast_possible_truncation, reason = "pixels on a screen")]
                    let offset =
                        (last.get_bounding_client_rect().top() - container.get_bounding_client_rect().top()) as i32;
                    Some(container.scroll_top() + offset - 16)
                },
            );
        if let Some(top) = top {
            container.set_scroll_top(top.min(end));
        }
    }
}

/// Returns the distance from the top of the visible part of `container` to the end of its content.
#[cfg_attr(not(feature = "hydrate"), expect(unused_variables, reason = "twin of the browser's"))]
pub fn scroll_rest(container: &str) -> i32 {
    #[cfg(feature = "hydrate")]
    if let Some(container) = by_id(container) {
        return container.scroll_height() - container.scroll_top();
    }
    0
}

/// Scrolls so that the visible top is this far from the end again, whatever was added above.
#[cfg_attr(not(feature = "hydrate"), expect(unused_variables, reason = "twin of the browser's"))]
pub fn set_scroll_rest(container: &str, rest: i32) {
    #[cfg(feature = "hydrate")]
    if let Some(container) = by_id(container) {
        container.set_scroll_top(container.scroll_height() - rest);
    }
}

/// Checks whether the last `item` begins below the visible part of `container`.
#[cfg_attr(not(feature = "hydrate"), expect(unused_variables, reason = "twin of the browser's"))]
pub fn is_last_below(container: &str, item: &str) -> bool {
    #[cfg(feature = "hydrate")]
    if let Some(container) = by_id(container)
        && let Some(last) = last_within(&container, item)
    {
        return last.get_bounding_client_rect().top() > container.get_bounding_client_rect().bottom();
    }
    false
}

/// Runs `act` once what was just drawn has its place.
#[cfg_attr(not(feature = "hydrate"), expect(unused_variables, reason = "twin of the browser's"))]
pub fn on_next_frame(act: impl FnOnce() + 'static) {
    #[cfg(feature = "hydrate")]
    leptos::prelude::request_animation_frame(act);
}

#[cfg(feature = "hydrate")]
fn by_id(id: &str) -> Option<web_sys::Element> {
    web_sys::window()?.document()?.get_element_by_id(id)
}

#[cfg(feature = "hydrate")]
fn last_within(container: &web_sys::Element, item: &str) -> Option<web_sys::Element> {
    use wasm_bindgen::JsCast;
    let all = container.query_selector_all(item).ok()?;
    all.item(all.length().checked_sub(1)?)?.dyn_into().ok()
}
