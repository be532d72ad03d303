//! What the approval of a write shows: a title with names, the risk, warnings, what changes, and how to draw its form.
//!
//! It describes the arguments exactly as they would be sent. They arrive normalized, and nothing here changes them.

pub(crate) mod any;
mod back;
mod hints;
mod preview;
mod scene;
mod title;
pub(crate) mod unmake;
mod warnings;

use std::borrow::Cow;

use adagent_contract::{ChangeRow, PreviewKind, Risk};
use adagent_contract::{lowered, words as words_of};
use adagent_domain::{Network, text::visible};

use crate::{
    Operation,
    networks::{Networks, Routed},
};
use adagent_tools::{ApprovalSketch, ToolError};

impl Networks {
    pub(crate) async fn draw(&self, routed: &Routed, tool: &Operation) -> Result<ApprovalSketch, ToolError> {
        let (via, args) = (routed.via, &routed.args);
        let mut sketch = if tool.network == Network::AdMob {
            let scene = self.scene(via, tool, args).await?;
            ApprovalSketch {
                title: title::title(&scene),
                risk: if scene.is_destructive() { Risk::Destructive } else { Risk::Write },
                warnings: warnings::warnings(&scene),
                preview: preview::preview(&scene),
                ui_hints: hints::hints(&scene),
                parameter_schema: serde_json::Value::clone(&tool.input_schema),
            }
        } else {
            self.draw_any(via, tool, args).await?
        };
        // AdMob's arguments name their account, which is not enough if there are several connections.
        if tool.network != Network::AdMob || routed.several {
            let row = goes_to(routed, tool.network, &sketch.preview.changes);
            sketch.preview.changes.push(row);
        }
        if sketch.preview.kind == PreviewKind::Create {
            let way = self.take_back(tool, args, None).and_then(|(name, _)| self.operation(&name).ok());
            let offered = way.filter(|way| way.info.is_offered(routed.mark.sandbox));
            sketch.preview.unmade_by = offered.map(|way| way.info.name.as_str().into());
        }
        show_hidden(&mut sketch);
        Ok(sketch)
    }
}

/// Returns the row that says where a change goes. A request with keys names no account, so only this row distinguishes the sandbox from the
/// real network, and the earlier account from another one. The row has the same text before and after. If the connection changes, the row
/// differs from what was approved, and we ask again.
fn goes_to(routed: &Routed, network: Network, others: &[ChangeRow]) -> ChangeRow {
    let mark = &routed.mark;
    let label = if routed.several { format!(" · {}", mark.label) } else { String::new() };
    let which = if network.uses_oauth() { mark.selected.join(", ") } else { String::new() };
    let which = if which.is_empty() { which } else { format!(" · {which}") };
    let place = if mark.sandbox { " (sandbox)" } else { "" };
    // A key names no account, so keys that were replaced since the first ones count as another account.
    let renewed =
        if !network.uses_oauth() && mark.version > 1 { format!(", keys {}", mark.version) } else { String::new() };
    let text = Some(format!("{}{label}{which}{place}{renewed}", network.display_name()));
    // The change may already show an account at the network.
    let named = others.iter().any(|row| row.label == "Account");
    let label = if named { "Connection" } else { "Account" }.to_owned();
    ChangeRow { label, before: text.clone(), after: text }
}

/// Makes hidden characters visible. A model or a person chose the new names, and nobody should approve a name that only looks like another
/// one.
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
    use adagent_contract::{Preview, UiHints};

    use super::*;

    #[test]
    fn an_approval_shows_what_a_new_name_hides() {
        let row = ChangeRow { label: "Name".into(), before: None, after: Some("Ban\u{202E}ren".into()) };
        let mut sketch = ApprovalSketch {
            title: "Create “Ban\u{202E}ren”".into(),
            risk: Risk::Write,
            warnings: vec!["“a\u{200B}” is new.".into()],
            preview: Preview::new(PreviewKind::Create, vec![row]),
            ui_hints: UiHints::default(),
            parameter_schema: serde_json::Value::Null,
        };
        show_hidden(&mut sketch);
        assert_eq!(sketch.title, "Create “Ban[U+202E]ren”");
        assert_eq!(sketch.preview.changes[0].after.as_deref(), Some("Ban[U+202E]ren"));
        assert_eq!(sketch.warnings, ["“a[U+200B]” is new."]);
    }
}
