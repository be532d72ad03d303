//! What a claim loads once about its run, of any kind: settings, arguments and results so far.

use std::{collections::HashMap, sync::Arc};

use adagent_contract::{AgentBody, ApprovalStatus, Artifact, CallResult, ContextSettings, EventBody, Grants};
use adagent_domain::{Network, RunId, ToolCallId};
use adagent_run_core::{CallMark, Effect};
use adagent_store::{CallStatus, Run, StoreError, Whose};
use adagent_tools::CallScope;
use serde_json::Value as Json;

use crate::{authority::Authority, deps::RuntimeDeps};

const EVENT_PAGE: u32 = 500;
/// The most pending approvals of a person that we look through for those of the same chat.
const WAITING: u32 = 100;

/// Begins the record's note that a run continues under other settings than before.
const SETTINGS_NOW: &str = "Context settings now: ";

/// What one claim has about its run, of any kind.
#[derive(Debug, Clone)]
pub struct Claim {
    pub run: Run,
    pub settings: ContextSettings,
    pub grants: Grants,
    /// The agent that the run works as. `None`: the workspace's own.
    pub agent: Option<Arc<AgentBody>>,
    /// Shared, because the verifier reads them on another thread.
    pub args: HashMap<ToolCallId, Arc<Json>>,
    pub results: HashMap<ToolCallId, (Arc<Json>, Option<Artifact>)>,
    /// Text that was streamed after the last saved state. Readers have seen it.
    pub(crate) shown: String,
    /// What the run's record says about the settings.
    recorded: Option<String>,
    /// Pending changes of the same chat that other runs asked for.
    pub(crate) waiting: Vec<Waiting>,
}

/// A change that waits for approval.
#[derive(Debug, Clone)]
pub(crate) struct Waiting {
    pub run: RunId,
    pub title: String,
}

impl Waiting {
    /// Returns the warning for the card of another change in the same chat.
    pub fn warning(&self) -> String {
        format!(
            "When this was drafted, “{}” in this chat was also pending approval. Approve or deny each one separately.",
            self.title
        )
    }
}

impl Claim {
    /// Loads the claim. `seq` is the last event that the saved state includes, or 0 if no state is saved.
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

    /// Loads arguments and results with their calls, because the events hold neither.
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

    /// Notes what an event of the record says about the settings.
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

    /// Takes what the run may do at this moment. Returns an event if the settings differ from what the record says.
    pub(crate) fn take(&mut self, authority: Authority) -> Option<EventBody> {
        let Authority { settings, grants, agent } = authority;
        (self.settings, self.grants, self.agent) = (settings, grants, agent);
        self.settings_changed()
    }

    /// Returns an event with the current settings, if the record says something else about them.
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

    /// Checks whether this run is only for talk.
    pub fn chat_only(&self) -> bool {
        self.run.context.as_ref().is_some_and(|overlay| overlay.chat_only == Some(true))
    }

    pub fn enabled(&self, network: Network) -> bool {
        !self.chat_only() && self.settings.is_on(network) && self.grants.opens(network)
    }

    /// Keeps arguments and results for the next step, so that it need not read them from the database.
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
