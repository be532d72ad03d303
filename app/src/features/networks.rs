//! Settings, networks: every network with its state, connecting, choosing publisher accounts, disconnecting.
//!
//! `?connect=admob` opens that network's form (the way to its sign-in, or the fields of its keys), `?choose=admob` the choice of
//! accounts; both read without script.

mod choose;
mod connect;
mod key_form;
mod row;

pub use row::offers;

use adagent_contract::{NetworkState, ProviderKind, ProviderView};
use adagent_domain::Network;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{
    api::{self, NetworkOverview, safe_return},
    desk::{Desk, Topbar},
    settings::SettingsTabs,
};
use crate::ui::{Glyph, Icon};

#[component]
pub fn NetworksPage() -> impl IntoView {
    let desk = Desk::get();
    view! {
        <Topbar title="Settings"/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in">
                    <div class="page-head">
                        <div class="grow">
                            <h2>"Networks"</h2>
                            <p>
                                <Transition fallback=|| ()>
                                    {move || desk.here().map(|here| {
                                        let text = if here.personal {
                                            "Connections of your personal workspace; nobody else reaches them. ".to_owned()
                                        } else {
                                            format!("Connections belong to {} and serve everybody in it. ", here.name)
                                        };
                                        view! { <span>{text}</span> }
                                    })}
                                </Transition>
                                "What is disconnected is revoked at the network where it allows."
                            </p>
                        </div>
                    </div>
                    <SettingsTabs here="/settings/networks"/>
                    <Transition fallback=|| view! { <div class="card"><span class="skeleton" style="width:90%"></span></div> }>
                        {move || desk.networks.get().map(|answer| match answer {
                            Ok(overview) => view! { <Overview overview/> }.into_any(),
                            Err(error) => view! {
                                <div class="note bad" role="alert">
                                    <Icon glyph=Glyph::CircleAlert/>
                                    <p><strong>{error.0.title}</strong>" "{error.0.detail}</p>
                                </div>
                            }.into_any(),
                        })}
                    </Transition>
                </div>
            </main>
        </div>
    }
}

#[component]
fn Overview(overview: NetworkOverview) -> impl IntoView {
    let query = use_query_map();
    let given = move |name: &str| query.read().get(name).unwrap_or_default();
    let back = Memo::new(move |_| safe_return(&given("return")).unwrap_or_default());
    let asked = move |name: &str| given(name).parse::<Network>().ok();
    let items = StoredValue::new(overview.items);
    let keys = Resource::new(|| (), |()| api::key_networks());
    let find =
        move |network: Network| items.with_value(|items| items.iter().find(|item| item.network == network).cloned());
    let to_choose = move || {
        let unfinished = |item: &ProviderView| item.state == NetworkState::ChooseAccount;
        asked("choose")
            .and_then(find)
            .or_else(|| items.with_value(|items| items.iter().find(|item| unfinished(item)).cloned()))
    };
    let (may_manage, sandbox) = (overview.may_manage, overview.sandbox);
    let section = move |kind: ProviderKind| {
        items
            .get_value()
            .into_iter()
            .filter(move |item| item.kind == kind)
            .map(|item| view! { <row::Row item may_manage/> })
            .collect_view()
    };
    view! {
        {(!may_manage).then(|| view! {
            <div class="note"><Icon glyph=Glyph::Lock/><p><strong>"Only admins connect networks."</strong>" You ask, read and approve with what is connected here."</p></div>
        })}
        {move || asked("connected").map(|network| view! {
            <div class="note good" role="status"><Icon glyph=Glyph::Check/><p><strong>{network.display_name()}" is connected."</strong></p></div>
        })}
        {move || asked("tested").map(|network| view! {
            <div class="note good" role="status"><Icon glyph=Glyph::Check/><p><strong>{network.display_name()}" answers."</strong>" What is kept still works."</p></div>
        })}
        // Beside a form that is open, the form says it.
        {move || Some(given("error")).filter(|text| !text.is_empty() && given("fields").is_empty()).map(|text| view! {
            <div class="note bad" role="alert"><Icon glyph=Glyph::CircleAlert/><p>{connect::explain(&text)}</p></div>
        })}
        <section class="section" aria-labelledby="by-google">
            <div class="section-head"><h3 id="by-google">"Google sign-in"</h3></div>
            <ul class="card">{section(ProviderKind::Oauth)}</ul>
        </section>
        <section class="section" aria-labelledby="by-key">
            <div class="section-head"><h3 id="by-key">"API key"</h3></div>
            <ul class="card">{section(ProviderKind::Key)}</ul>
        </section>
        {move || to_choose().filter(|item| may_manage && item.id.is_some()).map(|item| view! { <choose::ChooseAccounts item back=back.get()/> })}
        {move || asked("connect").filter(|_| may_manage).and_then(find).map(|item| view! {
            <connect::ConnectDialog item sandbox back=back.get() keys code=given("error") fields=given("fields")/>
        })}
    }
}
