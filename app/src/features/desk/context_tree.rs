//! The context: network → account → app with tri-state checkboxes, soft or strict, safe mode.
//!
//! What is ticked here is stored and enforced by the server; this is only the switchboard.

use adagent_contract::{ContextMode, ContextSettings, EntityItem, EntityKind, NetworkState};
use adagent_domain::Network;
use leptos::prelude::*;

use super::Desk;
use crate::{
    features::api::PutContext,
    ui::{Glyph, Icon, Toasts, format},
};

/// Which of the tree's boxes are ticked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tick {
    All,
    Some,
    None,
}

impl Tick {
    fn of(selected: usize, all: usize) -> Self {
        match selected {
            0 => Self::None,
            n if n == all => Self::All,
            _ => Self::Some,
        }
    }
}

/// What the tree is made of: the connected networks, and their accounts and apps.
#[derive(Debug, Clone, PartialEq)]
struct Stock {
    networks: Vec<Network>,
    entities: Vec<EntityItem>,
}

impl Stock {
    fn apps(&self, keep: impl Fn(&EntityItem) -> bool) -> Vec<String> {
        let apps = self.entities.iter().filter(|item| item.kind == EntityKind::App && keep(item));
        apps.map(|item| item.id.clone()).collect()
    }
}

fn is_on(settings: &ContextSettings, network: Network) -> bool {
    settings.enabled_networks.as_ref().is_none_or(|networks| networks.contains(&network))
}

fn is_selected(settings: &ContextSettings, network: Network, app: &str) -> bool {
    is_on(settings, network) && settings.enabled_apps.as_ref().is_none_or(|apps| apps.iter().any(|id| id == app))
}

/// The box of a network: its apps where it has any, else whether it is used at all.
fn network_tick(settings: &ContextSettings, stock: &Stock, network: Network) -> Tick {
    let apps = stock.apps(|item| item.network == network);
    let selected = apps.iter().filter(|id| is_selected(settings, network, id)).count();
    match (is_on(settings, network), apps.is_empty()) {
        (false, _) => Tick::None,
        (true, true) => Tick::All,
        (true, false) => Tick::of(selected, apps.len()),
    }
}

/// Switches a network with everything in it.
fn switch(settings: &ContextSettings, stock: &Stock, network: Network, on: bool) -> ContextSettings {
    let apps = stock.apps(|item| item.network == network);
    let next = if on { select(settings, stock, network, &apps, true) } else { settings.clone() };
    with_network(next, stock, network, on)
}

fn with_network(mut settings: ContextSettings, stock: &Stock, network: Network, on: bool) -> ContextSettings {
    let known = settings.enabled_networks.take().unwrap_or_else(|| stock.networks.clone());
    let mut networks: Vec<Network> = known.into_iter().filter(|other| *other != network).collect();
    if on {
        networks.push(network);
    }
    networks.sort();
    // Every one of them means whatever there is, so that a network connected later is in it too.
    settings.enabled_networks = (!stock.networks.iter().all(|network| networks.contains(network))).then_some(networks);
    settings
}

/// Ticks or unticks apps. When every app is ticked the selection becomes "everything", so that a new app is in it too.
fn select(settings: &ContextSettings, stock: &Stock, network: Network, apps: &[String], on: bool) -> ContextSettings {
    let every = stock.apps(|_| true);
    // An app may not be there because its network does not answer right now; what was chosen of it stays chosen.
    let unseen = settings.enabled_apps.iter().flatten().filter(|id| !every.contains(id)).cloned();
    let kept = |id: &String| settings.enabled_apps.as_ref().is_none_or(|apps| apps.contains(id));
    let chosen: Vec<String> =
        every.iter().filter(|id| if apps.contains(id) { on } else { kept(id) }).cloned().chain(unseen).collect();
    let mut next = if on { with_network(settings.clone(), stock, network, true) } else { settings.clone() };
    next.enabled_accounts.clear();
    if every.iter().all(|id| chosen.contains(id)) {
        next.enabled_apps = None;
        return next;
    }
    // Accounts follow their apps: one without a ticked app is out, unless its network has no apps to tick.
    for account in stock.entities.iter().filter(|item| item.kind == EntityKind::Account) {
        let of_account = stock.apps(|app| is_of(app, account));
        if of_account.is_empty() || of_account.iter().any(|id| chosen.contains(id)) {
            next.enabled_accounts.entry(account.network).or_default().push(account.id.clone());
        }
    }
    next.enabled_apps = Some(chosen);
    next
}

fn is_of(app: &EntityItem, account: &EntityItem) -> bool {
    let owner = app.account.as_deref().or(app.parent.as_deref());
    app.network == account.network && owner == Some(&*account.id)
}

#[component]
pub fn ContextTree() -> impl IntoView {
    let desk = Desk::get();
    let toasts = Toasts::get();
    let put = ServerAction::<PutContext>::new();
    // The answer of the server is what is shown; what was just sent is shown until then.
    let settings = move || match (put.input().get(), put.value().get()) {
        (Some(sent), _) => Some(sent.settings),
        (None, Some(Ok(kept))) => Some(kept),
        _ => desk.context.get().and_then(Result::ok),
    };
    Effect::new(move |_| {
        if let Some(Err(error)) = put.value().get() {
            toasts.complain(error.0.detail);
            desk.context.refetch();
        }
    });
    let change = Callback::new(move |next: ContextSettings| {
        put.dispatch(PutContext { settings: next });
    });
    view! {
        <Transition fallback=|| ()>
            {move || {
                // All are asked before any is looked at: the server waits for what was asked for.
                let (entities, overview) = (desk.entities.get(), desk.networks.get());
                let settings = settings()?;
                let connected = overview.and_then(Result::ok).map(|overview| overview.items).unwrap_or_default();
                let connected = connected.iter().filter(|item| item.state == NetworkState::Connected);
                let stock = Stock {
                    networks: connected.map(|item| item.network).collect(),
                    entities: entities.and_then(Result::ok).unwrap_or_default(),
                };
                (!stock.networks.is_empty()).then(|| view! { <Tree stock settings change/> })
            }}
        </Transition>
    }
}

#[component]
fn Tree(stock: Stock, settings: ContextSettings, change: Callback<ContextSettings>) -> impl IntoView {
    let apps = stock.entities.iter().filter(|item| item.kind == EntityKind::App);
    let selected = apps.clone().filter(|app| is_selected(&settings, app.network, &app.id)).count();
    let all = apps.count();
    let count = if selected == all { format::plural(all, "app", "apps") } else { format!("{selected} of {all} apps") };
    // One network stands open; of several only the names, so that the rail can be read at a glance.
    let open = stock.networks.len() == 1;
    let (for_tree, for_foot) = (settings.clone(), settings);
    view! {
        <h2 class="rail-title">"Context"<span class="count">{count}</span></h2>
        <ul class="tree">
            {stock
                .networks
                .clone()
                .into_iter()
                .map(|network| view! { <Branch network stock=stock.clone() settings=for_tree.clone() change open/> })
                .collect_view()}
        </ul>
        <Foot settings=for_foot change/>
    }
}

#[component]
fn Branch(
    network: Network,
    stock: Stock,
    settings: ContextSettings,
    change: Callback<ContextSettings>,
    open: bool,
) -> impl IntoView {
    let apps = stock.apps(|item| item.network == network);
    let selected = apps.iter().filter(|id| is_selected(&settings, network, id)).count();
    let tick = network_tick(&settings, &stock, network);
    let accounts: Vec<EntityItem> = stock
        .entities
        .iter()
        .filter(|item| item.kind == EntityKind::Account && item.network == network)
        .cloned()
        .collect();
    // One account is no choice: its apps stand directly under the network.
    let alone = accounts.len() < 2;
    let children = if alone {
        leaves(&stock, &settings, change, |item| item.network == network)
    } else {
        let accounts = accounts.into_iter().map(|account| {
            view! { <Account account stock=stock.clone() settings=settings.clone() change/> }
        });
        accounts.collect_view().into_any()
    };
    let name = network.display_name();
    let inside = if alone { format!("Apps of {name}") } else { format!("Accounts of {name}") };
    let empty = apps.is_empty() && alone;
    let (for_box, box_stock) = (settings.clone(), stock.clone());
    view! {
        <li>
            <TickBox
                name=name.to_owned() tick note=noted(tick, selected, apps.len())
                toggle=Callback::new(move |()| change.run(switch(&for_box, &box_stock, network, tick != Tick::All)))
            />
            {(!empty).then(|| view! {
                <details open=open>
                    <summary aria-label=inside><Icon glyph=Glyph::ChevronRight/></summary>
                    <ul>{children}</ul>
                </details>
            })}
        </li>
    }
}

#[component]
fn Account(
    account: EntityItem,
    stock: Stock,
    settings: ContextSettings,
    change: Callback<ContextSettings>,
) -> impl IntoView {
    let network = account.network;
    let ids = stock.apps(|item| is_of(item, &account));
    let name = format::entity_name(&account.name, &account.id);
    let selected = ids.iter().filter(|id| is_selected(&settings, network, id)).count();
    let tick = Tick::of(selected, ids.len());
    let note = noted(tick, selected, ids.len());
    let inside = format!("Apps of {name}");
    let children = leaves(&stock, &settings, change, |item| is_of(item, &account));
    view! {
        <li>
            <TickBox
                name tick note
                toggle=Callback::new(move |()| change.run(select(&settings, &stock, network, &ids, tick != Tick::All)))
            />
            <details>
                <summary aria-label=inside><Icon glyph=Glyph::ChevronRight/></summary>
                <ul>{children}</ul>
            </details>
        </li>
    }
}

fn noted(tick: Tick, selected: usize, all: usize) -> String {
    match (tick, all) {
        (_, 0) => String::new(),
        (Tick::Some, all) => format!("{selected} of {all}"),
        (_, all) => format::plural(all, "app", "apps"),
    }
}

/// A label with a tri-state box.
#[component]
fn TickBox(name: String, tick: Tick, note: String, toggle: Callback<()>) -> impl IntoView {
    view! {
        <label class="check">
            <input
                type="checkbox"
                class:is-mixed=tick == Tick::Some
                prop:indeterminate=tick == Tick::Some
                prop:checked=tick == Tick::All
                checked=tick == Tick::All
                on:change=move |_| toggle.run(())
            />
            <span class="truncate">{name}</span>
            {(tick == Tick::Some).then_some(view! { <span class="unseen">", partly selected"</span> })}
            <span class="faint">{note}</span>
        </label>
    }
}

/// The apps that are ticked one by one.
fn leaves(
    stock: &Stock,
    settings: &ContextSettings,
    change: Callback<ContextSettings>,
    keep: impl Fn(&EntityItem) -> bool,
) -> AnyView {
    let apps = stock.entities.iter().filter(|item| item.kind == EntityKind::App && keep(item)).cloned();
    apps.map(|app| {
        let (stock, now, id, network) = (stock.clone(), settings.clone(), app.id.clone(), app.network);
        let checked = is_selected(&now, network, &id);
        let platform = app.platform.as_deref().map(platform_name);
        view! {
            <li>
                <label class="check">
                    <input
                        type="checkbox" prop:checked=checked checked=checked
                        on:change=move |event| {
                            change.run(select(&now, &stock, network, std::slice::from_ref(&id), event_target_checked(&event)));
                        }
                    />
                    <span class="truncate">{app.name.clone()}{platform.map(|p| format!(" {p}"))}</span>
                </label>
            </li>
        }
    })
    .collect_view()
    .into_any()
}

#[component]
fn Foot(settings: ContextSettings, change: Callback<ContextSettings>) -> impl IntoView {
    let strict = settings.mode == ContextMode::Strict;
    let safe = settings.safe_mode;
    let (for_soft, for_strict, for_safe) = (settings.clone(), settings.clone(), settings);
    view! {
        <div class="context-foot">
            <fieldset class="segmented">
                <legend class="unseen">"How strictly to keep to this context"</legend>
                <label title="Prefers what is ticked, reaches further when the question names it">
                    <input
                        type="radio" name="mode" prop:checked=!strict checked=!strict
                        on:change=move |_| change.run(ContextSettings { mode: ContextMode::Soft, ..for_soft.clone() })
                    />
                    "Soft"
                </label>
                <label title="Nothing outside of what is ticked is read or changed">
                    <input
                        type="radio" name="mode" prop:checked=strict checked=strict
                        on:change=move |_| change.run(ContextSettings { mode: ContextMode::Strict, ..for_strict.clone() })
                    />
                    "Strict"
                </label>
            </fieldset>
            <label class="switch" title="Nothing is changed on any network, not even after approval">
                <input
                    type="checkbox" role="switch" prop:checked=safe checked=safe
                    on:change=move |event| change.run(ContextSettings { safe_mode: event_target_checked(&event), ..for_safe.clone() })
                />
                <span>"Safe mode"</span>
            </label>
        </div>
    }
}

fn platform_name(platform: &str) -> &str {
    match platform {
        "ios" => "iOS",
        "android" => "Android",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(network: Network, kind: EntityKind, id: &str, parent: Option<&str>) -> EntityItem {
        EntityItem {
            network,
            kind,
            id: id.into(),
            name: id.into(),
            parent: parent.map(Into::into),
            account: None,
            platform: None,
            format: None,
            status: None,
            raw: serde_json::Value::Null,
        }
    }

    const A: Network = Network::AdMob;

    fn stock() -> Stock {
        Stock {
            networks: vec![A, Network::AppLovin, Network::Unity],
            entities: vec![
                item(A, EntityKind::Account, "a", None),
                item(A, EntityKind::Account, "b", None),
                item(A, EntityKind::App, "a1", Some("a")),
                item(A, EntityKind::App, "a2", Some("a")),
                item(A, EntityKind::App, "b1", Some("b")),
                item(Network::AppLovin, EntityKind::Account, "max", None),
                item(Network::Unity, EntityKind::Account, "u", None),
                item(Network::Unity, EntityKind::App, "u1", Some("u")),
            ],
        }
    }

    #[test]
    fn unticking_the_last_app_of_an_account_takes_the_account_out() {
        let next = select(&ContextSettings::default(), &stock(), A, &["b1".into()], false);
        assert_eq!(next.enabled_apps, Some(vec!["a1".into(), "a2".into(), "u1".into()]));
        assert_eq!(next.enabled_accounts[&A], vec!["a".to_owned()]);
        // It has no apps: nothing was said of it.
        assert_eq!(next.enabled_accounts[&Network::AppLovin], vec!["max".to_owned()]);
    }

    #[test]
    fn ticking_everything_again_means_everything() {
        let some = select(&ContextSettings::default(), &stock(), A, &["a1".into()], false);
        let all = select(&some, &stock(), A, &["a1".into()], true);
        assert_eq!((all.enabled_apps, all.enabled_accounts.len()), (None, 0));
        assert_eq!((Tick::of(0, 2), Tick::of(1, 2), Tick::of(2, 2)), (Tick::None, Tick::Some, Tick::All));
    }

    #[test]
    fn a_network_is_switched_off_and_on_with_everything_in_it() {
        let settings = ContextSettings::default();
        let off = switch(&settings, &stock(), Network::AppLovin, false);
        assert_eq!(off.enabled_networks, Some(vec![A, Network::Unity]));
        assert_eq!(network_tick(&off, &stock(), Network::AppLovin), Tick::None);
        assert_eq!(network_tick(&off, &stock(), A), Tick::All);
        assert_eq!(switch(&off, &stock(), Network::AppLovin, true), settings);
        let off = switch(&settings, &stock(), A, false);
        assert!(!is_selected(&off, A, "a1") && is_selected(&off, Network::Unity, "u1"));
        // One app ticked brings its network back.
        let one = select(&off, &stock(), A, &["a1".into()], true);
        assert_eq!(one.enabled_networks, None);
    }

    #[test]
    fn what_was_chosen_of_a_network_that_does_not_answer_stays_chosen() {
        let settings = ContextSettings { enabled_apps: Some(vec!["a1".into(), "p9".into()]), ..ContextSettings::default() };
        let next = select(&settings, &stock(), A, &["a2".into()], true);
        assert_eq!(next.enabled_apps, Some(vec!["a1".into(), "a2".into(), "p9".into()]));
    }
}
