//! How long the workspace keeps data: three fields in a plain form.

use adagent_contract::RetentionView;
use leptos::prelude::*;

use crate::features::form::ActionForm;
use crate::{
    features::api::{self, SetRetention},
    ui::{Glyph, Icon, Loading, Toasts},
};

#[component]
pub fn RetentionSection(changed: Callback<()>) -> impl IntoView {
    let save = ServerAction::<SetRetention>::new();
    let saved = RwSignal::new(0_u32);
    // Load again only after a successful save, so that refused text stays in its field.
    let kept = Resource::new(move || saved.get(), |_| api::retention());
    let toasts = Toasts::get();
    Effect::new(move |_| {
        if let Some(Ok(_)) = save.value().get() {
            toasts.say("Saved");
            saved.update(|count| *count += 1);
            changed.run(());
        }
    });
    view! {
        <section class="section" aria-labelledby="retention">
            <div class="section-head"><h3 id="retention">"Data retention"</h3></div>
            <Transition fallback=|| view! { <Loading/> }>
                {move || kept.get().map(|answer| match answer {
                    Ok(view) => view! { <Form kept=view save/> }.into_any(),
                    Err(error) => view! { <p class="quiet-text" role="note">{error.0.detail}</p> }.into_any(),
                })}
            </Transition>
        </section>
    }
}

#[component]
fn Form(kept: RetentionView, save: ServerAction<SetRetention>) -> impl IntoView {
    let wrong = move |pointer: &'static str| {
        let answer = save.value().get()?;
        let error = answer.err()?;
        let field = error.0.errors.iter().find(|field| field.pointer == pointer)?;
        Some(view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{field.message.clone()}</p> })
    };
    let other = move || {
        let error = save.value().get()?.err()?;
        error.0.errors.is_empty().then(|| view! { <p class="error-text" role="alert">{error.0.detail.clone()}</p> })
    };
    let fields = [
        ("runs", "/runs_days", "Keep chats and runs", kept.settings.runs_days, longest(kept.longest_runs_days)),
        (
            "checkpoints",
            "/checkpoints_days",
            "Keep run details",
            kept.settings.checkpoints_days,
            longest(kept.longest_checkpoints_days),
        ),
        (
            "audit",
            "/audit_days",
            "Keep the audit log",
            kept.settings.audit_days,
            format!("At least {} days. {}", kept.shortest_audit_days, longest(kept.longest_audit_days)),
        ),
    ];
    view! {
        <ActionForm action=save attr:class="card" attr:style="padding:var(--s-4);display:grid;gap:var(--s-3)">
            {fields.map(|(name, pointer, label, days, hint)| {
                let id = format!("keep-{name}");
                let hint_id = format!("{id}-hint");
                view! {
                    <div class="field">
                        <label for=id.clone()>{format!("{label} (days)")}</label>
                        <input
                            class="input" id=id name=name inputmode="numeric" autocomplete="off" aria-describedby=hint_id.clone()
                            value=days.map(|days| days.to_string()).unwrap_or_default()
                        />
                        <p class="hint" id=hint_id>{hint}</p>
                        {move || wrong(pointer)}
                    </div>
                }
            }).into_iter().collect_view()}
            {other}
            <div class="row">
                <button class="button" type="submit" aria-busy=move || save.pending().get().then_some("true")>"Save"</button>
            </div>
        </ActionForm>
    }
}

fn longest(days: u32) -> String {
    if days == 0 {
        "Leave blank to keep forever.".to_owned()
    } else {
        format!("Leave blank for {days} days, the maximum here.")
    }
}
