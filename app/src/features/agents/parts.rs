//! What the pages of agents share: the fields that a form posts, and the errors about them.

use adagent_contract::{AgentBody, GrantTarget, Sharing};
use adagent_domain::AgentId;
use leptos::prelude::*;

use crate::features::api::ApiError;

/// Returns the error at a field, by its name. The form of a version posts the same fields under `/agent`.
pub fn wrong_at(error: &ApiError, field: &str) -> Option<String> {
    let found = error.0.errors.iter().find(|wrong| {
        let place = wrong.pointer.trim_start_matches("/agent").trim_start_matches("/form");
        let rest = place.strip_prefix('/').and_then(|place| place.strip_prefix(field));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    found.map(|wrong| wrong.message.clone())
}

/// The fields that show their errors next to themselves.
pub const FIELDS: [&str; 9] =
    ["handle", "name", "position", "description", "instructions", "color", "model", "grants", "sharing"];

/// Returns the error to show below the form; `None` if one of the fields shows it.
pub fn wrong_besides(error: &ApiError) -> Option<String> {
    let said = FIELDS.iter().any(|field| wrong_at(error, field).is_some());
    (!said).then(|| error.0.errors.first().map_or_else(|| error.0.detail.clone(), |wrong| wrong.message.clone()))
}

pub const fn sharing_id(sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::Private => "private",
        Sharing::Use => "use",
        Sharing::Edit => "edit",
    }
}

/// Returns a whole agent as hidden fields, which *Restore* posts.
pub fn hidden_fields(id: AgentId, version: impl Fn() -> i64 + Send + Sync + 'static, body: AgentBody) -> impl IntoView {
    let mut fields = vec![
        ("id", id.to_string()),
        ("handle", body.handle),
        ("name", body.name),
        ("position", body.position),
        ("description", body.description),
        ("instructions", body.instructions),
        ("color", body.color.to_string()),
        ("model", body.model.unwrap_or_default()),
        ("sharing", sharing_id(body.sharing).to_owned()),
    ];
    if body.active {
        fields.push(("active", "true".to_owned()));
    }
    let one = |(name, value): (&str, String)| view! { <input type="hidden" name=format!("form[{name}]") value=value/> };
    let (mut boxes, mut bound) = (Vec::new(), Vec::new());
    for grant in body.grants {
        let on = String::from(grant.on);
        boxes.extend(grant.may.iter().map(|access| format!("{on}/{}", access.as_str())));
        bound.extend(grant.connections.iter().map(|id| format!("{on}/{id}")));
    }
    view! {
        {fields.into_iter().map(one).collect_view()}
        <input type="hidden" name="form[version]" value=move || version().to_string()/>
        {boxes.into_iter().map(|value| view! { <input type="hidden" name="form[grants][]" value=value/> }).collect_view()}
        {bound.into_iter().map(|value| view! { <input type="hidden" name="form[connections][]" value=value/> }).collect_view()}
    }
}

/// Returns the value under which a box of the grid posts its target.
pub fn target_id(on: &GrantTarget) -> String {
    String::from(on.clone())
}

#[cfg(test)]
mod tests {
    use adagent_contract::{FieldError, Problem, codes};

    use super::*;

    fn about(pointer: &str) -> ApiError {
        let problem = Problem::new(422, codes::VALIDATION, "Not valid", "Look at it.");
        ApiError(Box::new(problem.with_errors(vec![FieldError::new(pointer, "Wrong.")])))
    }

    #[test]
    fn what_is_wrong_stands_at_its_field_wherever_the_body_was() {
        for pointer in ["/handle", "/agent/handle", "/form/handle"] {
            assert_eq!(wrong_at(&about(pointer), "handle").as_deref(), Some("Wrong."), "{pointer}");
            assert_eq!(wrong_besides(&about(pointer)), None);
        }
        assert!(wrong_at(&about("/agent/grants/0/connections/1"), "grants").is_some());
        assert!(wrong_at(&about("/names"), "name").is_none());
        // An error about the whole agent, such as that only its owner may do this.
        assert_eq!(wrong_besides(&about("/agent")).as_deref(), Some("Wrong."));
    }
}
