//! How mail leaves this server: by SMTP if that is configured; into an outbox to read if this is a developer's own server;
//! otherwise not at all, and we refuse what needs mail.

mod conversation;
mod outbox;
mod smtp;

use std::sync::Arc;

use adagent_config::Config;
use adagent_domain::Clock;
use adagent_service::{Mailing, Outbox};
use anyhow::{Context as _, Result};
use axum::Router;

use crate::keys::is_here;
pub use smtp::Smtp;

/// The way to send mail, and the page that shows mail that is not sent.
pub struct Mail {
    pub mailing: Mailing,
    pub page: Router,
}

pub fn of(config: &Config, clock: &Arc<dyn Clock>) -> Result<Mail> {
    if let (Some(url), Some(from)) = (&config.mail.url, &config.mail.from) {
        let smtp = Smtp::new(url, from, &config.public_url()).context("mail.url or mail.from")?;
        return Ok(Mail { mailing: Mailing::by(Arc::new(smtp)), page: Router::new() });
    }
    if !is_private(config) {
        tracing::warn!(
            "no mail is sent: invitations by e-mail and what else needs mail answer 503. Set mail.url and mail.from"
        );
        return Ok(Mail { mailing: Mailing::off(), page: Router::new() });
    }
    let outbox = Outbox::new(Arc::clone(clock));
    tracing::info!("mails are kept under /dev/outbox instead of being sent; set mail.url and mail.from to send them");
    Ok(Mail { page: outbox::router(Arc::clone(&outbox)), mailing: Mailing::kept(outbox) })
}

/// Checks whether only people at this machine can reach the server, so that its mails may lie open. A server without the sandbox
/// is meant for others, whatever address it listens on, because a proxy may stand in front of it.
fn is_private(config: &Config) -> bool {
    config.sandbox.enabled
        && config.host.is_loopback()
        && config.public_url.as_ref().is_none_or(|url| url.scheme() == "http" && is_here(url))
}

#[cfg(test)]
mod tests {
    use adagent_config::{Overrides, Source};
    use adagent_domain::{ManualClock, Timestamp};

    use super::*;

    fn config(host: &str, public_url: Option<&str>) -> Config {
        let overrides = Overrides {
            host: Some(host.parse().unwrap()),
            public_url: public_url.map(str::to_owned),
            ..Overrides::default()
        };
        Config::load(Source { file: None, overrides }).unwrap()
    }

    #[test]
    fn only_a_server_that_nobody_else_reaches_shows_its_mails() {
        assert!(is_private(&config("127.0.0.1", None)));
        assert!(is_private(&config("::1", Some("http://localhost:3000"))));
        let without_sandbox = {
            let mut config = config("127.0.0.1", None);
            config.sandbox.enabled = false;
            config
        };
        assert!(!is_private(&without_sandbox));
        assert!(!is_private(&config("0.0.0.0", None)));
        assert!(!is_private(&config("127.0.0.1", Some("https://desk.example.com"))));
        assert!(!is_private(&config("127.0.0.1", Some("http://desk.example.com"))));
        assert!(!is_private(&config("127.0.0.1", Some("https://localhost"))));
    }

    #[tokio::test]
    async fn a_server_that_others_reach_sends_no_mail_until_it_is_told_how() {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(Timestamp::EPOCH));
        let reached = of(&config("127.0.0.1", Some("https://desk.example.com")), &clock).unwrap();
        assert!(!reached.mailing.sends());
        assert!(of(&config("127.0.0.1", None), &clock).unwrap().mailing.sends());
    }
}
