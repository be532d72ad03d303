//! Sends mail over SMTP. Except on this machine, the password and the mail travel only inside TLS.
//!
//! This module must not log an address, a text or a password. It reports answers of the mail server without them.

use std::{net::IpAddr, time::Duration};

use adagent_config::Secret;
use adagent_domain::MailId;
use adagent_service::{Mail, MailError, Mailer};
use anyhow::{Context as _, Result, bail};
use async_trait::async_trait;
use lettre::{
    Message,
    message::{Mailbox, MultiPart},
    transport::smtp::{
        Error,
        authentication::Credentials,
        client::{Tls, TlsParameters},
        extension::ClientId,
    },
};
use secrecy::ExposeSecret as _;
use url::Url;

use super::conversation::{About, Way};

/// The longest time to wait for one answer of the mail server.
const PATIENCE: Duration = Duration::from_secs(20);
/// The longest time for a whole mail; the queue's claim lasts longer.
const WHOLE: Duration = Duration::from_secs(90);

/// The codes that are final if a mail server gives them for a mailbox or a mail. Any other 5xx is about this server, its settings
/// or its behavior: the administrator must fix that, and the mail waits.
const LAST_WORDS: [&str; 6] = ["550", "551", "552", "553", "554", "556"];

pub struct Smtp {
    way: Way,
    from: Mailbox,
    /// The part after the `@` in message IDs.
    domain: String,
}

impl Smtp {
    /// Creates the sender. No error may contain a part of the address, because the address holds a password.
    pub fn new(url: &Secret, from: &str, public_url: &Url) -> Result<Self> {
        let from: Mailbox =
            from.parse().ok().context("mail.from is no address such as ADAgentAI <desk@example.com>")?;
        let url = Url::parse(url.expose_secret().trim()).ok().context("mail.url is no address")?;
        let name = url.host_str().context("mail.url names no host")?.trim_matches(['[', ']']).to_owned();
        let tls = || TlsParameters::new(name.clone()).ok().context("TLS for mail.url");
        let (tls, usual) = match url.scheme() {
            "smtps" => (Tls::Wrapper(tls()?), 465),
            "smtp" if is_this_machine(&name) => (Tls::None, 25),
            "smtp" => (Tls::Required(tls()?), 587),
            _ => bail!("mail.url begins with smtp:// or smtps://"),
        };
        let domain = public_url.host_str().unwrap_or("localhost").to_owned();
        let credentials = if url.username().is_empty() {
            None
        } else {
            let plain = |part: &str| percent(part).context("the user or password of mail.url is not valid UTF-8");
            let password = plain(url.password().unwrap_or_default())?;
            Some(Credentials::new(plain(url.username())?, password))
        };
        let (port, hello) = (url.port().unwrap_or(usual), ClientId::Domain(domain.clone()));
        let way = Way { host: name, port, tls, hello, credentials, patience: PATIENCE };
        Ok(Self { way, from, domain })
    }

    fn message(&self, id: MailId, mail: &Mail) -> Result<Message, MailError> {
        let to: Mailbox = mail.to().parse().map_err(|_| MailError::Never("the address cannot be written to".into()))?;
        Message::builder()
            .from(self.from.clone())
            .to(to)
            .subject(mail.subject())
            .message_id(Some(format!("<{id}@{}>", self.domain)))
            .multipart(MultiPart::alternative_plain_html(mail.text(), mail.html()))
            .map_err(|_| MailError::Never("the mail cannot be put together".into()))
    }
}

#[async_trait]
impl Mailer for Smtp {
    async fn send(&self, id: MailId, mail: &Mail) -> Result<(), MailError> {
        let message = self.message(id, mail)?;
        let sent = tokio::time::timeout(WHOLE, self.way.send(message.envelope(), &message.formatted())).await;
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err((about, error))) => Err(judged(about, &error)),
            Err(_) => Err(MailError::Later("the mail server took too long".into())),
        }
    }
}

/// Decides whether another attempt may work. The mail server's text may repeat the address, so we report only its code.
fn judged(about: About, error: &Error) -> MailError {
    let number = error.status().map(|code| code.to_string()).unwrap_or_default();
    let code = if number.is_empty() { String::new() } else { format!(" ({number})") };
    let last_word = LAST_WORDS.contains(&&*number);
    match about {
        About::Mail if last_word => return MailError::Never(format!("the mail server refused it{code}")),
        About::Recipient if last_word && !is_about_policy(error) => {
            return MailError::Never(format!("the mail server refused its recipient{code}"));
        }
        _ => {}
    }
    let what = if ["530", "534", "535", "538"].contains(&&*number) {
        "the mail server does not take user and password of mail.url"
    } else if error.is_permanent() && about == About::Sender {
        "the mail server does not take mail from the address of mail.from"
    } else if error.is_permanent() {
        "the mail server does not take mail from here"
    } else if error.is_transient() {
        "the mail server asks to try later"
    } else if error.is_tls() {
        "no TLS with the mail server"
    } else if error.is_timeout() {
        "the mail server took too long"
    } else if error.is_client() {
        "the mail server does not speak as expected"
    } else {
        "the mail server cannot be reached"
    };
    MailError::Later(format!("{what}{code}"))
}

/// Checks for a policy error by RFC 3463: `5.7.…` is about who may send what where, such as a relay that does not know this
/// server; `5.1.…` is about the mailbox.
fn is_about_policy(error: &Error) -> bool {
    std::error::Error::source(error).is_some_and(|said| said.to_string().trim_start().starts_with("5.7."))
}

/// Checks whether a host is this machine. For this scheme, the URL parser does not distinguish IP addresses from names.
fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Decodes the percent signs in an address's user or password.
fn percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        if *first == b'%' {
            let digits = std::str::from_utf8(behind.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &behind[2..];
        } else {
            bytes.push(*first);
            rest = behind;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str, from: &str) -> Result<Smtp> {
        Smtp::new(&Secret::from(url.to_owned()), from, &Url::parse("https://desk.example.com/").unwrap())
    }

    #[test]
    fn what_is_wrong_with_the_settings_is_said_without_the_password() {
        for (url, from) in [
            ("http://u:hunter2@mail.example.com", "Desk <desk@example.com>"),
            ("smtp:hunter2", "Desk <desk@example.com>"),
            ("smtps://u:%FFhunter2@mail.example.com", "Desk <desk@example.com>"),
            ("smtps://u:hunter2@mail.example.com", "nobody"),
        ] {
            let error = format!("{:#}", of(url, from).err().expect("refused"));
            assert!(!error.contains("hunter2"), "{error}");
        }
        assert!(of("smtps://u:p%40ss@mail.example.com", "Desk <desk@example.com>").is_ok());
        assert!(is_this_machine("127.0.0.1") && is_this_machine("::1") && is_this_machine("localhost"));
        assert!(
            !is_this_machine("0.0.0.0")
                && !is_this_machine("mail.example.com")
                && !is_this_machine("localhost.example")
        );
        assert_eq!(percent("p%40ss").as_deref(), Some("p@ss"));
    }

    #[test]
    fn a_mail_has_both_forms_and_a_name_that_stays_the_same() {
        let smtp = of("smtp://localhost:2525", "Desk <desk@example.com>").unwrap();
        let mail =
            Mail::new("ada@example.com", "Größe\u{202f}& more").says("Hello").leads_to("Open", "https://d.example/x");
        let id = MailId::new(&adagent_domain::SequentialIds::default());
        let text = || String::from_utf8(smtp.message(id, &mail).unwrap().formatted()).unwrap();
        assert!(text().contains(&format!("Message-ID: <{id}@desk.example.com>")), "{}", text());
        assert!(text().contains("text/plain") && text().contains("text/html"));
        let hostile = Mail::new("ada@example.com\r\nBcc: eve@example.com", "Hi");
        assert!(matches!(smtp.message(id, &hostile), Err(MailError::Never(_))));
        let hostile = Mail::new("ada@example.com", "Hi\r\nBcc: eve@example.com");
        let text = String::from_utf8(smtp.message(id, &hostile).unwrap().formatted()).unwrap();
        assert!(!text.lines().any(|line| line.starts_with("Bcc:")), "{text}");
    }
}
