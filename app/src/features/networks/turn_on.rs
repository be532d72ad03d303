//! A button that makes a network answer again, wherever it was turned off.

use adagent_domain::Network;
use leptos::prelude::*;

use crate::{
    features::{api::TurnOnNetwork, desk::Desk, form::ActionForm},
    ui::{Glyph, Icon},
};

#[component]
pub fn TurnOn(network: Network, back: String) -> impl IntoView {
    let turn_on = ServerAction::<TurnOnNetwork>::new();
    let desk = Desk::get();
    Effect::new(move |_| {
        if matches!(turn_on.value().get(), Some(Ok(()))) {
            desk.refresh_networks();
        }
    });
    let failed = move || turn_on.value().get().and_then(Result::err).map(|error| error.0.detail);
    view! {
        <ActionForm action=turn_on>
            <input type="hidden" name="network" value=network.id()/>
            <input type="hidden" name="return_to" value=back/>
            <button class="button primary" type="submit">
                {format!("Enable {}", network.display_name())}
                <Icon glyph=Glyph::ArrowRight small=true/>
            </button>
            {move || failed().map(|text| view! {
                <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p>
            })}
        </ActionForm>
    }
}
