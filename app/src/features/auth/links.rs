//! The page for a forgotten password, and the pages that links in emails open. Each changes something only when the person
//! presses its button.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::{Alone, Wrong, api, given, kept};
use crate::ui::{Glyph, Icon, Line};

/// Returns the secret of the link. It is in the path, because fewer logs keep paths than queries.
fn secret() -> String {
    use_params_map().read_untracked().get("token").unwrap_or_default()
}

#[component]
pub fn ForgotPasswordPage() -> impl IntoView {
    let wrong = Wrong::of_page();
    let sent = given("sent") == "1";
    view! {
        <Title text="Forgot your password"/>
        <Alone>
            <h1>"Forgot your password?"</h1>
            {if sent {
                view! {
                    <div class="note good" role="status">
                        <Icon glyph=Glyph::Check/>
                        <p>"If this email has an account, we sent a reset link. It works once and expires in 30 minutes."</p>
                    </div>
                }.into_any()
            } else {
                view! {
                    <p class="quiet-text">"We'll email you a reset link."</p>
                    <form action="/api/auth/forgot-password" method="post">
                        <Line large=true id="em" label="Email" name="email" kind="email" autocomplete="username" value=kept("email") error=wrong.at("email", true)/>
                        <button class="button primary large wide" type="submit">"Send link"</button>
                    </form>
                }.into_any()
            }}
            <p class="quiet-text"><a class="link" href="/sign-in">"Back to sign in"</a></p>
        </Alone>
    }
}

#[component]
pub fn ResetPasswordPage() -> impl IntoView {
    let wrong = Wrong::of_page();
    let token = secret();
    // With no link or an expired one, there is no form to fill in.
    let over =
        wrong.at("token", false).or_else(|| token.is_empty().then(|| super::explain("validation_failed", "token")));
    view! {
        <Title text="Set a new password"/>
        <Alone>
            <h1>"Set a new password"</h1>
            {match over {
                Some(text) => view! {
                    <div class="note bad" role="alert"><Icon glyph=Glyph::CircleAlert/><p>{text}</p></div>
                    <p><a class="button large wide" href="/forgot-password">"Get a new link"</a></p>
                }.into_any(),
                None => view! {
                    <form action="/api/auth/reset-password" method="post">
                        <input type="hidden" name="token" value=token/>
                        <Line large=true id="pw" label="New password" name="password" kind="password" autocomplete="new-password" error=wrong.at("password", true)/>
                        <p class="hint">"At least 8 characters. This signs out all your browsers."</p>
                        <button class="button primary large wide" type="submit">"Set password"</button>
                    </form>
                }.into_any(),
            }}
        </Alone>
    }
}

#[component]
pub fn VerifyEmailPage() -> impl IntoView {
    let wrong = Wrong::of_page();
    let over = wrong.at("token", true);
    let about_password = wrong.at_own_password(false);
    let token = secret();
    let done = given("done") == "1";
    let viewer = Resource::new(|| (), |()| api::read_viewer());
    view! {
        <Title text="Confirm your email"/>
        <Alone>
            <h1>"Confirm your email"</h1>
            {if done {
                view! {
                    <div class="note good" role="status"><Icon glyph=Glyph::Check/><p>"Your email is confirmed."</p></div>
                    <p><a class="button primary large wide" href="/">"Go home"</a></p>
                }.into_any()
            } else if token.is_empty() || over.is_some() {
                view! {
                    <div class="note bad" role="alert">
                        <Icon glyph=Glyph::CircleAlert/>
                        <p>{over.unwrap_or_else(|| super::explain("validation_failed", "token"))}</p>
                    </div>
                    <p><a class="button large wide" href="/settings/account">"Get a new link"</a></p>
                }.into_any()
            } else {
                view! {
                    <p class="quiet-text">"Confirm that this email and this account are yours. If you didn't sign up, close this page: someone else used your email."</p>
                    <form action="/api/auth/verify-email" method="post">
                        <input type="hidden" name="token" value=token/>
                        <Suspense fallback=|| ()>
                            {move || {
                                let signed_in = viewer.get().and_then(Result::ok).flatten().is_some();
                                // A person who is signed in to another account must enter the password too.
                                (!signed_in || about_password.is_some()).then(|| view! {
                                    <Line
                                        large=true id="pw" label="Account password" name="password" kind="password"
                                        autocomplete="current-password" error=about_password
                                    />
                                })
                            }}
                        </Suspense>
                        <button class="button primary large wide" type="submit">"Confirm"</button>
                    </form>
                }.into_any()
            }}
        </Alone>
    }
}
