//! The form of one network, opened by a deep link: what will be asked for, and the way to the network's consent page.

use adagent_contract::{NetworkState, ProviderView};
use leptos::prelude::*;

use crate::{
    features::api::{ConnectNetwork, Explore},
    ui::{Glyph, Icon, NetworkMark},
};

/// What the round trip says in `?error=`.
pub fn explain(code: &str) -> &'static str {
    match code {
        "access_denied" => "You said no at the network. Nothing was connected.",
        "state" | "expired" => "That sign-in was too old or began in another browser. Start again from here.",
        "no_accounts" => "This Google identity reaches no publisher account. Choose another one.",
        _ => "The network did not finish the sign-in. Try again.",
    }
}

#[component]
pub fn ConnectDialog(item: ProviderView, sandbox: bool, back: String) -> impl IntoView {
    let connect = ServerAction::<ConnectNetwork>::new();
    let explore = ServerAction::<Explore>::new();
    let close = if back.is_empty() { "/settings/networks".to_owned() } else { back.clone() };
    let name = item.display_name.clone();
    let failed = move || {
        connect
            .value()
            .get()
            .and_then(Result::err)
            .or_else(|| explore.value().get().and_then(Result::err))
            .map(|error| error.0.detail)
    };
    let soon = item.state == NetworkState::ComingSoon;
    let explore_back =
        if back.is_empty() { "/chat".to_owned() } else { adagent_contract::links::connected(&back, item.network.id()) };
    view! {
        <div class="scrim"></div>
        <dialog class="dialog" id="connect" aria-labelledby="connect-title" open=true>
            <div class="dialog-head">
                <NetworkMark network=item.network size="large"/>
                <div class="grow">
                    <h2 id="connect-title">{format!("Connect {name}")}</h2>
                    <p class="quiet-text">"For your workspace."</p>
                </div>
                <a class="button ghost icon-only small" href=close aria-label="Close"><Icon glyph=Glyph::X/></a>
            </div>
            <div class="dialog-body">
                {if soon {
                    view! { <p>{format!("{name} is not available yet. Its questions will work here once it is.")}</p> }.into_any()
                } else {
                    view! {
                        <p class="prose">
                            "You sign in with Google and allow ADAgentAI to read reports and inventory, and to make the changes you approve. The tokens are kept encrypted and never shown again."
                        </p>
                        <ul class="prose">
                            <li>"Read accounts, apps, ad units and reports"</li>
                            <li>"Create and change ad units and mediation groups, each after your approval"</li>
                        </ul>
                    }.into_any()
                }}
                {move || failed().map(|text| view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> })}
            </div>
            <div class="dialog-foot">
                {(sandbox && !soon).then(|| view! {
                    <ActionForm action=explore>
                        <input type="hidden" name="return_to" value=explore_back.clone()/>
                        <button class="button" type="submit"><Icon glyph=Glyph::FlaskConical/>"Explore with sandbox data"</button>
                    </ActionForm>
                })}
                {(!soon).then(|| view! {
                    <ActionForm action=connect>
                        <input type="hidden" name="provider" value=item.network.id()/>
                        <input type="hidden" name="return_to" value=back.clone()/>
                        <button class="button primary" type="submit" aria-busy=move || connect.pending().get().then_some("true")>
                            "Continue with Google"
                        </button>
                    </ActionForm>
                })}
            </div>
        </dialog>
    }
}
