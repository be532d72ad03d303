//! A form after a stop that a retry cannot fix: the person corrects the arguments of the failed call. The corrected call goes
//! through the same check as always and, for a change, the same approval.

use adagent_contract::{OverrideRequest, Problem, StepState, StepView, TurnView};
use adagent_domain::RunId;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::client;
use crate::ui::{Button, ButtonKind, Dialog, Glyph, TextAreaField};

/// Returns the last failed call with its arguments.
fn failed_call(turn: &TurnView) -> Option<(OverrideRequest, String)> {
    turn.steps.iter().rev().find_map(|step| match step {
        StepView::Tool { tool_call_id, name, params, state: StepState::Failed, .. } => {
            Some((OverrideRequest { tool_call_id: Some(*tool_call_id), args: params.clone() }, name.clone()))
        }
        _ => None,
    })
}

/// Parses the typed text; the error says why it is not a JSON object.
fn read(text: &str) -> Result<serde_json::Value, String> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => Err("Enter a JSON object: { … } with the arguments.".to_owned()),
        Err(error) => Err(format!("Invalid JSON at line {}, column {}.", error.line(), error.column())),
    }
}

fn told(problem: &Problem) -> String {
    if problem.errors.is_empty() {
        return problem.detail.clone();
    }
    let one = |error: &adagent_contract::FieldError| {
        format!("{}: {}", error.pointer.trim_start_matches("/args/").replace('/', " › "), error.message)
    };
    problem.errors.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Shows the button and its editor; nothing if no call failed.
#[component]
pub fn Correct(turn: Signal<TurnView>, on_started: Callback<RunId>) -> impl IntoView {
    let run = turn.with_untracked(|turn| turn.run_id);
    let Some((request, name)) = turn.with_untracked(failed_call) else { return ().into_any() };
    let start = serde_json::to_string_pretty(&request.args).unwrap_or_default();
    let (text, error) = (RwSignal::new(start), RwSignal::new(None::<String>));
    let (open, sending) = (RwSignal::new(false), RwSignal::new(false));
    let id = format!("correct-{run}");
    let field = format!("{id}-args");
    let call = request.tool_call_id;
    let send = Callback::new(move |()| {
        let args = match text.with_untracked(|text| read(text)) {
            Ok(args) => args,
            Err(detail) => return error.set(Some(detail)),
        };
        sending.set(true);
        spawn_local(async move {
            let sent = client::correct(run, &OverrideRequest { tool_call_id: call, args }).await;
            sending.try_set(false);
            match sent {
                Ok(started) => {
                    open.try_set(false);
                    on_started.run(started);
                }
                Err(problem) => {
                    error.try_set(Some(told(&problem)));
                }
            }
        });
    });
    view! {
        <Button icon=Glyph::Wrench on:click=move |_| open.set(true)>"Edit arguments"</Button>
        <Dialog
            id title=format!("Edit arguments of {name}") open on_close=move |()| open.set(false)
            foot=move || view! {
                <Button on:click=move |_| open.set(false)>"Cancel"</Button>
                <Button kind=ButtonKind::Primary busy=sending on:click=move |_| send.run(())>"Run again"</Button>
            }
        >
            <TextAreaField
                id=field.clone() label="Arguments (JSON)" value=text
                hint=Some("We check them first. Changes still need approval.".to_owned())
                on_input=Callback::new(move |typed: String| {
                    error.set(None);
                    text.set(typed);
                })
                error
            />
        </Dialog>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_object_is_taken_and_errors_say_where() {
        assert!(read("{\"a\": 1}").is_ok());
        assert!(read("[1]").unwrap_err().contains("object"));
        assert!(read("{\n  a").unwrap_err().contains("line 2"));
    }

    #[test]
    fn a_field_error_names_its_field() {
        let mut problem = Problem::new(422, "validation", "No", "x");
        problem.errors = vec![adagent_contract::FieldError::new("/args/filter/0", "Not a date.")];
        assert_eq!(told(&problem), "filter › 0: Not a date.");
    }
}
