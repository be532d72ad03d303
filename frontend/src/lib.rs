//! The WASM entry point: hydrates what the server rendered, and nothing else.

use leptos::mount::hydrate_body;

/// Hydrates the page. The glue script calls this once the module is loaded. First, this loads the code of every part that the
/// server drew; until then, the page works as it does without JavaScript.
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
