//! The page that an invitation email opens: accept or decline, after signing in if needed.
//!
//! It shows an invitation only to the person it was sent to. For anybody else, the invitation does not exist.

use adagent_contract::ReceivedInvitationView;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::{
    api::{self, AnswerInvitation, Viewer, settled},
    desk::role_name,
    form::ActionForm,
    invite::{Card, Closed, SignInFirst},
};
use crate::ui::{Glyph, Icon};

#[component]
pub fn InvitationPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id").unwrap_or_default());
    let viewer = Resource::new(|| (), |()| api::read_viewer());
    view! {
        <Title text="Invitation"/>
        <Suspense fallback=|| ()>
            {move || Suspend::new(async move {
                let id = id.get_untracked();
                match viewer.await {
                    Ok(viewer) => view! { <Shown viewer id/> }.into_any(),
                    Err(error) => {
                        view! { <Closed title="We couldn't load this invitation" text=error.0.detail/> }.into_any()
                    }
                }
            })}
        </Suspense>
    }
}

/// Returns the invitation with this ID if it was sent to the person who looks.
fn addressed(viewer: &Viewer, id: &str) -> Option<ReceivedInvitationView> {
    viewer.me.invitations.iter().find(|invitation| invitation.id.to_string() == id).cloned()
}

#[component]
fn Shown(viewer: Option<Viewer>, id: String) -> impl IntoView {
    let Some(viewer) = viewer else {
        return view! {
            <Card name="ADAgentAI".to_owned() title="You're invited".to_owned()>
                <p class="prose quiet-text">"Sign in with the email this invitation was sent to, or create an account with it."</p>
                <SignInFirst page=format!("/invitations/{id}")/>
            </Card>
        }
        .into_any();
    };
    if let Some(invitation) = addressed(&viewer, &id) {
        return view! { <Waiting invitation/> }.into_any();
    }
    let email = viewer.me.user.email;
    if viewer.confirm_email {
        let text = format!("We sent a link to {email}. Open it to confirm your email, then reload this page.");
        return view! { <Closed title="Confirm your email first" text/> }.into_any();
    }
    let text = format!(
        "You may have answered it already, it was revoked or expired, or it was sent to another email. You're signed in as {email}."
    );
    view! { <Closed title="This invitation isn't available" text/> }.into_any()
}

#[component]
fn Waiting(invitation: ReceivedInvitationView) -> impl IntoView {
    let answer = ServerAction::<AnswerInvitation>::new();
    let declined = move || matches!(answer.value().get(), Some(Ok(Ok(None))));
    Effect::new(move |_| {
        if let Some(Ok(Ok(Some(page)))) = answer.value().get() {
            crate::platform::go_to(&page);
        }
    });
    let wrong = move || answer.value().get().and_then(|answer| settled(answer).err()).map(|error| error.0.detail);
    let name = invitation.organization.name;
    let role = role_name(invitation.role).to_lowercase();
    let lead = format!(
        "{} invited you as {role}. You'll share the organization's connections. Your chats and your personal workspace stay private.",
        invitation.invited_by
    );
    let busy = move || answer.pending().get().then_some("true");
    let join = format!("Join {name}");
    let button = |accept: bool, class: &'static str, label: String| {
        view! {
            <ActionForm action=answer>
                <input type="hidden" name="id" value=invitation.id.to_string()/>
                <input type="hidden" name="accept" value=accept.to_string()/>
                <button class=class type="submit" aria-busy=busy>{label}</button>
            </ActionForm>
        }
    };
    let buttons = view! {
        {button(true, "button primary large wide", join.clone())}
        {button(false, "button large wide", "Decline".to_owned())}
    };
    view! {
        <Card name=name.clone() title=join>
            <div class="stack" hidden=declined>
                <p class="prose quiet-text">{lead}</p>
                {buttons}
                {move || wrong().map(|text| view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> })}
            </div>
            <div class="stack" hidden=move || !declined()>
                <p class="prose quiet-text" role="status">"You declined this invitation."</p>
                <a class="button large wide" href="/">"Go home"</a>
            </div>
        </Card>
    }
}
