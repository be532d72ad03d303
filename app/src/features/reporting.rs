//! Reporting settings: the time zone for days such as "yesterday" and "this week".

use leptos::prelude::*;

use super::{
    api::{self, ReportingChoice, SetReporting},
    form::ActionForm,
    settings::SettingsPage,
};
use crate::ui::{Glyph, Icon, Loading, Toasts, format};

#[component]
pub fn ReportingPage() -> impl IntoView {
    let save = ServerAction::<SetReporting>::new();
    let saved = RwSignal::new(0_u32);
    // Load again only after a successful save, so that refused text stays in its field.
    let kept = Resource::new(move || saved.get(), |_| api::reporting());
    let toasts = Toasts::get();
    Effect::new(move |_| {
        if let Some(Ok(_)) = save.value().get() {
            toasts.say("Saved");
            saved.update(|count| *count += 1);
        }
    });
    let lead = || "Which day counts as today and yesterday for everyone in this workspace.";
    view! {
        <SettingsPage title="Reporting" here="/settings/reporting" lead>
            <Transition fallback=|| view! { <Loading/> }>
                {move || kept.get().map(|answer| match answer {
                    Ok(kept) => view! { <Form kept save/> }.into_any(),
                    Err(error) => view! { <p class="quiet-text" role="note">{error.0.detail}</p> }.into_any(),
                })}
            </Transition>
        </SettingsPage>
    }
}

#[component]
fn Form(kept: ReportingChoice, save: ServerAction<SetReporting>) -> impl IntoView {
    let wrong = move || {
        let error = save.value().get()?.err()?;
        let message = error.0.errors.first().map_or(error.0.detail.clone(), |field| field.message.clone());
        Some(view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{message}</p> })
    };
    let zone = format::zone(&kept.view.time_zone);
    let now = format!("Today is {} in {zone}.", format::date(&kept.view.today));
    let zones =
        kept.zones.into_iter().map(|(zone, spoken)| view! { <option value=zone label=spoken></option> }).collect_view();
    view! {
        <section class="section" aria-labelledby="time-zone">
            <div class="section-head"><h3 id="time-zone">"Time zone"</h3></div>
            <ActionForm action=save attr:class="card" attr:style="padding:var(--s-4);display:grid;gap:var(--s-3)">
                <div class="field">
                    <label for="zone">"Reporting time zone"</label>
                    <input
                        class="input" id="zone" name="zone" list="zones" autocomplete="off" spellcheck="false"
                        aria-describedby="zone-hint" placeholder=zone
                        value=kept.view.settings.time_zone.unwrap_or_default()
                    />
                    <datalist id="zones">{zones}</datalist>
                    <p class="hint" id="zone-hint">
                        {now} " Leave blank to use your AdMob account's time zone. Each network still reports days in its own time zone."
                    </p>
                    {wrong}
                </div>
                <div class="row">
                    <button class="button" type="submit" aria-busy=move || save.pending().get().then_some("true")>"Save"</button>
                </div>
            </ActionForm>
        </section>
    }
}
