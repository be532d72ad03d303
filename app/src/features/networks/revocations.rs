//! Connections that were disconnected here but whose access the network did not revoke. A person must revoke it.

use adagent_contract::{GOOGLE_CONNECTIONS, RevocationView};
use adagent_domain::JobId;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::features::form::ActionForm;
use crate::{
    PageClock,
    features::{
        api::{self, ApiError, ForgetRevocation, settled},
        desk::Desk,
        team::explain,
    },
    ui::{ErrorLine, Glyph, Icon},
};

/// The error after "I removed it", and which access it is about.
#[derive(Clone, PartialEq)]
struct Refused {
    of: JobId,
    text: String,
}

/// Holds the action and its result, which must survive when the list is loaded again.
#[component]
pub fn NotTakenBack() -> impl IntoView {
    let forget = ServerAction::<ForgetRevocation>::new();
    let list = Resource::new(move || forget.version().get(), |_| api::revocations());
    let query = use_query_map();
    let sent = Memo::new(move |before: Option<&Option<JobId>>| {
        forget.input().with(|input| input.as_ref().map(|input| input.id)).or_else(|| before.copied().flatten())
    });
    let refused = Memo::new(move |_| {
        let of = sent.get();
        if let Some(answer) = forget.value().get() {
            let error = settled(answer).err()?;
            return Some(Refused { of: of?, text: error.0.detail });
        }
        // The form was posted without JavaScript, so the address holds the error as a code.
        query.with(|query| {
            let of = query.get("removed")?.parse().ok()?;
            Some(Refused { of, text: explain(&query.get("wrong")?).to_owned() })
        })
    });
    view! {
        <Transition fallback=|| ()>
            <List list forget refused/>
        </Transition>
    }
}

/// Shows the list. It is inside the `Transition`, because the server does not wait for resources that are read outside of it.
#[component]
fn List(
    list: Resource<Result<Vec<RevocationView>, ApiError>>,
    forget: ServerAction<ForgetRevocation>,
    refused: Memo<Option<Refused>>,
) -> impl IntoView {
    let items = Memo::new(move |before: Option<&Vec<RevocationView>>| {
        list.get().and_then(Result::ok).or_else(|| before.cloned()).unwrap_or_default()
    });
    // If the entry is no longer in the list, show the error above the list.
    let homeless = move || {
        let refused = refused.get()?;
        items.with(|items| items.iter().all(|item| item.id != refused.of)).then_some(refused.text)
    };
    view! {
        {move || homeless().map(|text| view! {
            <div class="note" role="alert"><Icon glyph=Glyph::CircleAlert/><p>{text}</p></div>
        })}
        <For each=move || items.get() key=|item| (item.id, item.message.clone()) let:item>
            <One item forget refused/>
        </For>
    }
}

#[component]
fn One(item: RevocationView, forget: ServerAction<ForgetRevocation>, refused: Memo<Option<Refused>>) -> impl IntoView {
    let (clock, desk) = (PageClock::get(), Desk::get());
    let (id, title, at) = (item.id, item.display_name.clone(), item.disconnected_at);
    let named = StoredValue::new(format!(" at {}", item.display_name));
    let told = move || format!("Disconnected {}. Last attempt: {}.", clock.ago(at), item.message);
    let wrong = move || refused.get().filter(|refused| refused.of == id).map(|refused| refused.text);
    view! {
        <div class="note bad" role="alert">
            <Icon glyph=Glyph::CircleAlert/>
            <div class="grow">
                <p><strong>{format!("ADAgentAI still has access to {title}.")}</strong>" "{told}</p>
                <p>
                    "Remove ADAgentAI in the "
                    <a class="link" href=GOOGLE_CONNECTIONS rel="noreferrer noopener" target="_blank">"third-party connections"</a>
                    " of the Google account you used, then confirm here."
                </p>
                {move || desk.may_connect().then(|| view! {
                    <ActionForm action=forget>
                        <input type="hidden" name="id" value=id.to_string()/>
                        <button class="button small" type="submit" style="margin-top:8px" aria-busy=move || forget.pending().get().then_some("true")>
                            "I removed it"<span class="unseen">{named.get_value()}</span>
                        </button>
                        {move || wrong().map(|text| view! { <ErrorLine text/> })}
                    </ActionForm>
                })}
            </div>
        </div>
    }
}
