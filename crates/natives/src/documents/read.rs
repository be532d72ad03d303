//! Reads a document.

use adagent_domain::{Cut as _, DocumentId, Source};
use adagent_tools::{CallScope, GroundingIssue, ToolError, ToolInfo, ToolOutput};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{find, gone, known, property, shown};
use crate::{
    desk::{Desk, unreadable},
    tool::{NativeTool, object, output, typed},
};

/// The most bytes that one call reads. A long text takes several calls.
const MOST_READ: usize = 20_000;

pub(crate) struct ReadDocument;

#[derive(Deserialize)]
struct Asked {
    id: DocumentId,
    version: Option<i64>,
    from: Option<usize>,
}

#[async_trait]
impl NativeTool for ReadDocument {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "Read document".into(),
            description: format!(
                "Reads a document of this workspace: its Markdown, at most {MOST_READ} bytes at once. `version` in the answer is what \
                 update_document asks for."
            ),
            capability: "assistant".into(),
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["id"],
                "properties": {
                    "id": property("id"),
                    "version": {"type": "integer", "minimum": 1, "description": "An earlier version; left out: the newest."},
                    "from": {"type": "integer", "minimum": 0, "description": "The place to go on from, as `next` of the part before."},
                },
            })
            .into(),
            ..ToolInfo::named("read_document", Source::Native)
        }
    }

    async fn ground(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        known(desk, scope, typed::<Asked>(args)?.id).await
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        let asked: Asked = typed(args)?;
        let document = find(desk, scope, asked.id).await?;
        let number = asked.version.unwrap_or(document.version);
        let found = desk.store.find_document_version(scope.workspace, document.id, number).await.map_err(unreadable)?;
        let (version, text) =
            found.ok_or_else(|| gone().guide("This version isn't kept. Leave out `version` to read the newest."))?;
        let (zone, _) = desk.zone(scope.workspace).await?;
        let mut item = shown(&document, &zone);
        item["title"] = json!(version.title);
        item["version"] = json!(version.number);
        let from = asked.from.unwrap_or_default();
        let rest = text.cut(from..);
        let part = rest.cut(..MOST_READ);
        item["text"] = json!(part);
        item["complete"] = json!(part.len() == text.len());
        if part.len() < rest.len() {
            item["next"] = json!(text.len() - rest.len() + part.len());
        }
        Ok(output(object(&item), format!("read “{}”", version.title)))
    }
}
