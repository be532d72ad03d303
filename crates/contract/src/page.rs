//! Every list comes in pages.

use serde::{Deserialize, Serialize};

/// One page of a list; `next_cursor` is opaque and absent on the last page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    pub fn last(items: Vec<T>) -> Self {
        Self { items, next_cursor: None }
    }
}
