//! Settings of the person's own account: address, password, two-factor authentication, Google and the browsers that are signed
//! in. Every form is a plain one that works without JavaScript and comes back here with the error at its field.

mod data;
mod email;
mod factor;
mod google;
mod password;
mod sessions;

use adagent_contract::RecoveryCodesView;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{
    api::{self, AccountOverview, Renewed},
    auth::{Wrong, kept},
    settings::SettingsPage,
};
use crate::ui::{ErrorLine, Glyph, Icon, Line, Loading, Unread};

/// Returns what to tell the person about a finished action. The address names the action by one of a few words.
fn done(word: &str) -> Option<&'static str> {
    Some(match word {
        "sent" => "We emailed you a link. It works once and expires in 24 hours.",
        "password" => "Your password was changed. All other browsers were signed out.",
        "factor" => "Two-factor authentication is on. All other browsers were signed out.",
        "factor_off" => "Two-factor authentication is off.",
        "linked" => "You can now sign in with Google.",
        "unlinked" => "Google is no longer linked.",
        "ended" => "That browser was signed out.",
        _ => return None,
    })
}

/// Returns the result of the form that was posted to this page. Only the server that answers the post knows it.
fn given() -> Option<Renewed> {
    #[cfg(feature = "ssr")]
    return use_context::<Renewed>();
    #[cfg(not(feature = "ssr"))]
    None
}

/// The error from a form of this page.
#[derive(Clone)]
struct Told(Wrong);

impl Told {
    /// Returns the error at a field. A field called `password` asks for the current password; a new password has a field with
    /// another name.
    fn at(&self, form: &str, field: &str, first: bool) -> Option<&'static str> {
        let here = self.0.form == form;
        match field {
            "password" => self.0.at_own_password(first).filter(|_| here),
            _ => self.0.at(field, first).filter(|_| here),
        }
    }

    fn is(&self, form: &str, code: &str) -> bool {
        self.0.form == form && self.0.is(code)
    }

    fn of(&self, form: &str) -> Option<&'static str> {
        if self.0.form == form { self.0.anywhere() } else { None }
    }
}

#[component]
pub fn AccountPage() -> impl IntoView {
    let query = use_query_map();
    let at_first = move |name: &str| query.read_untracked().get(name).unwrap_or_default();
    let enrol = at_first("enrol") == "1";
    let good = done(&at_first("done"));
    let email = kept("email");
    let told = Told(Wrong::of_page());
    let overview = Resource::new(|| (), move |()| api::account(enrol));
    let renewed = Resource::new_blocking(|| (), |()| std::future::ready(given()));
    let lead = || "Your sign-in and security settings, for all workspaces.";
    view! {
        <SettingsPage title="Account" here="/settings/account" lead>
            {good.map(|text| view! { <div class="note good" role="status"><Icon glyph=Glyph::Check/><p>{text}</p></div> })}
            <Transition fallback=|| view! { <Loading/> }>
                {move || {
                    let (mut told, email) = (told.clone(), email.clone());
                    let codes = match renewed.get().flatten() {
                        Some(Renewed(Ok(codes))) => Some(codes),
                        Some(Renewed(Err(problem))) => {
                            told = Told(Wrong::of_problem("renew", &problem));
                            None
                        }
                        None => None,
                    };
                    overview.get().map(|answer| match answer {
                        Ok(overview) => view! { <Sections overview codes told email/> }.into_any(),
                        Err(error) => view! { <Unread error again=Callback::new(move |()| overview.refetch())/> }.into_any(),
                    })
                }}
            </Transition>
        </SettingsPage>
    }
}

#[component]
fn Sections(overview: AccountOverview, codes: Option<RecoveryCodesView>, told: Told, email: String) -> impl IntoView {
    let AccountOverview { account, sessions, enrolment } = overview;
    // The address belongs to the form that it came back from.
    let (changing, deleting) =
        if told.of("delete").is_some() { (String::new(), email) } else { (email, String::new()) };
    let (has_password, has_factor) = (account.has_password, account.second_factor.is_some());
    view! {
        <email::Email account=account.clone() told=told.clone() typed=changing/>
        <password::Password has_password=account.has_password told=told.clone()/>
        <factor::SecondFactor factor=account.second_factor codes enrolment has_password=account.has_password told=told.clone()/>
        {account.google.map(|google| view! { <google::Google google has_password=account.has_password told=told.clone()/> })}
        <sessions::Sessions sessions failed=account.failed_sign_ins told=told.clone()/>
        <data::YourData has_password has_factor consents_left=account.consents_left told typed=deleting/>
    }
}

/// Shows the password field if the account has a password: an open session alone is not enough for these actions.
#[component]
fn Proof(id: &'static str, has_password: bool, error: Option<&'static str>) -> impl IntoView {
    if has_password {
        view! { <Line id label="Your password" name="password" kind="password" autocomplete="current-password" error/> }
            .into_any()
    } else {
        view! {
            <p class="hint">"You have no password, so you can do this only within 10 minutes of signing in."</p>
            {error.map(|text| view! { <ErrorLine text/> })}
        }
        .into_any()
    }
}
