//! The organization itself: rename it, transfer it, leave it, delete it. Irreversible actions ask first.

use adagent_domain::{Permission, Role};
use leptos::prelude::*;

use super::notices::{Wrong, refused, tell};
use crate::{
    features::{
        api::{DeleteOrganization, LeaveOrganization, RenameOrganization, Team, TransferOwnership},
        form::ActionForm,
        networks::ConsentsLeft,
    },
    ui::{Confirm, Glyph, Icon},
};

#[component]
pub fn Leave(team: Memo<Team>, changed: Callback<()>) -> impl IntoView {
    let may = |permission| team.with_untracked(|team| team.may(permission));
    view! {
        {may(Permission::RenameOrganization).then(|| view! { <Rename team changed/> })}
        <section class="section" aria-labelledby="team-leave">
            <div class="section-head">
                <h3 id="team-leave">{if may(Permission::TransferOwnership) { "Transfer or delete" } else { "Leave" }}</h3>
            </div>
            <div class="card">
                {may(Permission::TransferOwnership).then(|| view! { <HandOver team changed/> })}
                {may(Permission::LeaveOrganization).then(|| view! { <Go team/> })}
                {may(Permission::DeleteOrganization).then(|| view! { <Delete team/> })}
            </div>
        </section>
    }
}

#[component]
fn Rename(team: Memo<Team>, changed: Callback<()>) -> impl IntoView {
    let rename = ServerAction::<RenameOrganization>::new();
    tell(move || rename.value().get(), "Renamed", changed);
    let wrong = refused("rename", move || rename.value().get());
    let name = Memo::new(move |_| team.with(|team| team.here.name.clone()));
    view! {
        <section class="section" aria-labelledby="team-name">
            <div class="section-head"><h3 id="team-name">"Name"</h3></div>
            <div class="card">
                <ActionForm action=rename attr:class="card-body row wrap" attr:style="align-items:end;gap:12px">
                    <div class="field grow" style="min-width:220px;max-width:420px">
                        <label for="rename-organization">"Organization name"</label>
                        <input
                            class="input" id="rename-organization" name="name" required=true maxlength="80" autocomplete="off"
                            prop:value=move || name.get() value=name.get_untracked()
                            aria-invalid=move || wrong.get().is_some().then_some("true")
                            aria-describedby=move || wrong.get().is_some().then_some("rename-wrong")
                        />
                    </div>
                    <button class="button" type="submit" aria-busy=move || rename.pending().get().then_some("true")>"Rename"</button>
                    <div style="flex-basis:100%" class:unseen=move || wrong.get().is_none()><Wrong id="rename-wrong" text=wrong/></div>
                </ActionForm>
            </div>
        </section>
    }
}

#[component]
fn HandOver(team: Memo<Team>, changed: Callback<()>) -> impl IntoView {
    let transfer = ServerAction::<TransferOwnership>::new();
    tell(move || transfer.value().get(), "Ownership transferred. You're now an admin.", changed);
    let wrong = refused("transfer", move || transfer.value().get());
    let others = Memo::new(move |_| {
        let mut members = team.with(|team| team.members.clone());
        members.retain(|member| member.role != Role::Owner);
        members
    });
    let nobody = Memo::new(move |_| others.with(Vec::is_empty));
    view! {
        <div class="card-body" hidden=move || !nobody.get()>
            <p class="quiet-text">"Add a member before you can transfer ownership."</p>
        </div>
        <div hidden=move || nobody.get()>
            <ActionForm action=transfer attr:class="card-body row wrap" attr:style="align-items:end;gap:12px;border-bottom:var(--rule)">
                <div class="field grow" style="min-width:220px;max-width:420px">
                    <label for="transfer-to">"New owner"</label>
                    <select
                        class="select" id="transfer-to" name="user"
                        aria-invalid=move || wrong.get().is_some().then_some("true")
                        aria-describedby=move || wrong.get().is_some().then_some("transfer-wrong")
                    >
                        <For each=move || others.get() key=|member| (member.user_id, member.name.clone()) let:member>
                            <option value=member.user_id.to_string()>{format!("{}, {}", member.name, member.email)}</option>
                        </For>
                    </select>
                    <p class="hint">"You'll become an admin. Only the new owner can transfer it back."</p>
                </div>
                <button class="button" type="submit" aria-busy=move || transfer.pending().get().then_some("true")>"Transfer ownership"</button>
                <div style="flex-basis:100%" class:unseen=move || wrong.get().is_none()><Wrong id="transfer-wrong" text=wrong/></div>
            </ActionForm>
        </div>
    }
}

#[component]
fn Go(team: Memo<Team>) -> impl IntoView {
    let leave = ServerAction::<LeaveOrganization>::new();
    // The next workspace needs a new page.
    Effect::new(move |_| {
        if let Some(Ok(Ok(page))) = leave.value().get() {
            crate::platform::go_to(&page);
        }
    });
    let wrong = refused("leave", move || leave.value().get());
    let name = Memo::new(move |_| team.with(|team| team.here.name.clone()));
    view! {
        <div class="card-body row wrap between">
            <p class="quiet-text grow" style="min-width:220px">{move || format!("You keep your personal workspace, but lose access to your chats in {}.", name.get())}</p>
            <button class="button ghost bad" type="button" popovertarget="leave-organization"><Icon glyph=Glyph::LogOut small=true/>{move || format!("Leave {}…", name.get())}</button>
            {move || view! {
                <Confirm
                    id="leave-organization" menu="leave-organization" title=format!("Leave {}?", name.get())
                    text="Your runs stop, and your access tokens for this organization stop working. You need an invitation to come back."
                >
                    <ActionForm action=leave>
                        <button class="button danger" type="submit" aria-busy=move || leave.pending().get().then_some("true")>"Leave"</button>
                    </ActionForm>
                </Confirm>
            }}
            <Wrong id="leave-wrong" text=wrong/>
        </div>
    }
}

#[component]
fn Delete(team: Memo<Team>) -> impl IntoView {
    let delete = ServerAction::<DeleteOrganization>::new();
    Effect::new(move |_| {
        if let Some(Ok(Ok(page))) = delete.value().get() {
            crate::platform::go_to(&page);
        }
    });
    let wrong = refused("delete", move || delete.value().get());
    let name = Memo::new(move |_| team.with(|team| team.here.name.clone()));
    let left = Memo::new(move |_| team.with(|team| team.consents_left.clone()));
    let typed = RwSignal::new(String::new());
    view! {
        {move || view! { <ConsentsLeft networks=left.get() before=true/> }}
        <ActionForm action=delete attr:class="card-body row wrap" attr:style="align-items:end;gap:12px">
            <div class="field grow" style="min-width:220px;max-width:420px">
                <label for="delete-name">{move || format!("Type {} to delete it", name.get())}</label>
                <input
                    class="input" id="delete-name" name="name" required=true autocomplete="off" maxlength="80"
                    on:input=move |event| typed.set(event_target_value(&event))
                    aria-invalid=move || wrong.get().is_some().then_some("true")
                    aria-describedby=move || if wrong.get().is_some() { "delete-hint delete-wrong" } else { "delete-hint" }
                />
                <p class="hint" id="delete-hint">"This permanently deletes the organization's connections, chats and approvals for everyone. Changes already sent to a network stay in place. We revoke our Google access within three days; if any remains, remove it in your Google account."</p>
            </div>
            <button class="button danger" type="submit" data-ready=move || (typed.get() == name.get()).then_some("true") aria-busy=move || delete.pending().get().then_some("true")>
                "Delete organization"
            </button>
            <div style="flex-basis:100%" class:unseen=move || wrong.get().is_none()><Wrong id="delete-wrong" text=wrong/></div>
        </ActionForm>
    }
}
