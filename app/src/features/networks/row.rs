//! One network in the list: state, facts, what can be done.

use adagent_contract::{EntityKind, NetworkState, Paused, ProviderKind, ProviderView};
use adagent_domain::Network;
use leptos::prelude::*;

use crate::features::form::ActionForm;
use crate::{
    LocalTime, PageClock,
    features::{
        api::{Disconnect, EnableNetwork, TestNetwork},
        desk::Desk,
    },
    ui::{Confirm, Glyph, Icon, NetworkMark, Toasts, format},
};

#[component]
pub fn Row(item: ProviderView, may_manage: bool) -> impl IntoView {
    let off = matches!(item.state, NetworkState::Disabled | NetworkState::ComingSoon | NetworkState::NotConnected);
    view! {
        <li class="net-row" class:off=item.state == NetworkState::ComingSoon id=item.network.id()>
            <NetworkMark network=item.network size="large" off/>
            <div>
                <h4>{item.display_name.clone()}<State item=item.clone()/></h4>
                <Facts item=item.clone()/>
            </div>
            <div class="actions"><Actions item=item.clone() may_manage/></div>
            {item.message.clone().map(|text| view! {
                <div class="note wait"><Icon glyph=Glyph::ShieldAlert/><p>{text}</p></div>
            })}
            {item.paused.map(|paused| view! { <Pause paused name=item.display_name.clone()/> })}
        </li>
    }
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
fn Actions(item: ProviderView, may_manage: bool) -> impl IntoView {
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
            text=format!("{goes}Questions about it stop working, and what waits for approval can no longer be sent. Chats and their answers stay.")
        >
            <ActionForm action=disconnect>
                <input type="hidden" name="id" value=id.to_string()/>
                <button class="button danger" type="submit" aria-busy=move || disconnect.pending().get().then_some("true")>"Disconnect"</button>
            </ActionForm>
        </Confirm>
    }
    .into_any()
}
