//! Before anybody is signed in: sign in and up, the second step, a forgotten password, links that came by mail. Plain forms that
//! post to the accounts routes and work without script; what went wrong comes back in the address, by code and field.

mod code;
mod links;
mod sign_in;
mod sign_up;

use adagent_contract::Problem;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::api::{self, safe_return};
use crate::ui::{Glyph, Icon};

pub use code::CodePage;
pub use links::{ForgotPasswordPage, ResetPasswordPage, VerifyEmailPage};
pub use sign_in::SignInPage;
pub use sign_up::SignUpPage;

/// What the accounts routes say in `?error=` and `?field=`. The texts stand here: nobody writes them into an address for others.
pub fn explain(code: &str, field: &str) -> &'static str {
    match (code, field) {
        ("wrong_credentials", _) => "E-mail and password do not match.",
        ("wrong_code", _) => "This is neither the code your app shows now nor an unused recovery code.",
        ("rate_limited", _) => "Too many attempts. Wait a while, then try again.",
        ("unauthenticated", _) => "That took too long. Sign in again.",
        ("conflict", "email") => "There is an account with this e-mail already. Sign in instead.",
        ("conflict", _) => "This is not possible as your account is now. Look at it again.",
        ("validation_failed", "email") => {
            "Check the e-mail address: it is not valid, is yours already, or has an account."
        }
        ("validation_failed", "name") => "A name has 1 to 100 characters, and none that nobody sees.",
        ("validation_failed", "password") => {
            "Check the password. A new one needs at least 8 characters, is not one that many people use, and is not made of your name, your address or the name of this service."
        }
        ("validation_failed", "new_password") => {
            "The new password needs at least 8 characters, is not one that many people use, and is not made of your name, your address or the name of this service."
        }
        ("validation_failed", "current_password") => "This is not your password.",
        ("validation_failed", "code") => "This code is not right.",
        ("validation_failed", "token") => "This link was used, is too old, or a newer one was sent. Ask for another.",
        ("sign_in_again", _) => "Sign out and in again, then repeat this within ten minutes: that shows it is you.",
        ("mail_off", _) => "This server sends no mail, which this needs.",
        ("unavailable", _) => "This cannot be reached right now. Try again in a moment.",
        ("google_unverified", _) => "Google has not verified the e-mail address of that account.",
        ("google_link_first", _) => {
            "There is an account with this address. Sign in with its password, then link Google under Settings, Account."
        }
        ("google_taken", _) => "That Google account is linked to another account here, or yours has another one.",
        ("google_failed", _) => "Google did not confirm who you are. Try again.",
        _ => "That did not work. Try again.",
    }
}

/// What the address says went wrong.
#[derive(Clone)]
pub struct Wrong {
    pub form: String,
    code: String,
    field: String,
}

impl Wrong {
    /// As the page was opened; from then on it is the person's.
    pub fn of_page() -> Self {
        let query = use_query_map();
        let given = |name: &str| query.read_untracked().get(name).unwrap_or_default();
        Self { form: given("form"), code: given("error"), field: given("field") }
    }

    /// As a form says it that was posted to its own page.
    pub fn of_problem(form: &str, problem: &Problem) -> Self {
        let field = problem.errors.first().map(|wrong| wrong.pointer.trim_start_matches('/').to_owned());
        Self { form: form.to_owned(), code: problem.code.clone(), field: field.unwrap_or_default() }
    }

    /// At a field; `first` also takes what is about none.
    pub fn at(&self, field: &str, first: bool) -> Option<&'static str> {
        let here = !self.code.is_empty() && (self.field == field || (first && self.field.is_empty()));
        here.then(|| explain(&self.code, &self.field))
    }

    pub fn is(&self, code: &str) -> bool {
        self.code == code
    }

    /// About no field in particular.
    pub fn anywhere(&self) -> Option<&'static str> {
        (!self.code.is_empty()).then(|| explain(&self.code, &self.field))
    }
}

/// A value of the address as the page was opened.
fn given(name: &'static str) -> String {
    use_query_map().read_untracked().get(name).unwrap_or_default()
}

/// Where the person wanted to go.
fn back() -> String {
    safe_return(&given("return")).unwrap_or_default()
}

fn with_return(page: &str, back: &str) -> String {
    if back.is_empty() { page.to_owned() } else { format!("{page}?return={}", super::desk::encode(back)) }
}

/// Sign-in with Google, where it is configured. A link that works without script.
#[component]
fn WithGoogle(back: String) -> impl IntoView {
    let options = Resource::new(|| (), |()| api::sign_in_options());
    view! {
        <Suspense fallback=|| ()>
            {move || {
                let href = if back.is_empty() {
                    "/api/auth/google".to_owned()
                } else {
                    format!("/api/auth/google?return={}", super::desk::encode(&back))
                };
                let google = options.get().and_then(Result::ok).is_some_and(|options| options.google);
                google.then(|| view! {
                    <a class="button large wide" href=href rel="external"><Icon glyph=Glyph::KeyRound/>"Continue with Google"</a>
                })
            }}
        </Suspense>
    }
}

/// The two-column page: what to do on the left, what the desk promises on the right.
#[component]
pub(super) fn Alone(children: Children) -> impl IntoView {
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
