//! Sign in and sign up: plain forms that post to the accounts routes and work without script.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use super::api::safe_return;
use crate::ui::{Glyph, Icon};

/// What the accounts routes say in `?error=`.
fn explain(code: &str) -> &'static str {
    match code {
        "wrong_credentials" => "E-mail and password do not match.",
        "rate_limited" => "Too many attempts. Wait a minute, then try again.",
        "conflict" => "There is an account with this e-mail already. Sign in instead.",
        "validation_failed" => "Check e-mail, name and password: the password needs at least 10 characters.",
        _ => "That did not work. Try again.",
    }
}

#[component]
pub fn SignInPage() -> impl IntoView {
    let query = use_query_map();
    let given = move |name: &str| query.read().get(name).unwrap_or_default();
    // What a form begins with; from then on it is the person's.
    let at_first = move |name: &str| query.read_untracked().get(name).unwrap_or_default();
    let back = move || safe_return(&given("return")).unwrap_or_default();
    view! {
        <Title text="Sign in"/>
        <Alone>
            <h1>"Sign in"</h1>
            {move || (!back().is_empty() && back() != "/chat").then(|| view! {
                <div class="note"><Icon glyph=Glyph::Clock/><p>"Sign in to go on. You come back to where you were."</p></div>
            })}
            <form action="/api/auth/sign-in" method="post">
                <Field id="em" label="E-mail" name="email" kind="email" autocomplete="username" value=at_first("email") error=None/>
                <Field
                    id="pw" label="Password" name="password" kind="password" autocomplete="current-password" value=String::new()
                    error=Some(at_first("error")).filter(|code| !code.is_empty()).map(|code| explain(&code))
                />
                <input type="hidden" name="redirect" value=back/>
                <button class="button primary large wide" type="submit">"Sign in"</button>
            </form>
            <p class="quiet-text">"New here? "<a class="link" href=move || with_return("/sign-up", &back())>"Create an account"</a></p>
        </Alone>
    }
}

#[component]
pub fn SignUpPage() -> impl IntoView {
    let query = use_query_map();
    let given = move |name: &str| query.read().get(name).unwrap_or_default();
    // What a form begins with; from then on it is the person's.
    let at_first = move |name: &str| query.read_untracked().get(name).unwrap_or_default();
    let back = move || safe_return(&given("return")).unwrap_or_default();
    view! {
        <Title text="Create an account"/>
        <Alone>
            <h1>"Create an account"</h1>
            <form action="/api/auth/sign-up" method="post">
                <Field id="nm" label="Name" name="name" kind="text" autocomplete="name" value=at_first("name") error=None/>
                <Field id="em" label="E-mail" name="email" kind="email" autocomplete="username" value=at_first("email") error=None/>
                <Field
                    id="pw" label="Password" name="password" kind="password" autocomplete="new-password" value=String::new()
                    error=Some(at_first("error")).filter(|code| !code.is_empty()).map(|code| explain(&code))
                />
                <p class="hint">"At least 10 characters. A sentence is fine."</p>
                <input type="hidden" name="redirect" value=back/>
                <button class="button primary large wide" type="submit">"Create account"</button>
            </form>
            <p class="quiet-text">"Already here? "<a class="link" href=move || with_return("/sign-in", &back())>"Sign in"</a></p>
        </Alone>
    }
}

fn with_return(page: &str, back: &str) -> String {
    if back.is_empty() { page.to_owned() } else { format!("{page}?return={}", super::desk::encode(back)) }
}

#[component]
fn Field(
    id: &'static str,
    label: &'static str,
    name: &'static str,
    kind: &'static str,
    autocomplete: &'static str,
    value: String,
    error: Option<&'static str>,
) -> impl IntoView {
    let error_id = format!("{id}-error");
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <input
                class="input" id=id name=name type=kind autocomplete=autocomplete required=true value=value
                style="height:var(--control-lg)"
                aria-invalid=error.is_some().then_some("true")
                aria-describedby=error.is_some().then(|| error_id.clone())
            />
            {error.map(|text| view! { <p class="error-text" id=error_id.clone() role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> })}
        </div>
    }
}

/// The two-column page: what to do on the left, what the desk promises on the right.
#[component]
fn Alone(children: Children) -> impl IntoView {
    view! {
        <div class="alone">
            <main id="main">
                <div class="box">
                    <div class="brand"><Icon glyph=Glyph::Brand/>"ADAgentAI"</div>
                    {children()}
                </div>
            </main>
            <aside aria-label="What the desk promises">
                <div class="box">
                    <Specimen/>
                    <div class="stack" style="gap:20px">
                        <Promise glyph=Glyph::ShieldCheck title="Nothing is invented" text="Every figure comes from a network’s reply and shows which."/>
                        <Promise glyph=Glyph::Inbox title="Nothing happens unasked" text="A change is sent once, exactly as you approved it."/>
                        <Promise glyph=Glyph::History title="Nothing is lost" text="Close the laptop. The run and its approvals are there when you come back."/>
                    </div>
                </div>
            </aside>
        </div>
    }
}

#[component]
fn Promise(glyph: Glyph, title: &'static str, text: &'static str) -> impl IntoView {
    view! { <div class="promise"><Icon glyph/><h2>{title}</h2><p>{text}</p></div> }
}

/// A picture of an entry in the ledger; decoration, so hidden from readers.
#[component]
fn Specimen() -> impl IntoView {
    view! {
        <div aria-hidden="true" class="entry specimen">
            <div class="ask">
                <span class="avatar" style="--h:330">"MK"</span>
                <p class="grow" style="font-size:var(--t-lg);font-weight:580">"Lower the floor of our best line"</p>
            </div>
            <div class="part faint" data-node="step">"Compared 28 days in 5 steps"</div>
            <div class="part prose" data-node="answer">
                "Interstitials earn "<b class="fig">"$8.38"</b>" per thousand, down from "<b class="fig">"$11.02"</b>"."
            </div>
            <div class="part" data-node="done">
                <div class="approval">
                    <div class="record">
                        <span class="mark net-admob">"Ad"</span>
                        <div><b>"Update mediation line “US Tier 1”"</b><p class="faint" style="font-size:var(--t-xs)">"eCPM floor $14.00 to $9.50"</p></div>
                        <span class="stamp good"><Icon glyph=Glyph::Check/>"Approved"</span>
                    </div>
                </div>
            </div>
        </div>
    }
}
