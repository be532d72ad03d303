//! Calls from programs: lists the tools that a person may use, makes reads at once, and begins runs for writes, which wait for approval.
//!
//! The tools, settings and checks are the same as in a chat. Nothing changes without a person's approval.

use std::{fmt, sync::Arc};

use adagent_contract::{ASK_AGENT, ContextSettings, EntityItem, EntityKind, Grants, NetworkState, Progress, codes};
use adagent_domain::{
    Actor, Granted, Network, Source, ToolCallId,
    rights::{Chat, ViewConnections},
};
use adagent_run_core::Fault;
use adagent_runtime::{ControlError, Given, begin_call, check_given, read_given};
use adagent_tools::{CallScope, EntityFilter, ProgressSink, ToolError, ToolInfo, ToolOutput};
use async_trait::async_trait;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use crate::{Service, ServiceError, ServiceResult, control::refused, validate};

const MAX_TITLE: usize = 80;

/// How often we try again if the same call from elsewhere was faster and its run has already ended.
const ATTEMPTS: u32 = 3;

/// Why a call was not made, or what the network answered, with what to do about it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRefused {
    /// The code, such as `NOT_FOUND`, `RATE_LIMITED` or `INVALID_ARGUMENT`.
    pub code: String,
    pub message: String,
    pub guidance: Option<String>,
    /// The same as data, with the wrong fields and with candidates that exist.
    pub detail: Json,
}

impl fmt::Display for CallRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.guidance {
            Some(guidance) => write!(f, " {guidance}"),
            None => Ok(()),
        }
    }
}

impl From<Fault> for CallRefused {
    fn from(fault: Fault) -> Self {
        let detail = fault.to_json();
        Self { code: fault.code, message: fault.message, guidance: fault.guidance, detail }
    }
}

/// A sink for callers that do not need progress.
pub struct NoProgress;

#[async_trait]
impl ProgressSink for NoProgress {
    async fn progress(&mut self, _: &str, _: Option<Progress>) {}
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` takes it")]
fn unreadable(error: ToolError) -> ServiceError {
    ServiceError::Internal(error.to_string())
}

impl Service {
    /// Lists the tools that a person may use now, by name: those of connected networks that are turned on, and our own. In safe mode,
    /// leaves out tools that write.
    pub async fn usable_tools(&self, actor: &Granted<Chat>) -> ServiceResult<Vec<Arc<ToolInfo>>> {
        let (settings, connected) = self.sight(actor).await?;
        let mut tools = self.runtime.tools.offered(actor.workspace).await.map_err(unreadable)?;
        // We do not offer tools of tool servers to other programs.
        tools.retain(|tool| tool.source != Source::Mcp && is_usable(tool, &connected) && is_allowed(tool, &settings));
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(tools)
    }

    /// Lists every tool of every source, including those that this person may not use.
    pub fn catalogue(&self) -> Vec<Arc<ToolInfo>> {
        self.runtime.tools.tools()
    }

    /// Finds one of [`Self::usable_tools`]. A tool that this person can't use now gets the same answer as a tool that does not exist.
    pub async fn usable_tool(&self, actor: &Granted<Chat>, name: &str) -> ServiceResult<Option<Arc<ToolInfo>>> {
        let Some(tool) = self.runtime.tools.tool(name) else { return Ok(None) };
        let (settings, connected) = self.sight(actor).await?;
        Ok((is_usable(&tool, &connected) && is_allowed(&tool, &settings)).then_some(tool))
    }

    async fn sight(&self, actor: &Granted<Chat>) -> ServiceResult<(ContextSettings, Vec<Network>)> {
        let (settings, networks) = futures::join!(
            self.store.find_context(actor.workspace, actor.user),
            self.runtime.gateway.networks(actor.workspace),
        );
        let networks = networks.map_err(unreadable)?;
        let connected = networks.into_iter().filter(|(_, state)| *state == NetworkState::Connected);
        Ok((settings?, connected.map(|(network, _)| network).collect()))
    }

    /// Makes a read at once, with every check that a run makes.
    pub async fn read_tool(
        &self,
        actor: &Granted<Chat>,
        tool: &ToolInfo,
        args: &Json,
        progress: &mut dyn ProgressSink,
    ) -> ServiceResult<Result<ToolOutput, CallRefused>> {
        let scope = self.scope_of(actor).await?;
        let args = self.runtime.tools.normalise_args(tool, args);
        Ok(read_given(&self.runtime, &scope, tool, &args, progress).await.map_err(Into::into))
    }

    /// Begins a run with this call; if it writes, it waits for approval. If the call cannot be sent as it is, no run begins. `asked_by`
    /// tells people where the call came from.
    pub async fn begin_call(
        &self,
        actor: &Granted<Chat>,
        tool: &ToolInfo,
        args: &Json,
        asked_by: &str,
    ) -> ServiceResult<Result<Given, CallRefused>> {
        self.limits.chat(actor.user)?;
        let scope = self.scope_of(actor).await?;
        let args = self.runtime.tools.normalise_args(tool, args);
        if let Err(fault) = check_given(&self.runtime, &scope, tool, &args).await {
            return Ok(Err(fault.into()));
        }
        let model = scope.settings.model.unwrap_or_else(|| self.default_model().to_owned());
        // The program chooses this name, and people and models read it, so keep only plain characters.
        let plain = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-');
        let name: String = asked_by.chars().filter(plain).collect();
        let from = validate::line(&name, "The name", MAX_TITLE).unwrap_or_else(|_| "a program".into());
        let content = format!("Run `{}`, requested by {from}.", tool.name);
        let asked = (!tool.read_only).then(|| asked_key(tool, &self.runtime.tools.digest(tool, &args), &content));
        for _ in 0..ATTEMPTS {
            if let Some(given) = self.asked_already(actor, asked.as_deref()).await? {
                return Ok(Ok(given));
            }
            let chat = self.new_chat(actor, adagent_contract::title_of(&tool.title), false);
            let begun =
                begin_call(&self.runtime, actor, &chat, model.clone(), (tool, &args), &content, asked.as_deref());
            match begun.await {
                Ok(given) => return Ok(Ok(given)),
                // The same call came at the same moment, and the other one was faster.
                Err(ControlError::Repeated | ControlError::AlreadyOpen) => {}
                Err(error) => return Err(refused(error, "run")),
            }
        }
        Err(ServiceError::Conflict {
            code: codes::CONFLICT,
            detail: "The same call is running too many times. Wait for one of its runs to finish.".into(),
        })
    }

    /// Finds the open run in which the same program asked for exactly this, if nobody has stopped it. A program that lost the answer and
    /// asks again gets this run.
    async fn asked_already(&self, actor: &Actor, key: Option<&str>) -> ServiceResult<Option<Given>> {
        let Some(key) = key else { return Ok(None) };
        let open = self.store.find_asked(actor.workspace, actor.user, key).await?;
        Ok(open.and_then(|run| Some(Given { run_id: run.id, session_id: run.turn()?.session })))
    }

    /// Lists the entities of a network as a run would see them: a strict selection leaves the others out. The entities come without `raw`.
    pub async fn visible_entities(
        &self,
        actor: &Granted<ViewConnections>,
        network: Network,
        kind: EntityKind,
    ) -> ServiceResult<Vec<EntityItem>> {
        let scope = self.scope_of(actor).await?;
        let found = self.runtime.gateway.entities(&scope, network, kind, EntityFilter::default()).await;
        let mut items = found.map_err(|error| crate::connections::told(network, &error))?;
        for item in &mut items {
            item.raw = Json::Null.into();
        }
        Ok(items)
    }

    async fn scope_of(&self, actor: &Actor) -> ServiceResult<CallScope> {
        let settings = self.store.find_context(actor.workspace, actor.user).await?;
        let call = ToolCallId::new(&*self.ids);
        Ok(CallScope {
            workspace: actor.workspace,
            user: actor.user,
            call,
            settings,
            grants: Grants::everything(),
            connection: None,
        })
    }
}

/// Makes the key for a program's call. The same program with the same call gets the same key.
fn asked_key(tool: &ToolInfo, digest: &str, content: &str) -> String {
    let parts = [tool.name.as_str(), digest, content];
    let whole = parts.iter().fold(Sha256::new(), |whole, part| whole.chain_update(part).chain_update([0]));
    hex::encode(whole.finalize())
}

/// Checks whether the tool's network is connected. This program's own tools need no network.
fn is_usable(tool: &ToolInfo, connected: &[Network]) -> bool {
    // We offer no tool to ask an agent: a program names the agent in its question, and a task needs a run above it.
    tool.name != ASK_AGENT && tool.network().is_none_or(|network| connected.contains(&network))
}

fn is_allowed(tool: &ToolInfo, settings: &ContextSettings) -> bool {
    settings.admits(tool.source) && (tool.read_only || !settings.safe_mode)
}
