//! The page that creates an account.

use leptos::prelude::*;
use leptos_meta::Title;

use super::{Alone, WithGoogle, Wrong, back, given, kept, with_return};
use crate::ui::{Glyph, Icon, Line};

#[component]
pub fn SignUpPage() -> impl IntoView {
    let back = back();
    let wrong = Wrong::of_page();
    if given("sent") == "1" {
        return view! {
            <Title text="Confirm your email"/>
            <Alone>
                <h1>"Check your inbox"</h1>
                <div class="note good" role="status">
                    <Icon glyph=Glyph::Check/>
                    <p>"We sent you a link. Open it, then sign in."</p>
                </div>
                <p class="quiet-text"><a class="link" href="/sign-in">"Sign in"</a></p>
            </Alone>
        }
        .into_any();
    }
    view! {
        <Title text="Create an account"/>
        <Alone>
            <h1>"Create an account"</h1>
            <form action="/api/auth/sign-up" method="post">
                <Line large=true id="nm" label="Name" name="name" kind="text" autocomplete="name" value=kept("name") error=wrong.at("name", false)/>
                <Line large=true id="em" label="Email" name="email" kind="email" autocomplete="username" value=kept("email") error=wrong.at("email", false)/>
                <Line large=true id="pw" label="Password" name="password" kind="password" autocomplete="new-password" error=wrong.at("password", true)/>
                <p class="hint">"At least 8 characters. A passphrase works well."</p>
                <input type="hidden" name="redirect" value=back.clone()/>
                <button class="button primary large wide" type="submit">"Create account"</button>
            </form>
            <WithGoogle back=back.clone()/>
            <p class="quiet-text">"Already have an account? "<a class="link" href=with_return("/sign-in", &back)>"Sign in"</a></p>
        </Alone>
    }
    .into_any()
}
