//! Runs that another run began: how they begin, what they may still spend, and how they ended.

use adagent_contract::{EventBody, fold};
use adagent_domain::{RunId, Timestamp};
use adagent_run_core::{AgentTask, Child, ChildEnd, ChildWork, Limits, Spent};
use adagent_store::{
    EngineStore, EngineUnit, MessageRef, NewMessage, NewRun, Parent, Principal, Run, StoreError, StoreResult, Subject,
};

use crate::authority::above;

/// Stores a child. It has its parent's person, class and settings, and its own lane. The message to an agent goes into the chat of the run
/// that asks, so that it shares that chat's fate. Lists of messages leave it out.
pub(crate) async fn insert(work: &mut dyn EngineUnit, parent: &Run, child: Child, now: Timestamp) -> StoreResult<()> {
    let Child { run, path, does } = child;
    let new = |subject, principal, model| NewRun {
        id: run,
        workspace: parent.workspace,
        principal,
        subject,
        class: parent.class,
        lane: run.into(),
        parent: Some(Parent { run: parent.id, path }),
        model,
        created_at: now,
        context: parent.context.clone(),
        ready_at: now,
    };
    match does {
        ChildWork::Flow { definition, hash, inputs } => {
            let subject = Subject::Flow { definition, hash, inputs };
            work.insert_run(&new(subject, parent.principal, parent.model.clone())).await?;
        }
        ChildWork::Turn { message, asked } => {
            let AgentTask { agent, mark, task, model, settings } = *asked;
            // Only a turn asks agents.
            let chat = parent.turn().ok_or(StoreError::RowsAffected {
                what: "chat of the run that asks",
                expected: 1,
                actual: 0,
            })?;
            let turn = MessageRef { session: chat.session, message };
            let asked = NewMessage {
                id: message,
                workspace: parent.workspace,
                session: turn.session,
                run,
                author: parent.principal.user,
                content: task,
                created_at: now,
            };
            work.insert_task(&asked).await?;
            let principal = Principal { agent: Some(agent), ..parent.principal };
            work.insert_run(&new(Subject::Turn(turn), principal, model.clone())).await?;
            let started = EventBody::RunStarted {
                session_id: turn.session,
                message_id: message,
                model,
                settings: Some(Box::new(settings)),
                agent: Some(Box::new(mark)),
            };
            work.append_events_unleased(run, now, &[started]).await?;
        }
    }
    Ok(())
}

/// Returns what a run may spend: what is left of the top run's limit, after what the top run and all runs below it spent.
pub(crate) async fn limits_of(store: &dyn EngineStore, run: &Run, limits: Limits) -> StoreResult<Limits> {
    let mut line = above(store, run).await?;
    line.insert(0, run.clone());
    let mut allowed = limits;
    // From the top down: a run may spend what it has spent, and its share of what the one above it has left.
    for pair in line.windows(2).rev() {
        let [asked, asking] = pair else { continue };
        let used = spent_in_all(store, asking).await?;
        let children = store.list_children(asking.id).await?;
        let open = children.iter().filter(|child| !child.status.is_final()).count().max(1);
        let own = spent_in_all(store, asked).await?;
        allowed.tokens = tokens(own) + allowed.tokens.saturating_sub(tokens(used)) / open as u64;
        let left = allowed.cost_micros.saturating_sub(used.cost_micros).max(0);
        allowed.cost_micros = own.cost_micros + left / i64::try_from(open).unwrap_or(1);
    }
    Ok(allowed)
}

/// The runs below one, in any order.
pub(crate) async fn below(store: &dyn EngineStore, run: RunId) -> StoreResult<Vec<Run>> {
    let (mut all, mut open) = (Vec::new(), vec![run]);
    while let Some(next) = open.pop() {
        let children = store.list_children(next).await?;
        open.extend(children.iter().map(|child| child.id));
        all.extend(children);
    }
    Ok(all)
}

/// Returns how a run ended, with its answer and results.
pub(crate) async fn end_of(store: &dyn EngineStore, child: Run) -> StoreResult<ChildEnd> {
    let spent = spent_in_all(store, &child).await?;
    let events = store.list_events_of(&[child.id]).await?;
    let turn = fold(child.id, &events);
    let answer = if turn.answered { Some(turn.answer) } else { child.answer };
    Ok(ChildEnd {
        run: child.id,
        status: child.status,
        answer,
        method: turn.method,
        artifacts: turn.artifacts,
        follow_ups: turn.follow_ups,
        spent,
    })
}

const fn spent_of(run: &Run) -> Spent {
    Spent {
        input_tokens: run.input_tokens,
        output_tokens: run.output_tokens,
        cost_micros: run.cost_micros,
        estimated: false,
    }
}

const fn tokens(spent: Spent) -> u64 {
    spent.input_tokens.saturating_add(spent.output_tokens)
}

/// What a run spent with those below it.
async fn spent_in_all(store: &dyn EngineStore, run: &Run) -> StoreResult<Spent> {
    Ok(spent_of(run).plus(spent_below(store, run.id).await?))
}

async fn spent_below(store: &dyn EngineStore, run: RunId) -> StoreResult<Spent> {
    let all = below(store, run).await?;
    Ok(all.iter().fold(Spent::default(), |spent, run| spent.plus(spent_of(run))))
}
