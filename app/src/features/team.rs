//! Settings, team: who is in an organisation, who is invited, what was done, and the ways out of it.
//!
//! Who may do what is the server's to say (`adagent_domain::Permission`); what somebody may not do is not on the page.

mod invitations;
mod leave;
mod links;
mod members;
mod said;

use adagent_domain::Permission;
use leptos::prelude::*;

use super::{
    api::{self, ApiError, Team},
    audit::{AuditSection, RetentionSection},
    desk::{CREATE, Desk},
    settings::{Reading, SettingsPage, Unread},
};
pub use said::explain;

use crate::ui::{Empty, Glyph, Icon, format};

#[component]
pub fn TeamPage() -> impl IntoView {
    let desk = Desk::get();
    let version = RwSignal::new(0_u32);
    let team = Resource::new(move || version.get(), |_| api::read_team());
    let changed = Callback::new(move |()| {
        version.update(|count| *count += 1);
        desk.viewer.refetch();
    });
    let lead =
        move || view! { <Transition fallback=|| ()>{move || team.get().map(|answer| about(&answer))}</Transition> };
    view! {
        <SettingsPage title="Team" here="/settings/team" lead>
            <Transition fallback=|| view! { <Reading/> }>
                {move || team.get().map(|answer| match answer {
                    Ok(Some(team)) => view! { <Organization team changed/> }.into_any(),
                    Ok(None) => view! { <Alone/> }.into_any(),
                    Err(error) => view! { <Unread error/> }.into_any(),
                })}
            </Transition>
        </SettingsPage>
    }
}

/// Whose page it is; of one that could not be read nothing is known.
fn about(answer: &Result<Option<Team>, ApiError>) -> String {
    match answer {
        Ok(Some(team)) => format!(
            "{}, {}. Owners and admins connect networks and invite; members ask, read and approve.",
            team.here.name,
            format::plural(team.members.len(), "member", "members")
        ),
        Ok(None) => "Personal is yours alone. A team works in an organisation.".to_owned(),
        Err(_) => String::new(),
    }
}

/// The personal workspace has no team.
#[component]
fn Alone() -> impl IntoView {
    view! {
        <Empty
            glyph=Glyph::Users title="No team in your personal workspace"
            text="In an organisation connections are shared: owners and admins connect networks and invite; members ask, read and approve. What you have here stays yours."
        >
            <button class="button primary" type="button" popovertarget=CREATE><Icon glyph=Glyph::Plus small=true/>"Create organisation"</button>
        </Empty>
    }
}

#[component]
fn Organization(team: Team, changed: Callback<()>) -> impl IntoView {
    let may = |permission| team.may(permission);
    let names: Vec<(String, String)> =
        team.members.iter().map(|member| (member.user_id.to_string(), member.name.clone())).collect();
    let read_only = !may(Permission::InviteMembers);
    view! {
        {read_only.then(|| view! {
            <div class="note"><Icon glyph=Glyph::Lock/><p><strong>"Only admins and the owner change the team."</strong>" You see who is in it, and may leave."</p></div>
        })}
        <members::Members team=team.clone() changed/>
        {(!read_only).then(|| view! {
            <invitations::Invitations team=team.clone() changed/>
            <links::Links team=team.clone() changed/>
        })}
        {may(Permission::ViewAuditLog).then(|| view! { <AuditSection here="/settings/team" names=names.clone()/> })}
        {may(Permission::ManageRetention).then(|| view! { <RetentionSection/> })}
        <leave::Leave team changed/>
    }
}
