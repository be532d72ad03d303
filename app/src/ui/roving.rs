//! One stop of the Tab key for a list of similar things: arrow keys move within it. Before hydration and without JavaScript, each
//! thing is a stop.

use leptos::prelude::*;

use crate::platform::{self, Step};

/// Which of the things is the stop.
#[derive(Clone, Copy)]
pub struct Roving {
    active: RwSignal<Option<String>>,
    awake: RwSignal<bool>,
}

impl Roving {
    pub fn begin() -> Self {
        let roving = Self { active: RwSignal::new(None), awake: RwSignal::new(false) };
        Effect::new(move |_| roving.awake.set(true));
        roving
    }

    /// Returns the `tabindex` of a thing. `home` tells whether Tab leads to it before the person has moved.
    pub fn tabindex(
        self,
        key: String,
        home: impl Fn() -> bool + Send + Sync + 'static,
    ) -> impl Fn() -> Option<&'static str> {
        move || {
            let stop = self.active.with(|active| active.as_ref().map_or_else(&home, |active| *active == key));
            (self.awake.get() && !stop).then_some("-1")
        }
    }

    /// Makes this thing the stop, because the keyboard reached it.
    pub fn entered(self, key: &str) {
        self.active.set(Some(key.to_owned()));
    }

    /// Makes `home` the stop again, for lists whose things may disappear.
    pub fn reset(self) {
        self.active.set(None);
    }

    /// Moves among the elements that match `selector`: with the left and right arrows if `sideways`, else with up and down.
    pub fn key(self, event: &leptos::ev::KeyboardEvent, selector: &str, sideways: bool) {
        if let Some(step) = step(&event.key(), sideways) {
            event.prevent_default();
            platform::walk(event, selector, step);
        }
    }
}

fn step(key: &str, sideways: bool) -> Option<Step> {
    match (key, sideways) {
        ("ArrowDown", false) | ("ArrowRight", true) => Some(Step::Next),
        ("ArrowUp", false) | ("ArrowLeft", true) => Some(Step::Previous),
        ("Home", _) => Some(Step::First),
        ("End", _) => Some(Step::Last),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_move_along_the_list_and_never_across_it() {
        assert_eq!(step("ArrowDown", false), Some(Step::Next));
        assert_eq!(step("ArrowDown", true), None, "a table scrolls");
        assert_eq!(step("ArrowLeft", true), Some(Step::Previous));
        assert_eq!(step("End", false), Some(Step::Last));
        assert_eq!(step("a", false), None);
    }

    #[test]
    fn before_the_page_is_awake_each_is_a_stop_and_then_only_one() {
        let owner = Owner::new();
        owner.with(|| {
            let roving = Roving { active: RwSignal::new(None), awake: RwSignal::new(false) };
            let (first, second) = (roving.tabindex("1".into(), || true), roving.tabindex("2".into(), || false));
            assert_eq!((first(), second()), (None, None));
            roving.awake.set(true);
            assert_eq!((first(), second()), (None, Some("-1")));
            roving.entered("2");
            assert_eq!((first(), second()), (Some("-1"), None));
        });
    }
}
