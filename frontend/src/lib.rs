//! The WASM entry: hydrates what the server rendered, and nothing else.

use leptos::mount::hydrate_body;

/// Called by the glue script once the module is there. The code of what the server drew is fetched first: until then the page
/// works as it does without script.
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    wasm_bindgen_futures::spawn_local(async {
        if adagent_app::fetch_drawn().await.is_err() {
            return;
        }
        let typed = adagent_app::keystrokes::so_far();
        hydrate_body(adagent_app::App);
        typed.put_back();
        adagent_app::fetch_on_intent();
        adagent_app::fetch_next().await;
    });
}
