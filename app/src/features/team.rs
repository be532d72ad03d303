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
    api::{self, Team},
    audit::{AuditSection, RetentionSection},
    desk::{CREATE, Desk, Topbar},
    settings::SettingsTabs,
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
    view! {
        <Topbar title="Settings"/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in">
                    <Transition fallback=|| view! { <div class="card"><span class="skeleton" style="width:90%"></span></div> }>
                        {move || team.get().map(|answer| match answer {
                            Ok(Some(team)) => view! { <Organization team changed/> }.into_any(),
                            Ok(None) => view! { <Alone/> }.into_any(),
                            Err(error) => view! {
                                <Head lead=String::new()/>
                                <div class="note bad" role="alert">
                                    <Icon glyph=Glyph::CircleAlert/>
                                    <p><strong>{error.0.title}</strong>" "{error.0.detail}</p>
                                </div>
                            }.into_any(),
                        })}
                    </Transition>
                </div>
            </main>
        </div>
    }
}

#[component]
fn Head(lead: String) -> impl IntoView {
    view! {
        <div class="page-head"><div class="grow"><h2>"Team"</h2><p>{lead}</p></div></div>
        <SettingsTabs here="/settings/team"/>
    }
}

/// The personal workspace has no team.
#[component]
fn Alone() -> impl IntoView {
    view! {
        <Head lead="Personal is yours alone. A team works in an organisation.".to_owned()/>
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
    let lead = format!(
        "{}, {}. Owners and admins connect networks and invite; members ask, read and approve.",
        team.here.name,
        format::plural(team.members.len(), "member", "members")
    );
    let names: Vec<(String, String)> =
        team.members.iter().map(|member| (member.user_id.to_string(), member.name.clone())).collect();
    let read_only = !may(Permission::InviteMembers);
    view! {
        <Head lead/>
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
