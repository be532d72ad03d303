//! An outbox for emails that are not sent: for a developer's server, and for tests.
//!
//! Use it only on one machine: anyone who reads it can open every link in it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use adagent_domain::{Clock, MailId, Timestamp};
use async_trait::async_trait;

use super::{Mail, MailError, Mailer};

/// How many emails it keeps; it drops older ones.
const KEPT: usize = 200;

/// An email as we would have sent it.
#[derive(Debug, Clone)]
pub struct Kept {
    pub id: MailId,
    pub at: Timestamp,
    pub mail: Mail,
}

pub struct Outbox {
    clock: Arc<dyn Clock>,
    mails: Mutex<VecDeque<Kept>>,
}

impl Outbox {
    pub fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { clock, mails: Mutex::default() })
    }

    /// Returns the emails, newest first.
    pub fn mails(&self) -> Vec<Kept> {
        self.mails.lock().unwrap_or_else(PoisonError::into_inner).iter().rev().cloned().collect()
    }
}

#[async_trait]
impl Mailer for Outbox {
    async fn send(&self, id: MailId, mail: &Mail) -> Result<(), MailError> {
        let mut mails = self.mails.lock().unwrap_or_else(PoisonError::into_inner);
        if mails.len() == KEPT {
            mails.pop_front();
        }
        mails.push_back(Kept { id, at: self.clock.now(), mail: mail.clone() });
        Ok(())
    }
}
