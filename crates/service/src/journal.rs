//! The journal: what runs did, by which agent, for the people who may read it.

use std::collections::BTreeMap;

use adagent_contract::{
    AgentCount, AgentRef, DayCount, JournalCount, JournalDay, JournalEntry, JournalLine, JournalPage, JournalQuery,
    JournalSummary, Page, PersonCount, RunStatus, handle_of,
};
use adagent_domain::{Actor, AgentId, RunId, UserId, days_between};
use adagent_runtime::reporting_day;
use adagent_store::{ByAgent, JournalFilter, JournalMark, by_handle};
use jiff::{ToSpan as _, civil::Date, tz::TimeZone};

use crate::{Service, ServiceError, ServiceResult, cursor, validate::Fields};

/// The longest search text, in characters.
const MOST_TEXT: usize = 200;
/// How many entries a summary counts.
const MOST_COUNTED: u32 = 5_000;
/// How many days a summary covers if nobody says otherwise, and at most.
const DAYS: i64 = 7;
const MOST_DAYS: i64 = 92;
/// How many entries a summary shows.
const LATEST: u32 = 5;

/// What a query asks for, checked.
struct Asked {
    filter: JournalFilter,
    from: Option<Date>,
    to: Option<Date>,
    zone: TimeZone,
    zone_name: String,
    today: Date,
}

impl Service {
    /// Lists the entries, newest first.
    pub async fn journal(
        &self,
        actor: &Actor,
        query: &JournalQuery,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<JournalEntry>> {
        let asked = self.journal_asked(actor, query).await?;
        self.journal_page(actor, asked.filter, cursor, limit).await
    }

    /// Lists the entries of one agent.
    pub async fn journal_of_agent(
        &self,
        actor: &Actor,
        agent: AgentId,
        query: &JournalQuery,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<JournalEntry>> {
        self.agent(actor, agent).await?;
        let asked = self.journal_asked(actor, query).await?;
        let filter = JournalFilter { agent: ByAgent::One(agent), ..asked.filter };
        self.journal_page(actor, filter, cursor, limit).await
    }

    /// Counts the entries of some days: by day, agent and person. Without days, counts the last seven.
    pub async fn journal_summary(
        &self,
        actor: &Actor,
        agent: Option<AgentId>,
        query: &JournalQuery,
    ) -> ServiceResult<JournalSummary> {
        if let Some(agent) = agent {
            self.agent(actor, agent).await?;
        }
        let asked = self.journal_asked(actor, query).await?;
        let to = asked.to.unwrap_or(asked.today);
        let from = asked.from.unwrap_or_else(|| to.saturating_sub((DAYS - 1).days()));
        let days = from.until(to).map_or(0, |span| i64::from(span.get_days()));
        if days >= MOST_DAYS {
            return Err(ServiceError::field("/from", format!("Ask for at most {MOST_DAYS} days.")));
        }
        let (start, until) = days_between(Some(from), Some(to), &asked.zone);
        let by = agent.map_or(asked.filter.agent, ByAgent::One);
        let filter = JournalFilter { agent: by, from: start, until, ..asked.filter };
        let marks = self.store.list_journal_marks(actor.workspace, actor.user, &filter, MOST_COUNTED).await?;
        let latest = self.journal_page(actor, filter, None, Some(LATEST)).await?.items;
        let agents = self.agents_of(actor, &marks).await?;
        let mut summary = counted(&marks, &asked.zone, &agents);
        summary.complete = marks.len() < MOST_COUNTED as usize;
        summary.time_zone = asked.zone_name;
        (summary.from, summary.to, summary.latest) = (from.to_string(), to.to_string(), latest);
        Ok(summary)
    }

    /// Returns what the page of the journal shows: the entries by day, and the counts of a month, such as `2026-11`. Without a month, it is
    /// that of the first day asked for, or this one.
    pub async fn journal_by_day(
        &self,
        actor: &Actor,
        query: &JournalQuery,
        month: Option<&str>,
        cursor: Option<&str>,
    ) -> ServiceResult<JournalPage> {
        let asked = self.journal_asked(actor, query).await?;
        let wanted = month.and_then(|month| format!("{month}-01").parse::<Date>().ok());
        let first = wanted.or(asked.from).unwrap_or(asked.today).first_of_month();
        let whole = JournalQuery {
            from: Some(first.to_string()),
            to: Some(first.last_of_month().to_string()),
            ..JournalQuery::default()
        };
        let month = self.journal_summary(actor, None, &whole).await?;
        let Page { items, next_cursor } = self.journal_page(actor, asked.filter, cursor, None).await?;
        let mut days = BTreeMap::<Date, Vec<JournalEntry>>::new();
        for entry in items {
            days.entry(entry.at.to_jiff().to_zoned(asked.zone.clone()).date()).or_default().push(entry);
        }
        let line = |entry: JournalEntry| JournalLine {
            time: entry.at.to_jiff().to_zoned(asked.zone.clone()).strftime("%-I:%M %p").to_string(),
            entry,
        };
        let day = |(day, mut entries): (Date, Vec<JournalEntry>)| {
            // A run that waited for a person ends after runs that began later.
            entries.sort_by_key(|entry| std::cmp::Reverse(entry.at));
            JournalDay { day: day.to_string(), lines: entries.into_iter().map(line).collect() }
        };
        let days = days.into_iter().rev().map(day).collect();
        Ok(JournalPage { days, next_cursor, month, today: asked.today.to_string() })
    }

    async fn journal_page(
        &self,
        actor: &Actor,
        filter: JournalFilter,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<JournalEntry>> {
        let limit = cursor::limit(limit)?;
        let filter = JournalFilter { before: cursor::to_id::<RunId>(cursor)?, ..filter };
        let rows = self.store.list_journal(actor.workspace, actor.user, &filter, limit + 1).await?;
        let (rows, more) = cursor::cut(rows, limit);
        let next_cursor = rows.last().filter(|_| more).map(|row| cursor::of_id(row.run));
        Ok(Page { items: rows.into_iter().map(|row| row.entry(actor.user)).collect(), next_cursor })
    }

    async fn journal_asked(&self, actor: &Actor, query: &JournalQuery) -> ServiceResult<Asked> {
        let mut fields = Fields::default();
        let mut date = |pointer: &str, text: Option<&str>| {
            let text = text.map(str::trim).filter(|text| !text.is_empty())?;
            let wrong = |_| "Write the day as 2026-11-26.";
            fields.take(pointer, text.parse::<Date>().map_err(wrong))
        };
        let (from, to) = (date("/from", query.from.as_deref()), date("/to", query.to.as_deref()));
        let person = query.person.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let person = person
            .and_then(|text| fields.take("/person", text.parse::<UserId>().map_err(|_| "Give the ID of a person.")));
        let text = query.q.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_lowercase);
        if text.as_ref().is_some_and(|text| text.chars().count() > MOST_TEXT) {
            fields.wrong("/q", format!("Search for at most {MOST_TEXT} characters."));
        }
        fields.done()?;
        let day = reporting_day(&self.runtime, actor.workspace).await?;
        let zone = TimeZone::get(&day.zone).unwrap_or(TimeZone::UTC);
        let today = self.clock.now().to_jiff().to_zoned(zone.clone()).date();
        let (start, until) = days_between(from, to, &zone);
        let agent = self.by_agent(actor, query.agent.as_deref()).await?;
        let filter = JournalFilter { agent, from: start, until, status: query.status, text, person, before: None };
        Ok(Asked { filter, from, to, zone, zone_name: day.zone, today })
    }

    /// Returns the names of the agents that did these runs. A deleted agent has none.
    async fn agents_of(&self, actor: &Actor, marks: &[JournalMark]) -> ServiceResult<BTreeMap<AgentId, AgentRef>> {
        let mut known = BTreeMap::new();
        for id in marks.iter().filter_map(|mark| mark.agent) {
            if known.contains_key(&id) {
                continue;
            }
            let found = self.store.find_agent(actor.workspace, id).await?;
            let gone = || AgentRef { handle: "deleted".into(), name: "Deleted agent".into(), color: 0 };
            known.insert(id, found.map_or_else(gone, |agent| agent.body.mark()));
        }
        Ok(known)
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

fn add(count: &mut JournalCount, mark: &JournalMark) {
    count.entries += 1;
    count.failed += u32::from(matches!(mark.status, RunStatus::Failed | RunStatus::Stopped));
    count.cost_micros += mark.cost_micros;
}

fn counted(marks: &[JournalMark], zone: &TimeZone, agents: &BTreeMap<AgentId, AgentRef>) -> JournalSummary {
    let mut all = JournalCount::default();
    let mut days = BTreeMap::<Date, JournalCount>::new();
    let mut by_agent = BTreeMap::<Option<AgentId>, JournalCount>::new();
    let mut people = BTreeMap::<UserId, (String, JournalCount)>::new();
    for mark in marks {
        let day = mark.finished_at.to_jiff().to_zoned(zone.clone()).date();
        add(&mut all, mark);
        add(days.entry(day).or_default(), mark);
        add(by_agent.entry(mark.agent).or_default(), mark);
        add(&mut people.entry(mark.user).or_insert_with(|| (mark.user_name.clone(), JournalCount::default())).1, mark);
    }
    let day = |(day, count): (Date, JournalCount)| DayCount { day: day.to_string(), count };
    let mut agents: Vec<AgentCount> = by_agent
        .into_iter()
        .map(|(id, count)| AgentCount { agent: id.and_then(|id| agents.get(&id).cloned()), count })
        .collect();
    agents.sort_by_key(|one| std::cmp::Reverse(one.count.entries));
    let mut people: Vec<PersonCount> =
        people.into_iter().map(|(id, (name, count))| PersonCount { id, name, count }).collect();
    people.sort_by_key(|one| std::cmp::Reverse(one.count.entries));
    let days = days.into_iter().rev().map(day).collect();
    JournalSummary { count: all, days, agents, people, ..JournalSummary::default() }
}
