//! The last requests to operations, reads too, for tests that count calls. Kept in memory only; secrets never get here.

use std::collections::VecDeque;

use serde::Serialize;

/// Older ones make room.
const KEPT: usize = 5_000;

/// One request as `GET /__sandbox/requests` shows it.
#[derive(Debug, Clone, Serialize)]
pub struct SeenRequest {
    pub seq: u64,
    pub network: &'static str,
    pub operation: &'static str,
    pub path: String,
    /// Status that left, injected faults included.
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
