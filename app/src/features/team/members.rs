//! The members: a row for each, with the role to choose and other actions, as far as the viewer may use them.

use adagent_contract::MemberView;
use adagent_domain::{Permission, Role};
use leptos::prelude::*;

use super::notices::tell_all;
use crate::{
    PageClock,
    features::{
        api::{ChangeRole, RemoveMember, Team, settled},
        desk::role_name,
        form::ActionForm,
    },
    ui::{Avatar, Confirm, Glyph, Icon},
};

#[component]
pub fn Members(team: Memo<Team>, changed: Callback<()>) -> impl IntoView {
    let change = ServerAction::<ChangeRole>::new();
    let remove = ServerAction::<RemoveMember>::new();
    tell_all(move || change.value().get(), "Role changed", changed);
    tell_all(move || remove.value().get(), "Removed from the team", changed);
    view! {
        <section class="section" aria-labelledby="team-members">
            <div class="section-head"><h3 id="team-members">"Members"</h3></div>
            <div class="table-wrap" tabindex="0" role="region" aria-label="Table of members">
                <table class="table members" style="--row:52px">
                    <caption class="unseen">"Members with their roles"</caption>
                    <thead>
                        <tr>
                            <th scope="col">"Name"</th>
                            <th scope="col"><span style="padding-inline-start:11px">"Role"</span></th>
                            <th scope="col">"Joined"</th>
                            <th scope="col"><span class="unseen">"Actions"</span></th>
                        </tr>
                    </thead>
                    <tbody>
                        <For each=move || team.with(|team| team.members.clone()) key=|member| (member.user_id, member.role, member.name.clone()) let:member>
                            <Row member team change remove/>
                        </For>
                    </tbody>
                </table>
            </div>
        </section>
    }
}

#[component]
fn Row(
    member: MemberView,
    team: Memo<Team>,
    change: ServerAction<ChangeRole>,
    remove: ServerAction<RemoveMember>,
) -> impl IntoView {
    let clock = PageClock::get();
    let team = team.get_untracked();
    let oneself = member.user_id == team.me;
    let roles: Vec<Role> = [Role::Admin, Role::Member]
        .into_iter()
        .filter(|to| {
            let reaches = team.here.role.may_change(member.role, *to, oneself).is_ok();
            *to == member.role || (team.may(Permission::ChangeRoles) && reaches)
        })
        .collect();
    let may_change = roles.len() > 1;
    let may_remove = !oneself && team.may(Permission::RemoveMembers) && team.here.role.may_remove(member.role).is_ok();
    let joined = member.joined_at;
    let id = member.user_id.to_string();
    let (remove_id, organization, name) = (id.clone(), team.here.name.clone(), member.name.clone());
    view! {
        <tr>
            <th scope="row">
                <span class="row" style="gap:10px">
                    <Avatar name=member.name.clone()/>
                    <span class="truncate">
                        {member.name.clone()}
                        {oneself.then(|| view! { " "<span class="faint" style="font-weight:420">"you"</span> })}
                        <span class="faint truncate" style="display:block;font-size:var(--t-xs);font-weight:420">{member.email.clone()}</span>
                    </span>
                </span>
            </th>
            <td>
                {if may_change {
                    view! { <RoleSelect member=member.clone() roles change/> }.into_any()
                } else {
                    view! { <span style="padding-inline-start:11px">{role_name(member.role)}</span> }.into_any()
                }}
            </td>
            <td class="faint nowrap">{move || clock.ago(joined)}</td>
            <td class="n">{may_remove.then(|| view! { <Remove id=remove_id name organization remove/> })}</td>
        </tr>
    }
}

/// Chooses a role. With JavaScript, choosing is enough; without it, there is a button.
#[component]
fn RoleSelect(member: MemberView, roles: Vec<Role>, change: ServerAction<ChangeRole>) -> impl IntoView {
    let (id, name) = (member.user_id, member.name);
    let (now, field) = (member.role, format!("role-{id}"));
    let label_for = field.clone();
    // Shows the chosen role until the server refuses it.
    let shown = RwSignal::new(now);
    Effect::new(move |_| {
        if change.value().get().is_some_and(|answer| settled(answer).is_err()) {
            shown.set(now);
        }
    });
    view! {
        <ActionForm action=change attr:class="row" attr:style="gap:6px">
            <input type="hidden" name="user" value=id.to_string()/>
            <label class="unseen" for=label_for>{format!("Role of {name}")}</label>
            <select
                class="select" id=field name="role" style="width:112px"
                prop:value=move || shown.get().as_str()
                on:change=move |event| {
                    if let Ok(role) = event_target_value(&event).parse() {
                        shown.set(role);
                        change.dispatch(ChangeRole { user: id, role });
                    }
                }
            >
                {roles.into_iter().map(|role| view! {
                    <option value=role.as_str() selected=role == now>{role_name(role)}</option>
                }).collect_view()}
            </select>
            <noscript><button class="button small" type="submit">"Change"</button></noscript>
        </ActionForm>
    }
}

#[component]
fn Remove(id: String, name: String, organization: String, remove: ServerAction<RemoveMember>) -> impl IntoView {
    let (menu, ask) = (format!("member-{id}"), format!("remove-{id}"));
    let (menu_target, menu_again, ask_target) = (menu.clone(), menu.clone(), ask.clone());
    view! {
        <button class="button ghost icon-only small" type="button" popovertarget=menu_target aria-label=format!("More for {name}")>
            <Icon glyph=Glyph::Ellipsis/>
        </button>
        <div class="menu end" id=menu popover="auto">
            <button class="menu-item bad" type="button" popovertarget=ask_target><Icon glyph=Glyph::X/>{format!("Remove {name}…")}</button>
        </div>
        <Confirm
            id=ask menu=menu_again title=format!("Remove {name}?")
            text=format!("They lose access to {organization} right away: their runs and access tokens stop working. All invite links are deactivated too, so create new ones if you need them. Their personal workspace stays.")
        >
            <ActionForm action=remove>
                <input type="hidden" name="user" value=id/>
                <button class="button danger" type="submit" aria-busy=move || remove.pending().get().then_some("true")>"Remove"</button>
            </ActionForm>
        </Confirm>
    }
}
