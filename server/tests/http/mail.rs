//! Mail over real SMTP: to an independent mail server, and to one that misbehaves in every way that matters.

use std::process::Stdio;

use adagent_domain::{MailId, SequentialIds};
use adagent_server::mail::Smtp;
use adagent_service::{Mail, MailError, Mailer as _};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    net::{TcpListener, TcpStream},
    process::{Child, ChildStdout, Command},
};

use crate::{
    harness::{Caller, TestApp},
    mcp_clients::{end2end, python},
};

/// A mail server in its own process.
struct Catcher {
    port: String,
    lines: Lines<BufReader<ChildStdout>>,
    _child: Child,
}

impl Catcher {
    async fn start(user: &str, password: &str) -> Self {
        let mut command = Command::new(python("mail", "import aiosmtpd").await);
        command.arg(end2end().join("peers/mail_catcher.py")).args([user, password]);
        command.kill_on_drop(true).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("python starts");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.next_line().await.unwrap().expect("it says its port");
        Self { port, lines, _child: child }
    }

    /// Returns the next mail to this address.
    async fn next_to(&mut self, address: &str) -> Value {
        loop {
            let mail = self.next().await;
            if mail["to"] == json!([address]) {
                return mail;
            }
        }
    }

    /// Lets a person request a confirmation link and follow it. Only the newest link works.
    async fn prove(&mut self, who: &Caller<'_>, address: &str) {
        assert_eq!(who.post("/api/account/verify-email", json!({})).await.status, 202);
        loop {
            let mail = self.next_to(address).await;
            let Some((_, rest)) = mail["plain"].as_str().unwrap().split_once("/verify-email/") else { continue };
            let secret: String = rest.chars().take_while(|c| !c.is_whitespace()).collect();
            if who.post("/api/auth/verify-email", json!({"token": secret})).await.status == 204 {
                return;
            }
        }
    }

    async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(std::time::Duration::from_mins(1), self.lines.next_line());
        serde_json::from_str(&line.await.expect("a mail comes").unwrap().expect("the catcher lives")).unwrap()
    }
}

/// Starts a server that sends its mail there.
async fn sending_by(url: String) -> TestApp {
    TestApp::with(|config| {
        config.mail.url = Some(url.into());
        config.mail.from = Some("ADAgentAI <desk@example.com>".into());
    })
    .await
}

/// Starts a mail server that accepts mail, and a server that uses it.
async fn with_a_catcher() -> (TestApp, Catcher) {
    let catcher = Catcher::start("desk", "hunter2").await;
    (sending_by(format!("smtp://desk:hunter2@127.0.0.1:{}", catcher.port)).await, catcher)
}

#[tokio::test]
async fn an_invitation_reaches_a_mail_server_that_asks_for_a_password() {
    let mut catcher = Catcher::start("desk", "p@ss/word").await;
    let url = format!("smtp://desk:p%40ss%2Fword@127.0.0.1:{}", catcher.port);
    let app = sending_by(url).await;
    let ada = app.person("ada").await;
    catcher.prove(&ada, "ada@example.com").await;
    let acme = ada.post("/api/organizations", json!({"name": "Größe & Söhne"})).await.json();
    let path = format!("/api/organizations/{}/invitations", acme["id"].as_str().unwrap());
    let invited = ada.post(&path, json!({"email": "bob+ads@example.com", "role": "admin"})).await;
    assert_eq!((invited.status, invited.json()["mail"].as_str()), (201, Some("queued")), "{}", invited.text);
    let mail = catcher.next_to("bob+ads@example.com").await;
    assert_eq!((mail["from"].as_str(), &mail["to"]), (Some("desk@example.com"), &json!(["bob+ads@example.com"])));
    assert_eq!(
        (mail["subject"].as_str(), mail["from_header"].as_str()),
        (Some("You're invited to an organization on ADAgentAI"), Some("ADAgentAI <desk@example.com>"))
    );
    assert!(
        mail["plain"].as_str().unwrap().contains("bob+ads@example.com")
            && mail["html"].as_str().unwrap().contains("Größe &amp; Söhne")
    );
    assert!(mail["message_id"].as_str().unwrap().ends_with("@127.0.0.1>"), "{mail}");
    // With a mail server, there is no outbox.
    let page = reqwest::get(format!("{}/dev/outbox", app.running.base_url())).await.unwrap();
    assert!(!page.text().await.unwrap().contains("bob+ads"));
    app.stop().await;
}

/// If mail reaches people, an address belongs to the person who followed a link in a mail to it, because anybody can sign up with
/// any address.
#[tokio::test]
async fn an_invitation_is_for_who_reads_the_address_and_not_for_who_signed_up_with_it() {
    let (app, mut catcher) = with_a_catcher().await;
    let (ada, bob) = (app.person("ada").await, app.person("bob").await);
    let acme = ada.post("/api/organizations", json!({"name": "Acme"})).await.json();
    let path = format!("/api/organizations/{}/invitations", acme["id"].as_str().unwrap());
    let invite = async || ada.post(&path, json!({"email": "bob@example.com", "role": "admin"})).await;
    let refused = invite().await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert!(refused.json()["detail"].as_str().unwrap().contains("Confirm your own email"), "{}", refused.text);
    catcher.prove(&ada, "ada@example.com").await;
    let invited = invite().await;
    assert_eq!(invited.status, 201, "{}", invited.text);
    let accept = format!("/api/invitations/{}/accept", invited.json()["id"].as_str().unwrap());
    let received = async || bob.get("/api/me").await.json()["invitations"].as_array().unwrap().len();
    assert_eq!(received().await, 0);
    for answer in [accept.clone(), accept.replace("/accept", "/reject")] {
        assert_eq!(bob.post(&answer, json!({})).await.status, 404);
    }
    catcher.prove(&bob, "bob@example.com").await;
    assert_eq!(received().await, 1);
    assert_eq!(bob.post(&accept, json!({})).await.json()["role"], "admin");
    app.stop().await;
}

/// What a mail server says at each step; by default, the usual answer.
#[derive(Default)]
struct Manners {
    greeting: Option<&'static str>,
    auth: Option<&'static str>,
    sender: Option<&'static str>,
    recipient: Option<&'static str>,
    /// `""` hangs up instead of answering.
    taken: Option<&'static str>,
}

async fn mail_server_of(listener: &TcpListener) -> TcpStream {
    listener.accept().await.unwrap().0
}

/// Handles one conversation; returns everything the client sent.
async fn converse(stream: TcpStream, manners: Manners) -> String {
    let mut stream = BufReader::new(stream);
    say(&mut stream, manners.greeting.unwrap_or("220 here")).await;
    let mut said = String::new();
    let mut line = String::new();
    while stream.read_line(&mut line).await.unwrap_or(0) > 0 {
        said.push_str(&line);
        let word = line.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
        match word.as_str() {
            "EHLO" => say(&mut stream, "250-here\r\n250-AUTH PLAIN\r\n250 8BITMIME").await,
            "AUTH" => say(&mut stream, manners.auth.unwrap_or("235 welcome")).await,
            "MAIL" => say(&mut stream, manners.sender.unwrap_or("250 fine")).await,
            "RCPT" => say(&mut stream, manners.recipient.unwrap_or("250 fine")).await,
            "DATA" => {
                say(&mut stream, "354 go on").await;
                while !said.ends_with("\r\n.\r\n") {
                    let mut bytes = [0; 1024];
                    let read = stream.read(&mut bytes).await.unwrap();
                    said.push_str(&String::from_utf8_lossy(&bytes[..read]));
                }
                match manners.taken {
                    Some("") => return said,
                    answer => say(&mut stream, answer.unwrap_or("250 taken")).await,
                }
            }
            "QUIT" => {
                say(&mut stream, "221 bye").await;
                break;
            }
            _ => say(&mut stream, "250 fine").await,
        }
        line.clear();
    }
    said
}

async fn say(stream: &mut BufReader<TcpStream>, text: &str) {
    let _ = stream.write_all(format!("{text}\r\n").as_bytes()).await;
}

async fn sent(id: MailId, manners: Manners) -> (Result<(), MailError>, String) {
    sent_to("127.0.0.1", id, manners).await
}

async fn sent_to(host: &str, id: MailId, manners: Manners) -> (Result<(), MailError>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://desk:hunter2@{host}:{}", listener.local_addr().unwrap().port());
    let smtp =
        Smtp::new(&url.into(), "Desk <desk@example.com>", &"https://desk.example.com/".parse().unwrap()).unwrap();
    let mail = Mail::new("ada@example.com", "Hello")
        .says("One.\n.\nTwo.")
        .leads_to("Open", "https://desk.example/secret-link");
    let conversation = tokio::spawn(async move { converse(mail_server_of(&listener).await, manners).await });
    let outcome = smtp.send(id, &mail).await;
    drop(smtp);
    (outcome, conversation.await.unwrap())
}

#[tokio::test]
async fn what_a_mail_server_says_decides_whether_it_is_tried_again() {
    let id = MailId::new(&SequentialIds::default());
    let (outcome, mail) = sent(id, Manners::default()).await;
    assert_eq!(outcome, Ok(()));
    assert!(mail.contains("One.") && mail.contains("Two.") && mail.contains(&id.to_string()), "{mail}");
    let later = [
        Manners { greeting: Some("421 too busy"), ..Manners::default() },
        Manners { greeting: Some("not a mail server"), ..Manners::default() },
        Manners { auth: Some("535 no such user desk with hunter2"), ..Manners::default() },
        Manners { sender: Some("550 5.1.0 no desk@example.com here, says hunter2"), ..Manners::default() },
        Manners { sender: Some("553 not yours"), ..Manners::default() },
        Manners { recipient: Some("451 greylisted"), ..Manners::default() },
        Manners { recipient: Some("554 5.7.1 ada@example.com: relay access denied"), ..Manners::default() },
        Manners { recipient: Some("503 sign in first"), ..Manners::default() },
        Manners { taken: Some("521 no mail from your address"), ..Manners::default() },
        Manners { taken: Some("452 full"), ..Manners::default() },
        Manners { taken: Some(""), ..Manners::default() },
    ];
    for manners in later {
        let (outcome, _) = sent(id, manners).await;
        let Err(MailError::Later(told)) = outcome else { panic!("{outcome:?}") };
        assert!(!told.contains("hunter2") && !told.contains("ada@") && !told.contains("secret-link"), "{told}");
    }
    for manners in [
        Manners { recipient: Some("550 no ada@example.com here"), ..Manners::default() },
        Manners { recipient: Some("550 5.1.1 no ada@example.com here"), ..Manners::default() },
        Manners { taken: Some("554 spam"), ..Manners::default() },
    ] {
        let (outcome, _) = sent(id, manners).await;
        let Err(MailError::Never(told)) = outcome else { panic!("{outcome:?}") };
        assert!(!told.contains("ada@"), "{told}");
    }
    // Here the same code is about this server's own address. The error says so to the administrator, who can fix it.
    let (outcome, _) = sent(id, Manners { sender: Some("550 who are you"), ..Manners::default() }).await;
    let Err(MailError::Later(told)) = outcome else { panic!("{outcome:?}") };
    assert!(told.contains("mail.from") && told.contains("550"), "{told}");
    // The mail is sent again because the answer was lost. It keeps its message ID, so that receivers can recognize the copy.
    let (_, first) = sent(id, Manners { taken: Some(""), ..Manners::default() }).await;
    let (_, second) = sent(id, Manners::default()).await;
    let name = |mail: &str| mail.lines().find(|line| line.starts_with("Message-ID:")).map(str::to_owned);
    assert!(name(&first).is_some() && name(&first) == name(&second));
}

/// Except on this machine, the server says only a greeting without TLS, even to a mail server that does not offer TLS.
#[tokio::test]
async fn neither_password_nor_mail_travel_without_tls() {
    // The system routes this address to this machine, but it is not a loopback address.
    let (outcome, said) = sent_to("0.0.0.0", MailId::new(&SequentialIds::default()), Manners::default()).await;
    assert!(matches!(outcome, Err(MailError::Later(_))), "{outcome:?}");
    assert!(said.starts_with("EHLO") && !said.contains("AUTH") && !said.contains("secret-link"), "{said}");
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_not_taken() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtps://desk:hunter2@localhost:{}", listener.local_addr().unwrap().port());
    let smtp = Smtp::new(&url.into(), "desk@example.com", &"https://desk.example.com/".parse().unwrap()).unwrap();
    let plain = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"220 here, and no TLS\r\n").await.unwrap();
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said).await;
        said
    });
    let outcome = smtp.send(MailId::new(&SequentialIds::default()), &Mail::new("ada@example.com", "Hello")).await;
    assert!(matches!(outcome, Err(MailError::Later(_))), "{outcome:?}");
    drop(smtp);
    let said = plain.await.unwrap();
    assert!(!String::from_utf8_lossy(&said).contains("EHLO"), "{said:?}");
}

/// Anybody can sign up with any address. A person who never confirmed it must not erase or export what others wrote about that
/// address.
#[tokio::test]
async fn who_never_proved_an_address_blanks_nobodys_log_and_takes_no_invitation_home() {
    let (app, mut catcher) = with_a_catcher().await;
    let ada = app.person("ada").await;
    catcher.prove(&ada, "ada@example.com").await;
    let acme = ada.post("/api/organizations", json!({"name": "Acme"})).await.json()["id"].as_str().unwrap().to_owned();
    let (log, invitations) =
        (format!("/api/organizations/{acme}/audit-log"), format!("/api/organizations/{acme}/invitations"));
    let invited = ada.post(&invitations, json!({"email": "bob@example.com", "role": "admin"})).await;
    assert_eq!(invited.status, 201, "{}", invited.text);
    let before = ada.get(&log).await.json();
    assert!(before.to_string().contains("bob@example.com"), "{before}");
    let erase = async |who: &Caller<'_>| {
        let gone =
            who.post("/api/account/delete", json!({"email": "bob@example.com", "password": "correct horse"})).await;
        assert_eq!(gone.status, 204, "{}", gone.text);
    };
    let squatter = app.person("bob").await;
    assert_eq!(squatter.get("/api/account/export").await.json()["invitations"], json!([]));
    erase(&squatter).await;
    assert_eq!(ada.get(&log).await.json(), before);
    assert_eq!(ada.get(&invitations).await.json()["items"].as_array().map(Vec::len), Some(1));
    // The owner of the address takes everything along.
    let bob = app.person("bob").await;
    catcher.prove(&bob, "bob@example.com").await;
    assert_eq!(bob.get("/api/account/export").await.json()["invitations"].as_array().map(Vec::len), Some(1));
    erase(&bob).await;
    let after = ada.get(&log).await;
    assert!(!after.text.contains("bob@example.com"), "{}", after.text);
    assert_eq!(ada.get(&invitations).await.json()["items"], json!([]));
    assert_eq!(ada.get(&format!("{log}/verification")).await.json()["holds"], true);
    app.stop().await;
}

/// The mail server refuses the address in `mail.from`: the person who invited sees why the mail waits, and nothing is lost.
#[tokio::test]
async fn a_refused_sender_is_said_on_the_team_page_and_the_mail_waits() {
    let mail_server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://desk:hunter2@127.0.0.1:{}", mail_server.local_addr().unwrap().port());
    let app = sending_by(url).await;
    let ada = app.person("ada").await;
    // The first mail asks her to confirm her address. The test confirms it in the database instead.
    converse(mail_server_of(&mail_server).await, Manners::default()).await;
    // Until then, the page of an invitation says what is missing.
    let page = ada.get("/invitations/019aa5c4-9a3e-7000-8000-000000000001").await;
    assert!(page.text.contains("Confirm your email first"), "{}", page.text);
    app.database.execute("update users set email_verified_at = 1").await.unwrap();
    let acme = ada.post("/api/organizations", json!({"name": "Acme"})).await.json()["id"].as_str().unwrap().to_owned();
    let invitations = format!("/api/organizations/{acme}/invitations");
    let invited = ada.post(&invitations, json!({"email": "bob@example.com", "role": "member"})).await;
    assert_eq!(invited.status, 201, "{}", invited.text);
    let refusing = Manners { sender: Some("550 who is desk@example.com"), ..Manners::default() };
    converse(mail_server_of(&mail_server).await, refusing).await;
    let told = async {
        loop {
            let listed = ada.get(&invitations).await.json()["items"][0].clone();
            if listed["mail_error"].is_string() {
                return listed;
            }
            tokio::task::yield_now().await;
        }
    };
    let told = tokio::time::timeout(std::time::Duration::from_mins(1), told).await.expect("it is written down");
    assert_eq!(told["mail"], "queued", "{told}");
    let error = told["mail_error"].as_str().unwrap();
    assert!(error.contains("mail.from") && error.contains("550") && !error.contains('@'), "{error}");
    app.stop().await;
}
