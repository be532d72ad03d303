//! The emails about an account. Their links lead to the configured address of this server, never to a host name from a request.

use adagent_contract::GOOGLE_CONNECTIONS;
use adagent_store::UnitOfWork;

use crate::{Service, ServiceResult, mail::Mail};

/// The content of an email.
pub(crate) enum Letter<'a> {
    Verify {
        name: &'a str,
        secret: &'a str,
    },
    Reset {
        name: &'a str,
        secret: &'a str,
    },
    /// Somebody tried to use this reader's address for a new account, or for their own.
    Known {
        name: &'a str,
    },
    EmailChanged {
        name: &'a str,
    },
    PasswordChanged {
        name: &'a str,
    },
    PasswordReset {
        name: &'a str,
    },
    SecondFactorOn {
        name: &'a str,
    },
    SecondFactorOff {
        name: &'a str,
    },
    RecoveryCodeUsed {
        name: &'a str,
    },
    RecoveryCodesRenewed {
        name: &'a str,
    },
    CodesGuessed {
        name: &'a str,
    },
    GoogleLinked {
        name: &'a str,
    },
    /// The account was deleted, and with it every page that could show this later.
    ConsentsLeft {
        name: &'a str,
        networks: &'a str,
    },
}

const NOT_YOU: &str = "If this wasn't you, reset your password right away (\"Forgot your password?\" on the sign-in page) and check where you're signed in under Settings › Account.";

impl Letter<'_> {
    const fn kind(&self) -> &'static str {
        match self {
            Self::Verify { .. } => "verification",
            Self::Reset { .. } => "password_reset",
            _ => "account_notice",
        }
    }

    /// Returns for how many seconds the email is worth sending; for an email with a link, as long as the link works.
    const fn stands_seconds(&self) -> i64 {
        match self {
            Self::Verify { .. } => 24 * 60 * 60,
            Self::Reset { .. } => 30 * 60,
            _ => 7 * 24 * 60 * 60,
        }
    }

    /// Returns the subject, the name of the person, the text, and a link with its label.
    fn parts(&self, at: impl Fn(&str) -> String) -> (&'static str, &str, String, Option<(String, &'static str)>) {
        let told = |text: &str| format!("{text} {NOT_YOU}");
        match self {
            Self::Verify { name, secret } => (
                "Confirm your email",
                name,
                "Please confirm your email. This link works once and expires in 24 hours. If you didn't sign up, ignore this email.".into(),
                Some((at(&format!("/verify-email/{secret}")), "Confirm email")),
            ),
            Self::Reset { name, secret } => (
                "Reset your password",
                name,
                "We got a request to reset your password. This link works once and expires in 30 minutes. If you didn't ask for it, ignore this email; nothing has changed.".into(),
                Some((at(&format!("/reset-password/{secret}")), "Reset your password")),
            ),
            Self::Known { name } => (
                "You already have an account",
                name,
                "Someone tried to sign up with your email. If it was you, sign in instead; you can reset your password there if you forgot it.".into(),
                Some((at("/sign-in"), "Sign in")),
            ),
            Self::EmailChanged { name } => {
                ("Your email was changed", name, "Your account now uses a different email, and you can no longer sign in with this one. If you didn't change it, contact your administrator right away.".into(), None)
            }
            Self::PasswordChanged { name } => (
                "Your password was changed",
                name,
                told("Your password was changed and all other browsers were signed out. Access tokens still work; revoke any you don't recognize under Settings › Access tokens."),
                None,
            ),
            Self::PasswordReset { name } => (
                "Your password was changed",
                name,
                told("Your password was reset. All browsers were signed out, Google was unlinked, and your access tokens were revoked."),
                None,
            ),
            Self::SecondFactorOn { name } => {
                ("Two-factor authentication is on", name, told("Signing in now also asks for a code from your authenticator app."), None)
            }
            Self::SecondFactorOff { name } => {
                ("Two-factor authentication is off", name, told("Signing in no longer asks for a code from your authenticator app."), None)
            }
            Self::RecoveryCodeUsed { name } => {
                ("A recovery code was used", name, told("Someone signed in with one of your recovery codes. That code no longer works."), None)
            }
            Self::RecoveryCodesRenewed { name } => {
                ("You have new recovery codes", name, told("Ten new recovery codes were created for your account. The old ones no longer work."), None)
            }
            Self::CodesGuessed { name } => (
                "Failed sign-in attempts",
                name,
                told("Someone with your password entered several wrong codes. Nobody got in; further attempts are slowed down."),
                None,
            ),
            Self::GoogleLinked { name } => {
                ("Google was linked to your account", name, told("You can now sign in with Google."), None)
            }
            Self::ConsentsLeft { name, networks } => (
                "Your account was deleted; one step left",
                name,
                format!(
                    "Your account was deleted, but we couldn't revoke our access to {networks}. To remove it, open the connections of the Google account you used: {GOOGLE_CONNECTIONS}. This is the last email about it."
                ),
                None,
            ),
        }
    }
}

impl Service {
    /// Queues the email in the transaction that causes it; [`Self::sent_off`] commits both.
    pub(crate) async fn post(&self, work: &mut dyn UnitOfWork, to: &str, letter: Letter<'_>) -> ServiceResult<()> {
        let public = self.connections.public_url().as_str().trim_end_matches('/');
        let (subject, name, text, link) = letter.parts(|path| format!("{public}{path}"));
        let mail = Mail::new(to, subject).says(format!("Hi {name},")).says(text);
        let mail = match link {
            Some((url, label)) => mail.leads_to(label, url),
            None => mail,
        };
        self.queue_mail(work, letter.kind(), &mail, letter.stands_seconds()).await.map(drop)
    }

    /// Queues the email if this server sends email; otherwise does nothing.
    pub(crate) async fn tell(&self, work: &mut dyn UnitOfWork, to: &str, letter: Letter<'_>) -> ServiceResult<()> {
        if self.sends_mail() { self.post(work, to, letter).await } else { Ok(()) }
    }

    /// Commits, and lets the worker send the queued emails.
    pub(crate) async fn sent_off(&self, work: Box<dyn UnitOfWork>) -> ServiceResult<()> {
        work.commit().await?;
        self.mail_was_queued();
        Ok(())
    }
}
