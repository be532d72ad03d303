//! Searches the texts of documents.

use adagent_domain::Source;
use adagent_store::{Document, asked_words, snippet};
use adagent_tools::{CallScope, GroundingIssue, ToolError, ToolInfo, ToolOutput};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{issue, list::drawn, shown, text_of};
use crate::{
    desk::{Desk, unreadable},
    tool::{NativeTool, list, output, typed},
};

const MOST_FOUND: u32 = 50;
/// The length of the excerpt around the found words, in characters.
const SNIPPET: usize = 160;

pub(crate) struct SearchDocuments;

#[derive(Deserialize)]
struct Asked {
    query: String,
    limit: Option<u32>,
}

#[async_trait]
impl NativeTool for SearchDocuments {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "Search documents".into(),
            description: "Finds documents of this workspace with all of these words in title, folder or text; the last may be the beginning \
                          of a word. Each comes with the part of its text that has them."
                .into(),
            capability: "assistant".into(),
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["query"],
                "properties": {
                    "query": {"type": "string", "minLength": 1, "maxLength": 200, "description": "The words, such as `floors AppLovin`."},
                    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_FOUND, "default": 10},
                },
            })
            .into(),
            ..ToolInfo::named("search_documents", Source::Native)
        }
    }

    async fn ground(&self, _desk: &Desk, _scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let asked: Asked = typed(args)?;
        Ok(if asked_words(&asked.query).is_empty() {
            vec![issue("/query", "Name a word to look for.")]
        } else {
            Vec::new()
        })
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        let asked: Asked = typed(args)?;
        let (words, limit) = (asked_words(&asked.query), asked.limit.unwrap_or(10));
        let (zone, _) = desk.zone(scope.workspace).await?;
        // Ask for one more, to learn whether these are all.
        let mut found = desk.store.search_documents(scope.workspace, &words, limit + 1).await.map_err(unreadable)?;
        let complete = found.len() <= limit as usize;
        found.truncate(limit as usize);
        let mut items = Vec::with_capacity(found.len());
        for document in &found {
            // A document that somebody just deleted has no text to show.
            let text = text_of(desk, scope, document.id, document.version).await.unwrap_or_default();
            let mut item = shown(document, &zone);
            item["snippet"] = json!(snippet(&text, &words, SNIPPET));
            items.push(item);
        }
        let mut result = list(&items);
        result["count"] = json!(items.len());
        result["complete"] = json!(complete);
        let summary = match (items.len(), complete) {
            (0, _) => "no documents".to_owned(),
            (1, true) => "1 document".to_owned(),
            (more, true) => format!("{more} documents"),
            (more, false) => format!("{more} documents and more"),
        };
        let rows: Vec<&Document> = found.iter().collect();
        let artifact = (!rows.is_empty()).then(|| drawn(&rows, rows.len(), &zone, scope.call));
        Ok(ToolOutput { artifact, ..output(result, summary) })
    }
}
