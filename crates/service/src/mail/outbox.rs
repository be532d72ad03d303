//! Mails that go nowhere: what a developer's server does with them, and what tests read.
//!
//! For one machine alone: anyone who reads it can follow every link in it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use adagent_domain::{Clock, MailId, Timestamp};
use async_trait::async_trait;

use super::{Mail, MailError, Mailer};

/// As many as are kept; older ones go.
const KEPT: usize = 200;

/// A mail as it would have been sent.
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

    /// Newest first.
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
