//! Runs that another run began: how they begin, what they may still spend, and how they ended.

use adagent_contract::{EventBody, fold};
use adagent_domain::{RunId, Timestamp};
use adagent_run_core::{AgentTask, Child, ChildEnd, ChildWork, Limits, Spent};
use adagent_store::{
    EngineStore, EngineUnit, MessageRef, NewMessage, NewRun, Parent, Principal, Run, StoreError, StoreResult, Subject,
};

/// A child has its parent's person, class and settings, and a lane of its own. The message that an agent is asked stands in the chat
/// of the run that asks, so that it goes where that chat goes; lists of messages leave it out.
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
            // A turn alone asks agents.
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
            work.insert_message(&asked).await?;
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

/// What a run may spend: of what the run at the top may, what all below it have left.
pub(crate) async fn limits_of(store: &dyn EngineStore, run: &Run, limits: Limits) -> StoreResult<Limits> {
    if run.parent.is_none() {
        return Ok(limits);
    }
    let top = store.find_run_unscoped(run.root).await?;
    let used = match top {
        Some(top) => spent_of(&top).plus(spent_below(store, top.id).await?),
        None => Spent::default(),
    };
    Ok(Limits {
        tokens: limits.tokens.saturating_sub(used.input_tokens.saturating_add(used.output_tokens)),
        cost_micros: limits.cost_micros.saturating_sub(used.cost_micros).max(0),
        ..limits
    })
}

/// How a run ended, with what it came to.
pub(crate) async fn end_of(store: &dyn EngineStore, child: Run) -> StoreResult<ChildEnd> {
    let spent = spent_of(&child).plus(spent_below(store, child.id).await?);
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

async fn spent_below(store: &dyn EngineStore, run: RunId) -> StoreResult<Spent> {
    let (mut spent, mut open) = (Spent::default(), vec![run]);
    while let Some(next) = open.pop() {
        for child in store.list_children(next).await? {
            spent = spent.plus(spent_of(&child));
            open.push(child.id);
        }
    }
    Ok(spent)
}
