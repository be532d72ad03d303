//! The email address: whether it is confirmed, and the form that changes it.

use adagent_contract::AccountView;
use leptos::prelude::*;

use super::{Proof, Told};
use crate::ui::{ErrorLine, Glyph, Icon, Line};

#[component]
pub fn Email(account: AccountView, told: Told, typed: String) -> impl IntoView {
    let AccountView { user, email_verified, awaiting_email, mail, has_password, .. } = account;
    let waits = awaiting_email.clone().filter(|address| *address != user.email);
    let badge = if email_verified {
        view! { <span class="badge good">"Confirmed"</span> }
    } else {
        view! { <span class="badge wait">"Not confirmed"</span> }
    };
    let again = mail && (!email_verified || awaiting_email.is_some());
    let error = told.of("verify");
    let changing = !typed.is_empty() || told.of("email").is_some();
    view! {
        <section class="section" aria-labelledby="email-h">
            <div class="section-head"><h3 id="email-h">"Email address"</h3></div>
            <div class="card" style="padding:var(--s-4);display:grid;gap:var(--s-3)">
                <p class="row wrap"><strong>{user.email.clone()}</strong>{badge}</p>
                {(!email_verified).then(|| view! {
                    <div class="note">
                        <Icon glyph=Glyph::CircleAlert/>
                        <p>"Confirm your address with the link we emailed you. You need it for invitations and for signing in with Google."</p>
                    </div>
                })}
                {waits.map(|address| view! { <p class="quiet-text">{format!("{address} becomes your email once you open the link we sent there.")}</p> })}
                {again.then(|| view! {
                    <form action="/api/account/verify-email" method="post">
                        <button class="button" type="submit">"Resend link"</button>
                        {error.map(|text| view! { <ErrorLine text/> })}
                    </form>
                })}
                {mail.then(|| view! {
                    <details open=changing>
                        <summary>"Change email"</summary>
                        <form action="/api/account/email" method="post" style="display:grid;gap:var(--s-3);padding-top:var(--s-3)">
                            <Line id="new-email" label="New email" name="email" kind="email" autocomplete="email" value=typed error=told.at("email", "email", true)/>
                            <Proof id="email-password" has_password error=told.at("email", "password", false)/>
                            <div class="row"><button class="button" type="submit">"Send confirmation link"</button></div>
                        </form>
                    </details>
                })}
            </div>
        </section>
    }
}
