//! Creates a document.

use adagent_contract::{
    MOST_DOCUMENT, MOST_DOCUMENT_TITLE, MOST_DOCUMENTS, MOST_FOLDER, Preview, PreviewKind, ROOT_FOLDER,
};
use adagent_domain::{DocumentId, Source};
use adagent_tools::{CallScope, GroundingIssue, ProbeOutcome, ToolError, ToolErrorClass, ToolInfo, ToolOutput};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{
    DELETE, checked_text, field, find, folder_of, property,
    rows::{beginning, row},
    shown, version, wrong,
};
use crate::{
    desk::{Desk, unreadable},
    tool::{NativeTool, Sketch, object, output, typed},
};

pub(crate) struct CreateDocument;

#[derive(Deserialize)]
struct New {
    title: String,
    folder: Option<String>,
    #[serde(default)]
    text: String,
}

impl New {
    fn folder(&self) -> Result<String, GroundingIssue> {
        self.folder.as_deref().map_or(Ok(ROOT_FOLDER.into()), folder_of)
    }
}

/// Returns the ID of the document that a call creates. It is the call's ID, so that a repeated call creates the document once.
fn key(scope: &CallScope) -> DocumentId {
    DocumentId(scope.call.0)
}

#[async_trait]
impl NativeTool for CreateDocument {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "Create document".into(),
            description: "Creates a document in the library of this workspace, which everybody in it reads: a title, a text in Markdown, \
                          and the folder it is in."
                .into(),
            capability: "assistant".into(),
            read_only: false,
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["title"],
                "properties": {
                    "title": property("title"),
                    "folder": property("folder"),
                    "text": {"type": "string", "contentMediaType": "text/markdown", "maxLength": MOST_DOCUMENT, "description": "The text in Markdown, without the title."},
                },
            })
            .into(),
            ..ToolInfo::named("create_document", Source::Native)
        }
    }

    async fn ground(&self, _desk: &Desk, _scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let new: New = typed(args)?;
        Ok(new.folder().err().into_iter().chain(checked_text("/text", &new.text)).collect())
    }

    async fn sketch(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Sketch, ToolError> {
        let new: New = typed(args)?;
        let (title, folder) = (new.title.trim(), new.folder().map_err(wrong)?);
        let all = desk.store.list_documents(scope.workspace, false, MOST_DOCUMENTS).await.map_err(unreadable)?;
        let same = all.iter().any(|one| one.folder == folder && one.title.to_lowercase() == title.to_lowercase());
        let warning = same.then(|| format!("This folder has a document called “{title}” already."));
        let mut changes = vec![row("Title", None, Some(title.to_owned()))];
        if folder != ROOT_FOLDER {
            changes.push(row("Folder", None, Some(folder)));
        }
        let lines: Vec<&str> = new.text.lines().collect();
        changes.push(row("Text", None, Some(if lines.is_empty() { "Empty".into() } else { beginning(&lines) })));
        let mut title_field = field("/title", "Title", MOST_DOCUMENT_TITLE);
        title_field.required = true;
        let mut folder_field = field("/folder", "Folder", MOST_FOLDER);
        folder_field.help = Some("A path such as /floors/2026.".into());
        Ok(Sketch {
            title: format!("Create the document “{title}”"),
            warnings: warning.into_iter().collect(),
            preview: Preview { unmade_by: Some(DELETE.into()), ..Preview::new(PreviewKind::Create, changes) },
            fields: vec![title_field, folder_field, field("/text", "Text", MOST_DOCUMENT)],
            options: Vec::new(),
        })
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        if let ProbeOutcome::Happened { result, summary } = self.probe(desk, scope, args).await? {
            return Ok(output(result, summary));
        }
        let new: New = typed(args)?;
        let folder = new.folder().map_err(wrong)?;
        let first = version(desk, scope, (&new.title, folder, new.text));
        let mut work = desk.store.begin_in(scope.workspace).await.map_err(unreadable)?;
        let kept = work.insert_document(scope.workspace, key(scope), &first, MOST_DOCUMENTS).await;
        if !kept.map_err(unreadable)? {
            let message = format!("This workspace has {MOST_DOCUMENTS} documents, which is the limit.");
            return Err(ToolError::new(ToolErrorClass::Deterministic, "LIMIT_REACHED", message)
                .guide("Delete some first; those in the trash count for 30 days."));
        }
        work.commit().await.map_err(unreadable)?;
        let (kept, (zone, _)) = (find(desk, scope, key(scope)).await?, desk.zone(scope.workspace).await?);
        Ok(output(object(&shown(&kept, &zone)), format!("created “{}”", kept.title)))
    }

    async fn probe(&self, desk: &Desk, scope: &CallScope, _args: &Json) -> Result<ProbeOutcome, ToolError> {
        let found = desk.store.find_document(scope.workspace, key(scope)).await.map_err(unreadable)?;
        let (zone, _) = desk.zone(scope.workspace).await?;
        Ok(match found {
            Some(document) => ProbeOutcome::Happened {
                result: object(&shown(&document, &zone)),
                summary: format!("created “{}”", document.title),
            },
            None => ProbeOutcome::DidNotHappen { looked_at: "the documents of this workspace".into() },
        })
    }

    fn unmade(&self, result: &Json) -> Option<(String, Json)> {
        Some((DELETE.to_owned(), json!({"id": result.pointer("/item/id")?.as_str()?})))
    }
}
