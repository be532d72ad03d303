//! The engine alone: a message, seven nodes, one report call, an answer and one reader. The model and the network answer at once.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use adagent_contract::EventBody;
use adagent_domain::{ChatSessionId, Clock as _, ManualClock, MessageId, RunId, Timestamp, UserId, WorkspaceId};
use adagent_runtime::{Drives, Runtime, RuntimeConfig, RuntimeDeps, RuntimeHandle};
use adagent_store::{ChatSession, Engine, MessageRef, NewMessage, NewRun, NewUser, Principal, Store, User, Wake};
use anyhow::{Context as _, Result, bail};
use tokio::sync::{Notify, broadcast::error::RecvError};

use crate::{
    Figure,
    machine::{cpu_seconds, percentile, resident_megabytes},
    peers::{OneReport, OneRow, Sure},
    stores::{GrowingIds, Opened, name},
};

const PATIENCE: Duration = Duration::from_secs(30);

/// A desk without pages: a store, workers and one person.
pub struct Desk {
    pub opened: Opened,
    pub person: User,
    pub workers: RuntimeHandle,
    ids: Arc<GrowingIds>,
    clock: Arc<ManualClock>,
    readers: Arc<Mutex<HashMap<RunId, Arc<Notify>>>>,
}

/// The duration of one run, as seen by its reader.
pub struct Took {
    /// The time until a worker's first event.
    pub first: Duration,
    pub whole: Duration,
}

impl Desk {
    pub async fn open(engine: Engine) -> Result<Self> {
        Self::over(Opened::new(engine).await?).await
    }

    pub async fn over(opened: Opened) -> Result<Self> {
        Self::with(opened, None).await
    }

    /// Opens a desk. `flows` advances background runs.
    pub async fn with(opened: Opened, flows: Option<Arc<dyn Drives>>) -> Result<Self> {
        Self::planned_by("instant", opened, flows).await
    }

    /// Opens a desk whose model has this ID. Some things are read for hosted models alone.
    pub async fn planned_by(model: &'static str, opened: Opened, flows: Option<Arc<dyn Drives>>) -> Result<Self> {
        let (ids, clock) = (Arc::new(GrowingIds::default()), Arc::new(ManualClock::at(start())));
        let person = person(&*opened.store, &ids, clock.now()).await?;
        let deps = RuntimeDeps {
            store: Arc::clone(&opened.store) as _,
            tools: Arc::new(OneRow::default()),
            gateway: Arc::new(OneRow::default()),
            models: Arc::new(OneReport(model)),
            understanding: Arc::new(Sure),
            clock: Arc::clone(&clock) as _,
            ids: Arc::clone(&ids) as _,
            config: Arc::new(RuntimeConfig { owner: "bench".into(), ..RuntimeConfig::default() }),
            flows,
            cuts: None,
        };
        let readers = Arc::default();
        tokio::spawn(pass_on(Arc::clone(&opened.store), Arc::clone(&readers)));
        let workers = Runtime::new(deps).start();
        Ok(Self { opened, person, workers, ids, clock, readers })
    }

    pub fn new_id(&self) -> RunId {
        RunId::new(&*self.ids)
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn store(&self) -> &dyn Store {
        &*self.opened.store
    }

    pub async fn chat(&self) -> Result<ChatSession> {
        let chat = ChatSession {
            id: ChatSessionId::new(&*self.ids),
            workspace: self.person.personal_workspace,
            user: self.person.id,
            title: "Revenue".into(),
            chat_only: false,
            created_at: self.clock.now(),
            updated_at: self.clock.now(),
            busy: false,
            awaiting_approval: false,
            kept: false,
            shared: false,
        };
        let mut unit = self.store().begin().await?;
        unit.insert_chat(&chat).await?;
        unit.commit().await?;
        Ok(chat)
    }

    /// Sends a message as the service does, in one durable transaction, and reads events until the run ends.
    pub async fn ask(&self, chat: &ChatSession) -> Result<(RunId, Took)> {
        self.ask_as(chat, Principal::person(chat.user), "What was my revenue yesterday?").await
    }

    /// Does the same for a run with these rights and this message.
    pub async fn ask_as(&self, chat: &ChatSession, principal: Principal, text: &str) -> Result<(RunId, Took)> {
        let (id, turn) = (RunId::new(&*self.ids), MessageRef { session: chat.id, message: MessageId::new(&*self.ids) });
        let run = NewRun::of_turn(id, chat.workspace, chat.user, turn, "instant".into(), self.clock.now());
        let run = NewRun { principal, ..run };
        let news = Arc::new(Notify::new());
        self.readers.lock().expect("no reader panics").insert(run.id, Arc::clone(&news));
        let began = Instant::now();
        let mut unit = self.store().begin().await?;
        unit.insert_run(&run).await?;
        let message = NewMessage {
            id: turn.message,
            workspace: run.workspace,
            session: turn.session,
            run: run.id,
            author: chat.user,
            content: text.to_owned(),
            created_at: run.created_at,
        };
        unit.insert_message(&message).await?;
        let started = EventBody::RunStarted {
            session_id: turn.session,
            message_id: turn.message,
            model: run.model.clone(),
            settings: None,
            agent: None,
        };
        unit.append_events_unleased(run.id, self.clock.now(), &[started]).await?;
        unit.wake(Wake::Work);
        unit.durable();
        unit.commit().await?;

        let read = tokio::time::timeout(PATIENCE, self.read_to_the_end(run.id, &news, began)).await;
        self.readers.lock().expect("no reader panics").remove(&run.id);
        let first = read.with_context(|| format!("run {} did not end", run.id))??;
        Ok((run.id, Took { first, whole: began.elapsed() }))
    }

    /// Reads events until the run ends. Returns how soon a worker's first event came.
    async fn read_to_the_end(&self, run: RunId, news: &Notify, began: Instant) -> Result<Duration> {
        let mut seen = 0;
        let mut first = None;
        loop {
            for event in self.store().list_events(run, seen, 500).await? {
                if event.seq != seen + 1 {
                    bail!("event {} follows {seen}", event.seq);
                }
                seen = event.seq;
                if seen > 1 && first.is_none() {
                    first = Some(began.elapsed());
                }
                if matches!(event.body, EventBody::Done { .. }) {
                    return Ok(first.unwrap_or_default());
                }
            }
            news.notified().await;
        }
    }

    /// Returns how many bytes this run keeps in the database, as text and JSON.
    pub async fn stored_bytes(&self, run: RunId) -> Result<usize> {
        let mut bytes = 0;
        for event in self.store().list_events(run, 0, 10_000).await? {
            bytes += serde_json::to_vec(&event.body)?.len();
        }
        for checkpoint in self.store().list_checkpoints(run).await? {
            let full = self.store().find_checkpoint(run, checkpoint.id).await?;
            bytes += full.map_or(0, |full| full.state.len());
        }
        for call in self.store().list_calls(run).await? {
            bytes +=
                call.args.to_string().len() + call.digest.len() + serde_json::json!(call.outcome).to_string().len();
        }
        Ok(bytes)
    }

    /// Returns the CPU time of engine and database so far.
    pub fn cpu(&self) -> f64 {
        cpu_seconds(None) + self.opened.database_cpu()
    }
}

/// Notifies the reader of each run that has new events.
async fn pass_on(store: Arc<dyn Store>, readers: Arc<Mutex<HashMap<RunId, Arc<Notify>>>>) {
    let mut wakes = store.subscribe();
    loop {
        match wakes.recv().await {
            Ok(Wake::Events(run)) => {
                if let Some(reader) = readers.lock().expect("no reader panics").get(&run) {
                    reader.notify_one();
                }
            }
            Ok(Wake::Everything) | Err(RecvError::Lagged(_)) => {
                readers.lock().expect("no reader panics").values().for_each(|reader| reader.notify_one());
            }
            Ok(Wake::Work | Wake::Activity(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

/// Saturday, November 21, 2026, 09:41 UTC.
const fn start() -> Timestamp {
    Timestamp::from_micros(1_795_254_060_000_000)
}

async fn person(store: &dyn Store, ids: &GrowingIds, now: Timestamp) -> Result<User> {
    let user = User {
        id: UserId::new(ids),
        email: "ann@example.com".into(),
        name: "Ann".into(),
        password_hash: "$argon2id$none".into(),
        personal_workspace: WorkspaceId::new(ids),
        created_at: now,
        email_verified_at: None,
    };
    let mut unit = store.begin().await?;
    unit.insert_user(&NewUser { user: user.clone(), email_key: user.email.clone() }).await?;
    unit.commit().await?;
    Ok(user)
}

/// Measures `runs` runs, `parallel` at a time, each in its own chat, after a warm-up. Then measures the latency of 500 more, one after the
/// other.
pub async fn measure(engine: Engine, runs: u32, parallel: usize) -> Result<Vec<Figure>> {
    let desk = Arc::new(Desk::open(engine).await?);
    crowd(&desk, runs / 10, parallel).await?;
    let (began, spent) = (Instant::now(), desk.cpu());
    crowd(&desk, runs, parallel).await?;
    let (wall, cpu) = (began.elapsed().as_secs_f64(), desk.cpu() - spent);

    let mut alone = Vec::new();
    let mut bytes = 0;
    for _ in 0..500 {
        let one = desk.chat().await?;
        let (run, took) = desk.ask(&one).await?;
        alone.push(took.whole.as_secs_f64() * 1000.0);
        bytes = desk.stored_bytes(run).await?;
    }
    desk.workers.drain().await;
    let label = name(engine);
    #[expect(clippy::cast_precision_loss, reason = "kilobytes")]
    Ok(vec![
        Figure::new(format!("{label}: CPU per 1,000 runs"), cpu * 1000.0 / f64::from(runs), "s"),
        Figure::new(format!("{label}: runs per second, {parallel} at a time"), f64::from(runs) / wall, "/s"),
        Figure::new(format!("{label}: one run alone, p50"), percentile(&mut alone, 0.5), "ms"),
        Figure::new(format!("{label}: one run alone, p99"), percentile(&mut alone, 0.99), "ms"),
        Figure::new(format!("{label}: stored per run"), bytes as f64 / 1024.0, "kB"),
        Figure::new(format!("{label}: memory after the load"), resident_megabytes(None), "MB"),
    ])
}

/// Runs `parallel` people at once. Each asks, reads to the end and asks again.
async fn crowd(desk: &Arc<Desk>, runs: u32, parallel: usize) -> Result<()> {
    let each = runs.div_ceil(u32::try_from(parallel).unwrap_or(1).max(1));
    let people = (0..parallel).map(|_| {
        let desk = Arc::clone(desk);
        tokio::spawn(async move {
            for _ in 0..each {
                let chat = desk.chat().await?;
                desk.ask(&chat).await?;
            }
            anyhow::Ok(())
        })
    });
    for person in futures::future::join_all(people).await {
        person.context("a person panicked")??;
    }
    Ok(())
}
