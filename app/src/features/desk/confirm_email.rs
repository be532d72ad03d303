//! The bar that asks the person to confirm their address, if something depends on it. Dismissing it lasts until the next sign-in.

use leptos::prelude::*;

use super::Desk;
use crate::{
    features::{api::ConfirmLater, form::ActionForm},
    ui::{Glyph, Icon},
};

#[component]
pub fn ConfirmEmail() -> impl IntoView {
    let desk = Desk::get();
    let later = ServerAction::<ConfirmLater>::new();
    Effect::new(move |_| {
        if matches!(later.value().get(), Some(Ok(()))) {
            desk.viewer.refetch();
        }
    });
    let asked = move || {
        let viewer = desk.viewer.get().and_then(Result::ok).flatten()?;
        viewer.confirm_email.then_some(viewer.me.user.email)
    };
    view! {
        <Transition fallback=|| ()>
            {move || asked().map(|address| view! {
                <section class="notice" aria-label="Confirm your email">
                    <Icon glyph=Glyph::Mail/>
                    <p>
                        <b>"Confirm your email."</b>
                        <span class="quiet-text">{format!(" Open the link we sent to {address}. Until then, you won't see invitations sent there.")}</span>
                    </p>
                    <ActionForm action=later><button class="button small ghost" type="submit">"Later"</button></ActionForm>
                    <form action="/api/account/verify-email" method="post">
                        <button class="button small" type="submit">"Resend link"</button>
                    </form>
                </section>
            })}
        </Transition>
    }
}
