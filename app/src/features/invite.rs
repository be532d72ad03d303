//! The page of an invite link: which organization it opens, and a button to join; or why nobody can join with it.

use adagent_contract::{InviteState, InviteView};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{
    api::{self, AcceptInviteLink, Invite, settled},
    desk::{SwitchTo, encode, role_name},
    form::ActionForm,
    team::explain,
};
use crate::{
    shell::AlonePage,
    ui::{Avatar, Glyph, Icon},
};

#[component]
pub fn InvitePage() -> impl IntoView {
    let params = use_params_map();
    let token = Memo::new(move |_| params.read().get("token").unwrap_or_default());
    let invite = Resource::new(move || token.get(), api::read_invite);
    view! {
        <Title text="Invitation"/>
        <Suspense fallback=|| ()>
            {move || Suspend::new(async move {
                let token = token.get_untracked();
                match invite.await {
                    Ok(invite) => view! { <Shown invite token/> }.into_any(),
                    Err(error) => view! { <Closed title="We couldn't check this link" text=error.0.detail/> }.into_any(),
                }
            })}
        </Suspense>
    }
}

/// Says why nobody can join with a link.
const fn closed(state: InviteState) -> Option<(&'static str, &'static str)> {
    match state {
        InviteState::Valid | InviteState::AlreadyMember => None,
        InviteState::Invalid => Some((
            "This invite link isn't valid",
            "The address is mistyped, or the organization was deleted. Ask for a new link.",
        )),
        InviteState::Expired => Some(("This invite link has expired", "Ask the person who sent it for a new link.")),
        InviteState::UsedUp => Some((
            "This invite link has reached its limit",
            "It can't be used again. Ask the person who sent it for a new link.",
        )),
        InviteState::Deactivated => Some(("This invite link was deactivated", "Ask an admin for a new link.")),
    }
}

#[component]
fn Shown(invite: Invite, token: String) -> impl IntoView {
    let Invite { view: InviteView { state, organization, role }, person } = invite;
    let name =
        organization.as_ref().map_or_else(|| "the organization".to_owned(), |organization| organization.name.clone());
    if let Some((title, text)) = closed(state) {
        return view! { <Closed title text=text.to_owned()/> }.into_any();
    }
    let id = organization.map(|organization| organization.id.to_string()).unwrap_or_default();
    if state == InviteState::AlreadyMember {
        return view! {
            <Card name=name.clone() title=format!("You're already in {name}")>
                <p class="prose quiet-text">"You don't need to do anything."</p>
                <SwitchTo to=id class="button primary large wide">{format!("Open {name}")}</SwitchTo>
            </Card>
        }
        .into_any();
    }
    let as_role = role.map(|role| format!(" as {}", role_name(role).to_lowercase())).unwrap_or_default();
    let lead = format!(
        "You're invited to join{as_role}. You'll share the organization's connections. Your chats and your personal workspace stay private."
    );
    view! {
        <Card name=name.clone() title=format!("Join {name}")>
            <p class="prose quiet-text">{lead}</p>
            {match person {
                Some(person) => view! { <Join token name person/> }.into_any(),
                None => view! { <SignInFirst page=format!("/invite/{token}")/> }.into_any(),
            }}
        </Card>
    }
    .into_any()
}

/// Lets a signed-in person join with one button.
#[component]
fn Join(token: String, name: String, person: String) -> impl IntoView {
    let accept = ServerAction::<AcceptInviteLink>::new();
    let query = use_query_map();
    Effect::new(move |_| {
        if let Some(Ok(Ok(page))) = accept.value().get() {
            crate::platform::go_to(&page);
        }
    });
    let wrong = move || match accept.value().get().map(settled) {
        Some(Err(error)) => Some(error.0.detail),
        Some(Ok(_)) => None,
        None => query.read().get("error").map(|code| explain(&code).to_owned()),
    };
    view! {
        <ActionForm action=accept>
            <input type="hidden" name="token" value=token/>
            <button class="button primary large wide" type="submit" aria-busy=move || accept.pending().get().then_some("true")>{format!("Join {name}")}</button>
            {move || wrong().map(|text| view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> })}
        </ActionForm>
        <p class="quiet-text">{format!("Signed in as {person}.")}" "<a class="link" href="/">"Not now"</a></p>
    }
}

/// Asks a person to sign in first, and brings them back to this page.
#[component]
pub(super) fn SignInFirst(page: String) -> impl IntoView {
    let back = encode(&page);
    view! {
        <div class="stack">
            <a class="button primary large wide" href=format!("/sign-in?return={back}")>"Sign in to join"</a>
            <a class="button large wide" href=format!("/sign-up?return={back}")>"Create an account"</a>
        </div>
    }
}

#[component]
pub(super) fn Card(name: String, title: String, children: Children) -> impl IntoView {
    view! {
        <div class="alone single">
            <main id="main" tabindex="-1">
                <div class="box" style="width:min(360px,100%)">
                    <div class="brand"><Icon glyph=Glyph::Brand/>"ADAgentAI"</div>
                    <div class="row" style="gap:10px"><Avatar name square=true/><h1>{title}</h1></div>
                    {children()}
                </div>
            </main>
        </div>
    }
}

#[component]
pub(super) fn Closed(title: &'static str, text: String) -> impl IntoView {
    view! {
        <AlonePage code="" title request_id=String::new()>
            <p class="prose quiet-text">{text}</p>
            <div class="row wrap"><a class="button primary" href="/">"Go home"</a></div>
        </AlonePage>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_that_lets_nobody_in_says_why() {
        let states = [InviteState::Invalid, InviteState::Expired, InviteState::UsedUp, InviteState::Deactivated];
        let mut said: Vec<&str> = states.into_iter().filter_map(closed).map(|(title, _)| title).collect();
        said.dedup();
        assert_eq!(said.len(), states.len());
        assert!(closed(InviteState::Valid).is_none() && closed(InviteState::AlreadyMember).is_none());
    }
}
