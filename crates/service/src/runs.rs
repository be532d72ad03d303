//! Runs as their people see them.

use adagent_contract::{
    ApprovalStatus, CallResult, EventBody, Page, RunEvent, RunFork, RunLimits, RunOrigin, RunView, TurnApproval,
    TurnView, UsageView, fold, timings,
};
use adagent_domain::{Actor, RunId, ToolCallId};
use adagent_store::Run;

use crate::{Service, ServiceError, ServiceResult, cursor, results::restore};

/// How many forks of one run we list.
const MOST_FORKS: u32 = 50;
/// The longest result, in bytes, that a page draws; a longer one is on the page of its run.
const LONGEST_RESULT: usize = 256 * 1024;

impl Service {
    /// Returns the limits of every run on this server.
    pub fn run_limits(&self) -> RunLimits {
        let limits = &self.runtime.config.limits;
        RunLimits {
            rounds: limits.iterations,
            working_ms: limits.deadline_ms,
            tokens: limits.tokens,
            cost_micros: limits.cost_micros,
        }
    }

    /// Returns one run with its time axis.
    pub async fn run(&self, actor: &Actor, id: RunId) -> ServiceResult<RunView> {
        let run = self.find_run(actor, id).await?;
        let events = self.store.list_events_of(&[id]).await?;
        let origin = self.store.find_origin(id).await?;
        let inherited = origin.map_or(0, |origin| origin.inherited_seq);
        let mut view = self.run_view(actor, run).await?;
        view.steps = timings(&events, inherited, self.clock.now());
        view.usage.estimated = is_reckoned(&events, inherited);
        if let Some(origin) = origin {
            view.parent = Some(RunOrigin {
                run_id: origin.parent,
                step: origin.parent_step,
                inherited_seq: origin.inherited_seq,
                question: self.question_of(actor, origin.parent).await?,
            });
        }
        // A fork belongs to the same person and workspace. A person who can't read it doesn't see it here.
        let forks = self.store.list_forks(actor.workspace, actor.user, id, MOST_FORKS).await?;
        view.forks = forks
            .into_iter()
            .map(|fork| RunFork {
                run_id: fork.run,
                step: fork.parent_step,
                question: fork.question,
                status: fork.status,
                created_at: fork.created_at,
            })
            .collect();
        Ok(view)
    }

    /// Lists the runs, newest first, without their steps.
    pub async fn list_runs(
        &self,
        actor: &Actor,
        cursor: Option<String>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<RunView>> {
        let limit = cursor::limit(limit)?;
        let before = cursor::to_id::<RunId>(cursor.as_deref())?;
        let rows = self.store.list_runs(actor.workspace, actor.user, before, limit + 1).await?;
        let (rows, more) = cursor::cut(rows, limit);
        let next_cursor = rows.last().filter(|_| more).map(|last| cursor::of_id(last.id));
        let mut items = Vec::with_capacity(rows.len());
        // Pages show only what a person asked.
        for run in rows.into_iter().filter(|run| run.turn().is_some()) {
            items.push(self.run_view(actor, run).await?);
        }
        Ok(Page { items, next_cursor })
    }

    /// Returns the turn as the chat shows it.
    pub async fn turn(&self, actor: &Actor, id: RunId) -> ServiceResult<TurnView> {
        Ok(fold(id, &self.all_events(actor, id).await?))
    }

    /// Returns the turn with the cards that agents wait on whom it asked: a program shows them as its own.
    pub async fn turn_with_agents(&self, actor: &Actor, id: RunId) -> ServiceResult<TurnView> {
        let mut turn = self.turn(actor, id).await?;
        let mut open: Vec<RunId> = turn.open_tasks().collect();
        while let Some(run) = open.pop() {
            let below = fold(run, &self.store.list_events_of(&[run]).await?);
            open.extend(below.open_tasks());
            let pending = |card: &TurnApproval| card.status == ApprovalStatus::Pending;
            turn.approvals.extend(below.approvals.into_iter().filter(pending));
        }
        Ok(turn)
    }

    /// Returns the turn with every result.
    pub async fn whole_turn(&self, actor: &Actor, id: RunId) -> ServiceResult<TurnView> {
        let mut events = self.all_events(actor, id).await?;
        restore(&*self.store, &mut events).await?;
        Ok(fold(id, &events))
    }

    /// Returns the result of one call of a run, for a step that a person opens.
    pub async fn step_result(&self, actor: &Actor, id: RunId, call: ToolCallId) -> ServiceResult<CallResult> {
        self.find_run(actor, id).await?;
        let found = self.store.find_call(id, call).await?.map(|call| call.outcome);
        let found = found.filter(|found| found.result.is_some());
        found.map(|found| found.bounded(LONGEST_RESULT)).ok_or(ServiceError::NotFound("call"))
    }

    pub async fn all_events(&self, actor: &Actor, id: RunId) -> ServiceResult<Vec<RunEvent>> {
        self.find_run(actor, id).await?;
        Ok(self.store.list_events_of(&[id]).await?)
    }

    pub(crate) async fn find_run(&self, actor: &Actor, id: RunId) -> ServiceResult<Run> {
        self.store.find_run(actor.workspace, actor.user, id).await?.ok_or(ServiceError::NotFound("run"))
    }

    async fn question_of(&self, actor: &Actor, run: RunId) -> ServiceResult<Option<String>> {
        let Some(run) = self.store.find_run(actor.workspace, actor.user, run).await? else { return Ok(None) };
        let Some(turn) = run.turn() else { return Ok(None) };
        let message = self.store.find_message(actor.workspace, actor.user, turn.message).await?;
        Ok(Some(message.map(|message| message.content).unwrap_or_default()))
    }

    pub(crate) async fn run_view(&self, actor: &Actor, run: Run) -> ServiceResult<RunView> {
        let turn = run.turn().ok_or(ServiceError::NotFound("run"))?;
        let message = self.store.find_message(actor.workspace, actor.user, turn.message).await?;
        Ok(RunView {
            id: run.id,
            session_id: turn.session,
            message_id: turn.message,
            question: message.map(|message| message.content).unwrap_or_default(),
            status: run.status,
            usage: UsageView {
                model: run.model.clone(),
                input_tokens: run.input_tokens,
                output_tokens: run.output_tokens,
                cost_micros: run.cost_micros,
                // The row does not contain this; see [`Service::run`].
                estimated: false,
            },
            model: run.model,
            created_at: run.created_at,
            started_at: run.started_at,
            finished_at: run.finished_at,
            last_seq: run.last_seq,
            steps: Vec::new(),
            parent: None,
            forks: Vec::new(),
        })
    }
}

/// Checks whether part of the run's own usage is an estimate. What a fork inherited belongs to its parent.
fn is_reckoned(events: &[RunEvent], inherited: u64) -> bool {
    let mut own = events.iter().filter(|event| event.seq > inherited);
    own.any(|event| matches!(event.body, EventBody::Usage { estimated: true, .. }))
}

#[cfg(test)]
mod tests {
    use adagent_domain::{SequentialIds, Timestamp};

    use super::*;

    fn used(seq: u64, estimated: bool) -> RunEvent {
        let body = EventBody::Usage {
            model: "anthropic/claude".into(),
            input_tokens: 10,
            output_tokens: 1,
            cost_micros: 1,
            duration_ms: None,
            estimated,
        };
        RunEvent { run_id: RunId::new(&SequentialIds::default()), seq, at: Timestamp::EPOCH, body }
    }

    #[test]
    fn one_reckoned_question_makes_the_sum_reckoned_but_not_one_of_the_parents() {
        assert!(!is_reckoned(&[], 0));
        assert!(!is_reckoned(&[used(1, false), used(2, false)], 0));
        let events = [used(1, false), used(2, true), used(3, false)];
        assert!(is_reckoned(&events, 0) && is_reckoned(&events, 1));
        assert!(!is_reckoned(&events, 2), "the fork's own figures are told ones");
    }
}
