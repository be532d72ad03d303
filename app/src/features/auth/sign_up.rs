//! Making an account.

use leptos::prelude::*;
use leptos_meta::Title;

use super::{Alone, Field, WithGoogle, Wrong, back, given, with_return};

#[component]
pub fn SignUpPage() -> impl IntoView {
    let back = back();
    let wrong = Wrong::of_page();
    view! {
        <Title text="Create an account"/>
        <Alone>
            <h1>"Create an account"</h1>
            <form action="/api/auth/sign-up" method="post">
                <Field id="nm" label="Name" name="name" kind="text" autocomplete="name" value=given("name") error=wrong.at("name", false)/>
                <Field id="em" label="E-mail" name="email" kind="email" autocomplete="username" value=given("email") error=wrong.at("email", false)/>
                <Field id="pw" label="Password" name="password" kind="password" autocomplete="new-password" error=wrong.at("password", true)/>
                <p class="hint">"At least 8 characters. A sentence is fine."</p>
                <input type="hidden" name="redirect" value=back.clone()/>
                <button class="button primary large wide" type="submit">"Create account"</button>
            </form>
            <WithGoogle back=back.clone()/>
            <p class="quiet-text">"Already here? "<a class="link" href=with_return("/sign-in", &back)>"Sign in"</a></p>
        </Alone>
    }
}
