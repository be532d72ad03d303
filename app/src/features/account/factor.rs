//! Two-factor authentication: set it up, confirm it, turn it off. The page shows the secret and the recovery codes only during
//! setup.

use adagent_contract::{EnrolmentView, RecoveryCodesView, SecondFactorView};
use leptos::prelude::*;

use super::{Proof, Told};
use crate::{
    PageClock,
    ui::{Code, CopyButton, Glyph, Icon, Line},
};

#[component]
pub fn SecondFactor(
    factor: Option<SecondFactorView>,
    codes: Option<RecoveryCodesView>,
    enrolment: Option<EnrolmentView>,
    has_password: bool,
    told: Told,
) -> impl IntoView {
    let inner = match (factor, enrolment) {
        (Some(factor), _) => view! { <On factor codes has_password told/> }.into_any(),
        (None, Some(enrolment)) => view! { <Enrolment enrolment told/> }.into_any(),
        (None, None) => view! {
            <form class="card" style="padding:var(--s-4);display:grid;gap:var(--s-3)" action="/api/account/second-factor" method="post">
                <p class="quiet-text">"Also ask for a code from your authenticator app at sign-in."</p>
                <Proof id="factor-password" has_password error=told.at("factor", "password", true)/>
                <div class="row"><button class="button" type="submit">"Set up 2FA"</button></div>
            </form>
        }.into_any(),
    };
    view! {
        <section class="section" aria-labelledby="factor-h" id="second-factor">
            <div class="section-head"><h3 id="factor-h">"Two-factor authentication"</h3></div>
            {inner}
        </section>
    }
}

#[component]
fn Enrolment(enrolment: EnrolmentView, told: Told) -> impl IntoView {
    let EnrolmentView { secret, uri, qr, recovery_codes } = enrolment;
    let around = format!("0 0 {0} {0}", qr.size);
    let side = qr.size.to_string();
    view! {
        <div class="card" style="padding:var(--s-4);display:grid;gap:var(--s-4)">
            <div style="display:grid;gap:var(--s-2)">
                <h4>"1. Scan this with your authenticator app"</h4>
                <svg viewBox=around width="220" height="220" role="img" aria-label="QR code for your authenticator app; the key below has the same information" shape-rendering="crispEdges">
                    <rect width=side.clone() height=side fill="#fff"/>
                    <path d=qr.path fill="#000"/>
                </svg>
                <p class="hint">"No camera? Enter this key, or "<a class="link" href=uri>"open it in an app on this device"</a>"."</p>
                <div class="row">
                    <div class="grow"><Code text=secret.clone() label="Setup key"/></div>
                    <CopyButton text=secret label="Copy key" worded=true/>
                </div>
            </div>
            <div style="display:grid;gap:var(--s-2)">
                <h4>"2. Save these recovery codes"</h4>
                <Codes codes=recovery_codes/>
            </div>
            <form action="/api/account/second-factor/confirm" method="post" style="display:grid;gap:var(--s-3)">
                <h4>"3. Enter a code to confirm"</h4>
                <Line id="confirm-code" label="Authenticator code" name="code" kind="text" autocomplete="one-time-code" error=told.at("confirm", "code", true)/>
                <div class="row"><button class="button primary" type="submit">"Turn on"</button></div>
            </form>
        </div>
    }
}

#[component]
fn Codes(codes: Vec<String>) -> impl IntoView {
    let codes = codes.join("\n");
    view! {
        <p class="hint">"Use one of these codes if you lose your phone. Each works once. We won't show them again."</p>
        <div class="row">
            <div class="grow"><Code text=codes.clone() label="Recovery codes"/></div>
            <CopyButton text=codes label="Copy recovery codes" worded=true/>
        </div>
    }
}

#[component]
fn On(factor: SecondFactorView, codes: Option<RecoveryCodesView>, has_password: bool, told: Told) -> impl IntoView {
    let left = factor.recovery_codes_left;
    let (clock, since) = (PageClock::get(), factor.since);
    view! {
        <div class="card" style="padding:var(--s-4);display:grid;gap:var(--s-3)">
            <p><span class="badge good">"On"</span>{move || format!(" since {}. Recovery codes left: {left}.", clock.date(since))}</p>
            {(left <= 3).then(|| view! {
                <div class="note">
                    <Icon glyph=Glyph::CircleAlert/>
                    <p>"You're running low on recovery codes. Create ten new ones."</p>
                </div>
            })}
            {codes.map(|RecoveryCodesView { recovery_codes }| view! {
                <div id="new-codes" style="display:grid;gap:var(--s-2)">
                    <div class="note good" role="status"><Icon glyph=Glyph::Check/><p>"Here are your new recovery codes. The old ones no longer work."</p></div>
                    <Codes codes=recovery_codes/>
                </div>
            })}
            <details open=told.of("renew").is_some()>
                <summary>"New recovery codes"</summary>
                <form action=crate::features::form::here("/settings/account") method="post" style="display:grid;gap:var(--s-3);padding-top:var(--s-3)">
                    <p class="hint">"Creates ten new codes. Your current ones stop working."</p>
                    <Proof id="renew-password" has_password error=told.at("renew", "password", false)/>
                    <Line id="renew-code" label="Authenticator code or recovery code" name="code" kind="text" autocomplete="one-time-code" error=told.at("renew", "code", true)/>
                    <div class="row"><button class="button" type="submit">"Create new codes"</button></div>
                </form>
            </details>
            <details open=told.of("off").is_some()>
                <summary>"Turn off"</summary>
                <form action="/api/account/second-factor/off" method="post" style="display:grid;gap:var(--s-3);padding-top:var(--s-3)">
                    <Proof id="off-password" has_password error=told.at("off", "password", false)/>
                    <Line id="off-code" label="Authenticator code or recovery code" name="code" kind="text" autocomplete="one-time-code" error=told.at("off", "code", true)/>
                    <div class="row"><button class="button danger" type="submit">"Turn off"</button></div>
                </form>
            </details>
        </div>
    }
}
