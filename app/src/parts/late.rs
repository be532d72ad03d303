//! Parts that pages do not show at first. They load when they are drawn, or with the page if the server drew them.

use adagent_contract::{AnswerRequest, Problem, Rating, RunLimits, TurnApproval, TurnView};
use futures::FutureExt as _;
use leptos::{prelude::*, reactive::computed::ScopedFuture, task::spawn_local, wasm_split::wasm_split};

use super::{Drawn, note};
use crate::features::{
    approval::{ApprovalCard, Begin},
    chat::{RunPanel, Turn, TurnCallbacks},
    desk::Palette,
};

/// Draws a part at once if its code is loaded, as it always is on the server; else as soon as the code arrives.
fn drawn(file: &'static str, drawing: impl Future<Output = Drawn> + 'static) -> AnyView {
    note(file);
    let mut drawing = Box::pin(ScopedFuture::new_untracked(drawing));
    if let Some(now) = (&mut drawing).now_or_never() {
        return told(now);
    }
    let view = StoredValue::new_local(None);
    let came = RwSignal::new(false);
    spawn_local(async move {
        let now = told(drawing.await);
        // By now, the person may be on another page.
        if view.try_set_value(Some(now)).is_none() {
            came.try_set(true);
        }
    });
    (move || came.get().then(|| view.try_update_value(Option::take).flatten())).into_any()
}

fn told(drawn: Drawn) -> AnyView {
    drawn.unwrap_or_else(|_lost| view! { <crate::shell::LostPart/> }.into_any())
}

/// Defines parts as `file: function(arguments) = view; fetched by function`: the function's code goes into that file.
macro_rules! split_point {
    ($file:ident: $draw:ident($($argument:ident: $kind:ty),*) = $view:expr; fetched by $fetch:ident) => {
        #[wasm_split($file, wasm_split_path = ::leptos::wasm_split, fallible, preload($fetch))]
        fn $draw($($argument: $kind),*) -> Drawn {
            Ok($view.into_any())
        }
    };
}

/// Draws the work of the assistant on a question.
pub fn turn(
    turn: Signal<TurnView>,
    callbacks: TurnCallbacks,
    rating: Signal<Option<Rating>>,
    sending: Signal<bool>,
    problem: Signal<Option<Problem>>,
) -> AnyView {
    drawn("answer", draw_turn(turn, callbacks, rating, sending, problem))
}

split_point! {
    answer: draw_turn(turn: Signal<TurnView>, callbacks: TurnCallbacks, rating: Signal<Option<Rating>>, sending: Signal<bool>, problem: Signal<Option<Problem>>) = view! { <Turn turn callbacks rating sending problem/> };
    fetched by fetch_answer
}

/// Draws a pending change, or the record of its answer.
pub fn approval_card(
    approval: TurnApproval,
    on_answer: Option<Callback<AnswerRequest>>,
    sending: Signal<bool>,
    problem: Signal<Option<Problem>>,
    begin: Option<Begin>,
) -> AnyView {
    drawn("card", draw_card(approval, on_answer, sending, problem, begin))
}

split_point! {
    card: draw_card(approval: TurnApproval, on_answer: Option<Callback<AnswerRequest>>, sending: Signal<bool>, problem: Signal<Option<Problem>>, begin: Option<Begin>) = view! { <ApprovalCard approval on_answer sending problem begin/> };
    fetched by fetch_card
}

/// Draws what the last run of a chat does, has used and waits for.
pub fn run_panel(turn: Signal<TurnView>, limits: Signal<Option<RunLimits>>, on_close: Callback<()>) -> AnyView {
    drawn("panel", draw_panel(turn, limits, on_close))
}

split_point! {
    panel: draw_panel(turn: Signal<TurnView>, limits: Signal<Option<RunLimits>>, on_close: Callback<()>) = view! { <RunPanel turn limits on_close/> };
    fetched by fetch_panel
}

/// Draws what the keyboard opens over any page: the palette, its commands and the list of keys.
pub fn palette() -> AnyView {
    drawn("palette", draw_palette())
}

split_point! {
    palette: draw_palette() = view! { <Palette/> };
    fetched by fetch_palette
}

/// The files of these parts, one per part.
#[cfg(feature = "hydrate")]
pub(super) const FILES: &[&str] = &["answer", "card", "panel", "palette"];

/// Loads a file of these parts; does nothing for other names.
#[cfg(feature = "hydrate")]
pub(super) async fn fetch(file: &str) -> Result<(), super::NotFetched> {
    match file {
        "answer" => fetch_answer().await,
        "card" => fetch_card().await,
        "panel" => fetch_panel().await,
        "palette" => fetch_palette().await,
        _ => Ok(()),
    }
}
