//! The journal: what runs did, by day.

use adagent_contract::JournalPage;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// What the address of the journal asks for. Empty texts ask for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JournalAsked {
    pub agent: String,
    pub person: String,
    pub status: String,
    pub from: String,
    pub to: String,
    pub q: String,
    pub month: String,
    pub cursor: String,
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "journal", client = super::DeskClient)]
pub async fn journal(#[server(default)] asked: JournalAsked) -> Result<JournalPage, ApiError> {
    use adagent_contract::{JournalQuery, RunStatus};

    use super::who::server;
    let (service, actor) = server::actor().await?;
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    let query = JournalQuery {
        agent: given(asked.agent),
        from: given(asked.from),
        to: given(asked.to),
        // A status that doesn't exist comes from an address somebody typed: it filters nothing.
        status: RunStatus::parse(&asked.status),
        person: given(asked.person),
        q: given(asked.q),
    };
    let (month, cursor) = (given(asked.month), given(asked.cursor));
    service.journal_by_day(&actor, &query, month.as_deref(), cursor.as_deref()).await.map_err(server::fail)
}
