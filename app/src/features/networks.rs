//! Settings › Networks: every network with its state; forms to connect, to choose publisher accounts and to disconnect.
//!
//! `?connect=admob` opens that network's form (the link to its sign-in, or the fields of its keys). `?choose=admob` opens the
//! choice of accounts. Both work without JavaScript. `&add=1` asks for one more account of the network, `&connection=…` for one
//! of several.

mod access;
mod choose;
mod connect;
mod doing;
mod explore_all;
mod groups;
mod key_form;
mod leftover;
mod revocations;
mod row;
mod turn_on;

pub use explore_all::{ExploreAll, can_explore};
pub use leftover::ConsentsLeft;
pub use row::offers;
pub use turn_on::TurnOn;

use adagent_contract::{ConnectTarget, NetworkState, ProviderView, links};
use adagent_domain::{ConnectionId, Network};
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
    doing::Doing::provide();
    // Access that remains from an organization that was just deleted.
    let query = use_query_map();
    let lead = move || {
        view! {
            <Transition fallback=|| ()>
                {move || desk.here().map(|here| {
                    let text = if here.personal {
                        "Only you can use these connections. ".to_owned()
                    } else {
                        format!("Everyone in {} can use these connections. ", here.name)
                    };
                    view! { <span>{text}</span> }
                })}
            </Transition>
            "Disconnecting also revokes access at the network where possible."
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

/// Draws unchanged data only once, so that an open menu stays open. It is inside the `Transition`, because the server does not
/// wait for resources that are read outside of it.
#[component]
fn Shown() -> impl IntoView {
    let desk = Desk::get();
    let overview = Memo::new(move |_| desk.networks.get());
    let failed =
        Memo::new(move |_| overview.with(|answer| answer.as_ref().map(|answer| answer.as_ref().err().cloned())));
    // Create the resource here, not with the list. A resource created while the page streams may get another number on the server
    // than in the browser, and the browser would then draw another page.
    let keys = Resource::new(|| (), |()| api::key_networks());
    let fields_known = Memo::new(move |_| keys.with(Option::is_some));
    move || {
        failed.get().filter(|_| fields_known.get()).map(|failed| {
            if let Some(error) = failed {
                view! { <Unread error again=Callback::new(move |()| desk.refresh_networks())/> }.into_any()
            } else {
                let known = Memo::new(move |before: Option<&Option<NetworkOverview>>| {
                    overview.get().and_then(Result::ok).or_else(|| before.cloned().flatten())
                });
                view! { <Overview known keys/> }.into_any()
            }
        })
    }
}

#[component]
fn Overview(
    known: Memo<Option<NetworkOverview>>,
    keys: Resource<Result<Vec<adagent_contract::KeyNetworkView>, api::ApiError>>,
) -> impl IntoView {
    let query = use_query_map();
    let given = move |name: &str| query.read().get(name).unwrap_or_default();
    let back = Memo::new(move |_| safe_return(&given("return")).unwrap_or_default());
    let asked = move |name: &str| given(name).parse::<Network>().ok();
    let items =
        Memo::new(move |_| known.with(|known| known.as_ref().map(|known| known.items.clone()).unwrap_or_default()));
    let may_manage = Memo::new(move |_| known.with(|known| known.as_ref().is_some_and(|known| known.may_manage)));
    let sandbox = Memo::new(move |_| known.with(|known| known.as_ref().is_some_and(|known| known.sandbox)));
    // Untracked, so that an open form is not drawn again when other data changes.
    let find = move |network: Network| {
        items.with_untracked(|items| items.iter().find(|item| item.network == network).cloned())
    };
    // Returns a connection by its ID, or the network's first one.
    let one = move |network: Option<Network>, id: Option<ConnectionId>| {
        items.with_untracked(|items| {
            let mut all = items.iter().flat_map(|item| &item.connections);
            all.find(|one| if id.is_some() { one.id == id } else { Some(one.network) == network }).cloned()
        })
    };
    let unfinished = Memo::new(move |_| {
        let waits = |item: &&ProviderView| item.state == NetworkState::ChooseAccount;
        items.with(|items| items.iter().flat_map(|item| &item.connections).find(waits).and_then(|item| item.id))
    });
    let to_choose = move || {
        let (network, id) = (asked("choose"), given("choose").parse::<ConnectionId>().ok());
        let id = id.or_else(|| unfinished.get().filter(|_| network.is_none()));
        (network.is_some() || id.is_some()).then(|| one(network, id)).flatten()
    };
    // An address that names only a network means its one broken connection if the network has several. Otherwise nobody said
    // which one.
    let meant = move |item: &ProviderView| {
        let mut waiting =
            item.connections.iter().filter(|one| groups::Group::of(one.state) == groups::Group::Attention);
        let only = waiting.next().and_then(|one| one.id);
        given("connection").parse::<ConnectionId>().ok().or(only.filter(|_| waiting.next().is_none()))
    };
    let ambiguous = move || {
        let item = asked("connect").and_then(find)?;
        (item.has_several() && given("add") != "1" && meant(&item).is_none()).then_some(item)
    };
    // The form of a network: for its only connection, for a named one, or for one more.
    let to_connect = move || {
        let item = asked("connect").and_then(find)?;
        if given("add") == "1" && item.id.is_some() {
            return Some(connect::Asked { item, target: ConnectTarget { add: true, ..ConnectTarget::default() } });
        }
        let named = meant(&item).filter(|_| item.has_several());
        if named.is_none() && item.has_several() {
            return None;
        }
        let target = ConnectTarget { connection_id: named, ..ConnectTarget::default() };
        match named {
            Some(id) => Some(connect::Asked { item: one(None, Some(id))?, target }),
            None => Some(connect::Asked { item, target }),
        }
    };
    let sections = groups::Group::ALL.into_iter().map(move |group| {
        let here = Memo::new(move |_| items.with(|items| groups::of(items, group)));
        view! {
            <section class="section" aria-labelledby=group.word() hidden=move || here.with(Vec::is_empty)>
                <div class="section-head"><h3 id=group.word()>{group.title()}</h3></div>
                <ul class="card">
                    <For each=move || here.get() key=|place| *place let:place>
                        <row::Row place known/>
                    </For>
                </ul>
            </section>
        }
    });
    view! {
        {move || asked("connected").map(|network| view! {
            <div class="note good" role="status"><Icon glyph=Glyph::Check/><p><strong>{network.display_name()}" is connected."</strong></p></div>
        })}
        {move || asked("enabled").map(|network| view! {
            <div class="note good" role="status"><Icon glyph=Glyph::Check/><p><strong>{network.display_name()}" is on."</strong></p></div>
        })}
        {move || asked("enable").map(|network| view! {
            <div class="note" role="status"><Icon glyph=Glyph::Info/>
                <p><strong>{network.display_name()}" is turned off."</strong>" Turn it on to use it in your questions again."</p>
                <TurnOn network back=back.get()/>
            </div>
        })}
        {move || asked("tested").map(|network| view! {
            <div class="note good" role="status"><Icon glyph=Glyph::Check/><p><strong>{network.display_name()}" is working."</strong>" The connection works."</p></div>
        })}
        // An open form shows the error itself.
        {move || Some(given("error")).filter(|text| !text.is_empty() && given("fields").is_empty()).map(|text| view! {
            <div class="note bad" role="alert"><Icon glyph=Glyph::CircleAlert/><p>{connect::explain(&text)}</p></div>
        })}
        {move || (!may_manage.get()).then(|| view! {
            <div class="note"><Icon glyph=Glyph::Lock/><p><strong>"Only admins can connect networks."</strong>" You can ask questions and approve changes with the networks connected here."</p></div>
        })}
        {move || ambiguous().filter(|_| may_manage.get()).map(|item| view! {
            <div class="note" role="status"><Icon glyph=Glyph::Info/><p>
                <strong>{format!("{} has several connected accounts.", item.display_name)}</strong>
                " In the list, choose the one to reconnect, or add another."
            </p></div>
        })}
        {move || items.with(|items| can_explore(sandbox.get(), may_manage.get(), items))
            .then(|| view! { <ExploreAll here="/settings/networks"/> })}
        {sections.collect_view()}
        {move || to_choose().filter(|item| item.id.is_some() && may_manage.get()).map(|item| {
            let several = find(item.network).is_some_and(|network| network.has_several());
            view! { <choose::ChooseAccounts item several back=back.get()/> }
        })}
        {move || to_connect().filter(|_| may_manage.get()).map(|asked| view! {
            <connect::ConnectDialog asked sandbox=sandbox.get() back=back.get() keys code=given("error") fields=given("fields") tried=given("tried")/>
        })}
    }
}
