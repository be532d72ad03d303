//! Saved questions: ask, pin, delete. They are forms, so that they work without JavaScript. Also the chats that others shared.

use adagent_contract::{SavedQuestionView, SharedChatView};
use leptos::prelude::*;

use super::page::Refresh;
use crate::{
    PageClock,
    features::{
        api::{ApiError, DeleteQuestion, PinQuestion},
        form::ActionForm,
    },
    ui::{Glyph, Icon},
};

#[component]
pub fn SavedQuestions(saved: Vec<SavedQuestionView>, refresh: Refresh) -> impl IntoView {
    let pin = ServerAction::<PinQuestion>::new();
    let delete = ServerAction::<DeleteQuestion>::new();
    Effect::new(move |_| {
        if matches!(pin.value().get(), Some(Ok(()))) {
            refresh.ask();
        }
    });
    Effect::new(move |_| {
        if matches!(delete.value().get(), Some(Ok(()))) {
            refresh.look();
        }
    });
    let refused = move || {
        let error = |answer: Option<Result<(), ApiError>>| answer.and_then(Result::err);
        error(pin.value().get()).or_else(|| error(delete.value().get())).map(|error| error.0.detail)
    };
    view! {
        <section class="section" aria-labelledby="home-saved">
            <div class="section-head"><h3 id="home-saved">"Saved questions"</h3></div>
            {move || refused().map(|detail| view! { <p class="error-text" role="alert">{detail}</p> })}
            {if saved.is_empty() {
                view! { <p class="quiet-text">"Choose Save under an answer to keep its question here."</p> }.into_any()
            } else {
                view! { <ul class="card">{saved.into_iter().map(|question| view! { <Row question pin delete/> }).collect_view()}</ul> }.into_any()
            }}
        </section>
    }
}

#[component]
fn Row(
    question: SavedQuestionView,
    pin: ServerAction<PinQuestion>,
    delete: ServerAction<DeleteQuestion>,
) -> impl IntoView {
    let SavedQuestionView { id, title, question, pinned } = question;
    let (pin_label, delete_label) = (title.clone(), format!("Delete {title}"));
    let (pin_word, pinned_next) = if pinned { ("Unpin", "false") } else { ("Pin", "true") };
    view! {
        <li class="saved-question">
            <form class="grow" action=crate::features::form::here("/chat/stream") method="post">
                <button class="link" type="submit" name="message" value=question.clone() title=question>{title}</button>
            </form>
            <ActionForm action=pin>
                <input type="hidden" name="id" value=id.to_string()/>
                <input type="hidden" name="pinned" value=pinned_next/>
                <button class="button ghost small" type="submit" aria-label=format!("{pin_word} {pin_label}")>
                    <Icon glyph=Glyph::Pin small=true/>{pin_word}
                </button>
            </ActionForm>
            <ActionForm action=delete>
                <input type="hidden" name="id" value=id.to_string()/>
                <button class="button ghost icon-only small" type="submit" aria-label=delete_label><Icon glyph=Glyph::Trash2 small=true/></button>
            </ActionForm>
        </li>
    }
}

/// Lists the chats that members shared with the organization; empty if there are none.
#[component]
pub fn SharedChats(shared: Vec<SharedChatView>) -> impl IntoView {
    let clock = PageClock::get();
    (!shared.is_empty()).then(|| {
        view! {
            <section class="section" aria-labelledby="home-shared">
                <div class="section-head"><h3 id="home-shared">"Shared chats"</h3></div>
                <ul class="card">
                    {shared.into_iter().map(|chat| {
                        let at = chat.updated_at;
                        view! {
                            <li>
                                <a class="inbox-item" href=format!("/chat/{}", chat.id)>
                                    <Icon glyph=Glyph::MessageSquare/>
                                    <b>{chat.title}</b>
                                    <time datetime=at.to_string()>{move || clock.age(at)}</time>
                                    <p class="quiet-text">{chat.by}</p>
                                </a>
                            </li>
                        }
                    }).collect_view()}
                </ul>
            </section>
        }
    })
}
