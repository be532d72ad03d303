//! Results of a page's actions: a toast or a line above the list shows each one, and the list loads again.

use leptos::prelude::*;

use super::api::{ApiError, Told, settled};
use crate::ui::Toasts;

#[derive(Clone, Copy)]
pub struct Answers {
    /// Counts the changes. The page loads its data again after each one.
    pub changed: RwSignal<u32>,
    /// Why the last action was refused.
    pub refused: RwSignal<Option<String>>,
    toasts: Toasts,
}

impl Answers {
    pub fn of_page() -> Self {
        Self { changed: RwSignal::new(0), refused: RwSignal::new(None), toasts: Toasts::get() }
    }

    /// Handles every answer of an action that returns what it changed.
    pub fn hear<T: 'static>(
        self,
        answer: impl Fn() -> Option<Result<Told<T>, ApiError>> + 'static,
        words: impl Fn(&T) -> String + 'static,
    ) {
        Effect::new(move |_| self.take(answer().map(|answer| settled(answer).map(|changed| words(&changed)))));
    }

    /// Handles every answer of an action that returns nothing.
    pub fn hear_done(self, answer: impl Fn() -> Option<Result<(), ApiError>> + 'static, words: &'static str) {
        Effect::new(move |_| self.take(answer().map(|answer| answer.map(|()| words.to_owned()))));
    }

    fn take(self, answer: Option<Result<String, ApiError>>) {
        match answer {
            Some(Ok(said)) => {
                self.refused.set(None);
                self.toasts.say(said);
                self.changed.update(|count| *count += 1);
            }
            Some(Err(error)) => {
                let first = error.0.errors.first().map(|field| field.message.clone());
                self.refused.set(Some(first.unwrap_or(error.0.detail)));
            }
            None => {}
        }
    }
}
