//! The form that sets or changes the password.

use leptos::prelude::*;

use super::Told;
use crate::ui::{ErrorLine, Line};

#[component]
pub fn Password(has_password: bool, told: Told) -> impl IntoView {
    let title = if has_password { "Change password" } else { "Set password" };
    // An account without a password has no field for the current one, so its error stands above the form.
    let about_nothing = told.at("password", "", false).filter(|_| !has_password);
    view! {
        <section class="section" aria-labelledby="password-h">
            <div class="section-head"><h3 id="password-h">"Password"</h3></div>
            <form class="card" style="padding:var(--s-4);display:grid;gap:var(--s-3)" action="/api/account/password" method="post">
                {has_password.then(|| view! {
                    <Line
                        id="current-password" label="Current password" name="current_password" kind="password"
                        autocomplete="current-password" error=told.at("password", "current_password", true)
                    />
                })}
                <Line
                    id="new-password" label="New password" name="new_password" kind="password" autocomplete="new-password"
                    error=told.at("password", "new_password", false)
                />
                {about_nothing.map(|text| view! { <ErrorLine text/> })}
                <p class="hint">"At least 8 characters. This signs out all other browsers."</p>
                <div class="row"><button class="button" type="submit">{title}</button></div>
            </form>
        </section>
    }
}
