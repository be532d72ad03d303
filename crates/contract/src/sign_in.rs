//! How people prove who they are: two-factor authentication, links by email, sign-in with Google, browser sessions. Requests with secrets
//! have no `Debug`.

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

/// The secret of a link from an email, and the password if the person is not signed in.
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

/// The proof that the same person is still there: their password, if they have one.
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

/// Everything about sign-in that the account's person can see and change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccountView {
    pub user: UserView,
    /// We know that the address belongs to the person.
    pub email_verified: bool,
    /// A new address, until the person opens the link we sent there; or the current address, while it is not verified.
    pub awaiting_email: Option<String>,
    /// Whether this server sends email.
    pub mail: bool,
    pub has_password: bool,
    pub second_factor: Option<SecondFactorView>,
    /// Sign-in with Google. `None` if this server does not offer it.
    pub google: Option<GoogleView>,
    /// Wrong passwords of the last thirty days by address, latest first.
    pub failed_sign_ins: Vec<FailedSignInsView>,
    /// Networks at which our access remains after the account is deleted, because this server cannot revoke it.
    pub consents_left: Vec<Network>,
}

/// Wrong passwords for one account from one address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedSignInsView {
    /// The address; for IPv6, the address of the network. Empty for all addresses beyond those we list one by one.
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

/// What we show a person while they turn on two-factor authentication, and never again.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnrolmentView {
    /// The secret in base32, to type.
    pub secret: String,
    /// The content of the QR code: `otpauth://totp/…`.
    pub uri: String,
    pub qr: QrView,
    pub recovery_codes: Vec<String>,
}

impl fmt::Debug for EnrolmentView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EnrolmentView")
    }
}

/// The password, if the account has one, and a code of the app or a recovery code.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenewCodesRequest {
    #[serde(default)]
    pub password: Option<String>,
    pub code: String,
}

/// The new recovery codes. Only this one answer contains them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecoveryCodesView {
    pub recovery_codes: Vec<String>,
}

impl fmt::Debug for RecoveryCodesView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCodesView")
    }
}

/// The QR code of the address: a square with sides of `size` units, and the path of its dark units.
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

/// A browser in which a person is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrowserSessionView {
    pub id: BrowserSessionId,
    /// The browser that sent this request.
    pub current: bool,
    pub created_at: Timestamp,
    /// When the browser was last used. Up to ten minutes late.
    pub last_seen_at: Timestamp,
    /// The browser's own name; may be empty.
    pub agent: String,
    pub address: String,
}

/// The address to open in order to link an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkStart {
    pub authorization_url: String,
}

/// How many sessions we ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedSessions {
    pub ended: u64,
}
