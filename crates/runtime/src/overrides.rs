//! New runs that do not begin with a question: the developer override, and what it shares with the fork and with ready-made calls.

use adagent_contract::{CallResult, ContextOverlay, EventBody, OverrideRequest};
use adagent_domain::{Actor, AgentId, ChatSessionId, CheckpointId, MessageId, RunId, Timestamp, ToolCallId};
use adagent_run_core::{Call, CallState, FaultKind, Machine, Turn, from_text, override_call, to_text};
use adagent_store::{
    CallRecord, CallStatus, ChatSession, Checkpoint, NewMessage, NewRun, Origin, Principal, Run, RunUpdate, StoreError,
    Wake,
};
use adagent_tools::ToolInfo;
use serde_json::Value as Json;

use crate::{ControlError, deps::RuntimeDeps, receipt::Receipt};

/// Begins a run with corrected arguments for a call that failed. The run checks the call and asks for approval like any other.
pub async fn override_run(
    deps: &RuntimeDeps,
    actor: &Actor,
    run: RunId,
    request: OverrideRequest,
) -> Result<RunId, ControlError> {
    override_run_once(deps, actor, run, request, None).await
}

/// Does the same as [`override_run`], at most once per receipt.
pub async fn override_run_once(
    deps: &RuntimeDeps,
    actor: &Actor,
    run: RunId,
    request: OverrideRequest,
    receipt: Option<&Receipt>,
) -> Result<RunId, ControlError> {
    let old = deps.store.find_run(actor.workspace, actor.user, run).await?.ok_or(ControlError::NotFound)?;
    if !old.status.is_final() {
        return Err(ControlError::NotPossible("This run is still in progress. Stop it first.".into()));
    }
    if old.parent.is_some() {
        let told = "An agent was asked to do this in another run. Correct it by a new message in that chat.";
        return Err(ControlError::NotPossible(told.into()));
    }
    let saved = deps.store.find_latest_checkpoint(run).await?;
    let saved = saved.ok_or_else(|| ControlError::NotPossible("The run ended before any call was made.".into()))?;
    let state = from_text::<Turn>(&saved.state)?;
    let failed = |call: &&Call| match &call.state {
        CallState::Failed { fault } => fault.kind != FaultKind::UnknownTool && !call.uncertain,
        _ => false,
    };
    let wanted = match request.tool_call_id {
        Some(id) => state.ledger.calls.iter().filter(failed).find(|call| call.id == id),
        None => state.ledger.calls.iter().rfind(failed),
    };
    let call = wanted.ok_or_else(|| ControlError::NotPossible("Only a call that failed can be overridden.".into()))?;
    let name = call.name.clone();
    let content = format!("Run `{name}` with corrected arguments.");
    seed_call(deps, actor, Place::beside(&old, saved.step)?, &content, (&state, &name, &request.args), receipt).await
}

/// Begins a run with one ready-made call, whose arguments we check as strictly as the model's own.
pub(crate) async fn seed_call(
    deps: &RuntimeDeps,
    actor: &Actor,
    place: Place<'_>,
    content: &str,
    (before, name, args): (&Turn, &str, &Json),
    receipt: Option<&Receipt>,
) -> Result<RunId, ControlError> {
    let found = deps.tools.find(actor.workspace, name).await;
    let found = found.map_err(|error| ControlError::NotPossible(error.message))?;
    let tool = found.ok_or_else(|| ControlError::NotPossible(format!("The tool {name} no longer exists.")))?;
    let args = deps.tools.normalise_args(&tool, args);
    let errors = deps.tools.check(&tool, &args);
    if !errors.is_empty() {
        let errors =
            errors.into_iter().map(|e| adagent_contract::FieldError::new(format!("/args{}", e.pointer), e.message));
        return Err(ControlError::Invalid(errors.collect()));
    }
    let (now, id) = (deps.clock.now(), ToolCallId::new(&*deps.ids));
    let digest = deps.tools.digest(&tool, &args);
    let facts = (id, tool.name.as_str(), tool.source, tool.read_only);
    let state = override_call(before, now, &deps.config.limits, facts, digest.clone());
    // The run does not exist yet and gets its own ID later.
    let (row, shown) = prepared((actor, RunId(id.0)), id, &tool, args, digest, now);
    seed(deps, actor, place, content, state, vec![row], vec![shown], receipt).await
}

/// Where a new run belongs.
pub(crate) struct Place<'a> {
    pub session: ChatSessionId,
    /// The chat, if it begins with this run.
    pub fresh: Option<&'a ChatSession>,
    pub model: String,
    pub context: Option<ContextOverlay>,
    /// The agent that the run works as. `None`: the workspace's own.
    pub agent: Option<AgentId>,
    /// The run that this one comes from, and the number of its saved state.
    pub from: Option<(RunId, i64)>,
    /// A key for what a program asked for. Each person can have only one open run with the same key.
    pub asked: Option<&'a str>,
}

impl Place<'_> {
    /// Returns the place next to an old run. The new run gets the same model, context and agent.
    pub(crate) fn beside(old: &Run, step: i64) -> Result<Self, ControlError> {
        let (model, context) = (old.model.clone(), old.context.clone());
        let session = old.turn().ok_or(ControlError::NotFound)?.session;
        let agent = old.principal.agent;
        Ok(Self { session, fresh: None, model, context, agent, from: Some((old.id, step)), asked: None })
    }
}

/// Stores message, run, first events, rows and state in one transaction. A worker can claim the run once it commits.
pub(crate) async fn seed(
    deps: &RuntimeDeps,
    actor: &Actor,
    place: Place<'_>,
    content: &str,
    state: Turn,
    rows: Vec<CallRecord>,
    mut events: Vec<EventBody>,
    receipt: Option<&Receipt>,
) -> Result<RunId, ControlError> {
    let now = deps.clock.now();
    let stored = deps.store.find_context(actor.workspace, actor.user).await?;
    let settings = stored.of_run(None, place.context.as_ref());
    let agent = match place.agent {
        Some(id) => deps.store.find_agent(actor.workspace, id).await?,
        None => None,
    };
    let (run, message) = (RunId::new(&*deps.ids), MessageId::new(&*deps.ids));
    let mut work = deps.store.engine_unit_in(actor.workspace).await?;
    if let Some(receipt) = receipt
        && !receipt.keep(&mut *work, actor, &run, now).await?
    {
        return Err(ControlError::Repeated);
    }
    if let Some(chat) = place.fresh {
        work.insert_chat(chat).await?;
    }
    let new_message = NewMessage {
        id: message,
        workspace: actor.workspace,
        session: place.session,
        run,
        author: actor.user,
        content: content.to_owned(),
        created_at: now,
    };
    work.insert_message(&new_message).await?;
    let turn = adagent_store::MessageRef { session: place.session, message };
    let new_run = NewRun {
        context: place.context,
        principal: Principal { agent: place.agent, ..Principal::person(actor.user) },
        ..NewRun::of_turn(run, actor.workspace, actor.user, turn, place.model.clone(), now)
    };
    let free = work.insert_run(&new_run).await?;
    if let Some(key) = place.asked {
        match work.mark_asked(run, key).await {
            Err(StoreError::Taken { .. }) => return Err(ControlError::AlreadyOpen),
            marked => marked?,
        }
    }
    // All writes of a run need a lease, including the ones that prepare it.
    let lease = work.claim_new(run, &deps.config.owner, now.plus_seconds(30)).await?;
    let lease = lease.ok_or_else(|| ControlError::NotPossible("The run could not be prepared; try again.".into()))?;
    if !free {
        events.push(waits_its_turn());
    }
    let settings = Some(Box::new(settings));
    let agent = agent.map(|agent| Box::new(agent.body.mark()));
    let started =
        EventBody::RunStarted { session_id: place.session, message_id: message, model: place.model, settings, agent };
    events.insert(0, started);
    let first = work.append_events(&lease, now, &events).await?;
    for mut row in rows {
        row.run = run;
        work.insert_call(&lease, &row).await?;
    }
    let checkpoint = Checkpoint {
        id: CheckpointId::new(&*deps.ids),
        run,
        step: 1,
        seq: first + events.len() as u64 - 1,
        node: Machine::place(&state).into(),
        state: to_text(&state),
        created_at: now,
    };
    work.insert_checkpoint(&lease, &checkpoint).await?;
    if let Some((parent, parent_step)) = place.from {
        work.insert_origin(&Origin { run, parent, parent_step, inherited_seq: checkpoint.seq }).await?;
    }
    // If another run of the chat still works, this one waits until that run ends.
    let update = RunUpdate { release: true, next_ready: free.then_some(now), ..RunUpdate::default() };
    work.update_run(&lease, &update).await?;
    work.wake(Wake::Events(run));
    work.wake(Wake::Work);
    work.wake(Wake::Activity(actor.user));
    work.durable();
    work.commit().await?;
    Ok(run)
}

/// Returns the status that a run shows until it begins, because an earlier run of the chat still works.
pub fn waits_its_turn() -> EventBody {
    EventBody::Status { label: "Waiting for the run before this one".into() }
}

/// Returns a ready-made call as we store it and as people see it.
pub(crate) fn prepared(
    (actor, run): (&Actor, RunId),
    id: ToolCallId,
    tool: &ToolInfo,
    args: Json,
    digest: String,
    now: Timestamp,
) -> (CallRecord, EventBody) {
    let shown = EventBody::Tool {
        tool_call_id: id,
        name: tool.name.clone(),
        source: tool.source,
        params: args.clone(),
        read_only: tool.read_only,
        approved: None,
    };
    let row = CallRecord {
        id,
        run,
        workspace: actor.workspace,
        name: tool.name.clone(),
        read_only: tool.read_only,
        args,
        digest,
        status: CallStatus::Prepared,
        outcome: CallResult::default(),
        created_at: now,
        updated_at: now,
    };
    (row, shown)
}
