//! What the approval of a write shows: a title with names, risk, warnings, what changes, and how its form is drawn.
//!
//! It describes the arguments exactly as they would be sent: they come in normalised, and nothing here changes them.

pub(crate) mod any;
mod hints;
mod preview;
mod scene;
mod title;
mod warnings;

use std::borrow::Cow;

use hints::words as words_of;

use adagent_contract::{ChangeRow, Risk};
use adagent_domain::{Network, WorkspaceId, text::visible};
use serde_json::Value as Json;

use crate::{ApprovalSketch, ToolError, ToolInfo, networks::Networks};

impl Networks {
    pub(crate) async fn draw(
        &self,
        workspace: WorkspaceId,
        tool: &ToolInfo,
        args: &Json,
    ) -> Result<ApprovalSketch, ToolError> {
        if tool.network != Network::AdMob {
            let mut sketch = self.draw_any(workspace, tool, args).await?;
            sketch.preview.changes.push(self.goes_to(workspace, tool.network)?);
            show_hidden(&mut sketch);
            return Ok(sketch);
        }
        let scene = self.scene(workspace, tool, args).await?;
        let mut sketch = ApprovalSketch {
            title: title::title(&scene),
            risk: if scene.is_destructive() { Risk::Destructive } else { Risk::Write },
            warnings: warnings::warnings(&scene),
            preview: preview::preview(&scene),
            ui_hints: hints::hints(&scene),
            parameter_schema: tool.input_schema.clone(),
        };
        show_hidden(&mut sketch);
        Ok(sketch)
    }
}

impl Networks {
    /// Where a change goes. Keys name no account in what they send, so that only this tells the simulated network from the real
    /// one, and the account of before from another: as it stands on both sides, another connection is a difference to what was
    /// approved, and the question is asked anew.
    fn goes_to(&self, workspace: WorkspaceId, network: Network) -> Result<ChangeRow, ToolError> {
        // Looked at a moment ago, before the sketch was begun.
        let known = self.registry().mark(workspace, network);
        let mark = known.ok_or_else(|| ToolError::not_connected(network))?;
        let place = if mark.sandbox { "simulated" } else { "real account" };
        let which = if network.uses_oauth() { mark.selected.join(", ") } else { format!("keys {}", mark.version) };
        let which = if which.is_empty() { which } else { format!(" ({which})") };
        let text = Some(format!("{}, {place}{which}", network.display_name()));
        Ok(ChangeRow { label: "Goes to".to_owned(), before: text.clone(), after: text })
    }
}

/// New names come from a model or a person: whatever they hide is written out, so that nobody approves what it only looks like.
fn show_hidden(sketch: &mut ApprovalSketch) {
    let texts = sketch
        .preview
        .changes
        .iter_mut()
        .flat_map(|row| [Some(&mut row.label), row.before.as_mut(), row.after.as_mut()])
        .flatten()
        .chain([&mut sketch.title])
        .chain(&mut sketch.warnings)
        .chain(sketch.ui_hints.options.values_mut().flatten().map(|option| &mut option.name));
    for text in texts {
        if let Cow::Owned(shown) = visible(text) {
            *text = shown;
        }
    }
}

#[cfg(test)]
mod tests {
    use adagent_contract::{ChangeRow, Preview, PreviewKind, UiHints};

    use super::*;

    #[test]
    fn an_approval_shows_what_a_new_name_hides() {
        let row = ChangeRow { label: "Name".into(), before: None, after: Some("Ban\u{202E}ren".into()) };
        let mut sketch = ApprovalSketch {
            title: "Create “Ban\u{202E}ren”".into(),
            risk: Risk::Write,
            warnings: vec!["“a\u{200B}” is new.".into()],
            preview: Preview { kind: PreviewKind::Create, changes: vec![row] },
            ui_hints: UiHints::default(),
            parameter_schema: Json::Null,
        };
        show_hidden(&mut sketch);
        assert_eq!(sketch.title, "Create “Ban[U+202E]ren”");
        assert_eq!(sketch.preview.changes[0].after.as_deref(), Some("Ban[U+202E]ren"));
        assert_eq!(sketch.warnings, ["“a[U+200B]” is new."]);
    }
}
