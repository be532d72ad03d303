//! The commands of the palette, besides opening pages. Each one presses a button, so that it does exactly what the button does.

use leptos::prelude::*;

use super::{
    Desk,
    palette::{Target, To},
};
use crate::{
    features::{api::Explore, form::ActionForm},
    ui::{Glyph, Toasts},
};

pub const THEME: &str = "command-theme";
pub const SIGN_OUT: &str = "command-sign-out";
const EXPLORE: &str = "command-explore";

pub fn commands(explorable: bool) -> impl Iterator<Item = Target> {
    let explore = explorable.then_some((Glyph::FlaskConical, "Explore all nine networks with demo data", EXPLORE));
    let always =
        [(Glyph::SunMoon, "Switch between light and dark theme", THEME), (Glyph::LogOut, "Sign out", SIGN_OUT)];
    let target = |(glyph, label, id): (Glyph, &str, &str)| Target {
        glyph,
        label: label.to_owned(),
        to: To::Button(id.to_owned()),
    };
    explore.into_iter().chain(always).map(target)
}

/// Holds the form of the command that does not have a button on every page.
#[component]
pub fn Commands() -> impl IntoView {
    let explore = ServerAction::<Explore>::new();
    let (desk, toasts) = (Desk::get(), Toasts::get());
    Effect::new(move |_| match explore.value().get() {
        Some(Ok(())) => desk.refresh_networks(),
        Some(Err(error)) => toasts.say(error.0.detail),
        None => {}
    });
    view! {
        <div hidden=true>
            <ActionForm action=explore>
                <input type="hidden" name="everything" value="true"/>
                <button type="submit" id=EXPLORE>"Explore all nine networks"</button>
            </ActionForm>
        </div>
    }
}
