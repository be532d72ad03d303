//! The form of a network that takes API keys. The server never fills in typed keys again.

use adagent_contract::{Ability, ConnectTarget, FieldError, KeyField, KeyNetworkView, KeyPlace};
use adagent_domain::{Network, Timestamp};
use leptos::{form::FromFormData as _, prelude::*, server_fn::ServerFn as _};

use super::{access, connect::Target};
use crate::features::form::ActionForm;
use crate::{
    LocalTime,
    features::{
        api::{ConnectKeys, Explore, TryKeys},
        desk::Desk,
    },
    ui::{Field, Glyph, Icon, described_by},
};

/// Returns the text at a field when the address has only a code and the field's name, which happens without JavaScript.
fn explain_field(code: &str, field: &str, network: Network) -> String {
    let name = network.display_name();
    match code {
        _ if field == "label" => format!("This name is empty or used by another {name} account. Choose another one."),
        "network_auth_failed" => {
            format!(
                "{name} rejected this key. It may be mistyped, revoked or expired. Copy it again from your {name} account."
            )
        }
        "network_refused" => {
            format!("This key doesn't have API access. Ask your account manager at {name}.")
        }
        _ => "Missing or not in the expected format.".to_owned(),
    }
}

/// Returns what a person must arrange with a network before its keys work.
const fn asks_first(network: Network) -> Option<&'static str> {
    match network {
        Network::Liftoff => Some("Liftoff enables its management API on request. Ask your account manager first."),
        Network::InMobi => Some("InMobi allows 15 report sessions per 8 hours per account."),
        _ => None,
    }
}

/// Returns the errors of the last try, from the answer or from the address.
fn mistakes(answer: Option<&[FieldError]>, code: &str, fields: &str, network: Network) -> Vec<FieldError> {
    if let Some(errors) = answer {
        return errors.to_vec();
    }
    let named = fields.split(',').filter(|name| !name.is_empty() && !code.is_empty());
    named.map(|name| FieldError::new(format!("/{name}"), explain_field(code, name, network))).collect()
}

#[component]
#[expect(
    clippy::too_many_lines,
    reason = "one form: its fields, its two buttons and what they answer belong side by side"
)]
pub fn KeyForm(
    view: KeyNetworkView,
    /// Whether the connection exists and these keys replace its keys.
    again: bool,
    /// When the stored keys were entered.
    since: Option<Timestamp>,
    /// The connection that the keys are for.
    target: ConnectTarget,
    back: String,
    /// What the address reports about a try without JavaScript.
    code: String,
    fields: String,
    tried: String,
) -> impl IntoView {
    let network = view.provider.network;
    let name = network.display_name();
    let kept = again.then(|| view.fields.iter().map(|field| field.label.clone()).collect::<Vec<_>>().join(", "));
    let connect = ServerAction::<ConnectKeys>::new();
    let trial = ServerAction::<TryKeys>::new();
    // Which of the two actions was sent last; only its answer counts.
    let only_tried = RwSignal::new(false);
    // The result is about the keys that were tried, not about keys typed since then.
    let typed_since = RwSignal::new(false);
    let explore = ServerAction::<Explore>::new();
    // A sandbox connection must not replace a real one.
    let alone = !target.add && target.connection_id.is_none();
    let simulated = alone && view.places.contains(&KeyPlace::Sandbox) && (!again || view.provider.sandbox);
    let explore_back = if back.is_empty() {
        "/settings/networks".to_owned()
    } else {
        adagent_contract::links::connected(&back, network.id())
    };
    let own = view.fields.iter().map(|field| field.name.as_str()).chain(["label"]);
    let known: Vec<String> = own.map(|name| format!("/{name}")).collect();
    let refused = move || {
        if only_tried.get() {
            return trial
                .value()
                .get()
                .and_then(|answer| answer.map_or_else(|error| Some(error.0), |trial| trial.refused));
        }
        match connect.value().get()? {
            Ok(problem) => problem,
            Err(error) => Some(error.0),
        }
    };
    let opens = move || match trial.value().get().filter(|_| only_tried.get()) {
        Some(_) if typed_since.get() => None,
        Some(answer) => {
            let opens = answer.ok().and_then(|trial| trial.opens);
            opens.map(|opens| access::each(&opens))
        }
        None => said(&tried).filter(|_| connect.value().get().is_none()),
    };
    let wrong = Memo::new(move |_| {
        if only_tried.get() && trial.pending().get() {
            return Vec::new();
        }
        mistakes(refused().as_ref().map(|problem| problem.errors.as_slice()), &code, &fields, network)
    });
    let label_error = Signal::derive(move || {
        wrong.with(|all| all.iter().find(|error| error.pointer == "/label").map(|error| error.message.clone()))
    });
    let desk = Desk::get();
    Effect::new(move |_| {
        if matches!(connect.value().get(), Some(Ok(None))) || matches!(explore.value().get(), Some(Ok(()))) {
            desk.refresh_networks();
        }
    });
    // Errors that belong to no field are shown with the buttons.
    let failed = move || {
        let problem = refused().or_else(|| explore.value().get().and_then(Result::err).map(|error| error.0))?;
        let at_a_field = problem.errors.iter().any(|error| known.contains(&error.pointer));
        (!at_a_field).then_some(problem.detail)
    };
    let try_now = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        if let Some(keys) = crate::platform::filled_form("keys").and_then(|data| TryKeys::from_form_data(&data).ok()) {
            only_tried.set(true);
            typed_since.set(false);
            trial.dispatch(keys);
        }
    };
    view! {
        <ActionForm
            action=connect attr:id="keys" attr:autocomplete="off"
            on:submit=move |_| only_tried.set(false) on:input=move |_| typed_since.set(true)
        >
            <div class="dialog-body">
                <input type="hidden" name="network" value=network.id()/>
                <input type="hidden" name="return_to" value=back/>
                {asks_first(network).map(|text| view! { <div class="note"><Icon glyph=Glyph::ShieldAlert/><p>{text}</p></div> })}
                {kept.map(|labels| view! {
                    <p class="hint">"Stored: "{labels}" ("<span aria-label="hidden">"••••••••"</span>"), connected "{since.map(|at| view! { <LocalTime at/> })}"."</p>
                })}
                <Target target error=label_error/>
                <Place places=view.places/>
                {view.fields.into_iter().map(|field| view! { <KeyInput field wrong/> }).collect_view()}
                <div class="note">
                    <Icon glyph=Glyph::Lock/>
                    <p>{format!("We test your keys with {name}, then store them encrypted. They are never shown again.")}</p>
                </div>
            </div>
        </ActionForm>
        // The style sheet reverses the order. Enter presses the first button of a form, so Connect comes first here.
        <div class="dialog-foot first-last">
            // Show this next to the buttons, because they stay visible however long the form is.
            <div class="told">
                {move || failed().map(|text| view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> })}
                {move || opens().map(|abilities| view! { <Works name=network.display_name() abilities/> })}
            </div>
            <button class="button primary" type="submit" form="keys" aria-busy=move || connect.pending().get().then_some("true")>
                {if again { "Replace keys" } else { "Connect" }}
            </button>
            <button
                class="button" type="submit" form="keys" formaction=crate::features::form::here(TryKeys::url())
                aria-busy=move || trial.pending().get().then_some("true") on:click=try_now
            >
                "Test"
            </button>
            {simulated.then(|| view! {
                <ActionForm action=explore>
                    <input type="hidden" name="network" value=network.id()/>
                    <input type="hidden" name="return_to" value=explore_back/>
                    <button class="button" type="submit"><Icon glyph=Glyph::FlaskConical/>"Explore with sandbox data"</button>
                </ActionForm>
            })}
        </div>
    }
}

/// Reads the result of a try without JavaScript from the address: three words of ours, or `None`.
fn said(tried: &str) -> Option<[Ability; 3]> {
    let mut words = tried.split(',').map(|word| Ability::ALL.into_iter().find(|ability| ability.as_str() == word));
    let mut next = || words.next().flatten();
    Some([next()?, next()?, next()?])
}

/// Says that the keys work, and what they allow.
#[component]
fn Works(name: &'static str, abilities: [Ability; 3]) -> impl IntoView {
    let facts = access::facts(abilities, [None, None, None]);
    let words = facts.into_iter().map(|fact| view! { <span>{fact.text}</span> });
    view! {
        <div class="note good" role="status" id="keys-work">
            <Icon glyph=Glyph::Check/>
            <div>
                <p><strong>{format!("{name} accepts these keys.")}</strong>" They aren't saved yet."</p>
                <p class="facts">{words.collect_view()}</p>
            </div>
        </div>
    }
}

/// Asks where the keys come from, if there is a choice.
#[component]
fn Place(places: Vec<KeyPlace>) -> impl IntoView {
    (places.len() > 1).then(|| {
        let options = places.into_iter().enumerate().map(|(index, place)| {
            let (value, label) = match place {
                KeyPlace::Sandbox => ("sandbox", "Sandbox"),
                KeyPlace::Live => ("live", "Real account"),
            };
            view! { <label><input type="radio" name="place" value=value checked=index == 0/>{label}</label> }
        });
        view! {
            <div class="field">
                <fieldset class="segmented" aria-describedby="place-h" style="justify-self:start">
                    <legend class="unseen">"Environment"</legend>
                    {options.collect_view()}
                </fieldset>
                <p class="hint" id="place-h">"Sandbox keys work only with this server's demo data."</p>
            </div>
        }
    })
}

#[component]
fn KeyInput(field: KeyField, wrong: Memo<Vec<FieldError>>) -> impl IntoView {
    let id = format!("k-{}", field.name);
    let (own, pointer, has_hint) = (id.clone(), format!("/{}", field.name), field.hint.is_some());
    let error = Signal::derive(move || {
        wrong.with(|all| all.iter().find(|error| error.pointer == pointer).map(|error| error.message.clone()))
    });
    view! {
        <Field id=id.clone() label=field.label optional=!field.required hint=field.hint error>
            <input
                class="input mono"
                id=id
                name=format!("fields[{}]", field.name)
                type=if field.secret { "password" } else { "text" }
                inputmode=field.digits.then_some("numeric")
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                maxlength="4000"
                required=field.required
                aria-invalid=move || error.get().is_some().then_some("true")
                aria-describedby=move || described_by(&own, has_hint, error.get().is_some())
            />
        </Field>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_keys_open_in_three_known_words_or_nothing() {
        assert_eq!(said("yes,no,not_known"), Some([Ability::Yes, Ability::No, Ability::NotKnown]));
        assert_eq!(said(""), None);
        assert_eq!(said("yes,yes"), None);
        assert_eq!(said("yes,yes,call 555-0100"), None);
    }

    #[test]
    fn the_answer_counts_before_the_address_and_the_address_shows_no_text_of_its_own() {
        let answer = [FieldError::new("/skey", "Wrong.")];
        assert_eq!(mistakes(Some(&answer), "network_refused", "secret", Network::Mintegral), answer);
        let said = mistakes(None, "Call 555-0100 now", "skey,secret", Network::Mintegral);
        assert_eq!(said.len(), 2);
        assert!(said.iter().all(|error| error.message == "Missing or not in the expected format."));
        assert!(mistakes(None, "", "skey", Network::Mintegral).is_empty());
    }
}
