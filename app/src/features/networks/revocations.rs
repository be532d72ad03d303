//! What was disconnected here and still stands at the network, because the network never took it back: a person must.

use adagent_contract::RevocationView;
use leptos::prelude::*;

use crate::features::form::ActionForm;
use crate::{
    PageClock,
    features::{
        api::{self, ForgetRevocation},
        desk::Desk,
    },
    ui::{Glyph, Icon, format},
};

/// Where people see which programs reach their Google account.
const GOOGLE: &str = "https://myaccount.google.com/connections";

/// Holds the action, which must outlive what is read again.
#[component]
pub fn NotTakenBack() -> impl IntoView {
    let forget = ServerAction::<ForgetRevocation>::new();
    let list = Resource::new(move || forget.version().get(), |_| api::revocations());
    view! {
        <Transition fallback=|| ()>
            {move || list.get().and_then(Result::ok).map(|items| items.into_iter().map(|item| view! { <One item forget/> }).collect_view())}
        </Transition>
    }
}

#[component]
fn One(item: RevocationView, forget: ServerAction<ForgetRevocation>) -> impl IntoView {
    let (clock, desk) = (PageClock::get(), Desk::get());
    let (title, at) = (item.display_name.clone(), item.disconnected_at);
    let named = StoredValue::new((item.id.to_string(), format!(" at {}", item.display_name)));
    let told = move || format!("Disconnected {}; the last attempt: {}.", format::ago(at, clock.now()), item.message);
    view! {
        <div class="note bad" role="alert">
            <Icon glyph=Glyph::CircleAlert/>
            <div class="grow">
                <p><strong>{format!("The consent at {title} still stands.")}</strong>" "{told}</p>
                <p>
                    "Remove ADAgentAI under "
                    <a class="link" href=GOOGLE rel="noreferrer noopener" target="_blank">"third-party connections of the Google account"</a>
                    " that gave it, then say so here."
                </p>
                {move || desk.may_connect().then(|| {
                    let (id, at) = named.get_value();
                    view! {
                        <ActionForm action=forget>
                            <input type="hidden" name="id" value=id/>
                            <button class="button small" type="submit" style="margin-top:8px">"It is removed"<span class="unseen">{at}</span></button>
                        </ActionForm>
                    }
                })}
            </div>
        </div>
    }
}
