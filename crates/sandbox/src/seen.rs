//! The last requests to operations, including reads, for tests that count calls. In memory only; secrets never get here.

use std::collections::VecDeque;

use serde::Serialize;

/// How many requests are kept; older ones are dropped.
const KEPT: usize = 5_000;

/// One request as `GET /__sandbox/requests` shows it.
#[derive(Debug, Clone, Serialize)]
pub struct SeenRequest {
    pub seq: u64,
    pub network: &'static str,
    pub operation: &'static str,
    pub path: String,
    /// The status that the client got, even from an injected fault.
    pub status: u16,
    pub at: String,
}

#[derive(Default)]
pub struct Seen {
    list: VecDeque<SeenRequest>,
    count: u64,
}

impl Seen {
    pub fn add(&mut self, network: &'static str, operation: &'static str, path: String, status: u16, at: String) {
        self.count += 1;
        if self.list.len() == KEPT {
            self.list.pop_front();
        }
        self.list.push_back(SeenRequest { seq: self.count, network, operation, path, status, at });
    }

    pub fn list(&self) -> impl Iterator<Item = &SeenRequest> {
        self.list.iter()
    }

    pub fn clear(&mut self) {
        self.list.clear();
    }
}
