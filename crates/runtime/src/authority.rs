//! What a run may do now: its person's settings, narrowed for this run, and its agent's grants. We read them at each claim and again before
//! each change is sent, so that a removed right counts at once.

use std::sync::Arc;

use adagent_contract::{AgentBody, ContextSettings, Grants};
use adagent_domain::UserId;
use adagent_store::{Agent, EngineStore, Run, StoreError, StoreResult};

pub(crate) struct Authority {
    pub settings: ContextSettings,
    pub grants: Grants,
    /// The agent that the run works as. `None`: the workspace's own, or one that was deleted or is no longer usable.
    pub agent: Option<Arc<AgentBody>>,
}

impl Authority {
    pub async fn of(store: &dyn EngineStore, run: &Run) -> StoreResult<Self> {
        let stored = store.find_context(run.workspace, run.principal.user).await?;
        let (mut grants, agent) = granted(store, run).await?;
        for asking in above(store, run).await? {
            grants = grants.within(granted(store, &asking).await?.0);
        }
        let model = agent.as_ref().and_then(|agent| agent.model.clone());
        let settings = stored.of_run(model, run.context.as_ref());
        Ok(Self { settings, grants, agent })
    }
}

/// Returns the runs above this one, the nearest first.
pub(crate) async fn above(store: &dyn EngineStore, run: &Run) -> StoreResult<Vec<Run>> {
    let mut all: Vec<Run> = Vec::new();
    let mut next = run.parent.as_ref().map(|parent| parent.run);
    while let Some(id) = next {
        // Without it nobody knows whose rights hold.
        let gone = StoreError::RowsAffected { what: "run that asked", expected: 1, actual: 0 };
        let found = store.find_run_unscoped(id).await?.ok_or(gone)?;
        next = found.parent.as_ref().map(|parent| parent.run);
        all.push(found);
    }
    Ok(all)
}

/// Returns what a run may use by itself: everything, or what its agent was granted.
async fn granted(store: &dyn EngineStore, run: &Run) -> StoreResult<(Grants, Option<Arc<AgentBody>>)> {
    let Some(id) = run.principal.agent else { return Ok((Grants::everything(), None)) };
    let Some(agent) = store.find_agent(run.workspace, id).await? else {
        return Ok((Grants::nothing("The agent this was asked of was deleted, so nothing was done."), None));
    };
    Ok(match unusable(&agent, run.principal.user) {
        Some(why) => (Grants::nothing(why), None),
        None => (Grants::of(&agent.body.handle, agent.body.grants.clone()), Some(Arc::new(agent.body))),
    })
}

/// Returns why an agent cannot work for a person now. `None` if it can.
pub fn unusable(agent: &Agent, user: UserId) -> Option<String> {
    let handle = &agent.body.handle;
    if !agent.body.active {
        return Some(format!("@{handle} is turned off, so nothing was done. Turn it on under Agents."));
    }
    (!agent.is_seen_by(user)).then(|| format!("@{handle} is no longer shared with you, so nothing was done."))
}
