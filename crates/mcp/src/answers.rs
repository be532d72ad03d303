//! Turns results into MCP's form: words for people, and the same as data for programs.

use std::fmt::Write as _;

use adagent_contract::{ApprovalStatus, Artifact, RunStatus, StepView, TurnApproval, TurnView, with_method};
use adagent_domain::RunId;
use adagent_service::{CallRefused, ServiceError};
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::{Value as Json, json};

use crate::{
    Shared,
    budget::{self, Fitted},
    resources, totals,
};

/// Returns the words and then the data: as structured content, and also as text for clients that read only text, if it is short enough to
/// send twice.
pub(crate) fn told(words: String, data: Json) -> CallToolResult {
    answer(words, data, None)
}

/// Returns the result of a read. If it is too long for an answer, keeps its first rows and its totals, and links to the whole.
pub(crate) fn read(words: String, data: Json, whole: Option<Resource>) -> CallToolResult {
    // Older clients know a structured form only for objects.
    let data = if data.is_object() { data } else { json!({"items": data}) };
    answer(words, data, whole)
}

fn answer(mut words: String, data: Json, whole: Option<Resource>) -> CallToolResult {
    let totals = totals::of(&data);
    let Fitted { mut data, text, cut } = budget::fit(data);
    let mut link = None;
    if cut {
        words.push_str(" This is only the first part; the rest didn't fit in one answer.");
        if let Some(totals) = totals {
            words.push_str(" The totals cover all rows.");
            data["totals"] = totals;
        }
        if let Some(whole) = whole {
            let _ = write!(words, " Read the full result at {}.", whole.uri);
            link = Some(ContentBlock::resource_link(whole));
        }
    }
    let content = [ContentBlock::text(words), ContentBlock::text(text)].into_iter().chain(link);
    let mut result = CallToolResult::success(content.collect());
    result.structured_content = Some(data);
    result
}

/// Returns the tool's own error, so that the model reads it and can correct the call.
pub(crate) fn refused(refused: &CallRefused) -> CallToolResult {
    let words = format!("{}: {refused}", refused.code);
    CallToolResult::error(vec![ContentBlock::text(words), ContentBlock::text(refused.detail.to_string())])
}

/// Returns a refusal of the service as the tool's error. Only the log gets the cause of an internal error.
pub(crate) fn failed(error: &ServiceError) -> CallToolResult {
    if error.is_internal() {
        tracing::error!(error = %error, "a call of a tool failed");
    }
    let problem = error.problem();
    let mut words = format!("{}: {}", problem.code, problem.detail);
    for field in &problem.errors {
        let _ = write!(words, " {} {}", field.pointer, field.message);
    }
    if let Some(seconds) = error.retry_after_seconds() {
        let _ = write!(words, " Try again in {seconds} seconds.");
    }
    CallToolResult::error(vec![ContentBlock::text(words)])
}

/// Returns an approval with everything that will be sent, and the page where a person answers it.
pub(crate) fn approval_of(shared: &Shared, run: RunId, approval: &TurnApproval) -> Json {
    json!({
        "approval_id": approval.approval_id,
        "status": approval.status,
        "title": approval.title,
        "tool": approval.tool_name,
        "source": approval.source.id(),
        "network": approval.source.network(),
        "risk": approval.risk,
        "warnings": approval.warnings,
        "will_be_sent": approval.edited_args.as_ref().unwrap_or(&approval.tool_input),
        "changes": approval.preview.changes,
        "expires_at": approval.expires_at,
        "approve_at": approve_at(shared, approval),
        "run_id": run,
    })
}

/// Returns the page where a person answers the approval.
pub(crate) fn approve_at(shared: &Shared, approval: &TurnApproval) -> String {
    shared.page(&format!("/approvals?id={}", approval.approval_id))
}

/// Lists the approvals of a run that a person has not answered yet.
pub(crate) fn pending(turn: &TurnView) -> impl Iterator<Item = &TurnApproval> {
    turn.approvals.iter().filter(|approval| approval.status == ApprovalStatus::Pending)
}

/// Returns a run as the answer of a tool: its status, what it found, what it waits for.
pub(crate) fn run(shared: &Shared, turn: &TurnView) -> CallToolResult {
    let data = run_data(shared, turn);
    let mut result = answer(words(shared, turn), data, Some(resources::run_link(turn.run_id)));
    if matches!(turn.status, RunStatus::Failed | RunStatus::Stopped) {
        result.is_error = Some(true);
    }
    result
}

fn words(shared: &Shared, turn: &TurnView) -> String {
    let waiting: Vec<String> = pending(turn)
        .map(|approval| {
            let mut text = format!(
                "{} Nothing has changed yet; a person approves it at {}.",
                approval.title,
                approve_at(shared, approval)
            );
            for warning in &approval.warnings {
                let _ = write!(text, " Warning: {warning}");
            }
            text
        })
        .collect();
    if !waiting.is_empty() {
        return format!("Pending approval: {}", waiting.join(" "));
    }
    if turn.status.is_final() {
        let stop = turn.stops.last().map(|stop| stop.content.clone());
        let answer = Some(&turn.answer).filter(|text| !text.is_empty());
        let answer = answer.map(|text| with_method(text, &turn.method)).or(stop);
        return answer.unwrap_or_else(|| format!("The run ended: {}.", turn.status.as_str()));
    }
    let label = turn.label.as_deref().unwrap_or("working");
    format!(
        "The run is still in progress ({label}). Call adagent_run_status again, or open {}.",
        run_page(shared, turn)
    )
}

pub(crate) fn run_data(shared: &Shared, turn: &TurnView) -> Json {
    let approvals: Vec<Json> = turn.approvals.iter().map(|one| approval_of(shared, turn.run_id, one)).collect();
    let tables: Vec<&Artifact> = turn.artifacts.iter().collect();
    let calls: Vec<Json> = turn
        .steps
        .iter()
        .filter_map(|step| match step {
            StepView::Tool { name, source, read_only, state, summary, .. } => Some(
                json!({"tool": name, "source": source.id(), "network": source.network(), "read_only": read_only, "state": state, "summary": summary}),
            ),
            _ => None,
        })
        .collect();
    json!({
        "run_id": turn.run_id,
        "status": turn.status,
        "answer": turn.answer,
        "method": turn.method,
        "calls": calls,
        "approvals": approvals,
        "artifacts": tables,
        "run_page": run_page(shared, turn),
    })
}

pub(crate) fn run_page(shared: &Shared, turn: &TurnView) -> String {
    shared.page(&format!("/runs/{}", turn.run_id))
}

/// Returns the schema of [`run_data`], for programs that check it.
pub(crate) fn run_schema() -> Json {
    json!({
        "type": "object",
        "required": ["run_id", "status", "answer", "calls", "approvals", "artifacts", "run_page"],
        "properties": {
            "run_id": {"type": "string"},
            "status": {"type": "string", "enum": RunStatus::ALL.map(RunStatus::as_str)},
            "answer": {"type": "string", "description": "Markdown; empty until the run is over"},
            "calls": {"type": "array", "items": {"type": "object"}, "description": "What was read and changed at the networks"},
            "approvals": {"type": "array", "items": approval_schema()},
            "artifacts": {"type": "array", "items": {"type": "object"}, "description": "Tables and charts of the numbers"},
            "run_page": {"type": "string"}
        }
    })
}

/// Returns the schema for reads of all networks; only one, so that lists of tools stay short.
pub(crate) fn read_schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["list", "object", "report"]},
            "items": {"type": "array", "description": "Of a list"},
            "item": {"description": "Of an object"},
            "columns": {"type": "array", "items": {"type": "object"}, "description": "Of a report"},
            "rows": {"type": "array", "items": {"type": "array"}},
            "totals": {"type": "object", "description": "Over all rows, where not all are here"},
            "truncated": {"type": "boolean"}
        }
    })
}

pub(crate) fn approval_schema() -> Json {
    json!({
        "type": "object",
        "required": ["approval_id", "status", "title", "tool", "will_be_sent", "approve_at", "run_id"],
        "properties": {
            "approval_id": {"type": "string"},
            "status": {"type": "string", "enum": ["pending", "approved", "denied", "cancelled", "expired"]},
            "title": {"type": "string"},
            "tool": {"type": "string"},
            "source": {"type": "string", "description": "A network, or native: this program itself"},
            "network": {"type": ["string", "null"]},
            "risk": {"type": "string"},
            "warnings": {"type": "array", "items": {"type": "string"}},
            "will_be_sent": {"type": "object"},
            "changes": {"type": "array", "items": {"type": "object"}},
            "expires_at": {"type": ["string", "null"]},
            "approve_at": {"type": "string", "description": "Where a person answers it"},
            "run_id": {"type": "string"}
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_was_cut_leads_to_the_whole_and_a_short_one_does_not() {
        let run: RunId = "019aa000-0000-7000-8000-000000000001".parse().unwrap();
        let of = |rows: usize| {
            let table =
                json!({"kind": "table", "rows": (0..rows).map(|n| json!([n, "x".repeat(90)])).collect::<Vec<_>>()});
            let data = json!({"run_id": run, "status": "completed", "artifacts": [table]});
            serde_json::to_value(answer("Done.".into(), data, Some(resources::run_link(run)))).unwrap()
        };
        let links = |answer: &Json| {
            let content = answer["content"].as_array().unwrap().iter();
            content.filter(|one| one["type"] == "resource_link").map(|one| one["uri"].clone()).collect::<Vec<_>>()
        };
        let (short, long) = (of(3), of(3_000));
        assert!(links(&short).is_empty(), "{short}");
        assert_eq!(links(&long), [json!(format!("adagent://runs/{run}"))]);
        assert!(long["content"][0]["text"].as_str().unwrap().contains("Read the full result at adagent://runs/"));
        assert!(long.to_string().len() < 60_000);
        assert_eq!(long["structuredContent"]["run_id"], json!(run));
    }
}
