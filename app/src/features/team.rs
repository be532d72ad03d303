//! Settings › Team: the members of an organization, its invitations, its audit log, and the forms to leave or delete it.
//!
//! The server decides who may do what (`adagent_domain::Permission`). The page hides what the person may not do.

mod feedback;
mod invitations;
mod leave;
mod links;
mod members;
mod notices;

use adagent_contract::MemberView;
use adagent_domain::{Permission, Role, WorkspaceId};
use leptos::prelude::*;

use super::{
    api::{self, ApiError, Team},
    audit::{AuditSection, RetentionSection},
    desk::{CREATE, Desk, kept},
    settings::SettingsPage,
};
pub use notices::explain;

use crate::ui::{Empty, Glyph, Icon, Loading, Unread, format};

/// The kind of page. The whole page is drawn again only when the kind changes. Otherwise new data changes only lines, so that
/// typed text stays and the answer to a sent form still reaches its form.
#[derive(Clone, PartialEq)]
enum Kind {
    Organization(WorkspaceId, Role),
    Personal,
    Failed(ApiError),
}

impl Kind {
    fn of(answer: &Result<Option<Team>, ApiError>) -> Self {
        match answer {
            Ok(Some(team)) => Self::Organization(team.here.id, team.here.role),
            Ok(None) => Self::Personal,
            Err(error) => Self::Failed(error.clone()),
        }
    }
}

#[component]
pub fn TeamPage() -> impl IntoView {
    let desk = Desk::get();
    let version = RwSignal::new(0_u32);
    let read = kept(api::read_team);
    let changed = Callback::new(move |()| {
        version.update(|count| *count += 1);
        read.refetch();
        desk.viewer.refetch();
    });
    let lead =
        move || view! { <Transition fallback=|| ()>{move || read.get().map(|answer| about(&answer))}</Transition> };
    view! {
        <SettingsPage title="Team" here="/settings/team" lead>
            <Transition fallback=|| view! { <Loading/> }>
                <Shown read version changed/>
            </Transition>
        </SettingsPage>
    }
}

/// Returns the lead of the page; empty if the team could not be loaded.
fn about(answer: &Result<Option<Team>, ApiError>) -> String {
    match answer {
        Ok(Some(team)) => format!(
            "{}, {}. Owners and admins connect networks and invite people. Members ask questions and approve changes.",
            team.here.name,
            format::plural(team.members.len(), "member", "members")
        ),
        Ok(None) => "Your personal workspace is private. Create an organization to work with a team.".to_owned(),
        Err(_) => String::new(),
    }
}

/// Shows the page. It is inside the `Transition`, because the server does not wait for resources that are read outside of it.
#[component]
fn Shown(
    read: Resource<Result<Option<Team>, ApiError>>,
    version: RwSignal<u32>,
    changed: Callback<()>,
) -> impl IntoView {
    // Read the resource only in memos: an effect that reads it, even untracked, runs again with every answer.
    let kind = Memo::new(move |_| read.get().as_ref().map(Kind::of));
    let known = Memo::new(move |before: Option<&Option<Team>>| {
        read.get().and_then(Result::ok).flatten().or_else(|| before.cloned().flatten())
    });
    move || {
        kind.get().map(|kind| match kind {
            Kind::Organization(..) => known
                .get_untracked()
                .map(|first| {
                    let team = Memo::new(move |_| known.get().unwrap_or_else(|| first.clone()));
                    view! { <Organization team version changed/> }
                })
                .into_any(),
            Kind::Personal => view! { <Alone/> }.into_any(),
            Kind::Failed(error) => view! { <Unread error again=Callback::new(move |()| read.refetch())/> }.into_any(),
        })
    }
}

/// Shows the page of a personal workspace, which has no team.
#[component]
fn Alone() -> impl IntoView {
    view! {
        <Empty
            glyph=Glyph::Users title="No team in your personal workspace"
            text="An organization shares its connections. Owners and admins connect networks and invite people; members ask questions and approve changes. Your personal workspace stays private."
        >
            <button class="button primary" type="button" popovertarget=CREATE><Icon glyph=Glyph::Plus small=true/>"Create organization"</button>
        </Empty>
        <feedback::Feedback/>
    }
}

#[component]
fn Organization(team: Memo<Team>, version: RwSignal<u32>, changed: Callback<()>) -> impl IntoView {
    // Untracked: the role cannot change within this kind of page, because another role draws the page again.
    let may = |permission| team.with_untracked(|team| team.may(permission));
    let names = Memo::new(move |_| {
        let name = |member: &MemberView| (member.user_id.to_string(), member.name.clone());
        team.with(|team| team.members.iter().map(name).collect::<Vec<_>>())
    });
    let read_only = !may(Permission::InviteMembers);
    view! {
        {read_only.then(|| view! {
            <div class="note"><Icon glyph=Glyph::Lock/><p><strong>"Only admins and the owner can change the team."</strong>" You can see the members and leave."</p></div>
        })}
        <members::Members team changed/>
        {(!read_only).then(|| view! {
            <invitations::Invitations team changed/>
            <links::Links team changed/>
        })}
        {may(Permission::ViewAuditLog).then(|| view! { <AuditSection here="/settings/team" names version/> })}
        {may(Permission::ViewAuditLog).then(|| view! { <feedback::Feedback/> })}
        {may(Permission::ManageRetention).then(|| view! { <RetentionSection changed/> })}
        <leave::Leave team changed/>
    }
}
