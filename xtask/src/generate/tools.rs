//! The facts about each operation that ranking needs, for the evaluation: the understanding is pure and cannot read the catalog
//! itself.
//!
//! The list must match what the product offers: every operation of every file, including those that are only inferred.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::networks::ORDER;

/// Fields that are copied unchanged.
const KEPT: [&str; 6] = ["name", "title", "description", "capability", "read_only", "destructive"];

/// Returns one line for each operation of the catalog.
pub fn list(catalog: &Path) -> Result<String> {
    let mut lines = Vec::new();
    for network in ORDER {
        let path = catalog.join(format!("{network}.json"));
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let file: Value = serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))?;
        let tools = file["tools"].as_array().with_context(|| format!("{} has no tools", path.display()))?;
        lines.extend(tools.iter().map(|tool| line(network, tool).to_string()));
    }
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}

fn line(network: &str, tool: &Value) -> Value {
    let mut out: Map<String, Value> = KEPT.iter().map(|key| ((*key).to_owned(), tool[key].clone())).collect();
    let params: Vec<&str> = tool["input_schema"]["properties"]
        .as_object()
        .map(|properties| properties.keys().map(String::as_str).collect())
        .unwrap_or_default();
    out.insert("network".to_owned(), json!(network));
    out.insert("params".to_owned(), json!(params.join(" ")));
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_the_evaluation_is_the_catalogue() {
        let root = crate::workspace::root();
        let made = list(&root.join("crates/networks/catalog")).expect("the catalogue is there");
        let kept = fs::read_to_string(root.join("crates/scorer/data/operations.json")).expect("it is committed");
        assert!(made == kept, "crates/scorer/data/operations.json is stale: run `cargo xtask generate`");
    }

    #[test]
    fn an_operation_is_its_texts_and_the_names_of_its_parameters() {
        let tool = json!({
            "name": "admob_list_apps", "title": "List apps", "description": "All of them.", "capability": "inventory",
            "read_only": true, "destructive": false, "http": {"method": "GET"},
            "input_schema": {"properties": {"account_id": {}, "page_size": {}}},
        });
        let line = line("admob", &tool);
        assert_eq!(line["params"], "account_id page_size");
        assert_eq!(line["network"], "admob");
        assert!(line.get("http").is_none());
    }
}
