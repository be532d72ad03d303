//! The arguments that a person edited on the card. We check them as strictly as the model's own.

use adagent_contract::{CONNECTION, FieldError, FieldHint, SentChange, UiHints, Widget};
use adagent_domain::Actor;
use adagent_store::ApprovalRecord;
use serde_json::Value as Json;

use super::{decide::Approved, error::AnswerError, scope_of};
use crate::{deps::RuntimeDeps, work::ungrounded};

/// Returns the arguments that would be sent, after the checks.
pub(super) async fn approve(
    deps: &RuntimeDeps,
    actor: &Actor,
    record: &ApprovalRecord,
    edited: Option<Json>,
) -> Result<Approved, AnswerError> {
    let view = &record.view;
    let unedited = || Approved { args: view.tool_input.clone(), digest: record.digest.clone(), edited: None };
    let Some(args) = edited.filter(|args| *args != view.tool_input) else { return Ok(unedited()) };
    let found = deps.tools.find(actor.workspace, &view.tool_name).await.map_err(AnswerError::Network)?;
    let tool = found.ok_or(AnswerError::NotFound)?;
    // Compute the fields that follow from other fields again, from the edited ones.
    let args = deps.tools.normalise_args(&tool, &args);
    if args == view.tool_input {
        return Ok(unedited());
    }
    if !args.is_object() {
        return Err(AnswerError::Invalid(vec![FieldError::new("/edited_args", "Expected an object.")]));
    }
    let prefixed = |pointer: &str| format!("/edited_args{pointer}");
    let moved: Vec<_> = fixed(&view.ui_hints)
        .filter(|hint| args.pointer(&hint.pointer) != view.tool_input.pointer(&hint.pointer))
        .map(|hint| {
            let why = format!("{} can't be changed here. Ask for that change in the chat instead.", hint.label);
            FieldError::new(prefixed(&hint.pointer), why)
        })
        .collect();
    let moved: Vec<_> = moved.into_iter().chain(strange_rows(&view.ui_hints.fields, &view.tool_input, &args)).collect();
    if !moved.is_empty() {
        return Err(AnswerError::Invalid(moved));
    }
    // We send it through the connection that the card was drawn for. Arguments that name another connection would be misleading.
    if args.get(CONNECTION) != view.tool_input.get(CONNECTION) {
        let why = "The account this goes to can't be changed here. Ask for that change in the chat instead.";
        return Err(AnswerError::Invalid(vec![FieldError::new(prefixed(&format!("/{CONNECTION}")), why)]));
    }
    let errors = deps.tools.check(&tool, &args);
    if !errors.is_empty() {
        let errors = errors.into_iter().map(|e| FieldError::new(prefixed(&e.pointer), e.message));
        return Err(AnswerError::Invalid(errors.collect()));
    }
    let scope = scope_of(deps, actor, record).await?;
    let issues = deps.tools.ground(&scope, &tool, &args).await.map_err(AnswerError::Network)?;
    if !issues.is_empty() {
        let fault = ungrounded(issues);
        let errors = fault.issues.into_iter().map(|issue| FieldError::new(prefixed(&issue.pointer), issue.message));
        return Err(AnswerError::Invalid(errors.collect()));
    }
    // The card describes the proposed change. Sketch the edited arguments, so that the record describes what we send.
    let sketch = deps.tools.sketch(&scope, &tool, &args).await.map_err(AnswerError::Network)?;
    let digest = deps.tools.digest(&tool, &args);
    Ok(Approved { args, digest, edited: Some(SentChange { title: sketch.title, preview: sketch.preview }) })
}

/// Returns the fields that the form shows but nobody may edit, because they say what the change is about. The update mask is not among
/// them: it follows from the body.
fn fixed(hints: &UiHints) -> impl Iterator<Item = &FieldHint> {
    hints.fields.iter().filter(|hint| hint.widget == Widget::ReadOnly && hint.pointer != "/updateMask")
}

/// Returns an error for each row that the approval did not ask about. The read-only fields of a row must equal those of an original row. If
/// the list is fixed, each original row counts once.
fn strange_rows(fields: &[FieldHint], was: &Json, is: &Json) -> Vec<FieldError> {
    let mut found = Vec::new();
    for hint in fields.iter().filter(|hint| !hint.fields.is_empty()) {
        let rows = |args: &Json| args.pointer(&hint.pointer).map(keyed).unwrap_or_default();
        let (old, new) = (rows(was), rows(is));
        let about: Vec<&FieldHint> = hint.fields.iter().filter(|field| field.widget == Widget::ReadOnly).collect();
        let told = |row: &Json| about.iter().map(|field| row.pointer(&field.pointer).cloned()).collect::<Vec<_>>();
        let mut used = Vec::new();
        for (key, row) in &new {
            let same = |(_, (other_key, other)): &(usize, &(String, Json))| {
                if about.is_empty() { other_key == key } else { told(other) == told(row) }
            };
            let match_of = old.iter().enumerate().filter(|(at, _)| !hint.fixed || !used.contains(at)).find(same);
            let place = format!("/edited_args{}/{key}", hint.pointer);
            match match_of {
                Some((at, (_, before))) => {
                    used.push(at);
                    let inner = strange_rows(&hint.fields, before, row);
                    found.extend(inner.into_iter().map(|error| {
                        let inside = error.pointer.strip_prefix("/edited_args").unwrap_or_default();
                        FieldError::new(format!("{place}{inside}"), error.message)
                    }));
                }
                None if !about.is_empty() || hint.fixed => {
                    let why = "This row isn't part of what was asked. Ask for that change in the chat instead.";
                    found.push(FieldError::new(place, why));
                }
                None => {}
            }
        }
    }
    found
}

/// Returns the rows of a list by number, and those of a map by key.
fn keyed(value: &Json) -> Vec<(String, Json)> {
    match value {
        Json::Array(items) => items.iter().enumerate().map(|(at, item)| (at.to_string(), item.clone())).collect(),
        Json::Object(map) => map.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(pointer: &str, widget: Widget) -> FieldHint {
        FieldHint { pointer: pointer.into(), widget, ..FieldHint::default() }
    }

    fn strange(fixed: bool, was: &Json, is: &Json) -> Vec<String> {
        let inner = vec![field("/id", Widget::ReadOnly), field("/name", Widget::Text)];
        let rows = FieldHint { fields: inner, fixed, ..field("/body", Widget::Objects) };
        strange_rows(&[rows], was, is).into_iter().map(|error| error.pointer).collect()
    }

    #[test]
    fn rows_of_a_change_may_go_and_move_but_none_may_be_about_something_else() {
        let was = json!({"body": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]});
        let none: [&str; 0] = [];
        assert_eq!(strange(true, &was, &json!({"body": [{"id": 2, "name": "c"}]})), none);
        assert_eq!(strange(true, &was, &json!({"body": [{"id": 2}, {"id": 1}]})), none, "in another order");
        assert_eq!(strange(true, &was, &json!({"body": [{"id": 1}, {"id": 3}]})), ["/edited_args/body/1"]);
        assert_eq!(strange(true, &was, &json!({"body": [{"id": 1}, {"id": 1}]})), ["/edited_args/body/1"], "twice");
        assert_eq!(
            strange(false, &was, &json!({"body": [{"id": 1}, {"id": 1}]})),
            none,
            "two of the same place are made"
        );
    }
}
