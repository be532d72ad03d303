//! Sign-in with Google: whether it is linked.

use adagent_contract::GoogleView;
use leptos::prelude::*;

use super::{Proof, Told};
use crate::PageClock;

#[component]
pub fn Google(google: GoogleView, has_password: bool, told: Told) -> impl IntoView {
    let error = told.at("google", "password", true);
    let inner = match google.linked {
        Some(linked) => {
            let (clock, since) = (PageClock::get(), linked.since);
            view! {
                <p><strong>{linked.email}</strong>{move || format!(" has been linked since {}.", clock.date(since))}</p>
                {if has_password {
                    view! {
                        <form action="/api/account/google/unlink" method="post" style="display:grid;gap:var(--s-3)">
                            <Proof id="google-password" has_password error/>
                            <div class="row"><button class="button" type="submit">"Unlink"</button></div>
                        </form>
                    }.into_any()
                } else {
                    view! { <p class="hint">"Google is your only way to sign in. Set a password before you unlink it."</p> }.into_any()
                }}
            }
            .into_any()
        }
        None => view! {
            <form action="/api/account/google" method="post" style="display:grid;gap:var(--s-3)">
                <p class="quiet-text">"Link a Google account to sign in with it."</p>
                <Proof id="google-password" has_password error/>
                <div class="row"><button class="button" type="submit">"Link Google"</button></div>
            </form>
        }
        .into_any(),
    };
    view! {
        <section class="section" aria-labelledby="google-h">
            <div class="section-head"><h3 id="google-h">"Google"</h3></div>
            <div class="card" style="padding:var(--s-4);display:grid;gap:var(--s-3)">{inner}</div>
        </section>
    }
}
