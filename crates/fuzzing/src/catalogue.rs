//! Arguments for an operation, as a model or a program sends them: any JSON is checked, and every finding names a place in it.

use std::sync::{Arc, LazyLock};

use adagent_networks::{Catalogue, Operation};
use serde_json::Value;

static OPERATIONS: LazyLock<Vec<Arc<Operation>>> = LazyLock::new(|| {
    let catalogue = Catalogue::built_in().expect("the catalogue loads");
    catalogue.tools().iter().filter_map(|tool| catalogue.get(&tool.name).cloned()).collect()
});

/// Runs the target. Two bytes choose the operation; the rest is its arguments.
pub fn run(data: &[u8]) {
    let [one, two, rest @ ..] = data else { return };
    let Ok(args) = serde_json::from_slice::<Value>(rest) else { return };
    let operation = &OPERATIONS[usize::from(u16::from_le_bytes([*one, *two])) % OPERATIONS.len()];
    for found in operation.check(&args) {
        assert!(!found.message.is_empty(), "{found:?}");
        assert!(found.pointer.is_empty() || found.pointer.starts_with('/'), "{found:?}");
    }
}
