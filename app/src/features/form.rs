//! A form of a server function that says in which workspace, also where a browser posts it without script.

use leptos::{
    ev::{SubmitEvent, submit},
    form::FromFormData,
    html,
    prelude::*,
    server_fn::{ServerFn, client::Client, request::ClientReq},
    web_sys::FormData,
};
use serde::de::DeserializeOwned;

/// The address of a form's target in the workspace of this page; who has only one needs not say it.
pub fn here(path: &str) -> String {
    match crate::platform::workspace_in_addresses() {
        Some(name) => super::api::in_workspace(path, &name),
        None => path.to_owned(),
    }
}

/// The workspace as a field, for forms that only lead to another page.
pub fn field() -> Option<impl IntoView> {
    let name = crate::platform::workspace_in_addresses();
    name.map(|name| view! { <input type="hidden" name=super::api::QUERY value=name/> })
}

/// As Leptos' own form of a server action, whose address would not say where the page is.
#[component]
pub fn ActionForm<F>(action: ServerAction<F>, children: Children) -> impl IntoView
where
    F: DeserializeOwned + ServerFn<Protocol = super::api::Sent> + Clone + Send + Sync + 'static,
    <<F::Client as Client<F::Error>>::Request as ClientReq<F::Error>>::FormData: From<FormData>,
    F::Output: Send + Sync + 'static,
    F::Error: Send + Sync + 'static,
    F::Client: Client<F::Error>,
{
    let send = move |event: SubmitEvent| {
        if event.default_prevented() {
            return;
        }
        // What cannot be read goes the way it goes without script: the server says what is wrong with it.
        if let Ok(input) = F::from_event(&event) {
            event.prevent_default();
            action.dispatch(input);
        }
    };
    html::form().action(here(F::url())).method("post").on(submit, send).child(children())
}
