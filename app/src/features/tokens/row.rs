//! One token in the list: its scopes, its expiry and its last use.

use adagent_contract::{TokenScope, TokenView};
use leptos::prelude::*;

use crate::features::form::ActionForm;
use crate::{
    PageClock,
    features::api::RevokeToken,
    ui::{Confirm, Glyph, Icon},
};

/// Returns the name of a scope.
const fn called(scope: TokenScope) -> &'static str {
    match scope {
        TokenScope::Mcp => "MCP",
        TokenScope::Api => "HTTP",
    }
}

#[component]
pub fn Row(item: TokenView, revoke: ServerAction<RevokeToken>) -> impl IntoView {
    let clock = PageClock::get();
    let id = item.id.to_string();
    let ask = format!("revoke-{id}");
    let (ask_target, itself, name) = (ask.clone(), ask.clone(), item.name.clone());
    let scopes =
        item.scopes.iter().map(|scope| view! { <span class="badge outline">{called(*scope)}</span> }).collect_view();
    let (created, used, ends) = (item.created_at, item.last_used_at, item.expires_at);
    let over = move || ends.is_some_and(|end| end <= clock.now());
    view! {
        <li class="net-row">
            <Icon glyph=Glyph::KeyRound/>
            <div>
                <h4>{item.name.clone()}{scopes}{move || over().then(|| view! { <span class="badge bad">"Expired"</span> })}</h4>
                <p class="facts">
                    <span><code>{format!("{}…", item.hint)}</code></span>
                    <span>{move || format!("created {}", clock.ago(created))}</span>
                    <span>{move || match used {
                        Some(at) => format!("last used {}", clock.ago(at)),
                        None => "never used".to_owned(),
                    }}</span>
                    <span>{move || ends.map_or_else(|| "no expiration".to_owned(), |end| format!("expires {}", clock.date(end)))}</span>
                </p>
            </div>
            <div class="actions">
                <button class="button" type="button" popovertarget=ask_target>
                    "Revoke"<span class="unseen">{format!(" {name}")}</span>
                </button>
            </div>
            <Confirm id=ask title=format!("Revoke {}?", item.name) text="Programs that use it lose access right away." menu=itself>
                <ActionForm action=revoke>
                    <input type="hidden" name="id" value=id/>
                    <button class="button danger" type="submit">"Revoke"</button>
                </ActionForm>
            </Confirm>
        </li>
    }
}
