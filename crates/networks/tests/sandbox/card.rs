//! Writes a card as plain text for the golden files: what the person who approves it reads.

use std::fmt::Write as _;

use adagent_contract::{FieldHint, PreviewKind, Risk, UiHints, Widget};
use adagent_tools::ApprovalSketch;
use serde_json::Value as Json;

/// Writes the card of one tool with these arguments.
pub fn card(tool: &str, sketch: &ApprovalSketch, args: &Json) -> String {
    let kind = match sketch.preview.kind {
        PreviewKind::Create => "create",
        PreviewKind::Update => "update",
        PreviewKind::Delete => "delete",
        PreviewKind::Action => "action",
    };
    let risk = match sketch.risk {
        Risk::Write => "change",
        Risk::Destructive => "DESTRUCTIVE",
    };
    let mut out = format!("== {tool} ({kind}, {risk})\n{}\n", sketch.title);
    for warning in &sketch.warnings {
        line(&mut out, 1, &format!("! {warning}"));
    }
    let side = |text: &Option<String>| text.clone().unwrap_or_else(|| "–".to_owned());
    for row in &sketch.preview.changes {
        let (before, after) = (side(&row.before), side(&row.after));
        let shown = if before == after { before } else { format!("{before} → {after}") };
        line(&mut out, 1, &format!("{}: {shown}", row.label));
    }
    if let Some(text) = &sketch.ui_hints.confirm_text {
        line(&mut out, 1, &format!("to confirm, type “{text}”"));
    }
    if let Some(unmade_by) = &sketch.preview.unmade_by {
        line(&mut out, 1, &format!("unmade by {unmade_by}"));
    }
    if sketch.preview.back.is_some() {
        line(&mut out, 1, "can be put back");
    }
    line(&mut out, 1, "form");
    form(&mut out, 2, &sketch.ui_hints.fields, &sketch.ui_hints, args);
    out
}

fn form(out: &mut String, depth: usize, fields: &[FieldHint], hints: &UiHints, args: &Json) {
    for field in fields.iter().filter(|field| field.applies(args)) {
        let required = if field.required { "*" } else { "" };
        let value = args.pointer(&field.pointer).map_or_else(String::new, |value| chosen(field, hints, value));
        line(out, depth, &format!("{}{required} ({:?}){value}", field.label, field.widget));
        // All rows are alike, so the first one shows their fields.
        let first = match args.pointer(&field.pointer) {
            Some(Json::Array(items)) if !items.is_empty() => Some("0".to_owned()),
            Some(Json::Object(map)) => map.keys().next().cloned(),
            _ => None,
        };
        if let (Widget::Objects | Widget::Entries, Some(first)) = (field.widget, first) {
            form(out, depth + 1, &field.of_row(&first), hints, args);
        }
    }
}

/// Returns the value as the form shows it: as a name if it has one.
fn chosen(field: &FieldHint, hints: &UiHints, value: &Json) -> String {
    if matches!(field.widget, Widget::Objects | Widget::Entries | Widget::MediationLines) {
        return String::new();
    }
    let one = |value: &Json| {
        let id = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let options = field.options.as_ref().and_then(|kind| hints.options.get(kind));
        let option = options.and_then(|all| all.iter().find(|option| option.id == id)).map(|option| &option.name);
        let choice = field.choices.iter().find(|(wire, _)| *wire == id).map(|(_, label)| label);
        option.or(choice).cloned().unwrap_or(id)
    };
    let shown = match value {
        Json::Array(items) => items.iter().map(one).collect::<Vec<_>>().join(", "),
        other => one(other),
    };
    format!(" {shown}")
}

fn line(out: &mut String, depth: usize, text: &str) {
    let _ = writeln!(out, "{}{text}", "  ".repeat(depth));
}
