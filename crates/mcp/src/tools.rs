//! The catalog as MCP lists it: one tool per operation, with its hints, in pages.
//!
//! The schemas are those of the catalog. They contain no credentials: these are added only when a request is signed, in another crate.

use std::{collections::HashMap, fmt::Write as _, sync::Arc};

use adagent_contract::ReportData;
use adagent_domain::Source;
use adagent_tools::{Confidence, ToolInfo};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use rmcp::{
    ErrorData,
    model::{JsonObject, Tool, ToolAnnotations},
};
use serde_json::{Value as Json, json};

use crate::answers;

/// The prefix of the names of this program's own tools.
const OWN: &str = "adagent_";
/// How many tools a page holds.
pub(crate) const PAGE: usize = 50;

/// Every operation, made once, because clients often ask for the list and it changes only with the program.
pub(crate) struct Listed(HashMap<String, Tool>);

impl Listed {
    pub fn new(tools: &[Arc<ToolInfo>]) -> Self {
        Self(tools.iter().map(|tool| (name_here(tool), listed(tool))).collect())
    }

    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.0.get(name)
    }
}

/// Returns the name of a tool here. Clients know many servers, so the names of this program's own tools say where they come from.
pub(crate) fn name_here(tool: &ToolInfo) -> String {
    match tool.source {
        Source::Network(_) => tool.name.clone(),
        // We do not offer tools of tool servers to clients.
        Source::Native | Source::Mcp => format!("{OWN}{}", tool.name),
    }
}

/// Returns the tool that a client may mean by a name; compare with [`name_here`] to be sure.
pub(crate) fn meant(name: &str) -> &str {
    name.strip_prefix(OWN).unwrap_or(name)
}

/// A page of names in order, after the one in the cursor.
pub(crate) struct Paged<'a> {
    pub names: &'a [String],
    pub next: Option<String>,
}

/// Cuts a page out of ordered names. If the name in the cursor has disappeared meanwhile, the page begins after its place.
pub(crate) fn page<'a>(names: &'a [String], cursor: Option<&str>) -> Result<Paged<'a>, ErrorData> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let last = read_cursor(cursor)?;
            names.partition_point(|name| *name <= last)
        }
    };
    let end = names.len().min(start + PAGE);
    let next = (end < names.len()).then(|| B64.encode(&names[end - 1]));
    Ok(Paged { names: &names[start..end], next })
}

fn read_cursor(cursor: &str) -> Result<String, ErrorData> {
    let bytes = B64.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    bytes.filter(|text| text.len() <= 200).ok_or_else(|| {
        ErrorData::invalid_params("This cursor isn't from this list. Use nextCursor from the previous page.", None)
    })
}

fn listed(tool: &ToolInfo) -> Tool {
    let mut description = tool.description.clone();
    if !tool.read_only {
        description
            .push_str(" The call itself changes nothing: it asks for approval, which a person gives in ADAgentAI.");
    }
    if tool.confidence == Confidence::Inferred {
        description.push_str(" Not confirmed by the network's documentation.");
    }
    let annotations = ToolAnnotations::with_title(&tool.title)
        .read_only(tool.read_only)
        .destructive(tool.destructive)
        .idempotent(tool.idempotent)
        .open_world(true);
    let output = if tool.read_only { answers::read_schema() } else { answers::run_schema() };
    Tool::new(name_here(tool), description, schema(&tool.input_schema))
        .with_title(&tool.title)
        .with_raw_output_schema(Arc::new(schema(&output)))
        .with_annotations(annotations)
}

/// Returns the schema as an object with `"type": "object"`, as MCP requires.
pub(crate) fn schema(value: &Json) -> JsonObject {
    let mut object = value.as_object().cloned().unwrap_or_default();
    object.entry("type").or_insert_with(|| json!("object"));
    object
}

/// Returns the first line for people and models: what came back, and which network it came from.
pub(crate) fn headline(tool: &ToolInfo, summary: &str, cached: bool, result: &Json) -> String {
    let fresh = if cached { ", cached a moment ago" } else { "" };
    let mut line = format!("{}: {summary}{fresh}.", tool.source.display_name());
    if let Some(report) = ReportData::from_result(result) {
        let _ = write!(line, " {} to {}", report.date_from, report.date_to);
        if let Some(zone) = &report.time_zone {
            let _ = write!(line, " ({zone})");
        }
        if let Some(currency) = &report.currency {
            let _ = write!(line, ", amounts in {currency}");
        }
        line.push('.');
        for warning in &report.warnings {
            line.push(' ');
            line.push_str(warning);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|n| format!("tool_{n:03}")).collect()
    }

    #[test]
    fn pages_show_everything_once_and_end() {
        let all = names(120);
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let page = page(&all, cursor.as_deref()).unwrap();
            assert!(page.names.len() <= PAGE);
            seen.extend_from_slice(page.names);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, all);
    }

    #[test]
    fn a_list_that_shrank_shows_nothing_twice() {
        let before = names(120);
        let cursor = page(&before, None).unwrap().next;
        let after: Vec<String> = before.iter().filter(|name| *name != "tool_049").cloned().collect();
        assert_eq!(page(&after, cursor.as_deref()).unwrap().names.first().map(String::as_str), Some("tool_050"));
    }

    #[test]
    fn foreign_cursors_are_refused() {
        for foreign in ["%", "💥", "/w", &"A".repeat(4000)] {
            assert!(page(&names(3), Some(foreign)).is_err(), "{foreign}");
        }
    }

    #[test]
    fn a_schema_says_that_it_is_an_object() {
        assert_eq!(schema(&json!({"properties": {}}))["type"], "object");
        assert_eq!(schema(&Json::Null)["type"], "object");
    }
}
