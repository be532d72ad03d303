//! The context: network → account → app with tri-state checkboxes, soft or strict, safe mode.
//!
//! What is ticked here is stored and enforced by the server; this is only the switchboard.

use adagent_contract::{ContextMode, ContextSettings, EntityItem, EntityKind};
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

fn is_selected(settings: &ContextSettings, app: &str) -> bool {
    settings.enabled_apps.as_ref().is_none_or(|apps| apps.iter().any(|id| id == app))
}

/// Ticks or unticks apps. When every app is ticked the selection becomes "everything", so that a new app is in it too.
fn select(settings: &ContextSettings, all: &[EntityItem], apps: &[String], on: bool) -> ContextSettings {
    let every: Vec<String> =
        all.iter().filter(|item| item.kind == EntityKind::App).map(|item| item.id.clone()).collect();
    let mut chosen: Vec<String> =
        every.iter().filter(|id| if apps.contains(id) { on } else { is_selected(settings, id) }).cloned().collect();
    chosen.dedup();
    let mut next = settings.clone();
    if chosen.len() == every.len() {
        next.enabled_apps = None;
        next.enabled_accounts.clear();
        return next;
    }
    // Accounts follow their apps: one without a ticked app is out.
    next.enabled_accounts.clear();
    for item in all.iter().filter(|item| item.kind == EntityKind::Account) {
        let has_app = all.iter().any(|app| {
            app.kind == EntityKind::App && app.parent.as_deref() == Some(&item.id) && chosen.contains(&app.id)
        });
        if has_app {
            next.enabled_accounts.entry(item.network).or_default().push(item.id.clone());
        }
    }
    next.enabled_apps = Some(chosen);
    next
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
                let entities = desk.entities.get().and_then(Result::ok).unwrap_or_default();
                let settings = settings()?;
                (!entities.is_empty()).then(|| view! { <Tree entities settings change/> })
            }}
        </Transition>
    }
}

#[component]
fn Tree(entities: Vec<EntityItem>, settings: ContextSettings, change: Callback<ContextSettings>) -> impl IntoView {
    let apps = entities.iter().filter(|item| item.kind == EntityKind::App);
    let selected = apps.clone().filter(|app| is_selected(&settings, &app.id)).count();
    let all = apps.count();
    let count = if selected == all { format::plural(all, "app", "apps") } else { format!("{selected} of {all} apps") };
    let networks: Vec<Network> =
        Network::ALL.into_iter().filter(|n| entities.iter().any(|item| item.network == *n)).collect();
    let (for_tree, for_foot) = (settings.clone(), settings);
    view! {
        <h2 class="rail-title">"Context"<span class="count">{count}</span></h2>
        <ul class="tree">
            {networks
                .into_iter()
                .map(|network| {
                    let ids = app_ids(&entities, |item| item.network == network);
                    let accounts: Vec<EntityItem> = entities
                        .iter()
                        .filter(|item| item.kind == EntityKind::Account && item.network == network)
                        .cloned()
                        .collect();
                    let entities = entities.clone();
                    let settings = for_tree.clone();
                    view! {
                        <Branch
                            name=network.display_name().to_owned()
                            inside=format!("Accounts of {}", network.display_name())
                            apps=ids entities=entities.clone() settings=settings.clone() change open=true
                        >
                            {accounts
                                .into_iter()
                                .map(|account| view! { <Account account entities=entities.clone() settings=settings.clone() change/> })
                                .collect_view()}
                        </Branch>
                    }
                })
                .collect_view()}
        </ul>
        <Foot settings=for_foot change/>
    }
}

#[component]
fn Account(
    account: EntityItem,
    entities: Vec<EntityItem>,
    settings: ContextSettings,
    change: Callback<ContextSettings>,
) -> impl IntoView {
    let mine: Vec<EntityItem> = entities
        .iter()
        .filter(|item| item.kind == EntityKind::App && item.parent.as_deref() == Some(&account.id))
        .cloned()
        .collect();
    let ids = mine.iter().map(|item| item.id.clone()).collect::<Vec<_>>();
    let name = format::entity_name(&account.name, &account.id);
    let leaf_entities = entities.clone();
    let leaf_settings = settings.clone();
    view! {
        <Branch name=name.clone() inside=format!("Apps of {name}") apps=ids entities settings change open=false>
            {mine
                .into_iter()
                .map(|app| {
                    let (all, now, id) = (leaf_entities.clone(), leaf_settings.clone(), app.id.clone());
                    let checked = is_selected(&now, &id);
                    let platform = app.platform.as_deref().map(platform_name);
                    view! {
                        <li>
                            <label class="check">
                                <input
                                    type="checkbox" prop:checked=checked checked=checked
                                    on:change=move |event| change.run(select(&now, &all, std::slice::from_ref(&id), event_target_checked(&event)))
                                />
                                <span class="truncate">{app.name.clone()}{platform.map(|p| format!(" {p}"))}</span>
                            </label>
                        </li>
                    }
                })
                .collect_view()}
        </Branch>
    }
}

/// A label with a tri-state box, and its children behind a disclosure.
#[component]
fn Branch(
    name: String,
    inside: String,
    apps: Vec<String>,
    entities: Vec<EntityItem>,
    settings: ContextSettings,
    change: Callback<ContextSettings>,
    open: bool,
    children: Children,
) -> impl IntoView {
    let selected = apps.iter().filter(|id| is_selected(&settings, id)).count();
    let tick = Tick::of(selected, apps.len());
    let note = if tick == Tick::Some {
        format!("{selected} of {}", apps.len())
    } else {
        format::plural(apps.len(), "app", "apps")
    };
    view! {
        <li>
            <label class="check">
                <input
                    type="checkbox"
                    class:is-mixed=tick == Tick::Some
                    prop:indeterminate=tick == Tick::Some
                    prop:checked=tick == Tick::All
                    checked=tick == Tick::All
                    on:change=move |_| change.run(select(&settings, &entities, &apps, tick != Tick::All))
                />
                <span class="truncate">{name}</span>
                {(tick == Tick::Some).then_some(view! { <span class="unseen">", partly selected"</span> })}
                <span class="faint">{note}</span>
            </label>
            <details open=open>
                <summary aria-label=inside><Icon glyph=Glyph::ChevronRight/></summary>
                <ul>{children()}</ul>
            </details>
        </li>
    }
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

fn app_ids(entities: &[EntityItem], keep: impl Fn(&EntityItem) -> bool) -> Vec<String> {
    entities.iter().filter(|item| item.kind == EntityKind::App && keep(item)).map(|item| item.id.clone()).collect()
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

    fn item(kind: EntityKind, id: &str, parent: Option<&str>) -> EntityItem {
        EntityItem {
            network: Network::AdMob,
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

    fn tree() -> Vec<EntityItem> {
        vec![
            item(EntityKind::Account, "a", None),
            item(EntityKind::Account, "b", None),
            item(EntityKind::App, "a1", Some("a")),
            item(EntityKind::App, "a2", Some("a")),
            item(EntityKind::App, "b1", Some("b")),
        ]
    }

    #[test]
    fn unticking_the_last_app_of_an_account_takes_the_account_out() {
        let next = select(&ContextSettings::default(), &tree(), &["b1".into()], false);
        assert_eq!(next.enabled_apps, Some(vec!["a1".into(), "a2".into()]));
        assert_eq!(next.enabled_accounts[&Network::AdMob], vec!["a".to_owned()]);
    }

    #[test]
    fn ticking_everything_again_means_everything() {
        let some = select(&ContextSettings::default(), &tree(), &["a1".into()], false);
        let all = select(&some, &tree(), &["a1".into()], true);
        assert_eq!((all.enabled_apps, all.enabled_accounts.len()), (None, 0));
        assert_eq!((Tick::of(0, 2), Tick::of(1, 2), Tick::of(2, 2)), (Tick::None, Tick::Some, Tick::All));
    }
}
