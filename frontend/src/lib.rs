//! The WASM entry: hydrates what the server rendered, and nothing else.

use leptos::mount::hydrate_body;

/// Called by the glue script once the module is there.
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    let typed = adagent_app::typed::so_far();
    hydrate_body(adagent_app::App);
    typed.put_back();
}
