//! A network that stores writes, and the connection to it, on which requests and replies get lost, doubled or stuck.
//!
//! When a write is sent, it looks at our database, which no real network could do, and judges whether the write was allowed to leave.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use adagent_contract::{
    ASK_AGENT, ApprovalStatus, EntityItem, EntityKind, FieldError, NetworkState, Preview, PreviewKind, Risk, UiHints,
};
use adagent_domain::{Network, Source, ToolCallId, WorkspaceId};
use adagent_store::CallStatus;
use adagent_tools::{
    ApprovalSketch, CallScope, EntityFilter, Gateway, GroundingIssue, ProbeOutcome, ProgressSink, Provider, ToolError,
    ToolErrorClass, ToolInfo, ToolOutput, WriteTicket,
};
use async_trait::async_trait;
use serde_json::{Value as Json, json};
use tokio::sync::oneshot;

use crate::{
    plan::{WireFate, fate},
    process::Process,
    sim::{Sim, lock},
    store::short,
};

pub const READS: [&str; 2] = ["report", "list_apps"];
pub const WRITE: &str = "create_group";

/// How long the client waits for a reply.
pub const PATIENCE_MS: u64 = 30_000;

/// By this time, the network has carried out a delayed request or never will. A check after an interruption starts later than this, even if
/// the clock is slightly wrong.
const STALLS_AT_MOST_MS: u64 = PATIENCE_MS + 7_500;

/// A write that left a process.
#[derive(Debug, Clone)]
pub struct Sent {
    pub call: ToolCallId,
    pub object: String,
    /// How often it took effect. The connection may deliver it twice.
    pub applied: u32,
    /// Whether a person has since been asked about the same change. If so, this write must not take effect later.
    pub asked_again: bool,
}

/// The data of the network.
#[derive(Debug, Default)]
pub struct Books {
    pub sent: Vec<Sent>,
    writes: u64,
    reads: u64,
    probes: u64,
    sketches: u64,
}

impl Books {
    fn equal_to(&self, object: &str) -> u64 {
        self.sent.iter().filter(|sent| sent.object == object).map(|sent| u64::from(sent.applied)).sum()
    }

    pub fn sends_of(&self, call: ToolCallId) -> usize {
        self.sent.iter().filter(|sent| sent.call == call).count()
    }

    pub fn took_effect(&self, call: ToolCallId) -> bool {
        self.sent.iter().any(|sent| sent.call == call && sent.applied > 0)
    }
}

static TOOLS: LazyLock<Vec<Arc<ToolInfo>>> = LazyLock::new(|| {
    let info = |name: &str, read_only: bool| {
        Arc::new(ToolInfo {
            capability: "mediation".into(),
            read_only,
            idempotent: read_only,
            input_schema: json!({"type": "object"}).into(),
            ..ToolInfo::named(name, Network::AdMob.into())
        })
    };
    let ask = Arc::new(ToolInfo { capability: "assistant".into(), ..ToolInfo::named(ASK_AGENT, Source::Native) });
    READS.iter().map(|name| info(name, true)).chain([info(WRITE, false), ask]).collect()
});

/// The network as seen by one process.
pub struct SimGateway {
    pub(crate) sim: Arc<Sim>,
    pub(crate) process: Arc<Process>,
}

fn error(class: ToolErrorClass) -> ToolError {
    ToolError {
        class,
        code: format!("{class:?}").to_uppercase(),
        message: format!("The network said {class:?}."),
        guidance: None,
        errors: vec![],
    }
}

fn output(result: Json, summary: &str) -> ToolOutput {
    ToolOutput { result, summary: summary.into(), artifact: None, cached: false, attempts: 1 }
}

fn digest(tool: &ToolInfo, args: &Json) -> String {
    format!("{}:{args}", tool.name)
}

impl SimGateway {
    async fn cross(&self) {
        self.sim.cross(&self.process).await;
    }

    fn next(&self, count: impl FnOnce(&mut Books) -> &mut u64, list: &[(u64, WireFate)]) -> WireFate {
        let nth = {
            let mut books = lock(&self.sim.books);
            let count = count(&mut books);
            *count += 1;
            *count - 1
        };
        if self.sim.is_calm() { WireFate::Works } else { fate(list, nth).unwrap_or(WireFate::Works) }
    }

    /// Checks a write before it is sent: whether a person approved it, whether its row says `sending`, and whether it was sent before.
    fn judge(&self, ticket: &WriteTicket, object: &str) {
        let sim = &self.sim;
        let name = short(ticket.call.0);
        // If a clock is wrong by more than a lease, its process takes over what another process still sends. Leases cannot protect against
        // that.
        if !sim.plan.clocks_agree() {
            return;
        }
        let say = |what: String| sim.violate(format!("call {name} leaves {}: {what}", self.process.name));
        if ticket.digest != object {
            say(format!("its ticket is for {}, sent is {object}", ticket.digest));
        }
        let db = lock(&sim.db);
        let filed = db.runs.values().find(|filed| filed.calls.iter().any(|call| call.id == ticket.call));
        let Some(filed) = filed else {
            say("the database does not know it".into());
            return;
        };
        let call = filed.calls.iter().find(|call| call.id == ticket.call).expect("found by it");
        if call.status != CallStatus::Sending {
            say(format!("its row says {}", call.status.as_str()));
        }
        if call.digest != object {
            say(format!("its row is about {}, sent is {object}", call.digest));
        }
        let of_it = filed.approvals.iter().filter(|record| record.view.tool_call_id == ticket.call);
        let approved: Vec<_> = of_it.filter(|record| record.view.status == ApprovalStatus::Approved).collect();
        if approved.last().is_none_or(|record| record.digest != object) {
            say("nobody approved exactly this".into());
        }
        let before = lock(&sim.books).sends_of(ticket.call);
        if before >= approved.len() {
            say(format!("it left {before} times before, and was approved {} times", approved.len()));
        }
    }

    async fn write(&self, args: &Json, tool: &ToolInfo, ticket: &WriteTicket) -> Result<ToolOutput, ToolError> {
        let mut how = self.next(|books| &mut books.writes, &self.sim.plan.writes);
        if let WireFate::Queued { ms } = how {
            self.sim.note(&self.process.name, || format!("the write waits {ms} ms before it leaves"));
            tokio::time::sleep(Duration::from_millis(ms)).await;
            self.process.gate().await;
            how = WireFate::Works;
        }
        if args["name"].as_str().is_some_and(|name| name.starts_with("bad")) {
            how = WireFate::Refused;
        }
        let object = digest(tool, args);
        self.judge(ticket, &object);
        self.sim.note(&self.process.name, || format!("write of call {} leaves: {how:?}", short(ticket.call.0)));
        let at = {
            let mut books = lock(&self.sim.books);
            books.sent.push(Sent { call: ticket.call, object, applied: 0, asked_again: false });
            books.sent.len() - 1
        };
        let (reply, answered) = oneshot::channel();
        tokio::spawn(wire(Arc::clone(&self.sim), how, at, reply));
        let answered = tokio::time::timeout(Duration::from_millis(PATIENCE_MS), answered).await;
        self.cross().await;
        match answered {
            Ok(Ok(Ok(()))) => Ok(output(json!({"id": "group-1", "name": args["name"]}), "created")),
            Ok(Ok(Err(class))) => Err(error(class)),
            Ok(Err(_)) | Err(_) => Err(error(ToolErrorClass::UnknownOutcome)),
        }
    }
}

/// Decides what happens to a request after it left, whatever happens to its sender.
async fn wire(sim: Arc<Sim>, how: WireFate, at: usize, reply: oneshot::Sender<Result<(), ToolErrorClass>>) {
    let pass = |ms| tokio::time::sleep(Duration::from_millis(ms));
    pass(sim.chance.between(1, 300)).await;
    let apply = || {
        let late = {
            let sent = &mut lock(&sim.books).sent[at];
            sent.applied += 1;
            sent.asked_again
        };
        sim.note("net", || format!("write {at} takes effect"));
        if late && sim.plan.clocks_agree() {
            sim.violate(format!("write {at} takes effect after somebody was asked for the same again"));
        }
    };
    // An error only means that the sender no longer waits for the reply.
    let _ = match how {
        WireFate::Works | WireFate::Queued { .. } => {
            apply();
            reply.send(Ok(()))
        }
        WireFate::Busy => reply.send(Err(ToolErrorClass::Retryable)),
        WireFate::Refused => reply.send(Err(ToolErrorClass::Deterministic)),
        WireFate::SignInGone => reply.send(Err(ToolErrorClass::AuthFailed)),
        WireFate::ReplyLost => {
            apply();
            pass(sim.chance.between(1000, PATIENCE_MS)).await;
            reply.send(Err(ToolErrorClass::UnknownOutcome))
        }
        WireFate::RequestLost => {
            pass(sim.chance.between(1000, PATIENCE_MS)).await;
            reply.send(Err(ToolErrorClass::UnknownOutcome))
        }
        WireFate::Doubled => {
            apply();
            apply();
            reply.send(Ok(()))
        }
        WireFate::Stalls { ms } => {
            // By then, the sender may be gone or may have given up. The network still does the work.
            pass(ms.min(STALLS_AT_MOST_MS)).await;
            apply();
            reply.send(Ok(()))
        }
    };
}

/// Decides what happens to a request that changes nothing.
async fn befalls(how: WireFate) -> Result<(), ToolError> {
    match how {
        WireFate::Works | WireFate::Doubled => {}
        WireFate::Stalls { ms } | WireFate::Queued { ms } => tokio::time::sleep(Duration::from_millis(ms)).await,
        WireFate::Refused => return Err(error(ToolErrorClass::Deterministic)),
        WireFate::SignInGone => return Err(error(ToolErrorClass::AuthFailed)),
        WireFate::Busy | WireFate::ReplyLost | WireFate::RequestLost => return Err(error(ToolErrorClass::Retryable)),
    }
    Ok(())
}

#[async_trait]
impl Provider for SimGateway {
    fn tool(&self, name: &str) -> Option<Arc<ToolInfo>> {
        TOOLS.iter().find(|tool| tool.name == name).cloned()
    }

    fn tools(&self) -> Vec<Arc<ToolInfo>> {
        TOOLS.clone()
    }

    fn check(&self, _: &ToolInfo, args: &Json) -> Vec<FieldError> {
        match args.get("name") {
            Some(Json::Number(_)) => vec![FieldError::new("/name", "must be text")],
            _ => vec![],
        }
    }

    async fn ground(&self, _: &CallScope, _: &ToolInfo, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        self.cross().await;
        Ok(match args.get("app").and_then(Json::as_str) {
            Some("made-up") => vec![GroundingIssue {
                pointer: "/app".into(),
                message: "There is no app \"made-up\".".into(),
                candidates: vec![("app-1".into(), "Puzzle Game".into())],
            }],
            _ => vec![],
        })
    }

    async fn sketch(&self, _: &CallScope, _: &ToolInfo, args: &Json) -> Result<ApprovalSketch, ToolError> {
        self.cross().await;
        befalls(self.next(|books| &mut books.sketches, &self.sim.plan.sketches)).await?;
        self.cross().await;
        Ok(ApprovalSketch {
            title: format!("Create {}", args["name"]),
            risk: Risk::Write,
            warnings: vec![],
            preview: Preview::new(PreviewKind::Create, vec![]),
            ui_hints: UiHints::default(),
            parameter_schema: Json::Null,
        })
    }

    fn digest(&self, tool: &ToolInfo, args: &Json) -> String {
        digest(tool, args)
    }

    async fn execute(
        &self,
        _: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        ticket: Option<&WriteTicket>,
        progress: &mut dyn ProgressSink,
    ) -> Result<ToolOutput, ToolError> {
        self.cross().await;
        if !tool.read_only {
            let Some(ticket) = ticket else {
                self.sim.violate(format!("{} is sent without a ticket", tool.name));
                return Err(error(ToolErrorClass::Deterministic));
            };
            return self.write(args, tool, ticket).await;
        }
        let how = self.next(|books| &mut books.reads, &self.sim.plan.reads);
        progress.progress("half-way", None).await;
        tokio::time::sleep(Duration::from_millis(self.sim.chance.between(1, 400))).await;
        self.cross().await;
        befalls(how).await?;
        self.cross().await;
        Ok(output(json!({"rows": [{"revenue": 7}], "asked": args}), "1 row"))
    }

    async fn baseline(&self, _: &CallScope, tool: &ToolInfo, args: &Json) -> Result<Option<Json>, ToolError> {
        self.cross().await;
        let seen = lock(&self.sim.books).equal_to(&digest(tool, args));
        self.cross().await;
        Ok(Some(json!(seen)))
    }

    async fn probe(
        &self,
        _: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        baseline: Option<&Json>,
    ) -> Result<ProbeOutcome, ToolError> {
        self.cross().await;
        let (nth, there) = {
            let mut books = lock(&self.sim.books);
            books.probes += 1;
            (books.probes - 1, books.equal_to(&digest(tool, args)))
        };
        self.cross().await;
        self.sim.note(&self.process.name, || format!("looks at the network: {there} there, {baseline:?} before"));
        if self.sim.plan.blind.contains(&nth) && !self.sim.is_calm() {
            return if nth % 2 == 0 {
                Ok(ProbeOutcome::CannotTell { why: "It is too dark.".into() })
            } else {
                Err(error(ToolErrorClass::Retryable))
            };
        }
        Ok(match (baseline.and_then(Json::as_u64), there) {
            (_, 0) => ProbeOutcome::DidNotHappen { looked_at: "the mediation groups".into() },
            (Some(before), there) if there == before => {
                ProbeOutcome::DidNotHappen { looked_at: "the mediation groups".into() }
            }
            (Some(before), there) if there == before + 1 => {
                ProbeOutcome::Happened { result: json!({"id": "group-1"}), summary: "created".into() }
            }
            _ => ProbeOutcome::CannotTell { why: "There are several like it.".into() },
        })
    }
}

#[async_trait]
impl Gateway for SimGateway {
    async fn networks(&self, _: WorkspaceId) -> Result<Vec<(Network, NetworkState)>, ToolError> {
        Ok(vec![(Network::AdMob, NetworkState::Connected)])
    }

    async fn entities(
        &self,
        _: &CallScope,
        _: Network,
        _: EntityKind,
        _: EntityFilter,
    ) -> Result<Vec<EntityItem>, ToolError> {
        Ok(vec![])
    }

    async fn today(&self, _: WorkspaceId) -> (String, String) {
        ("2026-11-21".into(), "Etc/UTC".into())
    }
}
