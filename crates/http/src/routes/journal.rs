//! What runs did for a person, by which agent.

use adagent_contract::{JournalEntry, JournalQuery, Page, RunStatus};
use axum::{Json, extract::State};

use super::Route;
use crate::{
    error::{ApiError, ApiResult},
    extract::{Acting, Query},
    openapi::Operation,
    state::HttpState,
};

pub fn routes() -> Vec<Route> {
    vec![Route::new(
        Operation::get("/api/journal", "list_journal", "agents", "What your runs did, newest first")
            .query("agent", "string", "Handle of one agent; desk is the workspace's own")
            .query("from", "string", "First day, such as 2026-11-26, in the reporting time zone")
            .query("to", "string", "Last day")
            .query("status", "string", "How the run ended, as its status says")
            .query("q", "string", "In the question or the answer")
            .paged()
            .json(200, "Journal"),
        list,
    )]
}

async fn list(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    query: Query,
) -> ApiResult<Json<Page<JournalEntry>>> {
    let status = query.text("status").filter(|text| !text.is_empty()).map(|text| {
        let wrong = || ApiError::field("/status", "Expected the status of a run, such as completed.");
        RunStatus::parse(&text).ok_or_else(wrong)
    });
    let wanted = JournalQuery {
        agent: query.text("agent"),
        from: query.text("from"),
        to: query.text("to"),
        status: status.transpose()?,
        q: query.text("q"),
    };
    Ok(Json(state.service.journal(&actor, &wanted, query.cursor().as_deref(), query.limit()?).await?))
}
