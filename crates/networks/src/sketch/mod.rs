//! What the approval of a write shows: a title with names, risk, warnings, what changes, and how its form is drawn.
//!
//! It describes the arguments exactly as they would be sent: they come in normalised, and nothing here changes them.

mod hints;
mod preview;
mod scene;
mod title;
mod warnings;

use adagent_contract::Risk;
use adagent_domain::WorkspaceId;
use serde_json::Value as Json;

use crate::{ApprovalSketch, ToolError, ToolInfo, networks::Networks};

impl Networks {
    pub(crate) async fn draw(
        &self,
        workspace: WorkspaceId,
        tool: &ToolInfo,
        args: &Json,
    ) -> Result<ApprovalSketch, ToolError> {
        let scene = self.scene(workspace, tool, args).await?;
        Ok(ApprovalSketch {
            title: title::title(&scene),
            risk: if tool.destructive { Risk::Destructive } else { Risk::Write },
            warnings: warnings::warnings(&scene),
            preview: preview::preview(&scene),
            ui_hints: hints::hints(&scene),
            parameter_schema: tool.input_schema.clone(),
        })
    }
}
