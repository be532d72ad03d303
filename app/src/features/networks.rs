//! Settings, networks: every network with its state, connecting, choosing publisher accounts, disconnecting.
//!
//! `?connect=admob` opens that network's form (the way to its sign-in, or the fields of its keys), `?choose=admob` the choice of
//! accounts; both read without script.

mod choose;
mod connect;
mod groups;
mod key_form;
mod left;
mod revocations;
mod row;

pub use left::ConsentsLeft;
pub use row::offers;

use adagent_contract::{NetworkState, ProviderView, links};
use adagent_domain::Network;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{
    api::{self, NetworkOverview, safe_return},
    desk::Desk,
    settings::SettingsPage,
};
use crate::ui::{Glyph, Icon, Loading, Unread};

#[component]
pub fn NetworksPage() -> impl IntoView {
    let desk = Desk::get();
    // Of an organisation that was deleted just now.
    let query = use_query_map();
    let lead = move || {
        view! {
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
        }
    };
    view! {
        <SettingsPage title="Networks" here="/settings/networks" lead>
            {move || view! { <ConsentsLeft networks=links::left(&query.read().get("left").unwrap_or_default())/> }}
            <revocations::NotTakenBack/>
            <Transition fallback=|| view! { <Loading/> }>
                <Shown/>
            </Transition>
        </SettingsPage>
    }
}

/// What is read again is not drawn anew where it did not change: a menu that is open stays open. Inside the boundary, because what
/// is read outside of it the server does not wait for.
#[component]
fn Shown() -> impl IntoView {
    let desk = Desk::get();
    let overview = Memo::new(move |_| desk.networks.get());
    let failed =
        Memo::new(move |_| overview.with(|answer| answer.as_ref().map(|answer| answer.as_ref().err().cloned())));
    move || {
        failed.get().map(|failed| {
            if let Some(error) = failed {
                view! { <Unread error again=Callback::new(move |()| desk.refresh_networks())/> }.into_any()
            } else {
                let known = Memo::new(move |before: Option<&Option<NetworkOverview>>| {
                    overview.get().and_then(Result::ok).or_else(|| before.cloned().flatten())
                });
                view! { <Overview known/> }.into_any()
            }
        })
    }
}

#[component]
fn Overview(known: Memo<Option<NetworkOverview>>) -> impl IntoView {
    let query = use_query_map();
    let given = move |name: &str| query.read().get(name).unwrap_or_default();
    let back = Memo::new(move |_| safe_return(&given("return")).unwrap_or_default());
    let asked = move |name: &str| given(name).parse::<Network>().ok();
    let items =
        Memo::new(move |_| known.with(|known| known.as_ref().map(|known| known.items.clone()).unwrap_or_default()));
    let may_manage = Memo::new(move |_| known.with(|known| known.as_ref().is_some_and(|known| known.may_manage)));
    let sandbox = Memo::new(move |_| known.with(|known| known.as_ref().is_some_and(|known| known.sandbox)));
    let keys = Resource::new(|| (), |()| api::key_networks());
    // Untracked: a form that is open is not drawn anew because something else was read.
    let find = move |network: Network| {
        items.with_untracked(|items| items.iter().find(|item| item.network == network).cloned())
    };
    let unfinished = Memo::new(move |_| {
        let waits = |item: &&ProviderView| item.state == NetworkState::ChooseAccount;
        items.with(|items| items.iter().find(waits).map(|item| item.network))
    });
    let to_choose = move || asked("choose").or_else(|| unfinished.get()).and_then(find);
    let sections = groups::Group::ALL.into_iter().map(move |group| {
        let here = Memo::new(move |_| items.with(|items| groups::of(items, group)));
        view! {
            <section class="section" aria-labelledby=group.word() hidden=move || here.with(Vec::is_empty)>
                <div class="section-head"><h3 id=group.word()>{group.title()}</h3></div>
                <ul class="card">
                    <For each=move || here.get() key=|network| *network let:network>
                        <row::Row network known/>
                    </For>
                </ul>
            </section>
        }
    });
    view! {
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
        {move || (!may_manage.get()).then(|| view! {
            <div class="note"><Icon glyph=Glyph::Lock/><p><strong>"Only admins connect networks."</strong>" You ask, read and approve with what is connected here."</p></div>
        })}
        {sections.collect_view()}
        {move || to_choose().filter(|item| item.id.is_some() && may_manage.get()).map(|item| view! {
            <choose::ChooseAccounts item back=back.get()/>
        })}
        {move || asked("connect").filter(|_| may_manage.get()).and_then(find).map(|item| view! {
            <connect::ConnectDialog item sandbox=sandbox.get() back=back.get() keys code=given("error") fields=given("fields") tried=given("tried")/>
        })}
    }
}
