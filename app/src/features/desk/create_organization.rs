//! The dialog that creates an organization. It is at the end of the frame, so that it opens from the rail, a page or the palette.

use leptos::prelude::*;

use crate::{
    features::{
        api::{CreateOrganization as Create, settled},
        form::ActionForm,
    },
    ui::{Field, Glyph, Icon, described_by},
};

/// The dialog's ID, for `popovertarget`.
pub const CREATE: &str = "create-organization";

#[component]
pub fn CreateOrganization() -> impl IntoView {
    let create = ServerAction::<Create>::new();
    // Load a new page for the new workspace, so that nothing of the old one remains.
    Effect::new(move |_| {
        if let Some(Ok(Ok(made))) = create.value().get() {
            crate::platform::go_to(&made);
        }
    });
    let wrong = Signal::derive(move || {
        let error = settled(create.value().get()?).err()?;
        Some(error.0.errors.first().map_or(error.0.detail.clone(), |field| field.message.clone()))
    });
    view! {
        <div class="dialog" id=CREATE popover="auto" role="dialog" aria-labelledby="create-organization-t">
            <ActionForm action=create>
                <div class="dialog-head">
                    <div class="grow">
                        <p class="dialog-title" id="create-organization-t">"Create an organization"</p>
                        <p class="quiet-text">"A workspace for your team. Members share network connections. Your chats stay yours until you share one."</p>
                    </div>
                    <button class="button ghost icon-only small" type="button" popovertarget=CREATE popovertargetaction="hide" aria-label="Close"><Icon glyph=Glyph::X/></button>
                </div>
                <div class="dialog-body">
                    <Field id="organization-name" label="Name" hint=Some("You'll be its owner. Your Personal workspace doesn't change.".to_owned()) error=wrong>
                        <input
                            class="input" id="organization-name" name="name" required=true maxlength="80" autocomplete="organization" autofocus=true
                            placeholder="Acme Agency"
                            aria-invalid=move || wrong.get().is_some().then_some("true")
                            aria-describedby=move || described_by("organization-name", true, wrong.get().is_some())
                        />
                    </Field>
                </div>
                <div class="dialog-foot">
                    <button class="button" type="button" popovertarget=CREATE popovertargetaction="hide">"Cancel"</button>
                    <button class="button primary" type="submit" aria-busy=move || create.pending().get().then_some("true")>"Create organization"</button>
                </div>
            </ActionForm>
        </div>
    }
}
