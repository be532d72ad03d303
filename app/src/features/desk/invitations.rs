//! The bar about this person's pending invitations: the organization, the role, and the answer.

use adagent_contract::ReceivedInvitationView;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{Desk, role_name};
use crate::{
    features::{
        api::{AnswerInvitation, settled},
        form::ActionForm,
        team::explain,
    },
    ui::{Glyph, Icon, Toasts},
};

#[component]
pub fn Received() -> impl IntoView {
    let desk = Desk::get();
    let answer = ServerAction::<AnswerInvitation>::new();
    let toasts = Toasts::get();
    Effect::new(move |_| match answer.value().get().map(settled) {
        // Accepted: open a new page for the new workspace.
        Some(Ok(Some(page))) => crate::platform::go_to(&page),
        Some(Ok(None)) => {
            toasts.say("Invitation declined");
            desk.viewer.refetch();
        }
        Some(Err(error)) => {
            toasts.complain(error.0.detail);
            desk.viewer.refetch();
        }
        None => {}
    });
    let waiting = move || {
        desk.viewer.get().and_then(Result::ok).flatten().map(|viewer| viewer.me.invitations).unwrap_or_default()
    };
    // The error of an answer that was posted without JavaScript.
    let query = use_query_map();
    let wrong = move || query.read().get("invitation").filter(|_| answer.value().get().is_none());
    view! {
        {move || wrong().map(|code| view! {
            <section class="notice" role="alert" aria-label="Your answer to the invitation">
                <Icon glyph=Glyph::CircleAlert/>
                <p>{explain(&code)}</p>
            </section>
        })}
        <Transition fallback=|| ()>
            {move || waiting().into_iter().map(|item| view! { <Bar item answer/> }).collect_view()}
        </Transition>
    }
}

#[component]
fn Bar(item: ReceivedInvitationView, answer: ServerAction<AnswerInvitation>) -> impl IntoView {
    let name = item.organization.name;
    let label = format!("Invitation to {name}");
    let (by, role) = (format!("{} invited you to ", item.invited_by), format!(" as {}.", role_name(item.role)));
    let busy = move || answer.pending().get().then_some("true");
    let button = |accept: bool, class: &'static str, label: &'static str| {
        let name = name.clone();
        view! {
            <ActionForm action=answer>
                <input type="hidden" name="id" value=item.id.to_string()/>
                <input type="hidden" name="accept" value=accept.to_string()/>
                <button class=class type="submit" aria-busy=busy>{label}<span class="unseen">{format!(" the invitation to {name}")}</span></button>
            </ActionForm>
        }
    };
    view! {
        <section class="notice" aria-label=label>
            <Icon glyph=Glyph::Mail/>
            <p><span>{by}</span><b>{name.clone()}</b><span>{role}</span></p>
            {button(false, "button small ghost", "Decline")}
            {button(true, "button small primary", "Accept")}
        </section>
    }
}
