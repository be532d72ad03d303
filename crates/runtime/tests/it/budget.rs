//! Limits: the run does not send a question that could exceed one, whatever other runs do, break off or die.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use adagent_contract::{EventBody, ModelTier, RunStatus};
use adagent_domain::RunId;
use adagent_llm::{
    Delta, Model, ModelError, ModelMessage, ModelReply, ModelRequest, Models, Quote, StopReason, TextSink, Usage,
};
use adagent_runtime::{Budget, Runtime, cancel};
use adagent_store::{DayUsage, QuestionNumber, Reservation};
use adagent_testkit::{fixtures::Must, sqlite_store, stores};
use async_trait::async_trait;
use serde_json::json;

use crate::{
    counters::Counters,
    world::{DieAt, World, calls, group, idle, says},
};

/// The usage of a question once it is sent. Its input costs six millionths at most.
const SENT: Usage = Usage { input_tokens: 55, output_tokens: 0, cost_micros: 5, estimated: true };
const QUOTE: Quote = Quote { input_tokens: 60, output_tokens: 40, cost_micros: 10, output_micros: 4, sent: SENT };
const SPENT: Usage = Usage { input_tokens: 50, output_tokens: 20, cost_micros: 7, estimated: false };

type Says = dyn Fn(usize, &ModelRequest) -> Result<ModelReply, ModelError> + Send + Sync;

/// A model that costs something. `says` gets the number of the question, beginning with 0.
struct Priced {
    says: Box<Says>,
    asked: AtomicUsize,
    /// How long the model takes after its first word.
    takes: Duration,
}

impl Priced {
    fn new(says: impl Fn(usize, &ModelRequest) -> Result<ModelReply, ModelError> + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { says: Box::new(says), asked: AtomicUsize::new(0), takes: Duration::ZERO })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Model for Priced {
    fn id(&self) -> &'static str {
        "priced/model"
    }

    fn quote(&self, _: &ModelRequest) -> Quote {
        QUOTE
    }

    async fn complete(&self, request: &ModelRequest, sink: &mut dyn TextSink) -> Result<ModelReply, ModelError> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst);
        match (self.says)(number, request) {
            Ok(reply) => {
                if reply.calls.is_empty() {
                    sink.push(Delta::Text(reply.text.clone())).await;
                }
                tokio::time::sleep(self.takes).await;
                Ok(ModelReply { usage: SPENT, model: self.id().into(), ..reply })
            }
            Err(error) => {
                if matches!(error, ModelError::Malformed(_)) {
                    sink.wasted(SPENT);
                }
                Err(error)
            }
        }
    }
}

struct Only(Arc<Priced>);

impl Models for Only {
    fn model(&self, _: ModelTier, _: Option<&str>) -> Arc<dyn Model> {
        Arc::clone(&self.0) as _
    }
}

fn ceiling(world: &mut World, daily_cost_micros: i64) {
    world.config.budget = Budget { daily_cost_micros, ..Budget::default() };
    world.config.model_backoff = Duration::from_millis(5);
}

fn runtime(world: &World, owner: &str, model: &Arc<Priced>) -> Runtime {
    let mut deps = world.deps(owner, None);
    deps.models = Arc::new(Only(Arc::clone(model)));
    Runtime::new(deps)
}

async fn today(world: &World) -> DayUsage {
    let day = Budget::default().day(world.base.now()).name;
    world.base.store.find_usage(world.person.personal_workspace, &day, world.base.now()).await.must()
}

/// Returns the code with which a run stopped, and what people were told.
async fn stop(world: &World, run: RunId) -> (String, String) {
    let view = world.view(run).await;
    let stop = view.stops.last().unwrap_or_else(|| panic!("no stop in {view:#?}"));
    (stop.code.clone(), stop.content.clone())
}

/// Checks that the run's view, its row and its workspace's day all show the same cost.
async fn adds_up(world: &World, runs: &[RunId]) {
    let mut total = 0;
    for run in runs {
        let row = world.base.store.find_run_unscoped(*run).await.must().expect("the run");
        let shown = world.view(*run).await.usage.map_or(0, |usage| usage.cost_micros);
        assert_eq!(row.cost_micros, shown, "{run}");
        total += shown;
    }
    let today = today(world).await;
    assert_eq!((today.cost_micros, today.held_micros), (total, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_runs_at_once_never_overshoot_a_tiny_ceiling() {
    const RUNS: usize = 12;
    const CEILING: i64 = 45;
    for store in stores().await {
        let mut world = World::new(store.store(), Arc::new(|_| says("not asked"))).await;
        ceiling(&mut world, CEILING);
        let mut runs = Vec::new();
        for _ in 0..RUNS {
            world.chat = world.base.chat(&world.person, "Revenue").await;
            runs.push(world.ask("What?").await);
        }
        let model = Arc::new(Priced {
            says: Box::new(|_, _| Ok(says("Fine."))),
            asked: AtomicUsize::new(0),
            takes: Duration::from_millis(20),
        });
        let workers = (0..RUNS).map(|number| {
            let runtime = runtime(&world, &format!("worker-{number}"), &model);
            tokio::spawn(async move { runtime.run_until_idle().await.must() })
        });
        for worker in workers.collect::<Vec<_>>() {
            assert!(idle(&worker.await.expect("no panic")));
        }
        let (mut answered, mut stopped) = (0, 0);
        for run in &runs {
            match world.status(*run).await {
                RunStatus::Completed => answered += 1,
                RunStatus::Stopped => {
                    let (code, told) = stop(&world, *run).await;
                    assert_eq!(code, "daily_cost_limit");
                    assert!(told.contains("$0.000045 a day") && told.contains("local planner"), "{told}");
                    stopped += 1;
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((answered + stopped, model.asked()), (RUNS, answered), "only what was granted went out");
        // Four questions at up to 10 each fit at once. Each one that ends at 7 makes room for another.
        assert!((4..=6).contains(&answered), "{answered}");
        adds_up(&world, &runs).await;
        assert!(today(&world).await.cost_micros <= CEILING);
    }
}

#[tokio::test]
async fn a_call_that_could_break_the_runs_own_ceiling_does_not_go_out() {
    for (tokens, cost_micros, code, words) in
        [(169, 1000, "token_limit", "169 tokens"), (1000, 16, "cost_limit", "$0.000016")]
    {
        let store = sqlite_store().await;
        let mut world = World::new(store.store(), Arc::new(|_| says("not asked"))).await;
        ceiling(&mut world, 1000);
        world.config.limits.tokens = tokens;
        world.config.limits.cost_micros = cost_micros;
        let model = Priced::new(|_, _| Ok(calls(&[("list_apps", json!({}))])));
        let run = world.ask("What?").await;
        runtime(&world, "worker", &model).run_until_idle().await.must();
        let (stopped, told) = stop(&world, run).await;
        assert_eq!((stopped.as_str(), model.asked()), (code, 1), "the second question could have broken it");
        assert!(told.contains(words) && told.contains("models.budget.run_"), "{told}");
        let view = world.view(run).await;
        assert!(view.answer.contains("What I have so far"), "what was found is shown: {view:#?}");
        adds_up(&world, &[run]).await;
    }
}

#[tokio::test]
async fn attempts_that_failed_are_paid_for_and_count() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), Arc::new(|_| says("not asked"))).await;
    ceiling(&mut world, 1000);
    let model = Priced::new(|number, request| {
        let told = request.messages.iter().any(
            |message| matches!(message, ModelMessage::Guidance { content } if content.contains("not a JSON object")),
        );
        assert_eq!(told, number > 0, "the model hears what was wrong");
        if number < 2 { Err(ModelError::Malformed("it is not a JSON object".into())) } else { Ok(says("Fine.")) }
    });
    let run = world.ask("What?").await;
    runtime(&world, "worker", &model).run_until_idle().await.must();
    let view = world.view(run).await;
    assert_eq!((view.status, view.answer.as_str()), (RunStatus::Completed, "Fine."));
    assert_eq!(view.usage.expect("usage").cost_micros, 3 * SPENT.cost_micros);
    adds_up(&world, &[run]).await;

    // Three attempts cost 7 + 7 + 10 at most. With a limit of one less, the run must not send the third.
    let mut poor = World::of(world.base.clone(), world.base.person("bob").await, Arc::new(|_| says(""))).await;
    ceiling(&mut poor, 23);
    let model = Priced::new(|_, _| Err(ModelError::Malformed("it is not a JSON object".into())));
    let run = poor.ask("What?").await;
    runtime(&poor, "worker", &model).run_until_idle().await.must();
    assert_eq!((stop(&poor, run).await.0.as_str(), model.asked()), ("daily_cost_limit", 2));
    adds_up(&poor, &[run]).await;
}

#[tokio::test]
async fn the_operators_figures_are_what_the_books_say() {
    let counters = Counters::default();
    let _here = metrics::set_default_local_recorder(&counters);
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), Arc::new(|_| says("not asked"))).await;
    ceiling(&mut world, 1000);
    let model = Priced::new(|number, _| match number {
        0 | 1 => Err(ModelError::Malformed("it is not a JSON object".into())),
        _ => Ok(says("Fine.")),
    });
    let run = world.ask("What?").await;
    runtime(&world, "worker", &model).run_until_idle().await.must();
    adds_up(&world, &[run]).await;
    let booked = today(&world).await;
    assert_eq!(booked.cost_micros, 3 * SPENT.cost_micros);
    assert_eq!(counters.sum("adagent_model_cost_micros_total"), booked.cost_micros.unsigned_abs());
    assert_eq!(counters.sum("adagent_model_tokens_total"), booked.input_tokens + booked.output_tokens);
}

#[tokio::test]
async fn a_provider_that_asks_to_wait_is_waited_for_in_the_open_and_not_for_ever() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), Arc::new(|_| says("not asked"))).await;
    ceiling(&mut world, 1000);
    // Renew the lease several times within the wait.
    world.config.heartbeat = Duration::from_millis(20);
    let model = Priced::new(|number, _| match number {
        0 => Err(ModelError::RateLimited { retry_after_ms: Some(250) }),
        _ => Ok(says("Fine.")),
    });
    let run = world.ask("What?").await;
    let began = std::time::Instant::now();
    runtime(&world, "worker", &model).run_until_idle().await.must();
    assert!(began.elapsed() >= Duration::from_millis(250), "not earlier than asked for");
    let labels: Vec<_> = world
        .events(run)
        .await
        .into_iter()
        .filter_map(|event| match event.body {
            EventBody::Status { label } => Some(label),
            _ => None,
        })
        .collect();
    assert!(labels.iter().any(|label| label == "The model provider asked us to wait 1 second"), "{labels:?}");
    assert_eq!(world.status(run).await, RunStatus::Completed);
    let row = world.base.store.find_run_unscoped(run).await.must().expect("the run");
    assert_eq!(row.epoch, 1, "nobody took it over");

    let model = Priced::new(|_, _| Err(ModelError::RateLimited { retry_after_ms: Some(3_600_000) }));
    let run = world.ask("And now?").await;
    runtime(&world, "worker", &model).run_until_idle().await.must();
    let (code, told) = stop(&world, run).await;
    assert_eq!((code.as_str(), model.asked()), ("model_busy", 1));
    assert!(told.contains("60 minutes"), "{told}");
}

#[tokio::test]
async fn a_refusal_is_said_and_is_no_answer() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), Arc::new(|_| says("not asked"))).await;
    ceiling(&mut world, 1000);
    let model = Priced::new(|_, _| {
        let half = calls(&[("create_group", group("never"))]);
        Ok(ModelReply { text: "I would rather not.".into(), stop: StopReason::Refusal, ..half })
    });
    let run = world.ask("What?").await;
    runtime(&world, "worker", &model).run_until_idle().await.must();
    let (code, told) = stop(&world, run).await;
    assert_eq!(code, "model_refused");
    assert!(told.contains("priced/model declined") && told.contains("I would rather not."), "{told}");
    assert!(world.pending().await.is_empty() && world.written().is_empty());
    adds_up(&world, &[run]).await;
}

/// Returns a model that writes its first words and then nothing for a minute.
fn lingers(says: impl Fn(usize) -> Result<ModelReply, ModelError> + Send + Sync + 'static) -> Arc<Priced> {
    let says: Box<Says> = Box::new(move |number, _| says(number));
    Arc::new(Priced { says, asked: AtomicUsize::new(0), takes: Duration::from_mins(1) })
}

/// Works on the run until the model was asked this many times, and then stops the run.
async fn stopped_while_asked(world: &World, model: &Arc<Priced>, run: RunId, times: usize) {
    let worker = runtime(world, "worker", model);
    let work = tokio::spawn(async move { worker.run_until_idle().await.must() });
    while model.asked() < times {
        tokio::task::yield_now().await;
    }
    assert!(today(world).await.held_micros >= QUOTE.cost_micros);
    cancel(&world.deps("web", None), &world.actor(), run).await.expect("asked to stop");
    work.await.expect("no panic");
    assert_eq!(world.status(run).await, RunStatus::Cancelled);
    adds_up(world, &[run]).await;
}

#[tokio::test]
async fn what_nobody_waited_for_is_booked_all_the_same() {
    const FIRST: &str = "Too late, nobody listens any more.";
    let counters = Counters::default();
    let _here = metrics::set_default_local_recorder(&counters);
    // The cost is what was sent and what the model wrote, together with earlier attempts whose cost the provider reported.
    for (failed, told) in [(0, Usage::default()), (2, SPENT.plus(SPENT))] {
        let store = sqlite_store().await;
        let mut world = World::new(store.store(), Arc::new(|_| says("not asked"))).await;
        ceiling(&mut world, 1000);
        world.config.cancel_poll = Duration::from_millis(20);
        let before = counters.sum("adagent_model_cost_micros_total");
        let model = lingers(move |number| {
            if number < failed { Err(ModelError::Malformed("it is not a JSON object".into())) } else { Ok(says(FIRST)) }
        });
        let run = world.ask("What?").await;
        stopped_while_asked(&world, &model, run, failed + 1).await;
        let usage = world.view(run).await.usage.expect("usage");
        let lost = told.plus(QUOTE.broken_off(FIRST.len() as u64));
        assert!(lost.cost_micros > told.cost_micros + SENT.cost_micros, "what was heard counts");
        assert_eq!(
            (usage.input_tokens, usage.output_tokens, usage.cost_micros, usage.estimated),
            (lost.input_tokens, lost.output_tokens, lost.cost_micros, true),
            "after {failed} failed attempts"
        );
        let counted = counters.sum("adagent_model_cost_micros_total") - before;
        assert_eq!(counted, lost.cost_micros.unsigned_abs(), "after {failed} failed attempts");
    }
}

#[tokio::test]
async fn a_question_that_was_refused_at_the_door_costs_nothing_while_it_is_waited_for() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), Arc::new(|_| says("not asked"))).await;
    ceiling(&mut world, 1000);
    world.config.cancel_poll = Duration::from_millis(20);
    let model = lingers(|_| Err(ModelError::RateLimited { retry_after_ms: Some(25_000) }));
    let run = world.ask("What?").await;
    stopped_while_asked(&world, &model, run, 1).await;
    assert_eq!((world.view(run).await.usage, today(&world).await), (None, DayUsage::default()));
}

#[tokio::test]
async fn an_opinion_on_the_route_that_comes_too_late_costs_all_its_attempts() {
    const OPINION: &str = "It is about AdMob, I would say, and so";
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), Arc::new(|_| says("not asked"))).await;
    ceiling(&mut world, 1000);
    world.sure = 0.4;
    world.config.route_patience = Duration::from_millis(500);
    let model = Arc::new(Priced {
        says: Box::new(|number, _| match number {
            0 => Err(ModelError::Malformed("it is not a JSON object".into())),
            1 => Ok(says(OPINION)),
            _ => Ok(says("Fine.")),
        }),
        asked: AtomicUsize::new(0),
        takes: Duration::from_millis(1500),
    });
    let run = world.ask("the apps, please").await;
    runtime(&world, "worker", &model).run_until_idle().await.must();
    let view = world.view(run).await;
    assert_eq!((view.status, view.answer.as_str()), (RunStatus::Completed, "Fine."));
    let (usage, all) = (view.usage.expect("usage"), SPENT.plus(QUOTE.broken_off(OPINION.len() as u64)).plus(SPENT));
    assert_eq!((usage.cost_micros, usage.estimated), (all.cost_micros, true));
    adds_up(&world, &[run]).await;
}

#[tokio::test]
async fn what_a_drain_broke_off_counts_against_the_runs_own_ceiling() {
    for (limit, answered) in [(16, true), (15, false)] {
        let store = sqlite_store().await;
        let mut world = World::new(store.store(), Arc::new(|_| says("not asked"))).await;
        ceiling(&mut world, 1000);
        world.config.limits.cost_micros = limit;
        let model = lingers(|_| Ok(says("Fine.")));
        let run = world.ask("What?").await;
        let handle = runtime(&world, "first", &model).start();
        while model.asked() == 0 {
            tokio::task::yield_now().await;
        }
        handle.drain().await;
        adds_up(&world, &[run]).await;
        assert_eq!(today(&world).await.cost_micros, QUOTE.broken_off(5).cost_micros);
        let model = Priced::new(|_, _| Ok(says("Fine.")));
        runtime(&world, "second", &model).run_until_idle().await.must();
        assert_eq!(model.asked(), usize::from(answered), "six are spent, and the next could cost ten");
        if !answered {
            assert_eq!(stop(&world, run).await.0, "cost_limit");
        }
        adds_up(&world, &[run]).await;
    }
}

#[tokio::test]
async fn what_a_killed_worker_asked_is_booked_once_and_nothing_stays_set_aside() {
    let (mut at, mut paid_and_lost) = (0, false);
    loop {
        let store = sqlite_store().await;
        let mut world = World::new(store.store(), Arc::new(|_| says("not asked"))).await;
        ceiling(&mut world, 1000);
        let script = |_: usize, request: &ModelRequest| {
            let before = request.messages.iter().any(|message| matches!(message, ModelMessage::Tool { .. }));
            Ok(if before { says("Fine.") } else { calls(&[("list_apps", json!({}))]) })
        };
        let model = Priced::new(script);
        let run = world.ask("What?").await;
        let cuts = DieAt::new(at);
        let mut deps = world.deps("dies", Some(Arc::clone(&cuts) as _));
        deps.models = Arc::new(Only(Arc::clone(&model)));
        Runtime::new(deps).run_until_idle().await.must();
        let died = cuts.died();
        world.outlive_leases();
        runtime(&world, "heir", &model).run_until_idle().await.must();
        assert_eq!(world.status(run).await, RunStatus::Completed, "killed at {at}");
        adds_up(&world, &[run]).await;
        // Two answers arrived. Any other question that was asked, or may have been, counts with its whole reservation.
        let (booked, lost) = (today(&world).await, model.asked() - 2);
        let unheard = booked.cost_micros - 2 * SPENT.cost_micros;
        assert!(unheard == 0 || unheard == QUOTE.cost_micros, "killed at {at}: {booked:?}");
        assert!(unheard > 0 || lost == 0, "killed at {at}: a paid question is gone");
        let view = world.view(run).await.usage.expect("usage");
        assert_eq!((view.estimated, booked.calls), (unheard > 0, 2 + u64::from(unheard > 0)), "killed at {at}");
        paid_and_lost |= lost > 0;
        if !died {
            assert!(paid_and_lost, "some worker died of a question");
            assert!(at > 8, "the reservations were commits too");
            return;
        }
        at += 1;
    }
}

#[tokio::test]
async fn a_run_that_takes_every_worker_down_is_ended_with_its_last_question_booked() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), Arc::new(|_| says("not asked"))).await;
    ceiling(&mut world, 1000);
    let run = world.ask("What?").await;
    for _ in 0..=100 {
        let claimed = world.base.claim("dies").await.expect("its lease is over");
        let mut work = world.base.begin().await;
        let now = world.base.now();
        let wanted = Reservation {
            workspace: world.person.personal_workspace,
            question: QuestionNumber::ONLY,
            day: Budget::default().day(now).name,
            model: "priced/model".into(),
            input_tokens: QUOTE.input_tokens,
            output_tokens: QUOTE.output_tokens,
            cost_micros: QUOTE.cost_micros,
            ceiling_micros: 1000,
            now,
            expires_at: now.plus_seconds(60),
        };
        work.reserve_usage(&claimed.lease, &wanted).await.must();
        work.commit().await.must();
        world.base.clock.advance_millis(61_000);
    }
    let model = Priced::new(|_, _| Ok(says("Fine.")));
    runtime(&world, "worker", &model).run_until_idle().await.must();
    assert_eq!((world.status(run).await, model.asked()), (RunStatus::Failed, 0));
    assert_eq!(today(&world).await.cost_micros, QUOTE.cost_micros);
    adds_up(&world, &[run]).await;
}
