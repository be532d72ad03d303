//! Popovers by their id. On the server nothing is open, and nothing opens.

#[cfg(feature = "hydrate")]
fn element(id: &str) -> Option<web_sys::HtmlElement> {
    use wasm_bindgen::JsCast as _;

    web_sys::window()?.document()?.get_element_by_id(id)?.dyn_into().ok()
}

/// Whether the popover with this id is open.
pub fn popover_open(id: &str) -> bool {
    #[cfg(feature = "hydrate")]
    return element(id).is_some_and(|element| element.matches(":popover-open").unwrap_or(false));
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = id;
        false
    }
}

/// Opens the popover with this id and takes the keyboard into it. Opening what is open throws; that is fine.
pub fn show_popover(id: &str) {
    #[cfg(feature = "hydrate")]
    if let Some(element) = element(id) {
        let _done = element.show_popover().and_then(|()| element.focus());
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = id;
}

/// Closes the popover with this id. Closing what is closed throws; that is fine.
pub fn close_popover(id: &str) {
    #[cfg(feature = "hydrate")]
    if let Some(element) = element(id) {
        let _done = element.hide_popover();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = id;
}
