//! Every address of the desk and the page it leads to. Pages live in `features`; nothing else is in here.

use leptos::prelude::*;
use leptos_router::{
    SsrMode,
    components::{Route, Routes},
    path,
};

use crate::{features::dev_ui::DevUiPage, shell::NotFoundPage, shell::StartPage};

/// Pages are rendered whole (`Async`), so that they read without JavaScript.
#[component]
pub fn AppRoutes() -> impl IntoView {
    view! {
        <Routes fallback=NotFoundPage>
            <Route path=path!("/") view=StartPage ssr=SsrMode::Async/>
            <Route path=path!("/dev/ui") view=dev_ui ssr=SsrMode::Async/>
        </Routes>
    }
}

/// The gallery is for development: a release build answers 404 and leaves its code out.
fn dev_ui() -> AnyView {
    if cfg!(debug_assertions) { view! { <DevUiPage/> }.into_any() } else { view! { <NotFoundPage/> }.into_any() }
}
