//! The theme: light, dark, or the device's own. Stored for this browser.

use leptos::prelude::*;

use super::SettingsPage;
use crate::{
    features::{
        api::{self, ChooseTheme, Theme},
        form::ActionForm,
    },
    ui::{Glyph, Icon, Loading, Toasts},
};

const fn name(theme: Theme) -> &'static str {
    match theme {
        Theme::System => "Match my device",
        Theme::Light => "Light",
        Theme::Dark => "Dark",
    }
}

#[component]
pub fn AppearancePage() -> impl IntoView {
    let chosen = Resource::new(|| (), |()| api::chosen_theme());
    view! {
        <SettingsPage title="Appearance" here="/settings/appearance" lead=|| "How ADAgentAI looks in this browser.">
            <Transition fallback=|| view! { <Loading/> }>
                {move || chosen.get().map(|chosen| view! { <Choice chosen=chosen.unwrap_or_default()/> })}
            </Transition>
        </SettingsPage>
    }
}

#[component]
fn Choice(chosen: Theme) -> impl IntoView {
    let choose = ServerAction::<ChooseTheme>::new();
    let toasts = Toasts::get();
    Effect::new(move |_| {
        if let Some(Ok(theme)) = choose.value().get() {
            crate::platform::show_theme(theme.id());
            toasts.say("Saved");
        }
    });
    let failed = move || choose.value().get().and_then(Result::err).map(|error| error.0.detail);
    let options = Theme::ALL.into_iter().map(move |theme| {
        view! {
            <label class="check">
                <input type="radio" name="theme" value=theme.id() checked=theme == chosen/>
                {name(theme)}
            </label>
        }
    });
    view! {
        <section class="section">
            <ActionForm action=choose attr:class="card" attr:style="padding:var(--s-4);display:grid;gap:var(--s-3)">
                <fieldset class="field">
                    <legend>"Theme"</legend>
                    {options.collect_view()}
                </fieldset>
                {move || failed().map(|text| view! {
                    <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p>
                })}
                <div class="row">
                    <button class="button" type="submit" aria-busy=move || choose.pending().get().then_some("true")>"Save"</button>
                </div>
            </ActionForm>
        </section>
    }
}
