//! The form of one network, opened by a deep link: the button to its consent page, or the fields of its keys.

use adagent_contract::{ConnectTarget, KeyNetworkView, ProviderKind, ProviderView};
use adagent_domain::Network;
use leptos::prelude::*;

use super::key_form::KeyForm;
use crate::features::form::ActionForm;
use crate::{
    features::{
        api::{ApiError, ConnectNetwork, Explore},
        desk::Desk,
    },
    ui::{Field, Glyph, Icon, SourceMark, described_by},
};

/// Explains the code that the OAuth round trip puts into `?error=`.
pub fn explain(code: &str) -> &'static str {
    match code {
        "access_denied" => "You declined access, so nothing was connected.",
        "state" | "expired" => "That sign-in expired or started in another browser. Start again here.",
        "no_accounts" => "This Google user has no publisher account. Choose another one.",
        "network_unavailable" => "The network isn't responding. Nothing was changed; try again in a moment.",
        "network_auth_failed" => "The network rejected these credentials. Reconnect.",
        "network_refused" => "This account doesn't have API access. Ask your account manager at the network.",
        "conflict" => {
            "That account is already connected, or someone changed it at the same time. Nothing was saved. Check the list below."
        }
        "validation_failed" => "That name is empty or already in use. Nothing was changed; choose another one.",
        _ => "The sign-in didn't finish. Try again.",
    }
}

/// The network to connect in its current state, and which of its connections the form is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub item: ProviderView,
    pub target: ConnectTarget,
}

/// Adds the connection that a form is about, and the name of a new one.
#[component]
pub fn Target(target: ConnectTarget, error: Signal<Option<String>>) -> impl IntoView {
    view! {
        {target.connection_id.map(|id| view! { <input type="hidden" name="connection_id" value=id.to_string()/> })}
        {target.add.then(|| view! {
            <input type="hidden" name="add" value="true"/>
            <Field
                id="k-label" label="Name" optional=true error
                hint=Some("Shown in answers and approvals, so you can tell accounts apart.".to_owned())
            >
                <input
                    class="input" id="k-label" name="label" type="text" maxlength="60" autocomplete="off"
                    aria-invalid=move || error.get().is_some().then_some("true")
                    aria-describedby=move || described_by("k-label", true, error.get().is_some())
                />
            </Field>
        })}
    }
}

#[component]
pub fn ConnectDialog(
    asked: Asked,
    sandbox: bool,
    back: String,
    keys: Resource<Result<Vec<KeyNetworkView>, ApiError>>,
    code: String,
    fields: String,
    tried: String,
) -> impl IntoView {
    let Asked { item, target } = asked;
    let close = if back.is_empty() { "/settings/networks".to_owned() } else { back.clone() };
    let name = item.display_name.clone();
    let again = item.id.is_some() && !target.add;
    let title = match (&target, &item.label) {
        (ConnectTarget { add: true, .. }, _) => format!("Add another {name} account"),
        (ConnectTarget { connection_id: Some(_), .. }, Some(label)) => format!("Connect {name} · {label}"),
        _ => format!("Connect {name}"),
    };
    let since = item.connected_at.filter(|_| again);
    let replaces = again && item.kind == ProviderKind::Key;
    let network = item.network;
    let form = match item.kind {
        ProviderKind::Oauth => view! { <SignIn item target sandbox back/> }.into_any(),
        ProviderKind::Key => view! {
            <Transition fallback=|| view! { <div class="dialog-body"><span class="skeleton" style="width:80%"></span></div> }>
                {move || keys.get().map(|answer| {
                    let found = answer.map(|all| all.into_iter().find(|view| view.provider.network == network));
                    match found {
                        Ok(Some(view)) => view! {
                            <KeyForm view again since target=target.clone() back=back.clone() code=code.clone() fields=fields.clone() tried=tried.clone()/>
                        }.into_any(),
                        Ok(None) => ().into_any(),
                        Err(error) => view! {
                            <div class="dialog-body"><p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{error.0.detail}</p></div>
                        }.into_any(),
                    }
                })}
            </Transition>
        }.into_any(),
    };
    view! {
        <div class="scrim"></div>
        <dialog class="dialog" id="connect" aria-labelledby="connect-title" open=true>
            <div class="dialog-head">
                <SourceMark source=network size="large"/>
                <div class="grow">
                    <h2 id="connect-title">{title}</h2>
                    {replaces.then(|| view! { <p class="quiet-text">"The new keys replace the stored ones."</p> })}
                </div>
                <a class="button ghost icon-only small" href=close aria-label="Close"><Icon glyph=Glyph::X/></a>
            </div>
            {form}
        </dialog>
    }
}

/// Says what the sign-in allows, in plain words.
const fn allowed(network: Network) -> [&'static str; 2] {
    match network {
        Network::AdManager => [
            "Read networks, orders, line items, ad units and reports",
            "Create and change orders, line items, creatives and ad units, with your approval",
        ],
        _ => [
            "Read accounts, apps, ad units and reports",
            "Create and change ad units and mediation groups, with your approval",
        ],
    }
}

#[component]
fn SignIn(item: ProviderView, target: ConnectTarget, sandbox: bool, back: String) -> impl IntoView {
    let connect = ServerAction::<ConnectNetwork>::new();
    let explore = ServerAction::<Explore>::new();
    let desk = Desk::get();
    Effect::new(move |_| {
        if matches!(explore.value().get(), Some(Ok(()))) {
            desk.refresh_networks();
        }
    });
    let id = item.network.id();
    let failed = move || {
        let answer =
            connect.value().get().and_then(Result::err).or_else(|| explore.value().get().and_then(Result::err));
        answer.map(|error| error.0.detail)
    };
    let explore_back = if back.is_empty() { "/chat".to_owned() } else { adagent_contract::links::connected(&back, id) };
    let simulated = sandbox && !target.add && target.connection_id.is_none() && (item.id.is_none() || item.sandbox);
    let label_error = Signal::derive(move || {
        let error = connect.value().get().and_then(Result::err)?;
        error.0.errors.into_iter().find(|error| error.pointer == "/label").map(|error| error.message)
    });
    view! {
        <div class="dialog-body">
            <p class="prose">
                "Sign in with Google to let ADAgentAI read reports and inventory and make the changes you approve. We store the tokens encrypted and never show them."
            </p>
            <ul class="prose">{allowed(item.network).map(|text| view! { <li>{text}</li> }).collect_view()}</ul>
            {target.add.then(|| view! {
                <p class="hint">"Sign in with the Google account that has access to the other account. Your existing connection stays."</p>
            })}
            {move || failed().map(|text| view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> })}
        </div>
        <div class="dialog-foot">
            {simulated.then(|| view! {
                <ActionForm action=explore>
                    <input type="hidden" name="network" value=id/>
                    <input type="hidden" name="return_to" value=explore_back/>
                    <button class="button" type="submit"><Icon glyph=Glyph::FlaskConical/>"Explore with sandbox data"</button>
                </ActionForm>
            })}
            <ActionForm action=connect>
                <input type="hidden" name="provider" value=id/>
                <input type="hidden" name="return_to" value=back/>
                <Target target error=label_error/>
                <button class="button primary" type="submit" aria-busy=move || connect.pending().get().then_some("true")>
                    "Continue with Google"
                </button>
            </ActionForm>
        </div>
    }
}
