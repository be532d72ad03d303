//! Proving who one is: second factor, links by mail, sign-in with Google, browser sessions. Requests with secrets have no `Debug`.

use std::fmt;

use adagent_domain::{BrowserSessionId, Network, Timestamp};
use serde::{Deserialize, Serialize};

use crate::UserView;

/// A code of the authenticator app, or a recovery code.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeRequest {
    pub code: String,
}

/// The secret of a link that came by mail; the password, where nobody is signed in.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkRequest {
    pub token: String,
    #[serde(default)]
    pub password: Option<String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForgotPasswordRequest {
    pub email: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResetPasswordRequest {
    pub token: String,
    pub password: String,
}

/// What shows that it is still the person: their password, where they have one.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofRequest {
    #[serde(default)]
    pub password: Option<String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeEmailRequest {
    pub email: String,
    #[serde(default)]
    pub password: Option<String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangePasswordRequest {
    #[serde(default)]
    pub current_password: Option<String>,
    pub new_password: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisableSecondFactorRequest {
    #[serde(default)]
    pub password: Option<String>,
    pub code: String,
}

/// Everything about signing in that its person may see and change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccountView {
    pub user: UserView,
    /// The address is proven to be theirs.
    pub email_verified: bool,
    /// An address that becomes theirs once its link was followed; or their own, while it is not proven.
    pub awaiting_email: Option<String>,
    /// This server sends mail.
    pub mail: bool,
    pub has_password: bool,
    pub second_factor: Option<SecondFactorView>,
    /// Sign-in with Google; `None` where this server has none.
    pub google: Option<GoogleView>,
    /// Wrong passwords of the last thirty days, by where they came from; the latest first.
    pub failed_sign_ins: Vec<FailedSignInsView>,
    /// Networks at which the consent stays when the account is deleted, because this server cannot take it back.
    pub consents_left: Vec<Network>,
}

/// Wrong passwords at one account from one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedSignInsView {
    /// Of IPv6 the network; empty for all places beyond those that are told apart.
    pub address: String,
    pub attempts: u64,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SecondFactorView {
    pub since: Timestamp,
    pub recovery_codes_left: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoogleView {
    pub linked: Option<LinkedView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkedView {
    pub email: String,
    pub since: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

/// What a person who switches the second factor on is shown until they have: never again afterwards.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnrolmentView {
    /// In base32, to be typed.
    pub secret: String,
    /// `otpauth://totp/…`.
    pub uri: String,
    pub qr: QrView,
    pub recovery_codes: Vec<String>,
}

impl fmt::Debug for EnrolmentView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EnrolmentView")
    }
}

/// The password, where there is one, and a code of the app, or a recovery code.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenewCodesRequest {
    #[serde(default)]
    pub password: Option<String>,
    pub code: String,
}

/// The one answer that holds recovery codes for the old ones.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecoveryCodesView {
    pub recovery_codes: Vec<String>,
}

impl fmt::Debug for RecoveryCodesView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCodesView")
    }
}

/// A picture of the address: a square of `size` units and the path of its dark ones.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QrView {
    pub size: u32,
    pub path: String,
}

impl fmt::Debug for QrView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QrView")
    }
}

/// Where somebody is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrowserSessionView {
    pub id: BrowserSessionId,
    /// The one that asks.
    pub current: bool,
    pub created_at: Timestamp,
    /// Within ten minutes.
    pub last_seen_at: Timestamp,
    /// As the browser calls itself; may be empty.
    pub agent: String,
    pub address: String,
}

/// Where to send the browser to link an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkStart {
    pub authorization_url: String,
}

/// How many sessions were ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedSessions {
    pub ended: u64,
}
