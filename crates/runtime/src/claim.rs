//! What a claim loads about its run, whatever kind it is, once: settings, arguments and results so far.

use std::{collections::HashMap, sync::Arc};

use adagent_contract::{AgentBody, ApprovalStatus, Artifact, CallResult, ContextSettings, EventBody, Grants};
use adagent_domain::{Network, RunId, ToolCallId};
use adagent_run_core::{CallMark, Effect};
use adagent_store::{CallStatus, Run, StoreError, Whose};
use adagent_tools::CallScope;
use serde_json::Value as Json;

use crate::{authority::Authority, deps::RuntimeDeps};

const EVENT_PAGE: u32 = 500;
/// Waiting changes of a workspace that are looked through for those of the conversation.
const WAITING: u32 = 100;

/// How the record says that a run goes on under other settings than before.
const SETTINGS_NOW: &str = "Context settings now: ";

/// Material of one claim that every kind of run has.
#[derive(Debug, Clone)]
pub struct Claim {
    pub run: Run,
    pub settings: ContextSettings,
    pub grants: Grants,
    /// The agent the run works as; `None`: the workspace's own.
    pub agent: Option<Arc<AgentBody>>,
    /// Shared, because an answer is checked against them on another thread.
    pub args: HashMap<ToolCallId, Arc<Json>>,
    pub results: HashMap<ToolCallId, (Arc<Json>, Option<Artifact>)>,
    /// Text that was streamed after the last saved state: readers have seen it.
    pub(crate) shown: String,
    /// What the run's record says of the settings.
    recorded: Option<String>,
    /// Changes of the same conversation that other runs asked for and nobody answered yet.
    pub(crate) waiting: Vec<Waiting>,
}

/// A change that waits for its approval.
#[derive(Debug, Clone)]
pub(crate) struct Waiting {
    pub run: RunId,
    pub title: String,
}

impl Waiting {
    /// For the card of another change of the conversation.
    pub fn warning(&self) -> String {
        format!(
            "When this was drafted, “{}” in this chat was also pending approval. Approve or deny each one separately.",
            self.title
        )
    }
}

impl Claim {
    /// `seq`: the last event that is part of the saved state; 0 where none is saved.
    pub(crate) async fn load(deps: &RuntimeDeps, run: Run, seq: u64) -> Result<Self, StoreError> {
        let store = &deps.store;
        let (authority, waiting) = futures::join!(
            Authority::of(&**store, &run),
            store.list_approvals(
                run.workspace,
                Whose::own(run.principal.user),
                Some(ApprovalStatus::Pending),
                None,
                WAITING
            ),
        );
        let chat = run.turn().map(|turn| turn.session);
        let waiting = waiting?
            .into_iter()
            .filter(|record| chat.is_some() && record.view.session_id == chat && record.view.run_id != run.id)
            .map(|record| Waiting { run: record.view.run_id, title: record.view.title })
            .collect();
        let Authority { settings, grants, agent } = authority?;
        let (args, results) = (HashMap::new(), HashMap::new());
        let mut claim =
            Self { run, settings, grants, agent, args, results, shown: String::new(), recorded: None, waiting };
        if seq > 0 {
            claim.recall(deps, seq).await?;
        } else if let Some(first) = deps.store.list_events(claim.run.id, 0, 1).await?.pop() {
            claim.note(&first.body);
        }
        Ok(claim)
    }

    /// Arguments and results come back with their calls; the events hold neither.
    async fn recall(&mut self, deps: &RuntimeDeps, seq: u64) -> Result<(), StoreError> {
        for call in deps.store.list_calls(self.run.id).await? {
            self.args.insert(call.id, Arc::new(call.args));
            if let (CallStatus::Succeeded, CallResult { result: Some(result), artifact }) = (call.status, call.outcome)
            {
                self.results.insert(call.id, (Arc::new(result), artifact));
            }
        }
        let mut after = 0;
        loop {
            let page = deps.store.list_events(self.run.id, after, EVENT_PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.seq;
            for event in page {
                match event.body {
                    EventBody::Content { content, .. } if event.seq > seq => self.shown.push_str(&content),
                    body => self.note(&body),
                }
            }
        }
    }

    /// What an event of the record says of the settings.
    fn note(&mut self, body: &EventBody) {
        match body {
            EventBody::RunStarted { settings: Some(settings), .. } => self.recorded = Some(settings.in_words()),
            EventBody::Status { label } => {
                if let Some(words) = label.strip_prefix(SETTINGS_NOW) {
                    self.recorded = Some(words.to_owned());
                }
            }
            _ => {}
        }
    }

    /// What the run may do at this moment. When its settings are others than its record says, an event that says so.
    pub(crate) fn take(&mut self, authority: Authority) -> Option<EventBody> {
        let Authority { settings, grants, agent } = authority;
        (self.settings, self.grants, self.agent) = (settings, grants, agent);
        self.settings_changed()
    }

    /// An event for the record, when it says something else of the settings than what holds.
    pub fn settings_changed(&mut self) -> Option<EventBody> {
        let words = self.settings.in_words();
        let recorded = self.recorded.replace(words.clone())?;
        (recorded != words).then(|| EventBody::Status { label: format!("{SETTINGS_NOW}{words}") })
    }

    pub fn scope(&self, call: ToolCallId) -> CallScope {
        CallScope {
            workspace: self.run.workspace,
            user: self.run.principal.user,
            call,
            settings: self.settings.clone(),
            grants: self.grants.clone(),
            connection: None,
        }
    }

    /// Whether this run is for talk alone.
    pub fn chat_only(&self) -> bool {
        self.run.context.as_ref().is_some_and(|overlay| overlay.chat_only == Some(true))
    }

    pub fn enabled(&self, network: Network) -> bool {
        !self.chat_only() && self.settings.is_on(network) && self.grants.opens(network)
    }

    /// Arguments and results for what comes next, without asking the database again.
    pub(crate) fn remember(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::InsertCall { id, args, .. } => drop(self.args.insert(*id, Arc::new(args.clone()))),
                Effect::MoveCall { id, to: CallMark::Succeeded, result: Some(brought), .. } => {
                    if let Some(result) = &brought.result {
                        self.results.insert(*id, (Arc::new(result.clone()), brought.artifact.clone()));
                    }
                }
                _ => {}
            }
        }
    }
}
