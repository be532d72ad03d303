//! The switcher at the top of the rail: the current workspace, and the person's other workspaces.

use adagent_contract::{OrganizationSummary, WorkspaceView};
use adagent_domain::Role;
use leptos::{prelude::*, server_fn::ServerFn as _};

use super::{Desk, create_organization::CREATE};
use crate::{
    features::api::{PERSONAL, PendingThere, SwitchWorkspace, Viewer},
    ui::{Avatar, Glyph, Icon, Menu, MenuLabel, format},
};

const SWITCHER: &str = "workspace-switcher";
const MENU: &str = "workspaces";

/// Returns the name of a role.
pub const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Owner => "Owner",
        Role::Admin => "Admin",
        Role::Member => "Member",
    }
}

/// Returns the line under the name, such as `Admin · 6 members`; in the personal workspace, the person's name.
fn line(here: &WorkspaceView, members: u64, person: &str) -> String {
    if here.personal {
        return person.to_owned();
    }
    let count = usize::try_from(members).unwrap_or(usize::MAX);
    format!("{} · {}", role_name(here.role), format::plural(count, "member", "members"))
}

#[component]
pub fn Workspaces() -> impl IntoView {
    let desk = Desk::get();
    view! {
        <div class="row">
            <Transition fallback=|| view! { <span class="skeleton" style="height:38px;width:100%"></span> }>
                {move || {
                    let viewer = desk.viewer.get().and_then(Result::ok).flatten()?;
                    let here = viewer.here.clone()?;
                    // The server draws the counts together with the switcher. A `Transition` inside this one resolves at another
                    // time, and the browser would find other nodes than it expects. In the browser, only the counts update.
                    #[cfg(feature = "ssr")]
                    desk.elsewhere.get()?.ok();
                    Some(view! { <Switcher viewer here/> })
                }}
            </Transition>
        </div>
    }
}

#[component]
fn Switcher(viewer: Viewer, here: WorkspaceView) -> impl IntoView {
    let person = viewer.me.user.name.clone();
    let face = if here.personal { person.clone() } else { here.name.clone() };
    let small = line(&here, viewer.members, &person);
    let (personal, current) = (here.personal, here.id);
    let organizations = viewer.me.organizations;
    let none = organizations.is_empty();
    let desk = Desk::get();
    let elsewhere = move || desk.elsewhere.get().and_then(Result::ok).unwrap_or_default();
    let in_personal = move || elsewhere().iter().filter(|there| there.personal).map(|there| there.pending).sum();
    view! {
        <button
            class="switcher" type="button" id=SWITCHER popovertarget=MENU aria-haspopup="menu"
            on:keydown=move |event| {
                // Open the menu and move into it.
                if event.key() == "ArrowDown" {
                    event.prevent_default();
                    if !crate::platform::popover_open(MENU) {
                        crate::platform::press(SWITCHER);
                    }
                    crate::platform::walk_menu(MENU, true);
                }
            }
        >
            <Avatar name=face square=!personal/>
            <span class="truncate"><b class="truncate">{here.name}</b><small class="truncate">{small}</small></span>
            {move || pending(total(&elsewhere()), " pending approvals in your other workspaces")}
            <Icon glyph=Glyph::ChevronsUpDown/>
        </button>
        <Menu id=MENU label="Workspaces">
            <form action=SwitchWorkspace::url() method="post">
                <button class="menu-item" type="submit" name="to" value=PERSONAL id="switch-personal" role="menuitemradio" aria-checked=checked(personal)>
                    <Avatar name=person small=true/>
                    <span class="truncate">"Personal"</span>
                    {move || pending(in_personal(), PENDING)}
                    {personal.then(|| view! { <Icon glyph=Glyph::Check class="check-mark"/> })}
                </button>
                <hr/>
                <MenuLabel>"Organizations"</MenuLabel>
                {none.then(|| view! { <p class="menu-label" role="presentation">"None yet"</p> })}
                {organizations.into_iter().map(|organization| {
                    let is_here = organization.id == current;
                    view! { <Choice organization is_here/> }
                }).collect_view()}
            </form>
            <hr/>
            <button class="menu-item" type="button" role="menuitem" popovertarget=CREATE>
                <Icon glyph=Glyph::Plus/>
                "Create organization"
            </button>
        </Menu>
    }
}

const PENDING: &str = " pending approvals";

fn total(elsewhere: &[PendingThere]) -> u64 {
    elsewhere.iter().map(|there| there.pending).sum()
}

/// Shows the badge of a workspace; none if nothing is pending.
fn pending(count: u64, words: &'static str) -> Option<impl IntoView> {
    (count > 0).then(|| view! { <span class="count wait">{count}<span class="unseen">{words}</span></span> })
}

const fn checked(is_here: bool) -> &'static str {
    if is_here { "true" } else { "false" }
}

#[component]
fn Choice(organization: OrganizationSummary, is_here: bool) -> impl IntoView {
    let (workspace, id) = (organization.id, organization.id.to_string());
    let desk = Desk::get();
    let there = move || {
        let elsewhere = desk.elsewhere.get().and_then(Result::ok).unwrap_or_default();
        elsewhere.iter().filter(|there| there.workspace == workspace).map(|there| there.pending).sum()
    };
    view! {
        <button
            class="menu-item" type="submit" name="to" value=id.clone() id=format!("switch-{id}") role="menuitemradio"
            aria-checked=checked(is_here)
        >
            <Avatar name=organization.name.clone() small=true square=true/>
            <span class="truncate">{organization.name}</span>
            {move || pending(there(), PENDING)}
            {is_here.then(|| view! { <Icon glyph=Glyph::Check class="check-mark"/> })}
        </button>
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::{SequentialIds, WorkspaceId};

    use super::*;

    #[test]
    fn other_workspaces_count_together_and_none_shows_no_badge() {
        let ids = SequentialIds::default();
        let there = |pending, personal| PendingThere { workspace: WorkspaceId::new(&ids), personal, pending };
        assert_eq!(total(&[there(2, true), there(3, false)]), 5);
        assert!(pending(0, PENDING).is_none() && pending(1, PENDING).is_some());
    }

    #[test]
    fn the_small_line_says_what_one_is_here() {
        let id = WorkspaceId::new(&SequentialIds::default());
        let here = |personal| WorkspaceView { id, name: "Acme".into(), role: Role::Admin, personal };
        assert_eq!(line(&here(false), 6, "Mara"), "Admin · 6 members");
        assert_eq!(line(&here(false), 1, "Mara"), "Admin · 1 member");
        assert_eq!(line(&here(true), 1, "Mara"), "Mara");
    }
}
