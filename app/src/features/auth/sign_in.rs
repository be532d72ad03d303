//! The page that signs a person in, with a password or with Google.

use adagent_contract::links;
use leptos::prelude::*;
use leptos_meta::Title;

use super::{Alone, WithGoogle, Wrong, back, given, kept, with_return};
use crate::{
    features::networks::ConsentsLeft,
    ui::{Glyph, Icon, Line},
};

#[component]
pub fn SignInPage() -> impl IntoView {
    let back = back();
    let wrong = Wrong::of_page();
    let reset = (given("done") == "reset").then(|| {
        view! { <div class="note good" role="status"><Icon glyph=Glyph::Check/><p>"Your password was reset. Sign in with your new password."</p></div> }
    });
    let deleted = (given("deleted") == "1").then(|| {
        view! { <div class="note good" role="status"><Icon glyph=Glyph::Check/><p>"Your account was deleted."</p></div> }
    });
    let returns = !matches!(back.as_str(), "" | "/" | "/chat");
    view! {
        <Title text="Sign in"/>
        <Alone>
            <h1>"Sign in"</h1>
            {reset}
            {deleted}
            <ConsentsLeft networks=links::left(&given("left"))/>
            {returns.then(|| view! {
                <div class="note"><Icon glyph=Glyph::Clock/><p>"Sign in to continue where you left off."</p></div>
            })}
            <form action="/api/auth/sign-in" method="post">
                <Line large=true id="em" label="Email" name="email" kind="email" autocomplete="username" value=kept("email") error=wrong.at("email", false)/>
                <Line large=true id="pw" label="Password" name="password" kind="password" autocomplete="current-password" error=wrong.at("password", true)/>
                <input type="hidden" name="redirect" value=back.clone()/>
                <button class="button primary large wide" type="submit">"Sign in"</button>
            </form>
            <WithGoogle back=back.clone()/>
            <p class="quiet-text"><a class="link" href="/forgot-password">"Forgot your password?"</a></p>
            <p class="quiet-text">"New here? "<a class="link" href=with_return("/sign-up", &back)>"Create an account"</a></p>
        </Alone>
    }
}
