//! Parts of the interface whose code a browser fetches on their own: pages, and what a page does not show at first.
//!
//! A part is called only through its split point here: any other call would move its code back into what every page loads.
//! On the server a part is a plain function; the page's head then names the files of what was drawn.

mod late;
mod pages;
#[cfg(feature = "hydrate")]
mod waking;

use leptos::prelude::*;

pub use late::*;
pub use leptos::wasm_split::SplitLoaderError as NotFetched;
pub use pages::*;
#[cfg(feature = "hydrate")]
pub use waking::{fetch_drawn, fetch_next, fetch_on_intent};

/// What a split point gives back.
pub type Drawn = Result<AnyView, NotFetched>;

/// Where the files of parts are, which the server provides: their folder, and what each part needs.
#[cfg(feature = "ssr")]
#[derive(Debug, Clone, Default)]
pub struct PartFiles {
    pub folder: String,
    pub needed: std::collections::BTreeMap<String, Vec<String>>,
}

/// The server writes the files of what it drew into the page's head, where the browser finds them before it wakes the page.
fn note(file: &'static str) {
    #[cfg(feature = "ssr")]
    if let Some(files) = use_context::<std::sync::Arc<PartFiles>>() {
        for name in files.needed.get(file).into_iter().flatten() {
            let href = format!("{}/{name}.wasm", files.folder);
            // Drawn aside: it goes into the head, and nothing of it stands in the page.
            let _ = view! { <leptos_meta::Link rel="preload" href as_="fetch" type_="application/wasm" crossorigin="anonymous"/> }
                .to_html();
        }
    }
    #[cfg(not(feature = "ssr"))]
    let _ = file;
}
