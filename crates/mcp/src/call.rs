//! `tools/call`: makes reads at once, and begins runs for writes, which wait for a person.
//!
//! Nothing that a client sends can approve a change. An elicitation only leads a person to our own page.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
    time::Duration,
};

use adagent_contract::{EventBody, Progress, TurnApproval, TurnView};
use adagent_domain::{Actor, RunId};
use adagent_service::ServiceError;
use adagent_tools::{ProgressSink, ToolInfo};
use async_trait::async_trait;
use futures::StreamExt as _;
use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ElicitRequest, ElicitRequestParams, InputRequest,
        InputRequiredResult, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    },
    service::RequestContext,
};
use serde_json::Value as Json;

use crate::{Shared, answers, narrow::Narrow, own, pass, tasks, tools, who, whole};

/// Before a run asks for an approval, it looks things up at the network. After this time, the answer says where to look.
const PREPARING: Duration = Duration::from_secs(30);
/// How long an older client may take to lead its person to the page.
const LEADING: Duration = Duration::from_mins(2);

pub(crate) async fn call(
    shared: &Arc<Shared>,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let actor = who::actor(&context.extensions)?;
    let grant = who::grant(&context.extensions)?;
    let args = Json::Object(request.arguments.clone().unwrap_or_default());
    let narrow = Narrow::of(&context.extensions)?;
    let stop = context.ct.clone();
    // The run of a question while it is being answered.
    let begun = OnceLock::new();
    let work = async {
        #[cfg(feature = "fixtures")]
        if let Some(answer) = crate::fixtures::call(&actor, &request.name, &context).await {
            return Ok(answer.into());
        }
        if let Some(answer) = own::call(shared, &actor, &request.name, &args, (&context, &begun)).await {
            return answer;
        }
        let tool = match shared.service.usable_tool(&who::granted(&actor)?, tools::meant(&request.name)).await {
            Ok(Some(tool)) if narrow.shows(&tool) && tools::name_here(&tool) == request.name => tool,
            Ok(_) => return Err(unknown(&request.name)),
            Err(error) => return Ok(answers::failed(&error).into()),
        };
        if tool.read_only {
            let mut progress = Told::new(&context);
            return Ok(read(shared, &actor, &tool, &args, &mut progress).await.into());
        }
        write(shared, &actor, &tool, &args, &request, &context).await
    };
    let answered = tokio::select! {
        answer = work => Some(answer),
        () = stop.cancelled() => None,
        () = pass::over(shared, &grant) => None,
    };
    if let Some(answer) = answered
        && pass::holds(shared, &grant).await
    {
        return answer;
    }
    // The token ended, or the client canceled. We drop a read and do not send it again, and we stop a question; a drafted change stays
    // pending.
    if let Some(run) = begun.get()
        && let Err(error) = shared.service.cancel_run(&actor, *run).await
    {
        tracing::debug!(%error, %run, "the run of a question that ended early could not be stopped");
    }
    Err(if stop.is_cancelled() { ErrorData::internal_error("The request was canceled.", None) } else { pass::ended() })
}

fn unknown(name: &str) -> ErrorData {
    let told =
        format!("Unknown tool: {}. tools/list shows the tools of connected and enabled networks.", who::quoted(name));
    ErrorData::invalid_params(told, None)
}

async fn read(shared: &Shared, actor: &Actor, tool: &ToolInfo, args: &Json, progress: &mut Told) -> CallToolResult {
    let answered = match actor.grant() {
        Ok(granted) => shared.service.read_tool(&granted, tool, args, progress).await,
        Err(denied) => Err(denied.into()),
    };
    match answered {
        Ok(Ok(output)) => {
            let words = tools::headline(tool, &output.summary, output.cached, &output.result);
            answers::read(words, output.result, whole::link(tool, args))
        }
        Ok(Err(refused)) => answers::refused(&refused),
        Err(error) => answers::failed(&error),
    }
}

async fn write(
    shared: &Arc<Shared>,
    actor: &Actor,
    tool: &ToolInfo,
    args: &Json,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    if let Some(state) = &request.request_state {
        return resumed(shared, actor, state).await;
    }
    let client = context.client_info().map_or_else(|| "a program".to_owned(), |client| client.name);
    let begun = match shared.service.begin_call(&who::granted(actor)?, tool, args, &client).await {
        Ok(Ok(begun)) => begun,
        Ok(Err(refused)) => return Ok(answers::refused(&refused).into()),
        Err(error) => return Ok(answers::failed(&error).into()),
    };
    if tasks::wanted(context) {
        return tasks::created(shared, actor, begun.run_id).await;
    }
    let turn = match settled(shared, actor, begun.run_id, PREPARING, &mut Told::new(context)).await {
        Ok(turn) => turn,
        Err(error) => return Ok(answers::failed(&error).into()),
    };
    let waiting = inputs(shared, &turn);
    if waiting.is_empty() || !opens_pages(context) {
        return Ok(answers::run(shared, &turn).into());
    }
    if is_current(context) {
        return Ok(InputRequiredResult::new(Some(waiting), Some(turn.run_id.to_string())).into());
    }
    for approval in answers::pending(&turn) {
        let (message, page) = page_to_open(shared, approval);
        lead(&context.peer, message, page, turn.run_id).await;
    }
    match shared.service.turn_with_agents(actor, begun.run_id).await {
        Ok(turn) => Ok(answers::run(shared, &turn).into()),
        Err(error) => Ok(answers::failed(&error).into()),
    }
}

/// Continues after the client returns from the page. The client's data says nothing about what the person did there, so we read the run.
async fn resumed(shared: &Arc<Shared>, actor: &Actor, state: &str) -> Result<CallToolResponse, ErrorData> {
    let Ok(run) = state.parse::<RunId>() else {
        return Err(ErrorData::invalid_params("This requestState isn't from this server.", None));
    };
    match shared.service.turn_with_agents(actor, run).await {
        Ok(turn) => Ok(answers::run(shared, &turn).into()),
        Err(error) => Err(who::failed(&error)),
    }
}

/// Waits until the run asks for approval, ends, or takes too long.
pub(crate) async fn settled(
    shared: &Shared,
    actor: &Actor,
    run: RunId,
    patience: Duration,
    told: &mut Told,
) -> Result<TurnView, ServiceError> {
    let events = shared.service.follow_events(actor, run, 0).await?;
    let mut events = std::pin::pin!(events);
    let waiting = async {
        while let Some(event) = events.next().await {
            match &event.body {
                EventBody::ToolApprovalRequired { .. } | EventBody::AgentsWait | EventBody::Done { .. } => return,
                EventBody::Status { label } => told.progress(label, None).await,
                EventBody::ToolExecuting { message, progress, .. } => told.progress(message, *progress).await,
                _ => {}
            }
        }
    };
    // A timeout is not an error: the answer gives the run's status.
    let _ = tokio::time::timeout(patience, waiting).await;
    shared.service.turn_with_agents(actor, run).await
}

/// Returns the message and the page for an approval that waits for a person.
fn page_to_open(shared: &Shared, approval: &TurnApproval) -> (String, String) {
    let message = format!("{} Review what will be sent, and approve or deny it in ADAgentAI.", approval.title);
    (message, answers::approve_at(shared, approval))
}

/// Returns everything a run waits for. Each question has its own key, which is never used again.
pub(crate) fn inputs(shared: &Shared, turn: &TurnView) -> BTreeMap<String, InputRequest> {
    let waiting = answers::pending(turn).map(|approval| {
        let (message, url) = page_to_open(shared, approval);
        let params =
            ElicitRequestParams::UrlElicitationParams { meta: None, message, url, elicitation_id: String::new() };
        (key_of(approval), InputRequest::Elicitation(ElicitRequest::new(params)))
    });
    waiting.collect()
}

/// Returns the key under which we ask a client about an approval.
pub(crate) fn key_of(approval: &TurnApproval) -> String {
    format!("approval-{}", approval.approval_id)
}

/// Checks whether the client can show a page to a person.
pub(crate) fn opens_pages(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    capabilities.and_then(|capabilities| capabilities.elicitation).is_some_and(|elicitation| elicitation.url.is_some())
}

fn is_current(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Asks an older client to lead its person to the page, while its call waits.
async fn lead(peer: &Peer<RoleServer>, message: String, url: String, run: RunId) {
    let params =
        ElicitRequestParams::UrlElicitationParams { meta: None, message, url, elicitation_id: run.to_string() };
    if let Err(error) = peer.create_elicitation_with_timeout(params, Some(LEADING)).await {
        tracing::debug!(%error, %run, "a client did not lead its person to the approval");
    }
}

/// A sink that reports the progress of a call to a client that asked for it.
pub(crate) struct Told {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    count: f64,
}

impl Told {
    pub fn new(context: &RequestContext<RoleServer>) -> Self {
        Self { peer: context.peer.clone(), token: context.meta.get_progress_token(), count: 0.0 }
    }
}

#[async_trait]
impl ProgressSink for Told {
    #[expect(clippy::cast_precision_loss, reason = "counts of pages and polls are small")]
    async fn progress(&mut self, message: &str, progress: Option<Progress>) {
        let Some(token) = self.token.clone() else { return };
        // This number must increase, whatever the network reports. The message holds the network's own count.
        self.count += 1.0;
        let mut told = ProgressNotificationParam::new(token, self.count).with_message(message);
        if let Some(Progress { done, total }) = progress {
            self.count = self.count.max(done as f64);
            told.progress = self.count;
            told = told.with_total(total as f64);
        }
        if let Err(error) = self.peer.notify_progress(told).await {
            tracing::debug!(%error, "a client could not be told of progress");
        }
    }
}
