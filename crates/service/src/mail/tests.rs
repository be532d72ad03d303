//! Tests the queue with a mail server that fails as the test says, and a clock that the test moves.

use std::sync::{Arc, Mutex};

use adagent_domain::{Clock as _, MailId};
use adagent_store::{Queue, QueueBacklog};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::{Mail, MailError, Mailer, Mailing, resend_mails};
use crate::{
    WorkedOff,
    connections::tests::{self as world, Desk},
};

/// A mail server that gives the prepared answers in turn, then accepts everything.
#[derive(Default)]
struct Moody {
    answers: Mutex<Vec<MailError>>,
    taken: Mutex<Vec<(MailId, Mail)>>,
}

#[async_trait]
impl Mailer for Moody {
    async fn send(&self, id: MailId, mail: &Mail) -> Result<(), MailError> {
        if let Some(error) = self.answers.lock().unwrap().pop() {
            return Err(error);
        }
        self.taken.lock().unwrap().push((id, mail.clone()));
        Ok(())
    }
}

/// Makes the usual desk, with another way to send email.
async fn mailing(mail: Mailing) -> Desk {
    let mut desk = world::desk().await;
    Arc::get_mut(&mut desk.service).expect("nobody else has it yet").mail = mail;
    desk
}

async fn desk(answers: Vec<MailError>) -> (Desk, Arc<Moody>) {
    let moody = Arc::new(Moody { answers: Mutex::new(answers), ..Moody::default() });
    (mailing(Mailing::by(moody.clone())).await, moody)
}

/// Longer than all attempts of the queue together.
const STANDS: i64 = 7 * 24 * 60 * 60;

async fn queued(desk: &Desk) -> MailId {
    let mail = Mail::new("ada@example.com", "Hello").leads_to("Open", "https://desk.example/secret-link");
    let mut work = desk.service.store.begin().await.unwrap();
    let id = desk.service.queue_mail(&mut *work, "test", &mail, STANDS).await.unwrap();
    work.commit().await.unwrap();
    id
}

async fn deliver(desk: &Desk) -> WorkedOff {
    desk.service.deliver_mails(&CancellationToken::new()).await.unwrap()
}

fn busy() -> MailError {
    MailError::Later("busy".into())
}

#[tokio::test]
async fn a_mail_is_tried_again_later_and_later_and_then_arrives_once() {
    let (desk, moody) = desk(vec![busy(), busy()]).await;
    let id = queued(&desk).await;
    assert_eq!(deliver(&desk).await, WorkedOff { again: 1, ..WorkedOff::default() });
    assert_eq!(deliver(&desk).await, WorkedOff::default(), "not at once");
    desk.clock.advance_millis(30_000);
    assert_eq!(deliver(&desk).await.again, 1);
    desk.clock.advance_millis(30_000);
    assert_eq!(deliver(&desk).await, WorkedOff::default(), "the second wait is longer");
    desk.clock.advance_millis(30_000);
    assert_eq!(deliver(&desk).await.done, 1);
    desk.clock.advance_millis(24 * 3_600_000);
    assert_eq!(deliver(&desk).await, WorkedOff::default());
    let taken = moody.taken.lock().unwrap();
    assert_eq!(taken.iter().map(|(taken, mail)| (*taken, mail.to())).collect::<Vec<_>>(), [(id, "ada@example.com")]);
}

#[tokio::test]
async fn what_never_works_is_given_up_where_operators_see_it() {
    let (desk, moody) = desk(vec![busy(); 10]).await;
    queued(&desk).await;
    let mut tries = 0;
    while desk.service.store.queue_backlog(Queue::Mails).await.unwrap().waiting > 0 {
        let done = deliver(&desk).await;
        tries += done.again + done.given_up;
        desk.clock.advance_millis(6 * 3_600_000);
    }
    assert_eq!(tries, 10);
    assert_eq!(desk.service.store.queue_backlog(Queue::Mails).await.unwrap(), QueueBacklog { waiting: 0, failed: 1 });
    // An email that the server refuses for good is not tried again.
    moody.answers.lock().unwrap().push(MailError::Never("no such address".into()));
    queued(&desk).await;
    assert_eq!(deliver(&desk).await, WorkedOff { given_up: 1, ..WorkedOff::default() });
    assert!(moody.taken.lock().unwrap().is_empty());
}

/// The mail server was gone for too long. An administrator restarts the emails that we gave up; they are sent once, and only while their
/// content is valid.
#[tokio::test]
async fn what_was_given_up_can_be_sent_after_all_as_long_as_it_stands() {
    let (desk, moody) = desk(vec![busy(); 10]).await;
    let store = &*desk.service.store;
    let id = queued(&desk).await;
    while desk.service.store.queue_backlog(Queue::Mails).await.unwrap().waiting > 0 {
        deliver(&desk).await;
        desk.clock.advance_millis(6 * 3_600_000);
    }
    assert_eq!(deliver(&desk).await, WorkedOff::default());
    assert_eq!(resend_mails(store, desk.clock.now()).await.unwrap(), 1);
    assert_eq!(deliver(&desk).await.done, 1);
    assert_eq!(moody.taken.lock().unwrap().iter().map(|(taken, _)| *taken).collect::<Vec<_>>(), [id]);
    assert_eq!(resend_mails(store, desk.clock.now()).await.unwrap(), 0);
    // An email that was refused for good is not restarted, and an expired one is not sent.
    moody.answers.lock().unwrap().push(MailError::Never("no such address".into()));
    queued(&desk).await;
    assert_eq!(deliver(&desk).await.given_up, 1);
    assert_eq!(resend_mails(store, desk.clock.now()).await.unwrap(), 0);
    queued(&desk).await;
    desk.clock.advance_millis(STANDS * 1000);
    assert_eq!(deliver(&desk).await, WorkedOff { given_up: 1, ..WorkedOff::default() });
    assert_eq!(moody.taken.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn what_a_mail_says_is_not_readable_in_the_database() {
    use adagent_store::{SealedColumn, SealedKey};

    let (desk, _) = desk(Vec::new()).await;
    let id = queued(&desk).await;
    let row = desk.service.store.find_sealed(SealedColumn::Mails, &SealedKey::Id(id.0)).await.unwrap().unwrap();
    assert!(!row.sealed.contains("secret-link") && !row.sealed.contains("ada@"));
    let mail: Mail = desk.service.connections.vault().open_json(&super::queue::owner("test", id), &row.sealed).unwrap();
    assert_eq!(mail.url(), Some("https://desk.example/secret-link"));
    let other = super::queue::owner("test", MailId::new(&*desk.service.ids));
    assert!(
        desk.service.connections.vault().open(&other, &row.sealed).is_err(),
        "moved to another row it stays closed"
    );
    // The key is missing. We try again, because another process may have the key, or this one after its configuration is fixed, but not
    // forever.
    let mut work = desk.service.store.begin().await.unwrap();
    assert!(work.reseal(SealedColumn::Mails, &row, "a..b.c.d").await.unwrap());
    work.commit().await.unwrap();
    let mut done = WorkedOff::default();
    while desk.service.store.queue_backlog(Queue::Mails).await.unwrap().waiting > 0 {
        let pass = deliver(&desk).await;
        done = WorkedOff { again: done.again + pass.again, given_up: done.given_up + pass.given_up, ..done };
        desk.clock.advance_millis(6 * 3_600_000);
    }
    assert_eq!(done, WorkedOff { done: 0, again: 9, given_up: 1 });
    assert!(desk.clock.now() > adagent_domain::Timestamp::EPOCH);
}

#[tokio::test]
async fn without_a_mail_server_what_needs_mail_is_refused_and_nothing_is_queued() {
    let desk = mailing(Mailing::off()).await;
    let mut work = desk.service.store.begin().await.unwrap();
    let refused = desk.service.queue_mail(&mut *work, "test", &Mail::new("ada@example.com", "Hello"), STANDS).await;
    assert!(matches!(refused, Err(crate::ServiceError::MailOff)), "{refused:?}");
    drop(work);
    assert_eq!(desk.service.store.queue_backlog(Queue::Mails).await.unwrap(), QueueBacklog::default());
}
