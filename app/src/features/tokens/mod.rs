//! Settings › Access tokens: what programs use to act for the person. A secret is shown once, right after its token was created,
//! and never again.

mod create;
mod row;

use adagent_contract::TokenView;
use leptos::prelude::*;

use super::{
    api::{self, ApiError, CreateToken, Minted, RevokeToken, TokenOverview},
    settings::SettingsPage,
};
use crate::ui::{Loading, Unread};

/// Returns the token that a form created when it was posted to this page. Only the server that answers the post knows it.
fn given() -> Option<Minted> {
    #[cfg(feature = "ssr")]
    return use_context::<Minted>();
    #[cfg(not(feature = "ssr"))]
    None
}

#[component]
pub fn TokensPage() -> impl IntoView {
    let make = ServerAction::<CreateToken>::new();
    let revoke = ServerAction::<RevokeToken>::new();
    let list = Resource::new(move || make.version().get() + revoke.version().get(), |_| api::tokens());
    let posted = Resource::new_blocking(|| (), |()| std::future::ready(given()));
    let lead = || "Let scripts and MCP clients act for you in this workspace. Changes still need approval.";
    view! {
        <SettingsPage title="Access tokens" here="/settings/tokens" lead>
            <Transition fallback=|| view! { <Loading/> }>
                <Shown list posted make revoke/>
            </Transition>
        </SettingsPage>
    }
}

/// Shows the page. It is inside the `Transition`, because the server does not wait for resources that are read outside of it. The
/// form is drawn once, so that typed text stays when the list loads again.
#[component]
fn Shown(
    list: Resource<Result<TokenOverview, ApiError>>,
    posted: Resource<Option<Minted>>,
    make: ServerAction<CreateToken>,
    revoke: ServerAction<RevokeToken>,
) -> impl IntoView {
    // A token that this page created comes before the one that the page opened with.
    let outcome = move || {
        let posted = posted.get().flatten().map(|minted| minted.made.map_err(|problem| ApiError(Box::new(problem))));
        make.value().get().or(posted)
    };
    let refused = Signal::derive(move || outcome().and_then(Result::err));
    let has_password = Memo::new(move |before: Option<&Option<bool>>| {
        let known = list.get().and_then(Result::ok).map(|overview| overview.has_password);
        known.or_else(|| before.copied().flatten())
    });
    let form = Memo::new(move |_| posted.get().map(|minted| minted.map(|minted| minted.form).unwrap_or_default()));
    view! {
        {move || {
            let mcp_url = list.get().and_then(Result::ok).map(|overview| overview.mcp_url)?;
            let created = outcome().and_then(Result::ok)?;
            Some(view! { <create::Secret created mcp_url/> })
        }}
        {move || {
            let (has_password, filled) = (has_password.get()?, form.get()?);
            Some(view! { <create::Form make refused has_password filled/> })
        }}
        {move || list.get().map(|answer| match answer {
            Ok(TokenOverview { items, .. }) => view! { <Tokens items revoke/> }.into_any(),
            Err(error) => view! { <Unread error again=Callback::new(move |()| list.refetch())/> }.into_any(),
        })}
    }
}

#[component]
fn Tokens(items: Vec<TokenView>, revoke: ServerAction<RevokeToken>) -> impl IntoView {
    let none = items.is_empty();
    view! {
        <section class="section" aria-labelledby="have">
            <div class="section-head"><h3 id="have">"Your tokens"</h3></div>
            {if none {
                view! { <p class="quiet-text">"No tokens yet."</p> }.into_any()
            } else {
                view! { <ul class="card">{items.into_iter().map(|item| view! { <row::Row item revoke/> }).collect_view()}</ul> }.into_any()
            }}
        </section>
    }
}
