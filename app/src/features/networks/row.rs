//! One network in the list: state, facts and actions.

use adagent_contract::{
    Abilities, Dependents, EntityItem, EntityKind, NetworkState, Paused, ProviderKind, ProviderView,
};
use adagent_domain::Network;
use leptos::prelude::*;

use super::{access, doing::Doing, groups::Place};
use crate::features::form::ActionForm;
use crate::{
    LocalTime, PageClock,
    features::{api::NetworkOverview, desk::Desk},
    ui::{Confirm, Glyph, Icon, SourceMark, format},
};

#[component]
pub fn Row(place: Place, known: Memo<Option<NetworkOverview>>) -> impl IntoView {
    let network = place.network;
    let of = move |known: &Option<NetworkOverview>| {
        known.as_ref().and_then(|known| known.items.iter().find_map(|item| place.of(item)))
    };
    let item = Memo::new(move |_| known.with(of));
    let several = Memo::new(move |_| {
        let of_network = |known: &NetworkOverview| known.items.iter().find(|item| item.network == network).cloned();
        known.with(|known| known.as_ref().and_then(of_network).is_some_and(|item| item.has_several()))
    });
    // The actions change seldom. A newer check time alone must not redraw an open menu.
    let doable = Memo::new(move |_| {
        // With several connections, we cannot know which one a run will use.
        let depends = known.with(|known| known.as_ref().and_then(|known| known.dependents.get(&network).copied()));
        let depends = if several.get() { None } else { Some(depends.unwrap_or_default()) };
        let may_manage = known.with(|known| known.as_ref().is_some_and(|known| known.may_manage));
        let plain = |item: ProviderView| ProviderView {
            last_verified_at: None,
            abilities: None,
            message: None,
            paused: item.paused.map(|_| Paused { until: None }),
            ..item
        };
        item.get().map(|item| (plain(item), may_manage, depends))
    });
    view! {
        <li class="net-row" id=place.anchor()>
            {move || item.get().map(|item| {
                let off = matches!(item.state, NetworkState::Disabled | NetworkState::NotConnected);
                view! {
                    <SourceMark source=network size="large" off/>
                    <div>
                        <h4>{called(&item, several.get())}<State item=item.clone()/></h4>
                        <Facts item=item.clone() several=several.get()/>
                        {item.abilities.as_ref().filter(|_| item.state != NetworkState::NotConnected).map(can)}
                    </div>
                }
            })}
            <div class="actions">
                {move || doable.get().map(|(item, may_manage, depends)| view! {
                    <Actions item may_manage depends several=several.get()/>
                })}
            </div>
            {move || item.get().map(|item| view! {
                {item.message.clone().map(|text| view! {
                    <div class="note wait"><Icon glyph=Glyph::ShieldAlert/><p>{text}</p></div>
                })}
                {item.abilities.as_ref().map(|abilities| lacks(network, abilities))}
                {item.paused.map(|paused| view! { <Pause paused name=called(&item, several.get())/> })}
            })}
        </li>
    }
}

/// Returns the name of a network, with the name of the connection if there are several.
pub(super) fn called(item: &ProviderView, several: bool) -> String {
    match item.label.as_ref().filter(|_| several) {
        Some(label) => format!("{} · {label}", item.display_name),
        None => item.display_name.clone(),
    }
}

/// Shows what the credentials can do, such as "Can read and report · Write access not verified".
fn can(abilities: &Abilities) -> impl IntoView + use<> {
    let whys = [abilities.read.why.clone(), abilities.report.why.clone(), abilities.write.why.clone()];
    let facts = access::facts(access::each(abilities), whys);
    let facts = facts.into_iter().map(|fact| view! { <span title=fact.why>{fact.text}</span> });
    view! { <p class="facts">{facts.collect_view()}</p> }
}

/// Shows what the credentials cannot do, and how to fix it.
fn lacks(network: Network, abilities: &Abilities) -> impl IntoView + use<> {
    let missing: Vec<_> = access::missing(abilities).into_iter().map(|text| view! { <p>{text}</p> }).collect();
    let name = network.display_name();
    let what = if network.uses_oauth() {
        format!("Sign in again and keep every permission on {name}'s page checked.")
    } else {
        format!("Give the key this permission in {name} and test it here, or enter another key.")
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
            let what = if item.kind == ProviderKind::Oauth { "Sign-in expired" } else { "Keys rejected" };
            view! { <span class="badge bad"><Icon glyph=Glyph::TriangleAlert/>{what}</span> }.into_any()
        }
        NetworkState::ChooseAccount => {
            view! { <span class="badge wait"><Icon glyph=Glyph::Clock/>"Choose an account"</span> }.into_any()
        }
        NetworkState::Disabled => view! { <span class="badge">"Disabled"</span> }.into_any(),
        NetworkState::NotConnected | NetworkState::ComingSoon => ().into_any(),
    };
    view! {
        {badge}
        {sandbox.then(|| view! { <span class="badge sandbox"><Icon glyph=Glyph::FlaskConical/>"Sandbox"</span> })}
    }
}

/// Says why we currently send nothing to this network.
#[component]
fn Pause(paused: Paused, name: String) -> impl IntoView {
    let when = match paused.until {
        Some(until) => view! { "until "<LocalTime at=until/> }.into_any(),
        None => "while we retry".into_any(),
    };
    view! {
        <div class="note wait">
            <Icon glyph=Glyph::Timer/>
            <p><strong>"The last requests all failed. "</strong>{name}" is paused "{when}". You still see recently loaded data."</p>
        </div>
    }
}

/// Says what ends with a connection.
fn stops(depends: Option<Dependents>) -> String {
    let Some(depends) = depends else {
        return "Its pending approvals are canceled. Other accounts aren't affected.".to_owned();
    };
    let changes = format::plural(usize::try_from(depends.approvals).unwrap_or(usize::MAX), "change", "changes");
    let runs = format::plural(usize::try_from(depends.runs).unwrap_or(usize::MAX), "run", "runs");
    match (depends.approvals, depends.runs) {
        (0, 0) => "No pending approvals or runs are affected.".to_owned(),
        (0, _) => format!("{runs} in progress will fail for this network."),
        (_, 0) => format!("{changes} pending approval will be canceled."),
        _ => format!("{changes} pending approval will be canceled, and {runs} in progress will fail for this network."),
    }
}

/// Returns what a network offers, in its own words.
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
fn Facts(item: ProviderView, several: bool) -> impl IntoView {
    let clock = PageClock::get();
    let desk = Desk::get();
    let facts = match item.state {
        NetworkState::NotConnected | NetworkState::ComingSoon => {
            view! { <span>{offers(item.network)}</span> }.into_any()
        }
        _ => {
            let selected: Vec<_> = item.accounts.iter().filter(|account| account.selected).collect();
            let names = selected
                .iter()
                .map(|account| format::entity_name(account.called(), &account.id))
                .collect::<Vec<_>>()
                .join(", ");
            let (network, label) = (item.network, item.label.clone().filter(|_| several));
            let apps = move || {
                let entities = desk.entities.get().and_then(Result::ok).unwrap_or_default();
                let own = |item: &&EntityItem| {
                    item.kind == EntityKind::App
                        && item.network == network
                        && (label.is_none() || item.connection.is_none() || item.connection == label)
                };
                entities.iter().filter(own).count()
            };
            view! {
                <span title=names>{format::plural(selected.len(), "account", "accounts")}</span>
                <Transition fallback=|| ()>
                    {move || Some(apps()).filter(|apps| *apps > 0).map(|apps| view! { <span>{format::plural(apps, "app", "apps")}</span> })}
                </Transition>
                {item.last_verified_at.map(|at| view! { <span>{move || format!("checked {}", clock.ago(at))}</span> })}
            }
            .into_any()
        }
    };
    view! { <p class="facts">{facts}</p> }
}

#[component]
fn Actions(item: ProviderView, may_manage: bool, depends: Option<Dependents>, several: bool) -> impl IntoView {
    let Doing { enable, disconnect, test, rename } = Doing::get();
    if !may_manage {
        return ().into_any();
    }
    let name = called(&item, several);
    let network = item.network.id();
    // A person who came here from a question returns to it, whichever network they choose.
    let back = leptos_router::hooks::use_query_map().read_untracked().get("return").unwrap_or_default();
    let back = crate::features::api::safe_return(&back)
        .map(|path| format!("&return={}", adagent_contract::links::encode(&path)))
        .unwrap_or_default();
    let connect = format!("/settings/networks?connect={network}{back}");
    let keyed = item.kind == ProviderKind::Key;
    let Some(id) = item.id else {
        return view! { <a class="button" href=connect>"Connect"<span class="unseen">{format!(" {name}")}</span></a> }
            .into_any();
    };
    let add = format!("{connect}&add=1");
    let connect = if several { format!("{connect}&connection={id}") } else { connect };
    let choose = if several { id.to_string() } else { network.to_owned() };
    let choose = format!("/settings/networks?choose={choose}");
    let (unseen, unseen_too) = (format!(" {name}"), format!(" {name}"));
    let (unseen_test, unseen_menu, unseen_again) = (unseen.clone(), unseen.clone(), unseen.clone());
    let (unseen_rename, label_name) = (unseen.clone(), format!("Name of {name}"));
    let display_name = item.display_name.clone();
    let goes = if keyed {
        "We delete the stored keys. They stay valid at the network until you revoke them there. "
    } else {
        "We delete the stored tokens and revoke access at Google, unless another connection uses it. "
    };
    let suffix = if several { format!("{network}-{id}") } else { network.to_owned() };
    let (menu, ask) = (format!("more-{suffix}"), format!("disconnect-{suffix}"));
    let (menu_target, menu_again, ask_target) = (menu.clone(), menu.clone(), ask.clone());
    let failed = item.state == NetworkState::AuthFailed;
    let enabled = item.state != NetworkState::Disabled;
    let many = item.accounts.len() > 1;
    let working = item.state == NetworkState::Connected;
    let label = item.label.clone().unwrap_or_default();
    let (rename_id, rename_error) = (format!("rename-{suffix}"), format!("rename-{suffix}-e"));
    let described = rename_error.clone();
    let misnamed = move || {
        let problem = match rename.action.value().get()? {
            Ok(problem) => problem?,
            Err(error) => error.0,
        };
        (rename.last.get() == Some(id)).then(|| {
            let at_field = problem.errors.iter().find(|error| error.pointer == "/label");
            at_field.map_or(problem.detail.clone(), |error| error.message.clone())
        })
    };
    let wrong = move || misnamed().is_some().then_some("true");
    view! {
        {failed.then(|| view! {
            <a class="button primary" href=connect.clone()>{if keyed { "Enter new keys" } else { "Sign in again" }}</a>
        })}
        {(working && !many).then(|| view! {
            <ActionForm action=test.action>
                <input type="hidden" name="id" value=id.to_string()/>
                <button class="button" type="submit" aria-busy=move || test.works_on(id).then_some("true")>
                    {if item.paused.is_some() { "Try now" } else { "Test" }}<span class="unseen">{unseen_test.clone()}</span>
                </button>
            </ActionForm>
        })}
        {(many && !failed).then(|| view! { <a class="button" href=choose>"Accounts"</a> })}
        <button class="button ghost icon-only" type="button" popovertarget=menu_target aria-label=format!("More for {name}")>
            <Icon glyph=Glyph::Ellipsis/>
        </button>
        <div class="menu end" id=menu popover="auto">
            {(working && many).then(|| view! {
                <ActionForm action=test.action>
                    <input type="hidden" name="id" value=id.to_string()/>
                    <button class="menu-item" type="submit" aria-busy=move || test.works_on(id).then_some("true")>
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
            <a class="menu-item" href=add>
                <Icon glyph=Glyph::Plus/>"Add another account"<span class="unseen">{format!(" to {display_name}")}</span>
            </a>
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
            {several.then(|| view! {
                <ActionForm action=rename.action attr:class="menu-form">
                    <input type="hidden" name="id" value=id.to_string()/>
                    <label class="unseen" for=rename_id.clone()>{label_name}</label>
                    <input
                        class="input small" id=rename_id name="label" value=label required maxlength="60" autocomplete="off"
                        aria-invalid=wrong aria-describedby=move || misnamed().map(|_| described.clone())
                    />
                    <button class="button small" type="submit" aria-busy=move || rename.works_on(id).then_some("true")>
                        "Rename"<span class="unseen">{unseen_rename}</span>
                    </button>
                    {move || misnamed().map(|text| view! {
                        <p class="error-text" id=rename_error.clone() role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p>
                    })}
                </ActionForm>
            })}
        </div>
        <Confirm
            id=ask
            menu=menu_again
            title=format!("Disconnect {name}?")
            text=format!("{goes}You can't ask about {name} until you reconnect. {} Chats are kept.", stops(depends))
        >
            <ActionForm action=disconnect>
                <input type="hidden" name="id" value=id.to_string()/>
                <button class="button danger" type="submit" aria-busy=move || disconnect.pending().get().then_some("true")>"Disconnect"</button>
            </ActionForm>
        </Confirm>
    }
    .into_any()
}
