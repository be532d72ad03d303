//! The nine networks in the rail, each with its state as a word or a dot.

use adagent_contract::{NetworkState, ProviderKind, ProviderView};
use leptos::prelude::*;

use super::Desk;
use crate::ui::{Glyph, Icon, SourceMark};

#[component]
pub fn NetworkList() -> impl IntoView {
    let desk = Desk::get();
    let overview = move || desk.networks.get().and_then(Result::ok);
    view! {
        <Transition fallback=|| view! { <h2 class="rail-title">"Networks"</h2> }>
            {move || overview().map(|overview| {
                let (items, may_manage) = (overview.items, overview.may_manage);
                let connected = items.iter().filter(|item| item.works()).count();
                let all = items.len();
                view! {
                    <h2 class="rail-title">"Networks"<span class="count">{format!("{connected} of {all}")}</span></h2>
                    <ul class="nav">{items.into_iter().map(|item| view! { <li><NetworkItem item may_manage/></li> }).collect_view()}</ul>
                }
            })}
        </Transition>
    }
}

#[component]
fn NetworkItem(item: ProviderView, may_manage: bool) -> impl IntoView {
    let id = item.network.id();
    let name = item.display_name.clone();
    // With several accounts, one working account is enough; the networks page shows what the others need.
    let state = if item.works() { NetworkState::Connected } else { item.state };
    let off = !matches!(state, NetworkState::Connected | NetworkState::AuthFailed | NetworkState::ChooseAccount);
    let mark = view! { <SourceMark source=item.network size="small" off/> };
    let connect = format!("/settings/networks?connect={id}");
    let here = format!("/settings/networks#{id}");
    match state {
        NetworkState::NotConnected | NetworkState::ComingSoon if !may_manage => view! {
            <span class="nav-item off">{mark}<span class="truncate">{name}</span><span class="net-state"><span class="unseen">"not connected"</span><span class="dot off"></span></span></span>
        }
        .into_any(),
        NetworkState::NotConnected | NetworkState::ComingSoon => view! {
            <a class="nav-item off" href=connect>
                {mark}<span class="truncate">{name.clone()}</span>
                <span class="net-state link">"Connect"<span class="unseen">{format!(" {name}")}</span></span>
            </a>
        }
        .into_any(),
        NetworkState::Connected => view! {
            <a class="nav-item" href=here>
                {mark}<span class="truncate">{name}</span>
                <span class="net-state">
                    {if item.paused.is_some() {
                        view! { "Paused"<span class="dot wait"></span> }.into_any()
                    } else {
                        view! { <span class="unseen">"connected"</span><span class="dot good"></span> }.into_any()
                    }}
                </span>
            </a>
        }
        .into_any(),
        NetworkState::Disabled => view! {
            <a class="nav-item off" href=here>{mark}<span class="truncate">{name}</span><span class="net-state">"Disabled"</span></a>
        }
        .into_any(),
        NetworkState::ChooseAccount => view! {
            <a class="nav-item" href=here>
                {mark}<span class="truncate">{name}</span><span class="net-state wait"><span class="dot wait"></span>"Choose account"</span>
            </a>
        }
        .into_any(),
        NetworkState::AuthFailed if !may_manage => view! {
            <a class="nav-item" href=here>
                {mark}<span class="truncate">{name}</span>
                <span class="net-state bad"><Icon glyph=Glyph::TriangleAlert/>{if item.kind == ProviderKind::Oauth { "Sign-in expired" } else { "Keys rejected" }}</span>
            </a>
        }
        .into_any(),
        NetworkState::AuthFailed => view! {
            <a class="nav-item" href=connect>
                {mark}<span class="truncate">{name}</span>
                <span class="net-state bad"><Icon glyph=Glyph::TriangleAlert/>{if item.kind == ProviderKind::Oauth { "Sign in again" } else { "Enter new keys" }}</span>
            </a>
        }
        .into_any(),
    }
}
