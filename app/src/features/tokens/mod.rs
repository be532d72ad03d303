//! Settings, access tokens: what programs act with. A secret is shown once, right after it was made, and nowhere again.

mod create;
mod row;

use leptos::prelude::*;

use super::{
    api::{self, ApiError, CreateToken, Minted, RevokeToken, TokenOverview},
    desk::Topbar,
    settings::SettingsTabs,
};
use crate::ui::{Glyph, Icon};

/// What was made by the form that was posted to this page; only the server that answers it knows.
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
    // What this page made itself counts before what it was opened with.
    let outcome = move || {
        let posted = posted.get().flatten().map(|minted| minted.0.map_err(|problem| ApiError(Box::new(problem))));
        make.value().get().or(posted)
    };
    view! {
        <Topbar title="Settings"/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in">
                    <div class="page-head">
                        <div class="grow">
                            <h2>"Access tokens"</h2>
                            <p>"Programs act for you with a token, in this workspace only. What they ask to change still waits for your approval."</p>
                        </div>
                    </div>
                    <SettingsTabs here="/settings/tokens"/>
                    <Transition fallback=|| view! { <div class="card"><span class="skeleton" style="width:90%"></span></div> }>
                        {move || {
                            let minted = outcome();
                            list.get().map(|answer| match answer {
                                Ok(overview) => view! { <Overview overview made=minted make revoke/> }.into_any(),
                                Err(error) => view! {
                                    <div class="note bad" role="alert">
                                        <Icon glyph=Glyph::CircleAlert/>
                                        <p><strong>{error.0.title}</strong>" "{error.0.detail}</p>
                                    </div>
                                }.into_any(),
                            })
                        }}
                    </Transition>
                </div>
            </main>
        </div>
    }
}

#[component]
fn Overview(
    overview: TokenOverview,
    made: Option<Result<adagent_contract::CreatedToken, ApiError>>,
    make: ServerAction<CreateToken>,
    revoke: ServerAction<RevokeToken>,
) -> impl IntoView {
    let TokenOverview { items, mcp_url } = overview;
    let (created, refused) = match made {
        Some(Ok(created)) => (Some(created), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    let none = items.is_empty();
    view! {
        {created.map(|created| view! { <create::Secret created mcp_url=mcp_url.clone()/> })}
        <create::Form make refused/>
        <section class="section" aria-labelledby="have">
            <div class="section-head"><h3 id="have">"Your tokens"</h3></div>
            {if none {
                view! { <p class="quiet-text">"None yet."</p> }.into_any()
            } else {
                view! { <ul class="card">{items.into_iter().map(|item| view! { <row::Row item revoke/> }).collect_view()}</ul> }.into_any()
            }}
        </section>
    }
}
