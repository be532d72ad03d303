//! Invite links: anyone with the link can join, with a role, an expiry and a limit on uses.

use adagent_contract::{InviteLinkState, InviteLinkView};
use adagent_domain::Role;
use leptos::prelude::*;

use super::notices::{Wrong, refused, tell, tell_all};
use crate::{
    PageClock,
    features::{
        api::{CreateInviteLink, DeactivateInviteLink, Team},
        desk::role_name,
        form::ActionForm,
    },
    ui::{CopyButton, moment::Reader},
};

const ENDS: [(&str, &str); 4] = [("1", "in a day"), ("7", "in a week"), ("30", "in 30 days"), ("", "never")];
const USES: [(&str, &str); 4] = [("1", "once"), ("10", "10 times"), ("50", "50 times"), ("", "unlimited")];

#[component]
pub fn Links(team: Memo<Team>, changed: Callback<()>) -> impl IntoView {
    let create = ServerAction::<CreateInviteLink>::new();
    let deactivate = ServerAction::<DeactivateInviteLink>::new();
    tell(move || create.value().get(), "Link created", changed);
    tell_all(move || deactivate.value().get(), "Link deactivated", changed);
    let wrong = refused("link", move || create.value().get());
    let options = |all: [(&'static str, &'static str); 4], chosen: &'static str| {
        all.map(|(value, label)| view! { <option value=value selected=value == chosen>{label}</option> })
            .into_iter()
            .collect_view()
    };
    view! {
        <section class="section" aria-labelledby="team-links">
            <div class="section-head"><h3 id="team-links">"Invite links"</h3><p>"Anyone with the link can join"</p></div>
            <div class="card">
                <For each=move || team.with(|team| team.links.clone()) key=|item| (item.id, item.uses, item.state) let:item>
                    <Row item deactivate/>
                </For>
                <ActionForm action=create attr:class="card-body row wrap" attr:style="align-items:end;gap:12px">
                    <div class="field">
                        <label for="link-role">"Role"</label>
                        <select class="select" id="link-role" name="role" style="width:128px">
                            <option value=Role::Member.as_str()>"Member"</option>
                            <option value=Role::Admin.as_str()>"Admin"</option>
                        </select>
                    </div>
                    <div class="field">
                        <label for="link-days">"Expires"</label>
                        <select class="select" id="link-days" name="days" style="width:136px">{options(ENDS, "7")}</select>
                    </div>
                    <div class="field">
                        <label for="link-uses">"Max uses"</label>
                        <select class="select" id="link-uses" name="uses" style="width:136px">{options(USES, "10")}</select>
                    </div>
                    <button class="button" type="submit" aria-busy=move || create.pending().get().then_some("true")>"Create link"</button>
                    <div style="flex-basis:100%" class:unseen=move || wrong.get().is_none()><Wrong id="link-wrong" text=wrong/></div>
                </ActionForm>
            </div>
        </section>
    }
}

/// Returns the facts of a link, such as "Member, 3 of 10 used, expires in 7 days".
fn facts(item: &InviteLinkView, reader: Reader) -> String {
    let used = match item.max_uses {
        Some(most) => format!("{} of {most} used", item.uses),
        None => format!("{} used", item.uses),
    };
    let ends = match (item.state, item.expires_at) {
        (InviteLinkState::UsedUp, _) => "used up".to_owned(),
        (InviteLinkState::Expired, _) => "expired".to_owned(),
        (InviteLinkState::Active, Some(end)) => {
            reader.left(end).map_or_else(|| "expired".to_owned(), |left| format!("expires in {left}"))
        }
        (InviteLinkState::Active, None) => "no expiration".to_owned(),
    };
    format!("{}, {used}, {ends}", role_name(item.role))
}

#[component]
fn Row(item: InviteLinkView, deactivate: ServerAction<DeactivateInviteLink>) -> impl IntoView {
    let clock = PageClock::get();
    let id = item.id.to_string();
    let field = format!("link-{id}");
    let (label_for, url, url_too) = (field.clone(), item.url.clone(), item.url.clone());
    view! {
        <div class="card-body row wrap invite-link">
            <div class="input-group grow" style="min-width:240px">
                <label class="unseen" for=label_for>"Invite link"</label>
                <input class="input mono" id=field readonly=true value=url/>
                <CopyButton text=url_too label="Copy" worded=true/>
            </div>
            <span class="link-facts">{move || facts(&item, clock.reader())}</span>
            <ActionForm action=deactivate>
                <input type="hidden" name="id" value=id/>
                <button class="button ghost small bad" type="submit">"Deactivate"</button>
            </ActionForm>
        </div>
    }
}
