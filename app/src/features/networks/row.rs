//! One network in the list: state, facts, what can be done.

use adagent_contract::{Abilities, Ability, Dependents, EntityKind, NetworkState, Paused, ProviderKind, ProviderView};
use adagent_domain::Network;
use leptos::prelude::*;

use crate::features::form::ActionForm;
use crate::{
    LocalTime, PageClock,
    features::{
        api::{Disconnect, EnableNetwork, NetworkOverview, TestNetwork},
        desk::Desk,
    },
    ui::{Confirm, Glyph, Icon, NetworkMark, Toasts, format},
};

#[component]
pub fn Row(network: Network, known: Memo<Option<NetworkOverview>>) -> impl IntoView {
    let of = move |known: &Option<NetworkOverview>| {
        known.as_ref().and_then(|known| known.items.iter().find(|item| item.network == network).cloned())
    };
    let item = Memo::new(move |_| known.with(of));
    // What can be done changes seldom: when somebody looked last is no reason to draw an open menu anew.
    let doable = Memo::new(move |_| {
        let depends = known.with(|known| known.as_ref().and_then(|known| known.dependents.get(&network).copied()));
        let may_manage = known.with(|known| known.as_ref().is_some_and(|known| known.may_manage));
        let plain = |item: ProviderView| ProviderView {
            last_verified_at: None,
            abilities: None,
            message: None,
            paused: item.paused.map(|_| Paused { until: None }),
            ..item
        };
        item.get().map(|item| (plain(item), may_manage, depends.unwrap_or_default()))
    });
    let coming = move || item.with(|item| item.as_ref().is_some_and(|item| item.state == NetworkState::ComingSoon));
    view! {
        <li class="net-row" class:off=coming id=network.id()>
            {move || item.get().map(|item| {
                let off = matches!(item.state, NetworkState::Disabled | NetworkState::ComingSoon | NetworkState::NotConnected);
                view! {
                    <NetworkMark network size="large" off/>
                    <div>
                        <h4>{item.display_name.clone()}<State item=item.clone()/></h4>
                        <Facts item=item.clone()/>
                        {item.abilities.as_ref().filter(|_| item.state != NetworkState::NotConnected).map(can)}
                    </div>
                }
            })}
            <div class="actions">
                {move || doable.get().map(|(item, may_manage, depends)| view! { <Actions item may_manage depends/> })}
            </div>
            {move || item.get().map(|item| view! {
                {item.message.clone().map(|text| view! {
                    <div class="note wait"><Icon glyph=Glyph::ShieldAlert/><p>{text}</p></div>
                })}
                {item.abilities.as_ref().map(|abilities| lacks(network, abilities))}
                {item.paused.map(|paused| view! { <Pause paused name=item.display_name.clone()/> })}
            })}
        </li>
    }
}

pub(super) const fn word(ability: Ability) -> &'static str {
    match ability {
        Ability::Yes => "yes",
        Ability::No => "no",
        Ability::Refused => "refused lately",
        Ability::NotKnown => "not known",
    }
}

/// "Read: yes · Report: yes · Change: not known".
fn can(abilities: &Abilities) -> impl IntoView + use<> {
    let words = abilities.each().map(|(name, view)| {
        let word = word(view.ability);
        view! { <span title=view.why.clone()>{name}": "{word}</span> }
    });
    view! { <p class="facts">{words.into_iter().collect_view()}</p> }
}

/// What the credentials do not open, and what to do about it.
fn lacks(network: Network, abilities: &Abilities) -> impl IntoView + use<> {
    let missing = abilities.each().into_iter().filter_map(|(name, view)| {
        let why = view.why.clone().unwrap_or_default();
        let told = match view.ability {
            Ability::No => format!("{name}: not with what is kept. {why}"),
            Ability::Refused => format!("{name}: refused the last time. {why}"),
            Ability::Yes | Ability::NotKnown => return None,
        };
        Some(view! { <p>{told}</p> })
    });
    let missing: Vec<_> = missing.collect();
    let name = network.display_name();
    let what = if network.uses_oauth() {
        format!("Sign in again and leave every right on {name}'s page ticked.")
    } else {
        format!("Give the key that right in {name} and test it here, or enter one that has it.")
    };
    (!missing.is_empty()).then(|| {
        view! {
            <div class="note wait"><Icon glyph=Glyph::KeyRound/><div>{missing}<p>{what}</p></div></div>
        }
    })
}

#[component]
fn State(item: ProviderView) -> impl IntoView {
    let sandbox = item.sandbox && item.id.is_some();
    let badge = match item.state {
        NetworkState::Connected if item.paused.is_some() => {
            view! { <span class="badge wait"><Icon glyph=Glyph::Pause/>"Paused"</span> }.into_any()
        }
        NetworkState::Connected => {
            view! { <span class="badge good"><Icon glyph=Glyph::Check/>"Connected"</span> }.into_any()
        }
        NetworkState::AuthFailed => {
            let what = if item.kind == ProviderKind::Oauth { "Sign-in expired" } else { "Keys refused" };
            view! { <span class="badge bad"><Icon glyph=Glyph::TriangleAlert/>{what}</span> }.into_any()
        }
        NetworkState::ChooseAccount => {
            view! { <span class="badge wait"><Icon glyph=Glyph::Clock/>"Choose an account"</span> }.into_any()
        }
        NetworkState::Disabled => view! { <span class="badge">"Disabled"</span> }.into_any(),
        NetworkState::ComingSoon => view! { <span class="badge outline">"Soon"</span> }.into_any(),
        NetworkState::NotConnected => ().into_any(),
    };
    view! {
        {badge}
        {sandbox.then(|| view! { <span class="badge sandbox"><Icon glyph=Glyph::FlaskConical/>"Sandbox"</span> })}
    }
}

/// Why nothing is asked there right now.
#[component]
fn Pause(paused: Paused, name: String) -> impl IntoView {
    let when = match paused.until {
        Some(until) => view! { "until "<LocalTime at=until/> }.into_any(),
        None => "while one call tries again".into_any(),
    };
    view! {
        <div class="note wait">
            <Icon glyph=Glyph::Timer/>
            <p><strong>"The last calls all failed. "</strong>{name}" is left alone "{when}"; what was read in the minutes before is still shown."</p>
        </div>
    }
}

/// What ends with a connection.
fn stops(depends: Dependents) -> String {
    let changes = format::plural(usize::try_from(depends.approvals).unwrap_or(usize::MAX), "change", "changes");
    let runs = format::plural(usize::try_from(depends.runs).unwrap_or(usize::MAX), "run", "runs");
    match (depends.approvals, depends.runs) {
        (0, 0) => "Nothing waits for approval or is under way with it right now.".to_owned(),
        (0, _) => format!("{runs} that work with it right now cannot finish that part."),
        (1, _) => format!("{changes} that waits for approval is withdrawn and can no longer be sent."),
        _ => format!("{changes} that wait for approval are withdrawn and can no longer be sent."),
    }
}

/// What a network has, in the words it uses.
pub const fn offers(network: Network) -> &'static str {
    match network {
        Network::AdMob | Network::Unity => "Reports, apps, ad units, mediation groups",
        Network::AdManager => "Reports, orders, line items, ad units",
        Network::AppLovin => "Reports, ad units, waterfalls",
        Network::Mintegral => "Reports, apps, placements, ad units",
        Network::Liftoff => "Reports, applications, placements",
        Network::InMobi => "Reports, apps, placements",
        Network::Pangle => "Reports, apps, ad slots",
        Network::DtExchange => "Reports, apps, placements, instances",
    }
}

#[component]
fn Facts(item: ProviderView) -> impl IntoView {
    let clock = PageClock::get();
    let desk = Desk::get();
    let facts = match item.state {
        NetworkState::ComingSoon => view! { <span>"Not available yet"</span> }.into_any(),
        NetworkState::NotConnected => view! { <span>{offers(item.network)}</span> }.into_any(),
        _ => {
            let selected: Vec<_> = item.accounts.iter().filter(|account| account.selected).collect();
            let names = selected
                .iter()
                .map(|account| format::entity_name(&account.name, &account.id))
                .collect::<Vec<_>>()
                .join(", ");
            let network = item.network;
            let apps = move || {
                let entities = desk.entities.get().and_then(Result::ok).unwrap_or_default();
                entities.iter().filter(|item| item.kind == EntityKind::App && item.network == network).count()
            };
            view! {
                <span title=names>{format::plural(selected.len(), "account", "accounts")}</span>
                <Transition fallback=|| ()>
                    {move || Some(apps()).filter(|apps| *apps > 0).map(|apps| view! { <span>{format::plural(apps, "app", "apps")}</span> })}
                </Transition>
                {item.last_verified_at.map(|at| view! { <span>{move || format!("checked {}", format::ago(at, clock.now()))}</span> })}
            }
            .into_any()
        }
    };
    view! { <p class="facts">{facts}</p> }
}

#[component]
fn Actions(item: ProviderView, may_manage: bool, depends: Dependents) -> impl IntoView {
    let desk = Desk::get();
    let enable = ServerAction::<EnableNetwork>::new();
    let disconnect = ServerAction::<Disconnect>::new();
    let test = ServerAction::<TestNetwork>::new();
    let toasts = Toasts::get();
    Effect::new(move |_| {
        if enable.version().get() + disconnect.version().get() + test.version().get() > 0 {
            desk.refresh_networks();
        }
    });
    for answer in [enable.value(), disconnect.value()] {
        Effect::new(move |_| {
            if let Some(Err(error)) = answer.get() {
                toasts.complain(error.0.detail);
            }
        });
    }
    let tested = item.display_name.clone();
    Effect::new(move |_| match test.value().get() {
        Some(Ok(None)) => toasts.say(format!("{tested} answers: what is kept still works.")),
        Some(Ok(Some(problem))) => toasts.complain(problem.detail),
        Some(Err(error)) => toasts.complain(error.0.detail),
        None => {}
    });
    if !may_manage || item.state == NetworkState::ComingSoon {
        return ().into_any();
    }
    let name = item.display_name.clone();
    let connect = format!("/settings/networks?connect={}", item.network.id());
    let keyed = item.kind == ProviderKind::Key;
    let Some(id) = item.id else {
        return view! { <a class="button" href=connect>"Connect"<span class="unseen">{format!(" {name}")}</span></a> }
            .into_any();
    };
    let network = item.network.id();
    let (unseen, unseen_too) = (format!(" {name}"), format!(" {name}"));
    let (unseen_test, unseen_menu, unseen_again) = (unseen.clone(), unseen.clone(), unseen.clone());
    let goes = if keyed {
        "Its keys are deleted here; at the network they stay valid until you take them back there. "
    } else {
        "Its tokens are revoked and deleted. "
    };
    let (menu, ask) = (format!("more-{network}"), format!("disconnect-{network}"));
    let (menu_target, menu_again, ask_target) = (menu.clone(), menu.clone(), ask.clone());
    let failed = item.state == NetworkState::AuthFailed;
    let enabled = item.state != NetworkState::Disabled;
    let several = item.accounts.len() > 1;
    let working = item.state == NetworkState::Connected;
    let choose = format!("/settings/networks?choose={}", item.network.id());
    view! {
        {failed.then(|| view! {
            <a class="button primary" href=connect.clone()>{if keyed { "Enter new keys" } else { "Sign in again" }}</a>
        })}
        {(working && !several).then(|| view! {
            <ActionForm action=test>
                <input type="hidden" name="id" value=id.to_string()/>
                <button class="button" type="submit" aria-busy=move || test.pending().get().then_some("true")>
                    {if item.paused.is_some() { "Try now" } else { "Test" }}<span class="unseen">{unseen_test.clone()}</span>
                </button>
            </ActionForm>
        })}
        {(several && !failed).then(|| view! { <a class="button" href=choose>"Accounts"</a> })}
        <button class="button ghost icon-only" type="button" popovertarget=menu_target aria-label=format!("More for {name}")>
            <Icon glyph=Glyph::Ellipsis/>
        </button>
        <div class="menu end" id=menu popover="auto">
            {(working && several).then(|| view! {
                <ActionForm action=test>
                    <input type="hidden" name="id" value=id.to_string()/>
                    <button class="menu-item" type="submit" aria-busy=move || test.pending().get().then_some("true")>
                        <Icon glyph=Glyph::RefreshCw/>"Test"<span class="unseen">{unseen_menu}</span>
                    </button>
                </ActionForm>
            })}
            {(!failed).then(|| view! {
                <a class="menu-item" href=connect>
                    <Icon glyph=if keyed { Glyph::KeyRound } else { Glyph::RefreshCw }/>
                    {if keyed { "Replace keys" } else { "Sign in again" }}<span class="unseen">{unseen_again}</span>
                </a>
            })}
            <ActionForm action=enable>
                <input type="hidden" name="id" value=id.to_string()/>
                <input type="hidden" name="enabled" value=(!enabled).to_string()/>
                <button class="menu-item" type="submit" aria-busy=move || enable.pending().get().then_some("true")>
                    <Icon glyph=if enabled { Glyph::Pause } else { Glyph::Play }/>
                    {if enabled { "Disable" } else { "Enable" }}<span class="unseen">{unseen.clone()}</span>
                </button>
            </ActionForm>
            <button class="menu-item bad" type="button" popovertarget=ask_target>
                <Icon glyph=Glyph::Unplug/>
                "Disconnect…"<span class="unseen">{unseen_too}</span>
            </button>
        </div>
        <Confirm
            id=ask
            menu=menu_again
            title=format!("Disconnect {name}?")
            text=format!("{goes}Questions about it stop working. {} Chats and their answers stay.", stops(depends))
        >
            <ActionForm action=disconnect>
                <input type="hidden" name="id" value=id.to_string()/>
                <button class="button danger" type="submit" aria-busy=move || disconnect.pending().get().then_some("true")>"Disconnect"</button>
            </ActionForm>
        </Confirm>
    }
    .into_any()
}
