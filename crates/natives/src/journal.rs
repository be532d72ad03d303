//! Lists what was done: this person's runs that ended, each with its question, a short form of its answer, and the changes it made.

use adagent_contract::{Artifact, ColumnKind, JournalEntry, RunStatus, Value, handle_of, is_refusal};
use adagent_domain::{Source, ToolCallId, days_between};
use adagent_store::{ByAgent, JournalFilter, by_handle};
use adagent_tools::{CallScope, GroundingIssue, JOURNAL, ToolError, ToolInfo, ToolOutput};
use async_trait::async_trait;
use jiff::{civil::Date, tz::TimeZone};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::{
    desk::{Desk, unreadable},
    table::{table, text},
    tool::{NativeTool, list, minute_of, output, turned, typed},
};

const MOST_SHOWN: u32 = 100;

pub(crate) struct ListJournal;

#[derive(Deserialize)]
struct Asked {
    from: Option<Date>,
    to: Option<Date>,
    agent: Option<String>,
    limit: Option<u32>,
}

#[async_trait]
impl NativeTool for ListJournal {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "List the journal".into(),
            description: "Lists what was done for this person, newest first: the question of each run that ended, which agent answered, \
                          the beginning of the answer, how it ended, and the changes that were made."
                .into(),
            capability: "assistant".into(),
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "from": {"type": "string", "format": "date", "description": "First day, in the workspace's reporting time zone."},
                    "to": {"type": "string", "format": "date", "description": "Last day."},
                    "agent": {"type": "string", "maxLength": 31, "description": "Handle of one agent, such as desk. All agents if left out."},
                    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_SHOWN, "default": 20},
                },
            })
            .into(),
            ..ToolInfo::named(JOURNAL, Source::Native)
        }
    }

    async fn ground(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let asked: Asked = typed(args)?;
        let mut issues: Vec<_> = turned(asked.from, asked.to).into_iter().collect();
        if let Some(handle) = &asked.agent {
            issues.extend(no_agent(desk, scope, handle).await?);
        }
        Ok(issues)
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        let asked: Asked = typed(args)?;
        let (zone, name) = desk.zone(scope.workspace).await?;
        let agent = match &asked.agent {
            None => ByAgent::Any,
            Some(handle) => by(desk, scope, handle).await?.unwrap_or_default(),
        };
        let (from, until) = days_between(asked.from, asked.to, &zone);
        let limit = asked.limit.unwrap_or(20);
        // What a shared agent shows of other people's runs is on the journal's page; here we tell what was done for this person.
        let filter = JournalFilter { agent, from, until, person: Some(scope.user), ..JournalFilter::default() };
        let mut rows =
            desk.store.list_journal(scope.workspace, scope.user, &filter, limit + 1).await.map_err(unreadable)?;
        let complete = rows.len() <= limit as usize;
        rows.truncate(limit as usize);
        let entries: Vec<JournalEntry> = rows.into_iter().map(|row| row.entry(scope.user)).collect();
        let items: Vec<Json> = entries.iter().map(|entry| item(entry, &zone)).collect();
        let summary = match entries.len() {
            0 => "no entries".to_owned(),
            1 => "1 entry".to_owned(),
            more => format!("{more} entries"),
        };
        let mut result = list(&items);
        result["time_zone"] = json!(name);
        result["complete"] = json!(complete);
        let artifact = (!entries.is_empty()).then(|| drawn(&entries, (&zone, &name), scope.call));
        Ok(ToolOutput { artifact, ..output(result, summary) })
    }
}

/// Returns what is wrong with a handle that no agent of this person has.
pub(crate) async fn no_agent(
    desk: &Desk,
    scope: &CallScope,
    handle: &str,
) -> Result<Option<GroundingIssue>, ToolError> {
    if by(desk, scope, handle).await?.is_some() {
        return Ok(None);
    }
    let all = desk.store.list_agents(scope.workspace, scope.user, MOST_SHOWN).await.map_err(unreadable)?;
    let known = all.into_iter().map(|agent| (agent.body.handle, agent.body.name));
    let message = format!("There is no agent named @{}.", handle_of(handle));
    Ok(Some(GroundingIssue { pointer: "/agent".into(), message, candidates: known.collect() }))
}

/// Returns whose entries a handle means. `None` if no agent has this handle.
async fn by(desk: &Desk, scope: &CallScope, handle: &str) -> Result<Option<ByAgent>, ToolError> {
    by_handle(&*desk.store, scope.workspace, scope.user, &handle_of(handle)).await.map_err(unreadable)
}

const fn ended(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Completed => "done",
        RunStatus::Failed => "failed",
        RunStatus::Stopped => "stopped",
        RunStatus::Cancelled => "canceled",
        RunStatus::Queued | RunStatus::Running | RunStatus::AwaitingApproval => "open",
    }
}

fn item(entry: &JournalEntry, zone: &TimeZone) -> Json {
    let mut told = json!({
        "at": minute_of(entry.at, zone),
        "agent": entry.handle(),
        "question": entry.question,
        "summary": entry.summary,
        "status": ended(entry.status),
        "changes": entry.changes,
        "run_id": entry.run,
        "session_id": entry.session,
    });
    if is_refusal(&entry.summary) {
        told["refused"] = true.into();
    }
    told
}

fn drawn(entries: &[JournalEntry], (zone, name): (&TimeZone, &str), call: ToolCallId) -> Artifact {
    const COLUMNS: [(&str, &str, ColumnKind); 5] = [
        ("at", "When", ColumnKind::Text),
        ("agent", "Agent", ColumnKind::Text),
        ("question", "Question", ColumnKind::Text),
        ("summary", "Answer", ColumnKind::Text),
        ("changes", "Changes made", ColumnKind::Text),
    ];
    let rows = entries.iter().map(|entry| {
        let changes = if entry.changes.is_empty() { Value::Missing } else { text(&entry.changes.join("; ")) };
        vec![
            text(&minute_of(entry.at, zone)),
            text(&format!("@{}", entry.handle())),
            text(&entry.question),
            text(&entry.summary),
            changes,
        ]
    });
    let heading = ("Journal", format!("What was done for you · times in {name}"));
    table(heading, &COLUMNS, rows, entries.len(), call)
}
