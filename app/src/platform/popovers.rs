//! Popovers by their ID. On the server, none is open and none opens.

#[cfg(feature = "hydrate")]
fn element(id: &str) -> Option<web_sys::HtmlElement> {
    use wasm_bindgen::JsCast as _;

    web_sys::window()?.document()?.get_element_by_id(id)?.dyn_into().ok()
}

/// Checks whether the popover with this ID is open.
pub fn popover_open(id: &str) -> bool {
    #[cfg(feature = "hydrate")]
    return element(id).is_some_and(|element| element.matches(":popover-open").unwrap_or(false));
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = id;
        false
    }
}

/// Opens the popover with this ID and moves the keyboard into it. An error for one that is already open is ignored.
pub fn show_popover(id: &str) {
    #[cfg(feature = "hydrate")]
    if let Some(element) = element(id) {
        let _done = element.show_popover().and_then(|()| element.focus());
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = id;
}

/// Closes the popover with this ID. An error for one that is already closed is ignored.
pub fn close_popover(id: &str) {
    #[cfg(feature = "hydrate")]
    if let Some(element) = element(id) {
        let _done = element.hide_popover();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = id;
}
