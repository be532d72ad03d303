//! The journal of a person: what their runs did, by which agent.

use adagent_contract::{JournalEntry, JournalQuery, Page, handle_of};
use adagent_domain::{Actor, RunId, days_between};
use adagent_runtime::reporting_day;
use adagent_store::{ByAgent, JournalFilter, JournalRow, by_handle};
use jiff::{civil::Date, tz::TimeZone};

use crate::{Service, ServiceError, ServiceResult, cursor, validate::Fields};

/// The longest search text, in characters.
const MOST_TEXT: usize = 200;

impl Service {
    /// Lists the entries, newest first.
    pub async fn journal(
        &self,
        actor: &Actor,
        query: &JournalQuery,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<JournalEntry>> {
        let limit = cursor::limit(limit)?;
        let mut fields = Fields::default();
        let mut date = |pointer: &str, text: Option<&str>| {
            let text = text.map(str::trim).filter(|text| !text.is_empty())?;
            let wrong = |_| "Write the day as 2026-11-26.";
            fields.take(pointer, text.parse::<Date>().map_err(wrong))
        };
        let (from, to) = (date("/from", query.from.as_deref()), date("/to", query.to.as_deref()));
        let text = query.q.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_lowercase);
        if text.as_ref().is_some_and(|text| text.chars().count() > MOST_TEXT) {
            fields.wrong("/q", format!("Search for at most {MOST_TEXT} characters."));
        }
        fields.done()?;
        let zone = reporting_day(&self.runtime, actor.workspace).await?.zone;
        let zone = TimeZone::get(&zone).unwrap_or(TimeZone::UTC);
        let (from, until) = days_between(from, to, &zone);
        let agent = self.by_agent(actor, query.agent.as_deref()).await?;
        let before = cursor::to_id::<RunId>(cursor)?;
        let filter = JournalFilter { agent, from, until, status: query.status, text, before };
        let rows = self.store.list_journal(actor.workspace, actor.user, &filter, limit + 1).await?;
        let (rows, more) = cursor::cut(rows, limit);
        let next_cursor = rows.last().filter(|_| more).map(|row| cursor::of_id(row.run));
        Ok(Page { items: rows.into_iter().map(JournalRow::entry).collect(), next_cursor })
    }

    async fn by_agent(&self, actor: &Actor, handle: Option<&str>) -> ServiceResult<ByAgent> {
        let handle = handle.map(handle_of).filter(|handle| !handle.is_empty());
        let Some(handle) = handle else { return Ok(ByAgent::Any) };
        match by_handle(&*self.store, actor.workspace, actor.user, &handle).await? {
            Some(agent) => Ok(agent),
            None => Err(ServiceError::field("/agent", self.no_agent(actor, &handle).await?)),
        }
    }
}
