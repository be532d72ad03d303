//! The mails about an account. Links come from the configured address of this server, never from what a request says it is called.

use adagent_contract::GOOGLE_CONNECTIONS;
use adagent_store::UnitOfWork;

use crate::{Service, ServiceResult, mail::Mail};

/// What is told.
pub(crate) enum Letter<'a> {
    Verify {
        name: &'a str,
        secret: &'a str,
    },
    Reset {
        name: &'a str,
        secret: &'a str,
    },
    /// Somebody wanted an account, or an address, that this reader has already.
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
    /// The account is gone, and with it whatever could have said so later.
    ConsentsLeft {
        name: &'a str,
        networks: &'a str,
    },
}

const NOT_YOU: &str = "If this was not you, set a new password at once (\"Forgot your password?\" on the sign-in page), and look at where you are signed in under Settings, Account.";

impl Letter<'_> {
    const fn kind(&self) -> &'static str {
        match self {
            Self::Verify { .. } => "verification",
            Self::Reset { .. } => "password_reset",
            _ => "account_notice",
        }
    }

    /// How long what it says is worth sending: of a link as long as it works.
    const fn stands_seconds(&self) -> i64 {
        match self {
            Self::Verify { .. } => 24 * 60 * 60,
            Self::Reset { .. } => 30 * 60,
            _ => 7 * 24 * 60 * 60,
        }
    }

    /// Subject, who is addressed, what is said, and a link with what it does.
    fn parts(&self, at: impl Fn(&str) -> String) -> (&'static str, &str, String, Option<(String, &'static str)>) {
        let told = |text: &str| format!("{text} {NOT_YOU}");
        match self {
            Self::Verify { name, secret } => (
                "Confirm your e-mail address",
                name,
                "Confirm that this is your address. The link works once, for 24 hours. If you asked for nothing, ignore this mail.".into(),
                Some((at(&format!("/verify-email?token={secret}")), "Confirm the address")),
            ),
            Self::Reset { name, secret } => (
                "Set a new password",
                name,
                "Somebody, probably you, asked for a new password. The link works once, for 30 minutes. If it was not you, ignore this mail: nothing has changed.".into(),
                Some((at(&format!("/reset-password?token={secret}")), "Set a new password")),
            ),
            Self::Known { name } => (
                "You have an account already",
                name,
                "Somebody, probably you, wanted to use this address for an account, but you have one. Sign in with it; if you forgot the password, you can set a new one there.".into(),
                Some((at("/sign-in"), "Sign in")),
            ),
            Self::EmailChanged { name } => {
                ("Your e-mail address was changed", name, "Your account has another e-mail address now, and this one no longer opens it. If this was not you, write to whoever runs this server at once.".into(), None)
            }
            Self::PasswordChanged { name } => (
                "Your password was changed",
                name,
                told("Your password was changed, and every other browser was signed out. Access tokens of programs still work: revoke those you do not know under Settings, Access tokens."),
                None,
            ),
            Self::PasswordReset { name } => (
                "Your password was changed",
                name,
                told("Your password was set anew. Every browser was signed out, Google is no longer linked, and the access tokens of your programs are revoked."),
                None,
            ),
            Self::SecondFactorOn { name } => {
                ("Your second factor is on", name, told("From now on signing in asks for a code of your authenticator app."), None)
            }
            Self::SecondFactorOff { name } => {
                ("Your second factor is off", name, told("Signing in no longer asks for a code of your authenticator app."), None)
            }
            Self::RecoveryCodeUsed { name } => {
                ("A recovery code was used", name, told("Somebody signed in with one of your recovery codes. It does not work again."), None)
            }
            Self::RecoveryCodesRenewed { name } => {
                ("You have new recovery codes", name, told("Ten new recovery codes were made for your account; the old ones no longer work."), None)
            }
            Self::CodesGuessed { name } => (
                "Wrong codes at your account",
                name,
                told("Somebody who knows your password gave several wrong codes in a row. Nobody got in, and further attempts wait."),
                None,
            ),
            Self::GoogleLinked { name } => {
                ("Google was linked to your account", name, told("You can sign in with Google from now on."), None)
            }
            Self::ConsentsLeft { name, networks } => (
                "Your account is deleted, and a consent is left",
                name,
                format!(
                    "Your account is deleted. This server could not take back what you allowed it at {networks}: remove ADAgentAI \
                     among the connections of the Google account that gave it, at {GOOGLE_CONNECTIONS}. This is the last mail about it."
                ),
                None,
            ),
        }
    }
}

impl Service {
    /// Written with what caused it; [`Self::sent_off`] commits both.
    pub(crate) async fn post(&self, work: &mut dyn UnitOfWork, to: &str, letter: Letter<'_>) -> ServiceResult<()> {
        let public = self.connections.public_url().as_str().trim_end_matches('/');
        let (subject, name, text, link) = letter.parts(|path| format!("{public}{path}"));
        let mail = Mail::new(to, subject).says(format!("Hello {name},")).says(text);
        let mail = match link {
            Some((url, label)) => mail.leads_to(label, url),
            None => mail,
        };
        self.queue_mail(work, letter.kind(), &mail, letter.stands_seconds()).await.map(drop)
    }

    /// Tells where mail is sent from here; a notice that cannot be sent keeps nobody from acting.
    pub(crate) async fn tell(&self, work: &mut dyn UnitOfWork, to: &str, letter: Letter<'_>) -> ServiceResult<()> {
        if self.sends_mail() { self.post(work, to, letter).await } else { Ok(()) }
    }

    /// Commits, and lets what was written leave.
    pub(crate) async fn sent_off(&self, work: Box<dyn UnitOfWork>) -> ServiceResult<()> {
        work.commit().await?;
        self.mail_was_queued();
        Ok(())
    }
}
