//! Checks, reads, sketches, sends and probes: everything that goes through the gateway.

use std::{collections::HashMap, sync::Arc, time::Duration};

use adagent_contract::{ALREADY_WAITING, ApprovalView, FieldError, Grants, Preview};
use adagent_domain::{ApprovalId, ConnectionId, RunId, Source, Timestamp, ToolCallId};
use adagent_run_core::{
    Call, CallInput, CallState, CallWork, Fault, FaultKind, Found, Issue, Ledger, Machine as _, Sketched, Stakes,
    Success,
};
use adagent_store::{CallStatus, StoreError};
use adagent_tools::{
    CallScope, GroundingIssue, OUT_OF_TIME, ProbeOutcome, Provider, ToolError, ToolErrorClass, ToolInfo, ToolOutput,
    WriteTicket, connection_of,
};
use futures::future::join_all;
use serde_json::{Value as Json, json};

use super::begin::task_of;
use crate::{
    attempts::{self, Left, repeats},
    claim::{Claim, Waiting},
    deps::RuntimeDeps,
    drive::DriveError,
    live::{CallProgress, LiveSender},
    performer::{Performer, Scene},
    telemetry,
};

/// How long the check of what an approval showed may take. After that, we send nothing.
const REVIEW_TIME: Duration = Duration::from_secs(30);
/// The part of a run's time that its reads must leave, in milliseconds. An answer from the results so far is better than none.
const TIME_TO_ANSWER: i64 = 20_000;
/// How long the look at the network before a write may take. After that, the write is sent without it.
const BASELINE_TIME: Duration = Duration::from_secs(20);
/// How long the look at the network after an interruption may take. After that, a person decides.
const PROBE_TIME: Duration = Duration::from_mins(1);

/// Work on calls, with what it needs from the database.
pub(crate) enum CallJob {
    Check(Vec<ToolCallId>),
    Begin(Vec<ToolCallId>),
    Read(Vec<ToolCallId>),
    Sketch { ids: Vec<ToolCallId>, left: Vec<Left>, bound: HashMap<ToolCallId, ConnectionId>, waiting: Vec<Asked> },
    Probe(ToolCallId),
}

impl CallJob {
    pub async fn prepare(deps: &RuntimeDeps, claim: &Claim, work: &CallWork) -> Result<Self, DriveError> {
        Ok(match work {
            CallWork::Check(ids) => Self::Check(ids.clone()),
            CallWork::Begin(ids) => Self::Begin(ids.clone()),
            CallWork::Read(ids) => Self::Read(ids.clone()),
            CallWork::Sketch(ids) => Self::Sketch {
                ids: ids.clone(),
                left: attempts::by_family(deps, &claim.run).await?,
                bound: asked_for(deps, claim.run.id).await?,
                waiting: asked_elsewhere(deps, claim).await?,
            },
            CallWork::Probe(id) => Self::Probe(*id),
            CallWork::Send(id) => return Err(DriveError::Defect(format!("{id} is sent, not worked on"))),
        })
    }

    pub async fn perform<P: Performer>(self, performer: &P, scene: &Scene<P::Machine>) -> CallInput {
        let Scene { deps, claim, state, live } = scene;
        let ledger = state.ledger();
        match self {
            Self::Check(ids) => check(deps, claim, ledger, &ids).await,
            Self::Begin(ids) => begin(deps, claim, ledger, &ids).await,
            Self::Read(ids) => read(deps, claim, ledger, &ids, live.clone()).await,
            Self::Sketch { ids, left, bound, waiting } => {
                let remarks = |call: &Call, args: &Json| performer.remarks(scene, call, args);
                sketch(deps, claim, ledger, &ids, (&left, &waiting), &bound, remarks).await
            }
            Self::Probe(id) => probe(deps, claim, ledger, id).await,
        }
    }
}

/// Turns a gateway's error into a fault of the machine.
pub(crate) fn fault_of(error: ToolError) -> Fault {
    let kind = match error.class {
        ToolErrorClass::Retryable => FaultKind::Retryable,
        ToolErrorClass::Deterministic => FaultKind::Deterministic,
        ToolErrorClass::Invalid => FaultKind::Invalid,
        ToolErrorClass::NotConnected => FaultKind::NotConnected,
        ToolErrorClass::Disabled => FaultKind::Disabled,
        ToolErrorClass::AuthFailed => FaultKind::AuthFailed,
        ToolErrorClass::OutOfContext => FaultKind::OutOfContext,
        ToolErrorClass::UnknownOutcome => FaultKind::UnknownOutcome,
    };
    Fault {
        kind,
        code: error.code,
        message: error.message,
        guidance: error.guidance,
        issues: error.errors.into_iter().map(issue).collect(),
    }
}

fn issue(error: FieldError) -> Issue {
    Issue { pointer: error.pointer, message: error.message, candidates: Vec::new() }
}

fn no_tool(name: &str) -> Fault {
    Fault::new(FaultKind::UnknownTool, "UNKNOWN_TOOL", format!("There is no tool named {name:?} anymore."))
}

struct Known<'a> {
    call: &'a Call,
    tool: Arc<ToolInfo>,
    args: Json,
}

/// Returns a call with its catalog entry and its arguments.
async fn known<'a>(deps: &RuntimeDeps, claim: &Claim, ledger: &'a Ledger, id: ToolCallId) -> Result<Known<'a>, Fault> {
    let call = ledger.call(id).ok_or_else(|| no_tool("?"))?;
    let found = deps.tools.find(claim.run.workspace, &call.name).await.map_err(fault_of)?;
    let tool = found.ok_or_else(|| no_tool(&call.name))?;
    let args = claim.args.get(&id).map_or_else(|| json!({}), |args| Json::clone(args));
    Ok(Known { call, tool, args })
}

/// Finds the agents that these calls ask.
async fn begin(deps: &RuntimeDeps, claim: &Claim, ledger: &Ledger, ids: &[ToolCallId]) -> CallInput {
    let tasks = ids.iter().map(|id| async move {
        let task = async {
            let known = known(deps, claim, ledger, *id).await?;
            task_of(&*deps.store, &claim.run, &known.args).await
        };
        (*id, task.await.map(Box::new))
    });
    CallInput::Begun(join_all(tasks).await)
}

async fn check(deps: &RuntimeDeps, claim: &Claim, ledger: &Ledger, ids: &[ToolCallId]) -> CallInput {
    let checks = ids.iter().map(|id| async move { (*id, check_one(deps, claim, ledger, *id).await) });
    CallInput::Checked(join_all(checks).await)
}

async fn check_one(deps: &RuntimeDeps, claim: &Claim, ledger: &Ledger, id: ToolCallId) -> Result<(), Fault> {
    let Known { tool, args, .. } = known(deps, claim, ledger, id).await?;
    if claim.chat_only() {
        let message = "This chat is set to chat only, so I can't read or change networks.";
        return Err(Fault::new(FaultKind::OutOfContext, "CHAT_ONLY", message)
            .with_guidance("Answer without tools, and say that chat only can be turned off for this chat."));
    }
    permitted(&*deps.tools, &claim.scope(id), &tool, &args).await
}

/// Makes the checks that every call must pass before we show or send anything of it: the settings, the tool's schema, and what the
/// workspace has.
pub(crate) async fn permitted(
    tools: &dyn Provider,
    scope: &CallScope,
    tool: &ToolInfo,
    args: &Json,
) -> Result<(), Fault> {
    scope.admits(tool).map_err(fault_of)?;
    if scope.settings.safe_mode && !tool.read_only {
        let fault = Fault::new(FaultKind::OutOfContext, "SAFE_MODE", "Safe mode is on, so nothing was changed.");
        return Err(fault.with_guidance(
            "Tell the person what would have changed and that safe mode is switched off in the context settings.",
        ));
    }
    if !scope.settings.admits(tool.source) {
        let message = format!("{} is turned off under Context.", tool.source.display_name());
        return Err(Fault::new(FaultKind::Disabled, "NETWORK_DISABLED", message));
    }
    let errors = tools.check(tool, args);
    if !errors.is_empty() {
        let list = errors.iter().map(|e| format!("{} {}", e.pointer, e.message)).collect::<Vec<_>>().join("; ");
        // The model gets these errors and may correct its call. People see them only in the log.
        let fields: Vec<&str> = errors.iter().map(|e| e.pointer.as_str()).collect();
        tracing::warn!(tool = tool.name, ?fields, "a proposed call does not fit its schema");
        let mut fault =
            Fault::new(FaultKind::Invalid, "INVALID_ARGUMENT", format!("The arguments do not fit: {list}."))
                .with_guidance("Correct the arguments by the tool's schema.");
        fault.issues = errors.into_iter().map(issue).collect();
        return Err(fault);
    }
    let issues = tools.ground(scope, tool, args).await.map_err(fault_of)?;
    if issues.is_empty() { Ok(()) } else { Err(ungrounded(issues)) }
}

pub(crate) fn ungrounded(issues: Vec<GroundingIssue>) -> Fault {
    let list = issues.iter().map(sentence).collect::<Vec<_>>().join(" ");
    let mut fault = Fault::new(FaultKind::Ungrounded, "UNKNOWN_ENTITY", list)
        .with_guidance("Use an id from the candidates or from a list tool; never make one up.");
    fault.issues = issues
        .into_iter()
        .map(|i| Issue { pointer: i.pointer, message: i.message, candidates: i.candidates })
        .collect();
    fault
}

/// Writes an error with the name of its field, because outside the form nothing else shows the field.
fn sentence(issue: &GroundingIssue) -> String {
    let message = issue.message.trim_end_matches('.');
    if message.starts_with(|first: char| first.is_lowercase()) && !issue.pointer.is_empty() {
        format!("{} {message}.", issue.pointer)
    } else {
        format!("{message}.")
    }
}

fn success(deps: &RuntimeDeps, started: adagent_domain::Timestamp, output: ToolOutput) -> Success {
    let took = deps.clock.now().millis_since(started).max(0);
    let summary = match output.attempts {
        0 | 1 => output.summary,
        n => format!("{} ({n} attempts)", output.summary),
    };
    Success {
        result: output.result,
        summary,
        artifact: output.artifact,
        cached: output.cached,
        duration_ms: took.unsigned_abs(),
    }
}

/// Returns how long we wait for reads. A slow network must not end the run, and must leave time to ask other networks. So if the reads go
/// to several networks, they may use half of the time that is left.
fn waits_until(ledger: &Ledger, ids: &[ToolCallId], now: Timestamp) -> Timestamp {
    let mut sources = ids.iter().filter_map(|id| ledger.call(*id)).map(|call| call.source);
    let first = sources.next();
    let several = sources.any(|source| Some(source) != first);
    let left = ledger.deadline.plus_millis(-TIME_TO_ANSWER).millis_since(now);
    now.plus_millis(if several { left / 2 } else { left })
}

/// Runs the reads at the same time. The machine puts the results into call order.
async fn read(deps: &RuntimeDeps, claim: &Claim, ledger: &Ledger, ids: &[ToolCallId], sender: LiveSender) -> CallInput {
    let until = waits_until(ledger, ids, deps.clock.now());
    let reads = ids.iter().map(|id| {
        let sender = sender.clone();
        async move { (*id, read_one(deps, claim, ledger, *id, (sender, until)).await) }
    });
    CallInput::Read(join_all(reads).await)
}

async fn read_one(
    deps: &RuntimeDeps,
    claim: &Claim,
    ledger: &Ledger,
    id: ToolCallId,
    (sender, until): (LiveSender, Timestamp),
) -> Result<Success, Fault> {
    let Known { tool, args, .. } = known(deps, claim, ledger, id).await?;
    if !tool.read_only {
        // A write must never take this path, whatever the stored state says.
        return Err(Fault::new(
            FaultKind::Deterministic,
            "NEEDS_APPROVAL",
            "This tool changes something and needs an approval.",
        ));
    }
    let started = deps.clock.now();
    let left = until.millis_since(started);
    if left <= 0 {
        return Err(out_of_time(&tool));
    }
    let mut progress = CallProgress { sender, call: id, tool: tool.name.clone(), until: Some(until) };
    let scope = claim.scope(id);
    let session = claim.run.turn().map(|turn| turn.session);
    let output = telemetry::execute(deps, &scope, session, &tool, &args, None, &mut progress);
    let output = tokio::time::timeout(Duration::from_millis(left.unsigned_abs()), output).await;
    let output = output.map_err(|_| out_of_time(&tool))?;
    output.map(|output| success(deps, started, output)).map_err(fault_of)
}

/// Returns the fault for a read that takes too long. The answer then says that this result is missing.
fn out_of_time(tool: &ToolInfo) -> Fault {
    let message = format!(
        "{} took longer than I can wait in one run. Ask about it alone, or for fewer days.",
        tool.source.display_name()
    );
    Fault::new(FaultKind::Retryable, OUT_OF_TIME, message)
        .with_guidance("Answer with the results there are, and say which are missing. Read nothing more.")
}

/// Returns the connections of a run's latest approvals. If the run asks again, the change goes to the same connection, whatever its name is
/// now.
async fn asked_for(deps: &RuntimeDeps, run: RunId) -> Result<HashMap<ToolCallId, ConnectionId>, StoreError> {
    let records = deps.store.list_approvals_of_run(run).await?;
    Ok(records.into_iter().filter_map(|one| Some((one.view.tool_call_id, one.view.ui_hints.goes_to?))).collect())
}

/// A change that waits for the same person's approval.
pub(crate) struct Asked {
    approval: ApprovalId,
    tool: String,
    digest: String,
    title: String,
}

/// The most pending approvals of a workspace that we look through.
const MOST_WAITING: u32 = 500;

/// Returns the changes that wait for this person in other runs of the workspace.
async fn asked_elsewhere(deps: &RuntimeDeps, claim: &Claim) -> Result<Vec<Asked>, StoreError> {
    // If a person forks a run, the fork gets its own card, even if the old run still shows the same one.
    if deps.store.find_origin(claim.run.id).await?.is_some() {
        return Ok(Vec::new());
    }
    let records = deps.store.list_pending_approvals(claim.run.workspace, MOST_WAITING).await?;
    let others =
        records.into_iter().filter(|one| one.user == claim.run.principal.user && one.view.run_id != claim.run.id);
    Ok(others
        .map(|one| Asked { approval: one.view.id, tool: one.view.tool_name, digest: one.digest, title: one.view.title })
        .collect())
}

/// Returns a fault if the same change already waits on another card, because a person would answer both. A change that this run has asked
/// about before gets its own card.
fn waits_already(call: &Call, waiting: &[Asked]) -> Option<Fault> {
    if call.found.is_some() || call.doubt().is_some() || call.instead_of.is_some() {
        return None;
    }
    let same = waiting.iter().find(|asked| asked.tool == call.name && asked.digest == call.digest)?;
    let message = format!("This exact change is already waiting for your approval: “{}”.", same.title);
    let mut fault = Fault::new(FaultKind::Duplicate, ALREADY_WAITING, message)
        .with_guidance("Say that its card is under Approvals. Do not propose the same change again.");
    fault.issues = vec![Issue {
        pointer: String::new(),
        message: "The approval that is waiting".into(),
        candidates: vec![(same.approval.to_string(), same.title.clone())],
    }];
    Some(fault)
}

/// Prepares the approvals of these writes. `left` is what related runs have sent, and `waiting` what waits for the person in other runs.
/// For `bound`, see [`asked_for`]. `remarks` returns the extra warnings that this kind of run has for a change.
async fn sketch(
    deps: &RuntimeDeps,
    claim: &Claim,
    ledger: &Ledger,
    ids: &[ToolCallId],
    (left, waiting): (&[Left], &[Asked]),
    bound: &HashMap<ToolCallId, ConnectionId>,
    remarks: impl Fn(&Call, &Json) -> Vec<String> + Sync,
) -> CallInput {
    let remarks = &remarks;
    let sketches = ids.iter().map(|id| async move {
        if let Some(fault) = ledger.call(*id).and_then(|call| waits_already(call, waiting)) {
            return (*id, Err(fault));
        }
        let scope = CallScope { connection: bound.get(id).copied(), ..claim.scope(*id) };
        let mut sketch = sketch_one(deps, claim, ledger, &scope).await;
        if let (Ok(sketch), Some(call)) = (&mut sketch, ledger.call(*id)) {
            sketch.warnings.splice(0..0, repeats(call, left));
            sketch.warnings.extend(remarks(call, &sketch.tool_input));
            sketch.warnings.extend(claim.waiting.iter().map(Waiting::warning));
            sketch
                .warnings
                .extend(claim.agent.iter().map(|agent| format!("The agent @{} proposes this.", agent.handle)));
        }
        (*id, sketch)
    });
    CallInput::Sketched(join_all(sketches).await)
}

async fn sketch_one(
    deps: &RuntimeDeps,
    claim: &Claim,
    ledger: &Ledger,
    scope: &CallScope,
) -> Result<Box<Sketched>, Fault> {
    let id = scope.call;
    let Known { call, tool, args } = known(deps, claim, ledger, id).await?;
    let sketch = match deps.tools.sketch(scope, &tool, &args).await.map_err(fault_of) {
        // Only a person can now find out whether the change was already made, so ask even if we can't read the network.
        Err(fault) if fault.kind.is_retryable() && call.doubt().is_some() => {
            return asked_before(deps, claim, &tool, id, args, fault).await;
        }
        sketch => sketch?,
    };
    Ok(Box::new(Sketched {
        tool_input: args,
        title: sketch.title,
        risk: sketch.risk,
        warnings: sketch.warnings,
        preview: sketch.preview,
        ui_hints: sketch.ui_hints,
        parameter_schema: sketch.parameter_schema,
    }))
}

/// Returns the card of the last time, without the network's current values.
async fn asked_before(
    deps: &RuntimeDeps,
    claim: &Claim,
    tool: &ToolInfo,
    id: ToolCallId,
    args: Json,
    fault: Fault,
) -> Result<Box<Sketched>, Fault> {
    let Ok(records) = deps.store.list_approvals_of_run(claim.run.id).await else { return Err(fault) };
    let before = records.into_iter().rfind(|record| record.view.tool_call_id == id).ok_or_else(|| fault.clone())?.view;
    Ok(Box::new(Sketched {
        tool_input: args,
        // The earlier title may name values that a person has edited since.
        title: tool.title.clone(),
        risk: before.risk,
        warnings: vec![format!("I couldn't look up the current values: {}", fault.message)],
        preview: Preview::new(before.preview.kind, Vec::new()),
        ui_hints: before.ui_hints,
        parameter_schema: before.parameter_schema,
    }))
}

/// A write whose row, approval and digest match.
pub(crate) struct Bound {
    /// The approval: what it is about, and what it showed.
    asked: Box<ApprovalView>,
    tool: Arc<ToolInfo>,
    args: Json,
    ticket: WriteTicket,
    /// Bound to the connection that the card was drawn for.
    scope: CallScope,
}

/// Checks that the row, the approval, the state and the digest of the write match. If not, nothing is sent.
pub(crate) async fn bound(
    deps: &RuntimeDeps,
    claim: &Claim,
    ledger: &Ledger,
    id: ToolCallId,
) -> Result<Result<Bound, Box<Fault>>, DriveError> {
    let run = claim.run.id;
    let call = ledger.call(id).ok_or_else(|| DriveError::Defect(format!("no call {id}")))?;
    let CallState::Approved { approval } = call.state else {
        return Err(DriveError::Defect(format!("call {id} is not approved")));
    };
    let row =
        deps.store.find_call(run, id).await?.ok_or_else(|| DriveError::Defect(format!("call {id} has no row")))?;
    let records = deps.store.list_approvals_of_run(run).await?;
    let approved = records.iter().find(|record| {
        record.view.id == approval
            && record.view.tool_call_id == id
            && record.workspace == claim.run.workspace
            && record.view.status == adagent_contract::ApprovalStatus::Approved
            && record.digest == call.digest
    });
    let refuse = |why: &str| {
        let fault = Fault::new(FaultKind::Deterministic, "APPROVAL_MISMATCH", format!("Nothing was sent: {why}."));
        Ok(Err(Box::new(fault.with_guidance("Propose the change again."))))
    };
    let tool = match deps.tools.find(claim.run.workspace, &call.name).await {
        Ok(Some(tool)) => tool,
        Ok(None) => return refuse("the tool no longer exists"),
        Err(error) => return Ok(Err(Box::new(fault_of(error)))),
    };
    let Some(approved) = approved.filter(|_| row.status == CallStatus::Approved) else {
        return refuse("this change has no valid approval");
    };
    if row.digest != call.digest || deps.tools.digest(&tool, &row.args) != call.digest {
        return refuse("the details differ from what you approved");
    }
    // From here on, only this connection is used to check the write and to send it.
    let scope = CallScope { connection: approved.view.ui_hints.goes_to, ..claim.scope(id) };
    let place = match deps.tools.place(&scope, &tool, &row.args).await {
        Ok(None) if scope.connection.is_some() => {
            return refuse("the connection this was approved for no longer exists");
        }
        Ok(place) if approved.view.ui_hints.place.is_some() && approved.view.ui_hints.place != place => {
            return refuse("what this goes to is not what the card showed anymore");
        }
        Ok(place) => place,
        Err(error) => return Ok(Err(Box::new(fault_of(error)))),
    };
    let ticket = WriteTicket { call: id, digest: row.digest, place };
    let asked = Box::new(approved.view.clone());
    Ok(Ok(Bound { asked, tool, args: row.args, ticket, scope }))
}

pub(crate) async fn send(
    deps: &RuntimeDeps,
    claim: &Claim,
    bound: Bound,
    sender: LiveSender,
) -> Result<Success, Fault> {
    let Bound { tool, args, ticket, scope, .. } = bound;
    let started = deps.clock.now();
    let mut progress = CallProgress { sender, call: ticket.call, tool: tool.name.clone(), until: None };
    let output = telemetry::execute(
        deps,
        &scope,
        claim.run.turn().map(|turn| turn.session),
        &tool,
        &args,
        Some(&ticket),
        &mut progress,
    )
    .await;
    output.map(|output| success(deps, started, output)).map_err(fault_of)
}

/// Compares what the approval showed with what it would show now, because the answer may come days later. If a person edited the arguments,
/// also returns what the approval said about the change and what we would say about the edited one. `None` if the change replaces nothing
/// and nobody edited it. If this check fails, nothing is sent. `left` is what related runs have sent.
pub(crate) async fn review(
    deps: &RuntimeDeps,
    ledger: &Ledger,
    bound: &Bound,
    left: &[Left],
) -> Result<Option<CallInput>, Fault> {
    let Bound { asked, tool, args, ticket, scope } = bound;
    let look = async {
        let shown = asked.preview.clone();
        let replaces = shown.changes.iter().any(|row| row.before.is_some());
        let edited = *args != asked.tool_input;
        if !replaces && !edited {
            return Ok(None);
        }
        let unedited = deps.tools.sketch(scope, tool, &asked.tool_input).await.map_err(fault_of)?;
        let now = if replaces { unedited.preview } else { shown.clone() };
        let edited = if edited {
            let sketch = deps.tools.sketch(scope, tool, args).await.map_err(fault_of)?;
            // Warnings that would be new without the edit, too, are not a result of the edit.
            let warnings = asked.warnings.iter().cloned().chain(unedited.warnings).collect();
            let before = Stakes { risk: asked.risk, warnings, preview: shown.clone() };
            let repeated = ledger.call(ticket.call).and_then(|call| repeats(call, left));
            let warnings = sketch.warnings.into_iter().chain(repeated).collect();
            Some(Box::new((before, Stakes { risk: sketch.risk, warnings, preview: sketch.preview })))
        } else {
            None
        };
        Ok(Some(CallInput::Reviewed { id: ticket.call, shown, now, edited }))
    };
    tokio::time::timeout(REVIEW_TIME, look).await.unwrap_or_else(|_| {
        let why = "The network didn't report the current values in time, so the approved change was not sent.";
        Err(Fault::new(FaultKind::Retryable, "TIMEOUT", why).with_guidance("Propose the change again."))
    })
}

/// What we keep with a call that is about to be sent: its connection, and what the network had before.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    place: String,
    found: Option<Json>,
}

impl Bound {
    /// Returns what is stored with the call. [`probe`] reads it.
    pub(crate) fn kept(&self, found: Option<Json>) -> Option<Json> {
        match self.ticket.place.clone() {
            Some(place) => serde_json::to_value(Kept { place, found }).ok(),
            None => found,
        }
    }
}

/// Reads the values at the network before the write is sent. If that fails, a later look just knows less.
pub(crate) async fn baseline(deps: &RuntimeDeps, bound: &Bound) -> Option<Json> {
    let looked = deps.tools.baseline(&bound.scope, &bound.tool, &bound.args);
    match tokio::time::timeout(BASELINE_TIME, looked).await {
        Ok(Ok(baseline)) => baseline,
        Ok(Err(error)) => {
            tracing::debug!(tool = %bound.tool.name, %error, "what is there already could not be read");
            None
        }
        Err(_) => None,
    }
}

/// Explains why nobody can check anymore whether a change went through.
fn elsewhere(source: Source, gone: bool) -> String {
    let name = source.display_name();
    let what = if gone { "was disconnected" } else { "was reconnected with other credentials" };
    format!(
        "{name} {what} after the change was sent, so its current values don't tell whether the change went through."
    )
}

/// Looks whether the write took effect at the network. If the look fails, says that it cannot tell.
async fn probe(deps: &RuntimeDeps, claim: &Claim, ledger: &Ledger, id: ToolCallId) -> CallInput {
    let looked = async {
        let Known { call, tool, args } = known(deps, claim, ledger, id).await?;
        let kept = call.baseline.as_ref();
        // Calls that an older version of this program sent have only what the network had before.
        let (place, found) = match kept.and_then(|kept| serde_json::from_value::<Kept>(kept.clone()).ok()) {
            Some(Kept { place, found }) => (Some(place), found),
            None => (None, kept.cloned()),
        };
        // The look uses all rights, because the write was granted when it was sent.
        let mut scope = CallScope { grants: Grants::everything(), ..claim.scope(id) };
        scope.connection = place.as_deref().and_then(connection_of);
        let now = deps.tools.place(&scope, &tool, &args).await.map_err(fault_of)?;
        if place.is_some() && place != now {
            return Ok(ProbeOutcome::CannotTell { why: elsewhere(tool.source, now.is_none()) });
        }
        deps.tools.probe(&scope, &tool, &args, found.as_ref()).await.map_err(fault_of)
    };
    let found = match tokio::time::timeout(PROBE_TIME, looked).await {
        Ok(Ok(ProbeOutcome::Happened { result, summary })) => Found::Happened { result, summary },
        Ok(Ok(ProbeOutcome::DidNotHappen { looked_at })) => Found::DidNotHappen { looked_at },
        Ok(Ok(ProbeOutcome::CannotTell { why })) => Found::CannotTell { why },
        Ok(Err(fault)) => Found::CannotTell { why: fault.message },
        Err(_) => Found::CannotTell { why: "the network didn't answer in time.".into() },
    };
    CallInput::Probed(id, Box::new(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_nothing_is_told_in_whole_sentences() {
        let issue = |pointer: &str, message: &str| GroundingIssue {
            pointer: pointer.into(),
            message: message.into(),
            candidates: vec![("7".into(), "Players".into())],
        };
        let fault = ungrounded(vec![
            issue("/audienceSegmentId", "is no audience segment of account 21700000001: 1"),
            issue("/name", "There is no app of that name."),
        ]);
        assert_eq!(fault.code, "UNKNOWN_ENTITY");
        assert_eq!(
            fault.message,
            "/audienceSegmentId is no audience segment of account 21700000001: 1. There is no app of that name."
        );
        assert!(fault.guidance.as_deref().is_some_and(|text| text.starts_with("Use an id")), "{fault:?}");
        assert_eq!(fault.issues.len(), 2);
        assert_eq!(fault.issues[0].candidates[0].0, "7");
    }
}
