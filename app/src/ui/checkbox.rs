//! Checkboxes with three states and switches with two.

use leptos::prelude::*;

/// The state of a checkbox. `Mixed` is for a parent with only some children on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tri {
    #[default]
    Off,
    Mixed,
    On,
}

impl Tri {
    /// Returns the state of a parent from how many of its children are on.
    pub const fn of(on: usize, all: usize) -> Self {
        if on == 0 {
            Self::Off
        } else if on < all {
            Self::Mixed
        } else {
            Self::On
        }
    }

    /// Returns the state after a press: everything on, unless everything was on.
    pub const fn pressed(self) -> bool {
        !matches!(self, Self::On)
    }
}

/// Draws a checkbox with its label. Without JavaScript, a class shows the mixed state and words describe it.
#[component]
pub fn Checkbox(
    #[prop(into)] state: Signal<Tri>,
    #[prop(into)] label: String,
    /// Called with the requested state.
    #[prop(optional, into)]
    on_change: Option<Callback<bool>>,
    #[prop(optional, into)] name: Option<String>,
    /// A number or word at the end of the row.
    #[prop(optional, into)]
    detail: Option<String>,
    #[prop(optional, into)] disabled: Signal<bool>,
) -> impl IntoView {
    view! {
        <label class="check">
            <input
                type="checkbox"
                name=name
                class=move || (state.get() == Tri::Mixed).then_some("is-mixed")
                checked=state.get_untracked() == Tri::On
                prop:checked=move || state.get() == Tri::On
                prop:indeterminate=move || state.get() == Tri::Mixed
                disabled=move || disabled.get()
                on:change=move |_| {
                    if let Some(on_change) = on_change {
                        on_change.run(state.get_untracked().pressed());
                    }
                }
            />
            <span class="truncate">{label}</span>
            {move || (state.get() == Tri::Mixed).then(|| view! { <span class="unseen">", partly selected"</span> })}
            {detail.map(|detail| view! { <span class="faint">{detail}</span> })}
        </label>
    }
}

/// Draws a switch, which takes effect at once.
#[component]
pub fn Switch(
    #[prop(into)] on: Signal<bool>,
    #[prop(into)] label: String,
    #[prop(optional, into)] on_change: Option<Callback<bool>>,
    #[prop(optional, into)] busy: Signal<bool>,
    #[prop(optional, into)] disabled: Signal<bool>,
) -> impl IntoView {
    view! {
        <label class="switch">
            <input
                type="checkbox"
                role="switch"
                checked=on.get_untracked()
                prop:checked=move || on.get()
                aria-busy=move || busy.get().then_some("true")
                disabled=move || disabled.get()
                on:change=move |event| {
                    if let Some(on_change) = on_change {
                        on_change.run(event_target_checked(&event));
                    }
                }
            />
            <span>{label}</span>
        </label>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_mixed_until_all_of_its_children_agree() {
        assert_eq!(Tri::of(0, 4), Tri::Off);
        assert_eq!(Tri::of(3, 4), Tri::Mixed);
        assert_eq!(Tri::of(4, 4), Tri::On);
        assert!(Tri::Mixed.pressed() && Tri::Off.pressed() && !Tri::On.pressed());
    }
}
