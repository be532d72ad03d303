//! Demo data for every network that is not connected yet, with one click.

use adagent_contract::ProviderView;
use leptos::prelude::*;

use crate::{
    features::{api::Explore, desk::Desk, form::ActionForm},
    ui::{Glyph, Icon},
};

/// Checks whether this person may connect demo networks, and some are left to connect.
pub fn can_explore(sandbox: bool, may_manage: bool, items: &[ProviderView]) -> bool {
    sandbox && may_manage && items.iter().any(|item| item.id.is_none())
}

#[component]
pub fn ExploreAll(
    /// The page that shows the button.
    here: &'static str,
) -> impl IntoView {
    let explore = ServerAction::<Explore>::new();
    let desk = Desk::get();
    Effect::new(move |_| {
        if matches!(explore.value().get(), Some(Ok(()))) {
            desk.refresh_networks();
        }
    });
    view! {
        <section class="note row wrap" aria-label="Sandbox" style="align-items:center">
            <Icon glyph=Glyph::FlaskConical/>
            <p style="flex:1 1 220px">
                <strong>"Just looking around?"</strong>
                " Add demo data for every network you haven't connected. Real connections don't change."
            </p>
            <ActionForm action=explore>
                <input type="hidden" name="return_to" value=here/>
                <input type="hidden" name="everything" value="true"/>
                <button class="button" type="submit" aria-busy=move || explore.pending().get().then_some("true")>
                    "Explore all nine networks"
                </button>
            </ActionForm>
            {move || explore.value().get().and_then(Result::err).map(|error| view! {
                <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{error.0.detail}</p>
            })}
        </section>
    }
}
