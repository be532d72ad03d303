//! Parts of the app whose code the browser loads separately: pages, and what a page does not show at first.
//!
//! Call a part only through its split point here: any other call would move its code back into the code that every page loads. On
//! the server, a part is a plain function, and the page's head names the files of the parts that were drawn.

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

/// The return value of a split point.
pub type Drawn = Result<AnyView, NotFetched>;

/// The files of the parts, which the server provides: their folder, and the files that each part needs.
#[cfg(feature = "ssr")]
#[derive(Debug, Clone, Default)]
pub struct PartFiles {
    pub folder: String,
    pub needed: std::collections::BTreeMap<String, Vec<String>>,
}

/// Adds a drawn part's files to the page's head, where the browser finds them before hydration.
fn note(file: &'static str) {
    #[cfg(feature = "ssr")]
    if let Some(files) = use_context::<std::sync::Arc<PartFiles>>() {
        for name in files.needed.get(file).into_iter().flatten() {
            let href = format!("{}/{name}.wasm", files.folder);
            // Render it separately: the link goes into the head and adds nothing to the page itself.
            let _ = view! { <leptos_meta::Link rel="preload" href as_="fetch" type_="application/wasm" crossorigin="anonymous"/> }
                .to_html();
        }
    }
    #[cfg(not(feature = "ssr"))]
    let _ = file;
}
