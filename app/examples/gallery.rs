//! Prints the gallery as one HTML page, server-rendered, for a quick look without a server:
//! `cargo run -p adagent-app --features ssr --example gallery > target/gallery.html`.

use adagent_app::{PageClock, features::dev_ui::DevUiPage};
use leptos::prelude::*;
use leptos_meta::provide_meta_context;

fn main() {
    let owner = Owner::new();
    let html = owner.with(|| {
        provide_meta_context();
        provide_context(PageClock::at(adagent_app::features::dev_ui::NOW));
        view! { <DevUiPage/> }.to_html()
    });
    println!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Components</title><link rel=\"stylesheet\" href=\"/pkg/web.css\"></head><body>{html}</body></html>"
    );
}
