//! Moves a document to the trash.

use adagent_contract::{Preview, PreviewKind, TRASH_DAYS};
use adagent_domain::Source;
use adagent_tools::{CallScope, GroundingIssue, ProbeOutcome, ToolError, ToolInfo, ToolOutput};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

use super::{DELETE, Which, find, fixed, gone, known, property, rows::row};
use crate::{
    desk::{Desk, unreadable},
    tool::{NativeTool, Sketch, object, output, typed},
};

pub(crate) struct DeleteDocument;

#[async_trait]
impl NativeTool for DeleteDocument {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "Delete document".into(),
            description: format!(
                "Puts a document of this workspace into the trash, where a person can restore it for {TRASH_DAYS} days."
            ),
            capability: "assistant".into(),
            read_only: false,
            destructive: true,
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["id"],
                "properties": {"id": property("id")},
            })
            .into(),
            ..ToolInfo::named(DELETE, Source::Native)
        }
    }

    async fn ground(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let Which { id } = typed(args)?;
        known(desk, scope, id).await
    }

    async fn sketch(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Sketch, ToolError> {
        let Which { id } = typed(args)?;
        let document = find(desk, scope, id).await?;
        let (hint, options) = fixed(&document);
        Ok(Sketch {
            title: format!("Delete the document “{}”", document.title),
            warnings: vec![format!("It stays in the trash for {TRASH_DAYS} days, where you can restore it.")],
            preview: Preview::new(
                PreviewKind::Delete,
                vec![
                    row("Document", Some(document.title.clone()), None),
                    row("Folder", Some(document.folder.clone()), None),
                    row("Version", Some(document.version.to_string()), None),
                ],
            ),
            fields: vec![hint],
            options,
        })
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        let Which { id } = typed(args)?;
        let document = find(desk, scope, id).await?;
        let mut work = desk.store.begin_in(scope.workspace).await.map_err(unreadable)?;
        if !work.trash_document(scope.workspace, id, Some(desk.clock.now())).await.map_err(unreadable)? {
            return Err(gone());
        }
        work.commit().await.map_err(unreadable)?;
        let item = json!({"id": id, "title": document.title});
        Ok(output(object(&item), format!("deleted “{}”", document.title)))
    }

    /// Reports success if the document is gone. It does not matter who deleted it.
    async fn probe(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ProbeOutcome, ToolError> {
        let Which { id } = typed(args)?;
        Ok(if find(desk, scope, id).await.is_ok() {
            ProbeOutcome::DidNotHappen { looked_at: "the documents of this workspace".into() }
        } else {
            ProbeOutcome::Happened { result: object(&json!({"id": id})), summary: "the document is gone".into() }
        })
    }
}
