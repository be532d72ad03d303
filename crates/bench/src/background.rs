//! A thousand background runs that are due at once, while people send messages.
//!
//! Each step of a background run here costs as much as a small real step: some CPU work, a checkpoint and a commit.

use std::time::{Duration, Instant};

use adagent_contract::RunStatus;
use adagent_domain::{DefinitionId, RunId, Timestamp};
use adagent_run_core::{Input, Ledger, Limits, Machine, Outstanding, Step, StepError};
use adagent_runtime::{Claim, DriveError, Heard, Kind, Performer, RuntimeDeps, Scene};
use adagent_store::{Engine, NewRun, Principal, Run, RunClass, Subject, Wake};
use anyhow::{Result, bail};
use async_trait::async_trait;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    Figure,
    engine::Desk,
    machine::percentile,
    stores::{Opened, name},
};

const STEPS: u32 = 10;
const MESSAGES: u32 = 200;
/// The time between two messages.
const PACE: Duration = Duration::from_millis(50);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Chore {
    ledger: Ledger,
    done: u32,
}

impl Machine for Chore {
    type Input = u32;
    type Job = u32;

    const KIND: &'static str = "chore";
    const VERSION: u32 = 1;

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn ledger_mut(&mut self) -> &mut Ledger {
        &mut self.ledger
    }

    fn place(&self) -> &'static str {
        "chore"
    }

    fn outstanding(&self) -> Outstanding<u32> {
        if self.ledger.outcome.is_some() { Outstanding::default() } else { Outstanding::own(self.done) }
    }

    fn take(&mut self, input: Input<u32>, step: &mut Step<'_>) -> Result<(), StepError> {
        match input {
            Input::Own(_) => self.done += 1,
            Input::Resumed { idle_ms } => self.ledger.resumed(step, idle_ms),
            _ => self.done = STEPS,
        }
        if self.done >= STEPS {
            self.ledger.finish(step, RunStatus::Completed, None);
        }
        Ok(())
    }

    fn is_worth_saving(_: &Input<u32>) -> bool {
        true
    }

    fn name_of(_: &u32) -> &'static str {
        "chore"
    }
}

#[derive(Clone)]
struct Works;

#[async_trait]
impl Performer for Works {
    type Machine = Chore;
    type Outcome = u32;

    fn begin(run: &Run, limits: Limits, now: Timestamp) -> Result<Chore, DriveError> {
        Ok(Chore { ledger: Ledger::new(format!("/runs/{}", run.id), limits, now), done: 0 })
    }

    async fn load(_: &RuntimeDeps, _: &Claim) -> Result<Self, DriveError> {
        Ok(Self)
    }

    fn perform(&self, _: Scene<Chore>, nth: u32) -> BoxFuture<'static, u32> {
        Box::pin(async move {
            // Write and read a table of five hundred rows.
            let rows: Vec<_> = (0..500).map(|row| json!({"row": row, "step": nth})).collect();
            let text = serde_json::to_string(&rows).unwrap_or_default();
            tokio::task::yield_now().await;
            u32::try_from(text.len()).unwrap_or(nth)
        })
    }

    fn conclude(&mut self, _: &Scene<Chore>, outcome: u32, _: Heard<'_>) -> Input<u32> {
        Input::Own(outcome)
    }

    fn waits_for(&self, _: &Scene<Chore>, _: &u32) -> String {
        "working".into()
    }
}

/// Measures how soon a worker's first event for a message comes: first with no other work, then with `runs` background runs.
pub async fn measure(engine: Engine, runs: u32) -> Result<Vec<Figure>> {
    let desk = Desk::with(Opened::new(engine).await?, Some(Kind::<Works>::new())).await?;
    let mut alone = ask_paced(&desk).await?;
    let due = due_at_once(&desk, runs).await?;
    let began = Instant::now();
    let mut busy = ask_paced(&desk).await?;
    let left = open(&desk, &due).await?;
    while open(&desk, &due).await? > 0 {
        if began.elapsed() > Duration::from_mins(5) {
            bail!("background runs do not end");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let took = began.elapsed().as_secs_f64();
    desk.workers.drain().await;
    let label = name(engine);
    eprintln!(
        "{label}: {left} of {runs} background runs were open when the last message was answered; all ended after {took:.1} s"
    );
    Ok(vec![
        Figure::new(format!("{label}: first event of a message alone, p99"), percentile(&mut alone, 0.99), "ms"),
        Figure::new(
            format!("{label}: first event beside {runs} background runs, p50"),
            percentile(&mut busy, 0.5),
            "ms",
        ),
        Figure::new(
            format!("{label}: first event beside {runs} background runs, p99"),
            percentile(&mut busy, 0.99),
            "ms",
        ),
        Figure::new(format!("{label}: background runs per second"), f64::from(runs) / took, "/s"),
    ])
}

/// Sends one message at a time, each after the answer to the one before.
async fn ask_paced(desk: &Desk) -> Result<Vec<f64>> {
    let mut waited = Vec::new();
    for _ in 0..MESSAGES {
        let chat = desk.chat().await?;
        let (_, took) = desk.ask(&chat).await?;
        waited.push(took.first.as_secs_f64() * 1000.0);
        tokio::time::sleep(PACE).await;
    }
    Ok(waited)
}

/// Stores the runs in one transaction, so that all of them are due at once.
async fn due_at_once(desk: &Desk, runs: u32) -> Result<Vec<RunId>> {
    let mut unit = desk.store().begin().await?;
    let mut all = Vec::new();
    for _ in 0..runs {
        let run = desk.new_id();
        let subject = Subject::Flow { definition: DefinitionId(run.0), hash: "chore".into(), inputs: json!({}) };
        unit.insert_run(&NewRun {
            id: run,
            workspace: desk.person.personal_workspace,
            principal: Principal::person(desk.person.id),
            subject,
            class: RunClass::Background,
            lane: run.into(),
            parent: None,
            model: "none".into(),
            created_at: desk.now(),
            context: None,
            ready_at: desk.now(),
        })
        .await?;
        all.push(run);
    }
    unit.wake(Wake::Work);
    unit.commit().await?;
    Ok(all)
}

async fn open(desk: &Desk, runs: &[RunId]) -> Result<usize> {
    let mut open = 0;
    for run in runs {
        let row = desk.store().find_run_unscoped(*run).await?;
        open += usize::from(row.is_some_and(|row| !row.status.is_final()));
    }
    Ok(open)
}
