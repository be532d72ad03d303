//! Lists the changes that were drafted in this person's chats, what became of each, and who answered.

use std::collections::{HashMap, HashSet};

use adagent_contract::{ApprovalStatus, ApprovalView, Artifact, ColumnKind, DEFAULT_AGENT, handle_of};
use adagent_domain::{AgentId, RunId, Source, Timestamp, ToolCallId};
use adagent_store::{CallStatus, Whose, undone};
use adagent_tools::{CallScope, GroundingIssue, ToolError, ToolInfo, ToolOutput};
use async_trait::async_trait;
use jiff::{civil::Date, tz::TimeZone};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::{
    desk::{Desk, unreadable},
    journal::no_agent,
    table::{or_missing, table, text},
    tool::{NativeTool, list, minute_of, output, turned, typed},
};

/// The most approvals that one call looks through. The Approvals page has the older ones.
const MOST_READ: usize = 2_000;
const AT_ONCE: u32 = 200;
const MOST_SHOWN: usize = 200;

pub(crate) struct ListChanges;

#[derive(Deserialize)]
struct Asked {
    from: Option<Date>,
    to: Option<Date>,
    outcome: Option<Outcome>,
    agent: Option<String>,
    limit: Option<usize>,
}

/// What happened to a drafted change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Made,
    Undone,
    Failed,
    Unknown,
    Denied,
    Expired,
    Canceled,
    Waiting,
    AskedAgain,
}

impl Outcome {
    const NAMES: [&'static str; 9] =
        ["made", "undone", "failed", "unknown", "denied", "expired", "canceled", "waiting", "asked_again"];

    fn of(view: &ApprovalView, call: Option<CallStatus>) -> Self {
        match (view.status, call) {
            (ApprovalStatus::Pending, _) => Self::Waiting,
            (ApprovalStatus::Denied, _) => Self::Denied,
            (ApprovalStatus::Expired, _) => Self::Expired,
            (ApprovalStatus::Cancelled, _) => Self::Canceled,
            (ApprovalStatus::Approved, Some(CallStatus::Succeeded)) => Self::Made,
            (ApprovalStatus::Approved, Some(CallStatus::Failed | CallStatus::Denied)) => Self::Failed,
            (ApprovalStatus::Approved, _) => Self::Unknown,
        }
    }

    const fn id(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Made => "Made",
            Self::Undone => "Made, undone later",
            Self::Failed => "Not made",
            Self::Unknown => "Approved, outcome not known",
            Self::Denied => "Denied",
            Self::Expired => "Expired",
            Self::Canceled => "Canceled",
            Self::Waiting => "Waiting for approval",
            Self::AskedAgain => "Asked again on a newer card",
        }
    }
}

struct Change {
    at: Timestamp,
    /// The handle of the agent that drafted it.
    agent: String,
    view: ApprovalView,
    outcome: Outcome,
}

#[async_trait]
impl NativeTool for ListChanges {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "List changes".into(),
            description: "Lists the changes that were drafted in this person's chats, newest first: what was to be changed, where, \
                          what became of it, who answered and why."
                .into(),
            capability: "assistant".into(),
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "from": {"type": "string", "format": "date", "description": "First day, in the workspace's reporting time zone."},
                    "to": {"type": "string", "format": "date", "description": "Last day."},
                    "agent": {"type": "string", "maxLength": 31, "description": "Handle of one agent, such as desk. All agents if left out."},
                    "outcome": {"enum": Outcome::NAMES, "description": "Only those of which this became. All of them if left out."},
                    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_SHOWN, "default": 50},
                },
            })
            .into(),
            ..ToolInfo::named("list_changes", Source::Native)
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
        let (found, whole) = changes(desk, scope, &asked, &zone).await?;
        let count = found.len();
        let shown: Vec<&Change> = found.iter().take(asked.limit.unwrap_or(50)).collect();
        let rows: Vec<Json> = shown.iter().map(|change| row(change, &zone)).collect();
        let summary = match count {
            0 => "no changes".to_owned(),
            1 => "1 change".to_owned(),
            more => format!("{more} changes"),
        };
        let summary = if whole { summary } else { format!("{summary} among the newest {MOST_READ}") };
        let mut result = list(&rows);
        result["count"] = json!(count);
        result["time_zone"] = json!(name);
        result["complete"] = json!(whole && shown.len() == count);
        let artifact = (count > 0).then(|| drawn(&shown, count, (&zone, &name), scope.call));
        Ok(ToolOutput { artifact, ..output(result, summary) })
    }
}

/// Returns the changes that the call asks for, newest first, and whether it looked at all of them.
async fn changes(
    desk: &Desk,
    scope: &CallScope,
    asked: &Asked,
    zone: &TimeZone,
) -> Result<(Vec<Change>, bool), ToolError> {
    let (mut found, mut before, mut read) = (Vec::new(), None, 0);
    let wanted = asked.agent.as_deref().map(handle_of);
    let mut handles = Handles::default();
    // Approvals come newest first. If a call is already in `seen`, this card is an older one: the change was asked again after it.
    let mut seen = HashSet::new();
    let undone = undone(&desk.store.list_undos(scope.workspace, scope.user).await.map_err(unreadable)?);
    loop {
        let page = desk.store.list_approvals(scope.workspace, Whose::own(scope.user), None, before, AT_ONCE).await;
        let page = page.map_err(unreadable)?;
        before = page.last().map(|record| record.view.id);
        let last = page.len() < AT_ONCE as usize;
        read += page.len();
        for record in page {
            let again = !seen.insert(record.view.tool_call_id) && record.view.status == ApprovalStatus::Approved;
            let at = record.view.answered_at.unwrap_or(record.view.created_at);
            let day = at.to_jiff().to_zoned(zone.clone()).date();
            if asked.from.is_some_and(|from| day < from) || asked.to.is_some_and(|to| day > to) {
                continue;
            }
            let status = status_of(desk, &record.view).await?;
            let outcome = match Outcome::of(&record.view, status) {
                _ if again => Outcome::AskedAgain,
                Outcome::Made if undone.contains(&record.view.id) => Outcome::Undone,
                other => other,
            };
            if asked.outcome.is_some_and(|wanted| wanted != outcome) {
                continue;
            }
            let agent = handles.of(desk, record.view.run_id).await?;
            if wanted.as_ref().is_none_or(|wanted| *wanted == agent) {
                found.push(Change { at, agent, view: record.view, outcome });
            }
        }
        if last || read >= MOST_READ {
            return Ok((found, last));
        }
    }
}

/// The handles of the agents that runs worked as. Looks each one up once.
#[derive(Default)]
struct Handles(HashMap<AgentId, String>);

impl Handles {
    async fn of(&mut self, desk: &Desk, run: RunId) -> Result<String, ToolError> {
        let run = desk.store.find_run_unscoped(run).await.map_err(unreadable)?;
        let Some((workspace, agent)) = run.and_then(|run| Some((run.workspace, run.principal.agent?))) else {
            return Ok(DEFAULT_AGENT.to_owned());
        };
        if let Some(handle) = self.0.get(&agent) {
            return Ok(handle.clone());
        }
        let found = desk.store.find_agent(workspace, agent).await.map_err(unreadable)?;
        let handle = found.map_or_else(|| "deleted".to_owned(), |agent| agent.body.handle);
        self.0.insert(agent, handle.clone());
        Ok(handle)
    }
}

async fn status_of(desk: &Desk, view: &ApprovalView) -> Result<Option<CallStatus>, ToolError> {
    if view.status != ApprovalStatus::Approved {
        return Ok(None);
    }
    let (run, call): (RunId, ToolCallId) = (view.run_id, view.tool_call_id);
    Ok(desk.store.find_call(run, call).await.map_err(unreadable)?.map(|call| call.status))
}

fn row(change: &Change, zone: &TimeZone) -> Json {
    let view = &change.view;
    json!({
        "at": minute_of(change.at, zone),
        "agent": change.agent,
        "change": view.title_now(),
        "source": view.source.id(),
        "outcome": change.outcome.id(),
        "answered_by": view.answered_by,
        "reason": view.reason,
        "approval_id": view.approval_id,
    })
}

fn drawn(shown: &[&Change], count: usize, (zone, name): (&TimeZone, &str), call: ToolCallId) -> Artifact {
    const COLUMNS: [(&str, &str, ColumnKind); 7] = [
        ("at", "When", ColumnKind::Text),
        ("change", "Change", ColumnKind::Text),
        ("source", "Where", ColumnKind::Text),
        ("agent", "Agent", ColumnKind::Text),
        ("outcome", "Outcome", ColumnKind::Text),
        ("answered_by", "Answered by", ColumnKind::Text),
        ("reason", "Reason", ColumnKind::Text),
    ];
    let rows = shown.iter().map(|change| {
        vec![
            text(&minute_of(change.at, zone)),
            text(change.view.title_now()),
            text(change.view.source.display_name()),
            text(&format!("@{}", change.agent)),
            text(change.outcome.words()),
            or_missing(change.view.answered_by.as_ref()),
            or_missing(change.view.reason.as_ref()),
        ]
    });
    table(("Changes", format!("Drafted in your chats · times in {name}")), &COLUMNS, rows, count, call)
}
