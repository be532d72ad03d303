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

/// The server tells the page's head what it drew.
fn note(file: &'static str) {
    #[cfg(feature = "ssr")]
    leptos::prefetch_lazy_fn_on_server(file);
    #[cfg(not(feature = "ssr"))]
    let _ = file;
}
