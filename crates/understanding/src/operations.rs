//! The names of the operations of all nine catalogs. Nothing else, so that every file may ask.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Deserialize)]
struct Operation {
    name: String,
}

/// Checks whether the catalog has an operation of this name.
pub(crate) fn is_known(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let all: Vec<Operation> =
            serde_json::from_str(adagent_scorer::OPERATIONS).expect("data/operations.json is checked by a test");
        all.into_iter().map(|operation| operation.name).collect()
    });
    NAMES.contains(name)
}
