//! Feedback on answers: thumbs and comments, newest first. Only the person who asked can see the question and the answer.

use adagent_contract::{FeedbackView, Rating};
use leptos::prelude::*;

use crate::{
    clock::LocalTime,
    features::api,
    ui::{Glyph, Icon, Loading, format},
};

#[component]
pub fn Feedback() -> impl IntoView {
    let read = Resource::new(|| (), |()| api::read_feedback());
    view! {
        <section class="section" aria-labelledby="feedback">
            <div class="section-head"><h3 id="feedback">"Feedback on answers"</h3></div>
            <Transition fallback=|| view! { <Loading/> }>
                {move || read.get().map(|answer| match answer {
                    Ok(items) => listed(items).into_any(),
                    Err(error) => view! { <p class="quiet-text" role="note">{error.0.detail}</p> }.into_any(),
                })}
            </Transition>
        </section>
    }
}

/// Counts the ratings, such as `12 good answers, 3 bad`.
fn counts(items: &[FeedbackView]) -> String {
    let good = items.iter().filter(|item| item.rating == Rating::Up).count();
    format!("{}, {} bad", format::plural(good, "good answer", "good answers"), items.len() - good)
}

fn listed(items: Vec<FeedbackView>) -> impl IntoView {
    if items.is_empty() {
        return view! { <p class="quiet-text">"No ratings yet. They appear here when someone rates an answer in a chat."</p> }.into_any();
    }
    let said = counts(&items);
    view! {
        <p class="quiet-text">{said}". Chats stay private: you see ratings and comments, not questions."</p>
        <ul class="card feedback">
            {items.into_iter().map(row).collect_view()}
        </ul>
    }
    .into_any()
}

fn row(item: FeedbackView) -> impl IntoView {
    let (glyph, word) = match item.rating {
        Rating::Up => (Glyph::ThumbsUp, "Good answer"),
        Rating::Down => (Glyph::ThumbsDown, "Bad answer"),
    };
    let at = item.created_at;
    view! {
        <li class="row" style="align-items:start;gap:var(--s-3);padding:var(--s-3) var(--s-4);border-bottom:var(--rule)">
            <Icon glyph/>
            <div class="grow" style="min-width:0">
                <b>{word}</b>
                {item.comment.map(|comment| view! { <p style="overflow-wrap:anywhere">{comment}</p> })}
                <p class="faint" style="font-size:var(--t-xs)">{item.by}", "<LocalTime at/></p>
            </div>
            {item.session_id.map(|id| view! { <a class="link" href=format!("/chat/{id}")>"Open chat"</a> })}
        </li>
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::Timestamp;

    use super::*;

    #[test]
    fn ratings_are_counted() {
        let item = |rating| FeedbackView {
            by: "Mara".into(),
            rating,
            comment: None,
            created_at: Timestamp::EPOCH,
            session_id: None,
        };
        assert_eq!(counts(&[item(Rating::Up), item(Rating::Down), item(Rating::Down)]), "1 good answer, 2 bad");
    }
}
