//! Invitations by email: send, resend, cancel.

use adagent_contract::{InvitationMail, InvitationState, InvitationView};
use adagent_domain::Role;
use leptos::prelude::*;

use super::notices::{Wrong, refused, tell, tell_all};
use crate::{
    PageClock,
    features::{
        api::{InviteMember, ResendInvitation, RevokeInvitation, Team},
        desk::role_name,
        form::ActionForm,
    },
    ui::Avatar,
};

#[component]
pub fn Invitations(team: Memo<Team>, changed: Callback<()>) -> impl IntoView {
    let invite = ServerAction::<InviteMember>::new();
    let resend = ServerAction::<ResendInvitation>::new();
    let revoke = ServerAction::<RevokeInvitation>::new();
    tell(move || invite.value().get(), "Invitation sent", changed);
    tell_all(move || resend.value().get(), "Invitation resent", changed);
    tell_all(move || revoke.value().get(), "Invitation revoked", changed);
    let email = RwSignal::new(String::new());
    Effect::new(move |_| {
        if let Some(Ok(Ok(()))) = invite.value().get() {
            email.set(String::new());
        }
    });
    let wrong = refused("invite", move || invite.value().get());
    let open = Memo::new(move |_| team.with(|team| team.invitations.len()));
    view! {
        <section class="section" aria-labelledby="team-invitations">
            <div class="section-head">
                <h3 id="team-invitations">"Invitations"</h3>
                {move || Some(open.get()).filter(|open| *open > 0).map(|open| view! { <p>{format!("{open} pending")}</p> })}
            </div>
            <div class="card">
                <ActionForm action=invite attr:class="card-body row wrap" attr:style="align-items:end;gap:12px">
                    <div class="field grow" style="min-width:220px">
                        <label for="invite-email">"Email"</label>
                        <input
                            class="input" id="invite-email" name="email" type="email" required=true maxlength="254" autocomplete="off"
                            placeholder="name@company.example"
                            prop:value=move || email.get()
                            on:input=move |event| email.set(event_target_value(&event))
                            aria-invalid=move || wrong.get().is_some().then_some("true")
                            aria-describedby=move || wrong.get().is_some().then_some("invite-wrong")
                        />
                    </div>
                    <div class="field">
                        <label for="invite-role">"Role"</label>
                        <select class="select" id="invite-role" name="role" style="width:128px">
                            <option value=Role::Member.as_str()>"Member"</option>
                            <option value=Role::Admin.as_str()>"Admin"</option>
                        </select>
                    </div>
                    <button class="button primary" type="submit" aria-busy=move || invite.pending().get().then_some("true")>"Send invitation"</button>
                    <div style="flex-basis:100%" class:unseen=move || wrong.get().is_none()><Wrong id="invite-wrong" text=wrong/></div>
                </ActionForm>
                <For
                    each=move || team.with(|team| team.invitations.clone())
                    key=|item| (item.id, item.state, item.mail, item.role)
                    let:item
                >
                    <Row item resend revoke/>
                </For>
            </div>
        </section>
    }
}

/// Says why an email was given up, in the words of the mail server.
fn failed(error: Option<&str>) -> String {
    let why = error.map(|error| format!(": {error}")).unwrap_or_default();
    format!("We couldn't deliver the email{why}. Check the address and resend it.")
}

/// Says why an email has not been sent yet.
fn waiting(error: &str) -> String {
    format!("Not sent yet: {error}. We'll keep trying. If this doesn't go away, contact your administrator.")
}

#[component]
fn Row(
    item: InvitationView,
    resend: ServerAction<ResendInvitation>,
    revoke: ServerAction<RevokeInvitation>,
) -> impl IntoView {
    let clock = PageClock::get();
    let id = item.id.to_string();
    let (made, role, by) = (item.created_at, role_name(item.role), item.invited_by.clone());
    let facts = move || format!("as {role}, invited {} by {by}", clock.ago(made));
    // Show only what keeps the person from joining. An email that is queued or sent is the normal case.
    let state = match (item.state, item.mail) {
        (InvitationState::Expired, _) => Some(view! { <span class="badge">"Expired"</span> }.into_any()),
        (InvitationState::Pending, InvitationMail::Failed) => Some(
            view! { <span class="badge bad" title=failed(item.mail_error.as_deref())>"Email failed"</span> }.into_any(),
        ),
        (InvitationState::Pending, InvitationMail::Queued) => Some(match &item.mail_error {
            None => view! { <span class="badge">"Sending"</span> }.into_any(),
            Some(error) => view! { <span class="badge warn" title=waiting(error)>"Email delayed"</span> }.into_any(),
        }),
        (InvitationState::Pending, InvitationMail::Sent) => None,
    };
    let (again, back, email, email_too) = (id.clone(), id, item.email.clone(), item.email.clone());
    view! {
        <div class="card-foot invited">
            <Avatar name=item.email.clone()/>
            <span class="grow"><b class="truncate">{item.email}</b>" "<span class="faint">{facts}</span></span>
            {state}
            <ActionForm action=resend>
                <input type="hidden" name="id" value=again/>
                <button class="button ghost small" type="submit">"Resend"<span class="unseen">{format!(" to {email}")}</span></button>
            </ActionForm>
            <ActionForm action=revoke>
                <input type="hidden" name="id" value=back/>
                <button class="button ghost small" type="submit">"Revoke"<span class="unseen">{format!(" the invitation to {email_too}")}</span></button>
            </ActionForm>
        </div>
    }
}
