//! What runs did, by which agent.

use adagent_contract::{JournalEntry, JournalQuery, JournalSummary, Page, RunStatus};
use adagent_domain::AgentId;
use axum::{Json, extract::State};

use super::Route;
use crate::{
    error::{ApiError, ApiResult},
    extract::{Acting, Id, Query},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "agents";

/// Describes the filters that all of these take.
fn filtered(operation: Operation) -> Operation {
    operation
        .query("from", "string", "First day, such as 2026-11-26, in the reporting time zone")
        .query("to", "string", "Last day")
        .query("status", "string", "How the run ended, as its status says")
        .query("person", "string", "The ID of the person who asked")
        .query("q", "string", "In the question or the answer")
}

pub fn routes() -> Vec<Route> {
    let list = Operation::get(
        "/api/journal",
        "list_journal",
        TAG,
        "What your runs did, newest first, with what shared agents show of other people's",
    );
    let of_agent = Operation::get("/api/agents/{id}/journal", "list_journal_of_agent", TAG, "What one agent did");
    let summary = Operation::get(
        "/api/agents/{id}/journal/summary",
        "summarize_journal_of_agent",
        TAG,
        "How much an agent did on some days, and its newest five entries; without days, the last seven",
    );
    vec![
        Route::new(
            filtered(list.query("agent", "string", "Handle of one agent; desk is the workspace's own"))
                .paged()
                .json(200, "Journal"),
            journal,
        ),
        Route::new(filtered(of_agent.id("id")).paged().json(200, "Journal"), journal_of_agent),
        Route::new(filtered(summary.id("id")).json(200, "JournalSummary"), summary_of_agent),
    ]
}

fn wanted(query: &Query) -> ApiResult<JournalQuery> {
    let status = query.text("status").filter(|text| !text.is_empty()).map(|text| {
        let wrong = || ApiError::field("/status", "Expected the status of a run, such as completed.");
        RunStatus::parse(&text).ok_or_else(wrong)
    });
    Ok(JournalQuery {
        agent: query.text("agent"),
        from: query.text("from"),
        to: query.text("to"),
        status: status.transpose()?,
        person: query.text("person"),
        q: query.text("q"),
    })
}

async fn journal(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    query: Query,
) -> ApiResult<Json<Page<JournalEntry>>> {
    let wanted = wanted(&query)?;
    Ok(Json(state.service.journal(&actor, &wanted, query.cursor().as_deref(), query.limit()?).await?))
}

async fn journal_of_agent(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<AgentId>,
    query: Query,
) -> ApiResult<Json<Page<JournalEntry>>> {
    let wanted = JournalQuery { agent: None, ..wanted(&query)? };
    let (cursor, limit) = (query.cursor(), query.limit()?);
    Ok(Json(state.service.journal_of_agent(&actor, id, &wanted, cursor.as_deref(), limit).await?))
}

async fn summary_of_agent(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<AgentId>,
    query: Query,
) -> ApiResult<Json<JournalSummary>> {
    let wanted = JournalQuery { agent: None, ..wanted(&query)? };
    Ok(Json(state.service.journal_summary(&actor, Some(id), &wanted).await?))
}
