//! Moves a document to another folder.

use adagent_contract::{DOCUMENT_VERSIONS, MOST_FOLDER, Preview, PreviewKind, ROOT_FOLDER};
use adagent_domain::{DocumentId, Source};
use adagent_tools::{CallScope, GroundingIssue, ProbeOutcome, ToolError, ToolErrorClass, ToolInfo, ToolOutput};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{field, find, fixed, folder_of, known, property, rows::row, shown, text_of, version, wrong};
use crate::{
    desk::{Desk, unreadable},
    tool::{NativeTool, Sketch, object, output, typed},
};

/// How often we try a move again after another person's change came first.
const TRIES: usize = 5;

pub(crate) struct MoveDocument;

#[derive(Deserialize)]
struct Move {
    id: DocumentId,
    folder: String,
}

#[async_trait]
impl NativeTool for MoveDocument {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "Move document".into(),
            description:
                "Moves a document of this workspace to another folder; a folder that doesn't exist is made by that."
                    .into(),
            capability: "assistant".into(),
            read_only: false,
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["id", "folder"],
                "properties": {"id": property("id"), "folder": property("folder")},
            })
            .into(),
            ..ToolInfo::named("move_document", Source::Native)
        }
    }

    async fn ground(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let Move { id, folder } = typed(args)?;
        let mut issues = known(desk, scope, id).await?;
        issues.extend(folder_of(&folder).err());
        Ok(issues)
    }

    async fn sketch(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Sketch, ToolError> {
        let Move { id, folder } = typed(args)?;
        let (document, folder) = (find(desk, scope, id).await?, folder_of(&folder).map_err(wrong)?);
        let (hint, options) = fixed(&document);
        let back = json!({"id": id, "folder": document.folder});
        let changes = vec![row("Folder", Some(document.folder.clone()), Some(folder.clone()))];
        let mut folder_field = field("/folder", "Folder", MOST_FOLDER);
        folder_field.required = true;
        Ok(Sketch {
            title: if folder == ROOT_FOLDER {
                format!("Move the document “{}” out of its folder", document.title)
            } else {
                format!("Move the document “{}” to {folder}", document.title)
            },
            warnings: Vec::new(),
            preview: Preview { back: Some(Box::new(back)), ..Preview::new(PreviewKind::Update, changes) },
            fields: vec![hint, folder_field],
            options,
        })
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        let Move { id, folder } = typed(args)?;
        let folder = folder_of(&folder).map_err(wrong)?;
        for _ in 0..TRIES {
            if let ProbeOutcome::Happened { result, summary } = self.probe(desk, scope, args).await? {
                return Ok(output(result, summary));
            }
            let document = find(desk, scope, id).await?;
            let text = text_of(desk, scope, id, document.version).await?;
            let new = version(desk, scope, (&document.title, folder.clone(), text));
            let mut work = desk.store.begin_in(scope.workspace).await.map_err(unreadable)?;
            let moved = work.write_document(scope.workspace, id, document.version, &new, DOCUMENT_VERSIONS).await;
            if moved.map_err(unreadable)? {
                work.commit().await.map_err(unreadable)?;
                let (kept, (zone, _)) = (find(desk, scope, id).await?, desk.zone(scope.workspace).await?);
                return Ok(output(object(&shown(&kept, &zone)), format!("moved “{}” to {folder}", kept.title)));
            }
        }
        let message = "Other people keep changing this document. Nothing was changed.";
        Err(ToolError::new(ToolErrorClass::Retryable, "CONFLICT", message).guide("Try again in a moment."))
    }

    async fn probe(&self, desk: &Desk, scope: &CallScope, _args: &Json) -> Result<ProbeOutcome, ToolError> {
        super::wrote(desk, scope, "moved").await
    }
}
