//! The context: network → account → app with tri-state checkboxes, the scope, and safe mode.
//!
//! The server stores and enforces the selection. This part only edits it.

use adagent_contract::{
    ContextMode, ContextSettings, EntityItem, EntityKind, NetworkState, ProviderView, ResponseStyle,
};
use adagent_domain::Network;
use leptos::prelude::*;

use super::{
    Desk,
    selection::{Door, Stock, Tick, apps_in_context, is_of, is_selected, network_tick, select, switch, switch_door},
};
use crate::{
    features::{
        api::PutContext,
        chat::{CONTEXT, model_name},
    },
    ui::{Glyph, Icon, Toasts, format},
};

#[component]
pub fn ContextTree() -> impl IntoView {
    let desk = Desk::get();
    let toasts = Toasts::get();
    let put = ServerAction::<PutContext>::new();
    // Show the server's answer. While a change is being sent, show that change.
    let settings = move || match (put.input().get(), put.value().get()) {
        (Some(sent), _) => Some(sent.settings),
        (None, Some(Ok(kept))) => Some(kept),
        _ => desk.context.get().and_then(Result::ok),
    };
    Effect::new(move |_| match put.value().get() {
        Some(Err(error)) => {
            toasts.complain(error.0.detail);
            desk.context.refetch();
        }
        // The composer and the start page show the context too.
        Some(Ok(_)) => desk.context.refetch(),
        None => {}
    });
    let change = Callback::new(move |next: ContextSettings| {
        put.dispatch(PutContext { settings: next });
    });
    // The search text outlives the tree, because each tick draws the tree again.
    let sought = RwSignal::new(String::new());
    provide_context(Sought(sought));
    view! {
        <Transition fallback=|| ()>
            {move || {
                // Read both before using either: the server waits for every resource that was read.
                let (entities, overview) = (desk.entities.get(), desk.networks.get());
                let models = desk.viewer.get().and_then(Result::ok).flatten().map(|viewer| viewer.models);
                let settings = settings()?;
                let connected = overview.and_then(Result::ok).map(|overview| overview.items).unwrap_or_default();
                let connected: Vec<_> = connected.into_iter().filter(ProviderView::works).collect();
                let doors = connected.iter().filter(|item| item.has_several()).flat_map(doors_of).collect();
                let stock = Stock {
                    doors,
                    networks: connected.iter().map(|item| item.network).collect(),
                    entities: entities.and_then(Result::ok).unwrap_or_default(),
                };
                (!stock.networks.is_empty()).then(|| view! { <Tree stock settings models=models.unwrap_or_default() change/> })
            }}
        </Transition>
    }
}

/// Returns the connections of a network that has several. Broken ones are included: a selected one counts again once it works,
/// and an unselected one stays out.
fn doors_of(item: &ProviderView) -> Vec<Door> {
    let door = |one: &ProviderView| {
        let works = one.state == NetworkState::Connected;
        Some(Door { network: item.network, id: one.id?, label: one.label.clone()?, works })
    };
    item.connections.iter().filter_map(door).collect()
}

/// The search text of the tree.
#[derive(Clone, Copy)]
struct Sought(RwSignal<String>);

impl Sought {
    fn get() -> Self {
        expect_context()
    }

    fn is_any(self) -> bool {
        !self.0.read().trim().is_empty()
    }

    /// Checks whether a name matches the search; every name does while the search is empty.
    fn finds(self, name: &str) -> bool {
        name.to_lowercase().contains(&self.0.read().trim().to_lowercase())
    }
}

/// From this number of apps on, the list has a search field.
const SEARCHED_FROM: usize = 8;

#[component]
fn Tree(
    stock: Stock,
    settings: ContextSettings,
    models: Vec<String>,
    change: Callback<ContextSettings>,
) -> impl IntoView {
    let Sought(sought) = Sought::get();
    let all = stock.entities.iter().filter(|item| item.kind == EntityKind::App).count();
    let selected = apps_in_context(&stock.entities, &settings);
    // Not every network has a list of apps.
    let count = match (selected, all) {
        (_, 0) => String::new(),
        _ if selected == all => format::plural(all, "app", "apps"),
        _ => format!("{selected} of {all} apps"),
    };
    // A single network starts open. Several networks start closed, so that the person can read the rail at a glance.
    let open = stock.networks.len() == 1;
    let (for_tree, for_foot) = (settings.clone(), settings);
    view! {
        <section id=CONTEXT aria-labelledby="context-title">
        <h2 class="rail-title" id="context-title">"Context"<span class="count">{count}</span></h2>
        {(all >= SEARCHED_FROM).then(|| view! {
            <input
                class="input small context-search" type="search" aria-label="Find an app" placeholder="Find an app"
                autocomplete="off" prop:value=sought on:input=move |event| sought.set(event_target_value(&event))
            />
        })}
        <ul class="tree">
            {stock
                .networks
                .clone()
                .into_iter()
                .map(|network| view! { <Branch network stock=stock.clone() settings=for_tree.clone() change open/> })
                .collect_view()}
        </ul>
        <Foot settings=for_foot models change/>
        </section>
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
    let doors: Vec<Door> = stock.doors_of(network).cloned().collect();
    // With a single account there is nothing to choose, so its apps are directly under the network.
    let alone = accounts.len() < 2 && doors.is_empty();
    let children = if !doors.is_empty() {
        let doors = doors.into_iter().map(|door| {
            view! { <Through door stock=stock.clone() settings=settings.clone() change/> }
        });
        doors.collect_view().into_any()
    } else if alone {
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
    let names: Vec<String> = stock.names(|item| item.network == network);
    let sought = Sought::get();
    let hidden = move || !sought.finds(name) && !names.iter().any(|name| sought.finds(name));
    view! {
        <li hidden=hidden>
            <TickBox
                name=name.to_owned() tick note=noted(tick, selected, apps.len())
                toggle=Callback::new(move |()| change.run(switch(&for_box, &box_stock, network, tick != Tick::All)))
            />
            {(!empty).then(|| view! {
                <details open=move || open || sought.is_any()>
                    <summary aria-label=inside><Icon glyph=Glyph::ChevronRight/></summary>
                    <ul>{children}</ul>
                </details>
            })}
        </li>
    }
}

/// Shows one of several connections of a network, with its accounts or apps.
#[component]
fn Through(door: Door, stock: Stock, settings: ContextSettings, change: Callback<ContextSettings>) -> impl IntoView {
    let (tick, network) = (door.tick(&settings, &stock), door.network);
    let ids = stock.apps(|item| door.has(item));
    let selected = ids.iter().filter(|id| is_selected(&settings, network, id)).count();
    let note = if door.works { noted(tick, selected, ids.len()) } else { "not working".to_owned() };
    let accounts: Vec<EntityItem> =
        stock.entities.iter().filter(|item| item.kind == EntityKind::Account && door.has(item)).cloned().collect();
    let children = if accounts.len() < 2 {
        leaves(&stock, &settings, change, |item| door.has(item))
    } else {
        let accounts = accounts.into_iter().map(|account| {
            view! { <Account account stock=stock.clone() settings=settings.clone() change/> }
        });
        accounts.collect_view().into_any()
    };
    let name = door.label.clone();
    let inside = format!("Apps of {} · {name}", network.display_name());
    let names: Vec<String> = stock.names(|item| door.has(item)).into_iter().chain([name.clone()]).collect();
    let sought = Sought::get();
    let empty = ids.is_empty();
    view! {
        <li hidden=move || !names.iter().any(|name| sought.finds(name))>
            <TickBox
                name tick note
                toggle=Callback::new(move |()| change.run(switch_door(&settings, &stock, &door, tick != Tick::All)))
            />
            {(!empty).then(|| view! {
                <details open=move || sought.is_any()>
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
    let names: Vec<String> = stock.names(|item| is_of(item, &account)).into_iter().chain([name.clone()]).collect();
    let sought = Sought::get();
    view! {
        <li hidden=move || !names.iter().any(|name| sought.finds(name))>
            <TickBox
                name tick note
                toggle=Callback::new(move |()| change.run(select(&settings, &stock, network, &ids, tick != Tick::All)))
            />
            <details open=move || sought.is_any()>
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

/// Shows a label with a tri-state box.
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

/// Shows a box for each app.
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
        let (sought, name) = (Sought::get(), app.name.clone());
        let above = [network.display_name().to_owned()].into_iter().chain(stock.account_of(&app));
        let above: Vec<String> = above.collect();
        view! {
            <li hidden=move || !sought.finds(&name) && !above.iter().any(|above| sought.is_any() && sought.finds(above))>
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
fn Foot(settings: ContextSettings, models: Vec<String>, change: Callback<ContextSettings>) -> impl IntoView {
    let strict = settings.mode == ContextMode::Strict;
    let safe = settings.safe_mode;
    let detailed = settings.response_style == ResponseStyle::Detailed;
    let model = settings.model.clone().or_else(|| models.first().cloned()).unwrap_or_default();
    let (for_soft, for_strict, for_safe) = (settings.clone(), settings.clone(), settings.clone());
    let (for_style, for_model) = (settings.clone(), settings);
    view! {
        <div class="context-foot">
            <fieldset class="segmented">
                <legend class="unseen">"Scope"</legend>
                <label title="Uses the selected apps unless your question names others">
                    <input
                        type="radio" name="mode" prop:checked=!strict checked=!strict
                        on:change=move |_| change.run(ContextSettings { mode: ContextMode::Soft, ..for_soft.clone() })
                    />
                    "Flexible"
                </label>
                <label title="Never reads or changes anything outside the selection">
                    <input
                        type="radio" name="mode" prop:checked=strict checked=strict
                        on:change=move |_| change.run(ContextSettings { mode: ContextMode::Strict, ..for_strict.clone() })
                    />
                    "Selected only"
                </label>
            </fieldset>
            <label class="switch" title="Blocks every change, even after approval">
                <input
                    type="checkbox" role="switch" prop:checked=safe checked=safe
                    on:change=move |event| change.run(ContextSettings { safe_mode: event_target_checked(&event), ..for_safe.clone() })
                />
                <span>"Safe mode"</span>
            </label>
        </div>
        <div class="context-foot">
            <label class="switch" title="Adds a breakdown and the method to each answer">
                <input
                    type="checkbox" role="switch" prop:checked=detailed checked=detailed
                    on:change=move |event| {
                        let style = if event_target_checked(&event) { ResponseStyle::Detailed } else { ResponseStyle::Concise };
                        change.run(ContextSettings { response_style: style, ..for_style.clone() });
                    }
                />
                <span>"Detailed answers"</span>
            </label>
            {(models.len() > 1).then(|| view! {
                <select
                    class="input small context-model" aria-label="Model"
                    on:change=move |event| change.run(ContextSettings { model: Some(event_target_value(&event)), ..for_model.clone() })
                >
                    {models.into_iter().map(|id| view! {
                        <option value=id.clone() selected=id == model>{model_name(&id)}</option>
                    }).collect_view()}
                </select>
            })}
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
