//! What native tools use: the store, the networks and the clock.

use std::sync::Arc;

use adagent_domain::{Clock, WorkspaceId};
use adagent_store::{Store, StoreError};
use adagent_tools::{Gateway, ToolError, ToolErrorClass};
use jiff::tz::TimeZone;

pub(crate) struct Desk {
    pub store: Arc<dyn Store>,
    pub gateway: Arc<dyn Gateway>,
    pub clock: Arc<dyn Clock>,
}

impl Desk {
    /// Returns the time zone in which the days of a workspace begin, and its name.
    pub async fn zone(&self, workspace: WorkspaceId) -> Result<(TimeZone, String), ToolError> {
        let name = match self.store.find_time_zone(workspace).await.map_err(unreadable)? {
            Some(name) => name,
            None => self.gateway.today(workspace).await.1,
        };
        let zone = TimeZone::get(&name).unwrap_or(TimeZone::UTC);
        Ok((zone, name))
    }
}

/// Returns the error for a database that does not answer. Its own message goes only to the log.
#[expect(clippy::needless_pass_by_value, reason = "as `map_err` takes it")]
pub(crate) fn unreadable(error: StoreError) -> ToolError {
    tracing::warn!(%error, "a native tool could not reach the database");
    ToolError::new(
        ToolErrorClass::Retryable,
        "UNAVAILABLE",
        "Your saved data couldn't be reached. Nothing was changed.",
    )
    .guide("Try again in a moment.")
}
