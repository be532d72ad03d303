//! A form for a server function that names the workspace, even when a browser posts it without JavaScript.

use leptos::{
    ev::{SubmitEvent, submit},
    form::FromFormData,
    html,
    prelude::*,
    server_fn::{ServerFn, client::Client, request::ClientReq},
    web_sys::FormData,
};
use serde::de::DeserializeOwned;

/// Returns the address of a form's target in the workspace of this page. A person with only one workspace needs no name in it.
pub fn here(path: &str) -> String {
    match crate::platform::workspace_in_addresses() {
        Some(name) => super::api::in_workspace(path, &name),
        None => path.to_owned(),
    }
}

/// Returns the workspace as a hidden field, for forms that only open another page.
pub fn field() -> Option<impl IntoView> {
    let name = crate::platform::workspace_in_addresses();
    name.map(|name| view! { <input type="hidden" name=super::api::QUERY value=name/> })
}

/// Works like Leptos' own form of a server action, but its address names the workspace.
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
        // If the input cannot be read, let the browser post the form: the server then says what is wrong.
        if let Ok(input) = F::from_event(&event) {
            event.prevent_default();
            action.dispatch(input);
        }
    };
    html::form().action(here(F::url())).method("post").on(submit, send).child(children())
}
