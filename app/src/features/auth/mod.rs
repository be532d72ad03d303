//! Pages for people who are not signed in: sign in, sign up, the second step, a forgotten password, and links from emails. Plain
//! forms that post to the account routes and work without JavaScript. An error comes back in the address, as a code and field
//! names.

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

/// Returns the text for `?error=` and `?field=` of the account routes. The texts are here, so that nobody can put their own text
/// into an address for others.
pub fn explain(code: &str, field: &str) -> &'static str {
    match (code, field) {
        ("wrong_credentials", _) => "Incorrect email or password.",
        ("wrong_code", _) => "Incorrect code. Enter the current code from your app, or an unused recovery code.",
        ("rate_limited", _) => "Too many attempts. Wait a few minutes and try again.",
        ("unauthenticated", _) => "That took too long. Sign in again.",
        ("conflict", "email") => "This email already has an account. Sign in instead.",
        ("conflict", _) => "Your account settings changed in the meantime. Reload and check them.",
        ("validation_failed", "email") => {
            "Check the email. It may be mistyped, already be yours, or belong to another account."
        }
        ("validation_failed", "name") => "Enter a name with 1 to 100 visible characters.",
        ("validation_failed", "password" | "new_password") => {
            "Use at least 8 characters. Avoid common passwords, your name and your email."
        }
        ("validation_failed", "current_password") => "Incorrect password.",
        ("validation_failed", "code") => "Incorrect code.",
        ("validation_failed", "token") => {
            "This link was already used, has expired, or was replaced by a newer one. Get a new link."
        }
        ("sign_in_again", _) => "Sign out, sign in again, and retry within 10 minutes, so we know it's you.",
        ("mail_off", _) => "This server can't send email, so this isn't available.",
        ("unavailable", _) => "This isn't available right now. Try again in a moment.",
        ("google_unverified", _) => "Google hasn't verified that account's email.",
        ("google_link_first", _) => {
            "This email already has an account. Sign in with its password, then link Google in Settings › Account."
        }
        ("google_taken", _) => {
            "That Google account is linked to another user, or your account already has a different one."
        }
        ("google_failed", _) => "Google sign-in failed. Try again.",
        _ => "That didn't work. Try again.",
    }
}

/// The error that the address reports.
#[derive(Clone)]
pub struct Wrong {
    pub form: String,
    code: String,
    fields: Vec<String>,
}

impl Wrong {
    /// Reads the error from the address as the page was opened. It does not follow later changes of the address.
    pub fn of_page() -> Self {
        let query = use_query_map();
        let given = |name: &str| query.read_untracked().get(name).unwrap_or_default();
        let fields = query.read_untracked().get_all("field").unwrap_or_default();
        Self { form: given("form"), code: given("error"), fields }
    }

    /// Reads the error of a form that was posted to its own page.
    pub fn of_problem(form: &str, problem: &Problem) -> Self {
        let fields = problem.errors.iter().map(|wrong| wrong.pointer.trim_start_matches('/').to_owned()).collect();
        Self { form: form.to_owned(), code: problem.code.clone(), fields }
    }

    /// Returns the error at a field. With `first`, also returns an error that belongs to no field.
    pub fn at(&self, field: &str, first: bool) -> Option<&'static str> {
        let named = self.fields.iter().any(|wrong| wrong == field);
        let here = !self.code.is_empty() && (named || (first && self.fields.is_empty()));
        here.then(|| explain(&self.code, if named { field } else { "" }))
    }

    /// Returns the error at the current password, which proves who asks.
    pub fn at_own_password(&self, first: bool) -> Option<&'static str> {
        let own = self.fields.iter().any(|field| field == "password") && self.is(adagent_contract::codes::VALIDATION);
        self.at("password", first).map(|text| if own { explain(&self.code, "current_password") } else { text })
    }

    pub fn is(&self, code: &str) -> bool {
        self.code == code
    }

    /// Returns the error regardless of its field.
    pub fn anywhere(&self) -> Option<&'static str> {
        (!self.code.is_empty()).then(|| explain(&self.code, self.fields.first().map_or("", String::as_str)))
    }
}

/// Returns a value from the address as the page was opened.
fn given(name: &'static str) -> String {
    use_query_map().read_untracked().get(name).unwrap_or_default()
}

/// Returns what a field held when its form was refused. The value is carried over to the browser for hydration.
pub(super) fn kept(name: &'static str) -> String {
    SharedValue::new(|| {
        #[cfg(feature = "ssr")]
        {
            api::kept_field(name)
        }
        #[cfg(not(feature = "ssr"))]
        {
            let _ = name;
            String::new()
        }
    })
    .into_inner()
}

/// Returns the page that the person wanted.
fn back() -> String {
    safe_return(&given("return")).unwrap_or_default()
}

fn with_return(page: &str, back: &str) -> String {
    if back.is_empty() { page.to_owned() } else { format!("{page}?return={}", super::desk::encode(back)) }
}

/// Shows sign-in with Google if it is configured. A link that works without JavaScript.
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

/// Lays out the two-column page: the form on the left, what the service promises on the right.
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
            <aside aria-label="Why teams use ADAgentAI">
                <div class="box">
                    <Specimen/>
                    <div class="stack" style="gap:20px">
                        <Promise glyph=Glyph::ShieldCheck title="No made-up numbers" text="Every number links to the report it came from."/>
                        <Promise glyph=Glyph::Inbox title="No surprise changes" text="Each change is sent once, exactly as you approved it."/>
                        <Promise glyph=Glyph::History title="Nothing gets lost" text="Close your laptop. Your runs and approvals will be here when you're back."/>
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

/// Draws an entry of the ledger as decoration, hidden from screen readers.
#[component]
fn Specimen() -> impl IntoView {
    view! {
        <div aria-hidden="true" class="entry specimen">
            <div class="ask">
                <span class="avatar" style="--h:330">"MK"</span>
                <p class="grow" style="font-size:var(--t-lg);font-weight:580">"Is our interstitial floor too high?"</p>
            </div>
            <div class="part faint" data-node="step">"Compared 28 days · 5 steps"</div>
            <div class="part prose" data-node="answer">
                "“US Tier 1” fills "<b class="fig">"3.1%"</b>" of its requests, down from "<b class="fig">"9.4%"</b>"."
            </div>
            <div class="part" data-node="done">
                <div class="approval">
                    <div class="record">
                        <span class="mark net-admob">"Ad"</span>
                        <div><b>"Update mediation line “US Tier 1”"</b><p class="faint" style="font-size:var(--t-xs)">"eCPM floor $14.00 to $12.50"</p></div>
                        <span class="stamp good"><Icon glyph=Glyph::Check/>"Approved"</span>
                    </div>
                </div>
            </div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(fields: &[&str]) -> Wrong {
        Wrong {
            form: String::new(),
            code: adagent_contract::codes::VALIDATION.into(),
            fields: fields.iter().map(|field| (*field).to_owned()).collect(),
        }
    }

    #[test]
    fn every_wrong_field_is_told_and_no_other() {
        let two = wrong(&["email", "password"]);
        assert!(two.at("email", false).is_some_and(|text| text.contains("email")));
        assert!(two.at("password", true).is_some_and(|text| text.contains("8 characters")));
        assert_eq!(two.at("name", true), None);
        assert!(wrong(&[]).at("password", true).is_some() && wrong(&[]).at("email", false).is_none());
    }
}
