//! The person's data: export it, or delete the account.

use adagent_domain::Network;
use leptos::prelude::*;

use super::Told;
use crate::{
    features::networks::ConsentsLeft,
    ui::{Glyph, Icon, Line},
};

/// The text that says why an account can't be deleted yet.
const STAYS: &str = "You can't delete your account yet. Either you own an organization with other members, or one of your changes is being sent. Transfer or delete the organization, or wait until the change is done.";

#[component]
pub fn YourData(
    has_password: bool,
    has_factor: bool,
    consents_left: Vec<Network>,
    told: Told,
    typed: String,
) -> impl IntoView {
    let open = told.of("delete").is_some();
    let stays = told.is("delete", "conflict");
    let at = |field: &str, first: bool| if stays { None } else { told.at("delete", field, first) };
    let (email, password, code) = (at("email", true), at("password", false), at("code", false));
    view! {
        <section class="section" aria-labelledby="data-h">
            <div class="section-head"><h3 id="data-h">"Your data"</h3></div>
            <div class="card" style="padding:var(--s-4);display:grid;gap:var(--s-3)">
                <p class="quiet-text">"One file with everything we store about you."</p>
                <div class="row"><a class="button" href="/api/account/export" rel="external" download="account.json">"Export my data"</a></div>
                <details open=open>
                    <summary>"Delete account"</summary>
                    <form action="/api/account/delete" method="post" style="display:grid;gap:var(--s-3);padding-top:var(--s-3)">
                        <p>"This permanently deletes your chats, connections and settings. Your work in organizations stays there without your name."</p>
                        <p>"We revoke our access to your networks within three days. If any remains, remove it in your Google account."</p>
                        <ConsentsLeft networks=consents_left before=true/>
                        {stays.then(|| view! { <div class="note bad" role="alert"><Icon glyph=Glyph::CircleAlert/><p>{STAYS}</p></div> })}
                        <Line id="delete-email" label="Type your email address" name="email" kind="email" autocomplete="off" value=typed error=email/>
                        {if has_password {
                            view! { <Line id="delete-password" label="Your password" name="password" kind="password" autocomplete="current-password" error=password/> }.into_any()
                        } else {
                            view! { <p class="hint">"You have no password, so you can do this only within 10 minutes of signing in."</p> }.into_any()
                        }}
                        {has_factor.then(|| view! { <Line id="delete-code" label="Authenticator code or recovery code" name="code" kind="text" autocomplete="one-time-code" error=code/> })}
                        <div class="row"><button class="button danger" type="submit">"Delete my account"</button></div>
                    </form>
                </details>
            </div>
        </section>
    }
}
