//! Sends one mail to a mail server step by step, so that we know what a refusal is about. The same code after the sender means
//! that this server's settings are wrong; after the recipient, it means that the mailbox does not exist.
//!
//! This module must not log or keep any part of the conversation.

use std::time::Duration;

use lettre::{
    address::Envelope,
    transport::smtp::{
        Error,
        authentication::{Credentials, DEFAULT_MECHANISMS},
        client::{AsyncSmtpConnection, Tls, TlsParameters},
        commands::{Data, Mail, Rcpt},
        extension::{ClientId, Extension, MailBodyParameter, MailParameter},
    },
};

/// The step at which the conversation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// The connection, and the name that this server gives for itself.
    Us,
    /// The sender, from `mail.from`.
    Sender,
    Recipient,
    Mail,
}

const GOODBYE: Duration = Duration::from_secs(2);

/// How to reach a mail server.
pub struct Way {
    pub host: String,
    pub port: u16,
    pub tls: Tls,
    pub hello: ClientId,
    pub credentials: Option<Credentials>,
    pub patience: Duration,
}

impl Way {
    pub async fn send(&self, envelope: &Envelope, mail: &[u8]) -> Result<(), (About, Error)> {
        let mut connection = self.connect().await.map_err(|error| (About::Us, error))?;
        let told = tell(&mut connection, envelope, mail).await;
        // The reply to QUIT does not matter: if the mail server never sends it, an accepted mail must not count as late and be
        // sent again.
        let _ = tokio::time::timeout(GOODBYE, connection.abort()).await;
        told
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, Error> {
        let wrapped: Option<TlsParameters> = match &self.tls {
            Tls::Wrapper(parameters) => Some(parameters.clone()),
            _ => None,
        };
        let place = (self.host.as_str(), self.port);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(place, Some(self.patience), &self.hello, wrapped, None).await?;
        if let Tls::Required(parameters) = &self.tls {
            connection.starttls(parameters.clone(), &self.hello).await?;
        }
        if let Some(credentials) = &self.credentials {
            connection.auth(DEFAULT_MECHANISMS, credentials).await?;
        }
        Ok(connection)
    }
}

async fn tell(connection: &mut AsyncSmtpConnection, envelope: &Envelope, mail: &[u8]) -> Result<(), (About, Error)> {
    let about = |about| move |error| (about, error);
    let knows = |feature| connection.server_info().supports_feature(feature);
    let mut how = Vec::new();
    if !envelope.to().iter().chain(envelope.from()).all(|address| AsRef::<str>::as_ref(address).is_ascii())
        && knows(Extension::SmtpUtfEight)
    {
        how.push(MailParameter::SmtpUtfEight);
    }
    if !mail.is_ascii() && knows(Extension::EightBitMime) {
        how.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    connection.command(Mail::new(envelope.from().cloned(), how)).await.map_err(about(About::Sender))?;
    for to in envelope.to() {
        connection.command(Rcpt::new(to.clone(), Vec::new())).await.map_err(about(About::Recipient))?;
    }
    connection.command(Data).await.map_err(about(About::Mail))?;
    connection.message(mail).await.map_err(about(About::Mail)).map(drop)
}
