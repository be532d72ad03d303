//! What is held about the person: to take home, and to erase.

use adagent_domain::Network;
use leptos::prelude::*;

use super::Told;
use crate::{
    features::networks::ConsentsLeft,
    ui::{Glyph, Icon, Line},
};

/// Why an account stays, as its page says it.
const STAYS: &str = "Your account stays for now: you own an organisation with other people in it, or a change of yours is being sent. Hand the organisation over or delete it, or wait for the outcome.";

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
                <p class="quiet-text">"Everything that is held about you, over all workspaces, as one file."</p>
                <div class="row"><a class="button" href="/api/account/export" rel="external" download="account.json">"Take a copy"</a></div>
                <details open=open>
                    <summary>"Delete the account"</summary>
                    <form action="/api/account/delete" method="post" style="display:grid;gap:var(--s-3);padding-top:var(--s-3)">
                        <p>"Your conversations, connections and settings are erased, and nothing of it can be taken back. What you did in organisations stays there without your name."</p>
                        <p>"What you allowed at networks is taken back there within three days. What a network does not take back by then stands in your Google account until you remove it."</p>
                        <ConsentsLeft networks=consents_left before=true/>
                        {stays.then(|| view! { <div class="note bad" role="alert"><Icon glyph=Glyph::CircleAlert/><p>{STAYS}</p></div> })}
                        <Line id="delete-email" label="Type your e-mail address" name="email" kind="email" autocomplete="off" value=typed error=email/>
                        {if has_password {
                            view! { <Line id="delete-password" label="Your password" name="password" kind="password" autocomplete="current-password" error=password/> }.into_any()
                        } else {
                            view! { <p class="hint">"You have no password: this works within ten minutes of signing in."</p> }.into_any()
                        }}
                        {has_factor.then(|| view! { <Line id="delete-code" label="Code the app shows, or a recovery code" name="code" kind="text" autocomplete="one-time-code" error=code/> })}
                        <div class="row"><button class="button danger" type="submit">"Delete my account"</button></div>
                    </form>
                </details>
            </div>
        </section>
    }
}
