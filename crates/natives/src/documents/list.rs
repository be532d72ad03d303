//! Lists documents.

use std::collections::BTreeMap;

use adagent_contract::{Artifact, ColumnKind, MOST_DOCUMENTS, MOST_FOLDER, ROOT_FOLDER, is_inside};
use adagent_domain::{Source, ToolCallId};
use adagent_store::Document;
use adagent_tools::{CallScope, GroundingIssue, ToolError, ToolInfo, ToolOutput};
use async_trait::async_trait;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{folder_of, shown, wrong};
use crate::{
    desk::{Desk, unreadable},
    table::{or_missing, table, text},
    tool::{NativeTool, list, minute_of, output, typed},
};

const MOST_SHOWN: usize = 200;

pub(crate) struct ListDocuments;

#[derive(Deserialize)]
struct Asked {
    folder: Option<String>,
    limit: Option<usize>,
}

impl Asked {
    fn folder(&self) -> Result<String, GroundingIssue> {
        self.folder.as_deref().map_or(Ok(ROOT_FOLDER.into()), folder_of)
    }
}

/// Checks whether a document is in a folder or below it, in any mix of upper and lower case.
fn lies_in(document: &Document, folder: &str) -> bool {
    is_inside(&document.folder, folder) || is_inside(&document.folder.to_lowercase(), &folder.to_lowercase())
}

#[async_trait]
impl NativeTool for ListDocuments {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "List documents".into(),
            description: "Lists the documents of this workspace without their texts, those written last first, and the folders they \
                          are in. read_document gives a text."
                .into(),
            capability: "assistant".into(),
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "folder": {
                        "type": "string", "maxLength": MOST_FOLDER,
                        "description": "Only those in this folder, such as /floors, and in folders below it.",
                    },
                    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_SHOWN, "default": 100},
                },
            })
            .into(),
            ..ToolInfo::named("list_documents", Source::Native)
        }
    }

    async fn ground(&self, _desk: &Desk, _scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        Ok(typed::<Asked>(args)?.folder().err().into_iter().collect())
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        let asked: Asked = typed(args)?;
        let folder = asked.folder().map_err(wrong)?;
        let (zone, _) = desk.zone(scope.workspace).await?;
        let all = desk.store.list_documents(scope.workspace, false, MOST_DOCUMENTS).await.map_err(unreadable)?;
        let mut folders: BTreeMap<String, usize> = BTreeMap::new();
        for document in &all {
            *folders.entry(document.folder.clone()).or_default() += 1;
        }
        let found: Vec<&Document> = all.iter().filter(|document| lies_in(document, &folder)).collect();
        let count = found.len();
        let rows: Vec<&Document> = found.into_iter().take(asked.limit.unwrap_or(100)).collect();
        let mut result = list(&rows.iter().map(|document| shown(document, &zone)).collect::<Vec<_>>());
        result["count"] = json!(count);
        result["complete"] = json!(rows.len() == count);
        let folders = folders.iter().map(|(folder, count)| json!({"folder": folder, "documents": count}));
        result["folders"] = folders.collect();
        let summary = match count {
            0 => "no documents".to_owned(),
            1 => "1 document".to_owned(),
            more => format!("{more} documents"),
        };
        let artifact = (count > 0).then(|| drawn(&rows, count, &zone, scope.call));
        Ok(ToolOutput { artifact, ..output(result, summary) })
    }
}

pub(super) fn drawn(rows: &[&Document], count: usize, zone: &TimeZone, call: ToolCallId) -> Artifact {
    const COLUMNS: [(&str, &str, ColumnKind); 4] = [
        ("title", "Document", ColumnKind::Text),
        ("folder", "Folder", ColumnKind::Text),
        ("written_by", "Written by", ColumnKind::Text),
        ("changed", "Changed", ColumnKind::Text),
    ];
    let cells = rows.iter().map(|document| {
        let written = &document.written;
        let who = written.agent.as_ref().map(|agent| format!("@{agent}")).or_else(|| written.by_name.clone());
        vec![
            text(&document.title),
            text(&document.folder),
            or_missing(who.as_ref()),
            text(&minute_of(written.at, zone)),
        ]
    });
    table(("Documents", "Of this workspace".into()), &COLUMNS, cells, count, call)
}
