//! A network that keeps what was written to it and counts its calls.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use adagent_contract::{
    ASK_AGENT, CONNECTION, ChangeRow, EntityItem, EntityKind, FieldError, FieldHint, NetworkState, Preview,
    PreviewKind, Risk, UiHints, Widget,
};
use adagent_domain::{ConnectionId, Network, Source, ToolCallId, WorkspaceId};
use adagent_tools::{
    ApprovalSketch, CallScope, EntityFilter, Gateway, GroundingIssue, ProbeOutcome, ProgressSink, Provider, ToolError,
    ToolErrorClass, ToolInfo, ToolOutput, WriteTicket,
};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

/// What a look after an interruption finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sight {
    /// The truth.
    #[default]
    Clear,
    Blind,
    /// Sees what exists now, and needs the earlier values to know what is new.
    Compares,
}

#[derive(Default)]
pub struct Inner {
    pub state: Option<NetworkState>,
    /// Whether the states of the networks cannot be read now.
    pub states_fail: bool,
    pub sight: Sight,
    /// Objects that somebody else made before.
    pub others: Vec<Json>,
    /// Every write that reached the network.
    pub written: Vec<(ToolCallId, Json)>,
    pub reads: Vec<Json>,
    /// Coming failures by tool, in this order.
    pub faults: HashMap<String, Vec<ToolErrorClass>>,
    /// How many writes lose their reply after they took effect.
    pub lose_replies: u32,
    /// How many writes make our own code break after they took effect.
    pub break_after_writes: u32,
    /// Whether each read makes our own code break.
    pub break_reads: bool,
    /// How long it takes to read the states of the networks.
    pub states_take: Option<Duration>,
    /// How long a look before a write takes.
    pub look_takes: Option<Duration>,
    /// The value that a change would replace, if it replaces one.
    pub before: Option<String>,
    /// The current names of its connections, if it has several.
    pub accounts: Vec<(String, ConnectionId)>,
    /// The connections that writes used.
    pub went: Vec<Option<ConnectionId>>,
}

impl Inner {
    /// Returns the connection that a call is bound to, or otherwise the one that it names.
    fn connection(&self, scope: &CallScope, args: &Json) -> Option<ConnectionId> {
        let named = || self.accounts.iter().find(|(label, _)| args[CONNECTION] == **label).map(|(_, id)| *id);
        scope.connection.or_else(named)
    }

    fn equal_to(&self, args: &Json) -> u64 {
        let written = self.written.iter().map(|(_, written)| written);
        self.others.iter().chain(written).filter(|object| *object == args).count() as u64
    }
}

#[derive(Default)]
pub struct FakeNetwork {
    inner: Mutex<Inner>,
    delay: Option<Duration>,
    now_running: AtomicUsize,
    pub most_at_once: AtomicUsize,
}

impl FakeNetwork {
    /// Makes a network in which each call takes this long.
    pub fn slow(delay: Duration) -> Self {
        Self { delay: Some(delay), ..Self::default() }
    }

    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no test panics while holding it")
    }

    fn info(name: &str, read_only: bool) -> Arc<ToolInfo> {
        Arc::new(ToolInfo {
            capability: "mediation".into(),
            read_only,
            idempotent: read_only,
            input_schema: json!({"type": "object"}).into(),
            ..ToolInfo::named(name, Network::AdMob.into())
        })
    }
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

#[async_trait]
impl Provider for FakeNetwork {
    fn tool(&self, name: &str) -> Option<Arc<ToolInfo>> {
        self.tools().into_iter().find(|tool| tool.name == name)
    }

    fn tools(&self) -> Vec<Arc<ToolInfo>> {
        let ask = ToolInfo { capability: "assistant".into(), ..ToolInfo::named(ASK_AGENT, Source::Native) };
        vec![
            Self::info("report", true),
            Self::info("list_apps", true),
            Self::info("create_group", false),
            Arc::new(ask),
        ]
    }

    /// Sets the mask, if there is one, from the name.
    fn normalise_args(&self, _: &ToolInfo, args: &Json) -> Json {
        let mut args = args.clone();
        if args.get("mask").is_some() {
            args["mask"] = args["name"].clone();
        }
        args
    }

    fn check(&self, _: &ToolInfo, args: &Json) -> Vec<FieldError> {
        match args.get("name") {
            Some(Json::Number(_)) => vec![FieldError::new("/name", "must be text")],
            _ => vec![],
        }
    }

    async fn ground(&self, _: &CallScope, _: &ToolInfo, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        Ok(match args.get("app").and_then(Json::as_str) {
            Some("made-up") => vec![GroundingIssue {
                pointer: "/app".into(),
                message: "There is no app \"made-up\".".into(),
                candidates: vec![("app-1".into(), "Puzzle Game".into())],
            }],
            _ => vec![],
        })
    }

    async fn place(&self, scope: &CallScope, _: &ToolInfo, args: &Json) -> Result<Option<String>, ToolError> {
        Ok(self.lock().connection(scope, args).map(|id| id.to_string()))
    }

    async fn sketch(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<ApprovalSketch, ToolError> {
        if let Some(faults) = self.lock().faults.get_mut(&format!("sketch {}", tool.name))
            && !faults.is_empty()
        {
            return Err(error(faults.remove(0)));
        }
        let goes_to = self.lock().connection(scope, args);
        Ok(ApprovalSketch {
            title: format!("Create {}", args["name"]),
            risk: if args["name"] == "Nothing" { Risk::Destructive } else { Risk::Write },
            warnings: args["warn"].as_str().map(Into::into).into_iter().collect(),
            preview: match self.lock().before.clone() {
                None => Preview::new(PreviewKind::Create, vec![]),
                before => Preview::new(
                    PreviewKind::Update,
                    vec![ChangeRow { label: "Name".into(), before, after: args["name"].as_str().map(Into::into) }],
                ),
            },
            ui_hints: UiHints {
                fields: vec![FieldHint {
                    pointer: "/target".into(),
                    label: "Mediation group".into(),
                    widget: Widget::ReadOnly,
                    help: None,
                    options: None,
                    parent: None,
                    choices: vec![],
                    required: false,
                    max_length: None,
                    ..FieldHint::default()
                }],
                goes_to,
                ..UiHints::default()
            },
            parameter_schema: json!({"type": "object"}),
        })
    }

    fn digest(&self, tool: &ToolInfo, args: &Json) -> String {
        format!("{}:{args}", tool.name)
    }

    async fn execute(
        &self,
        scope: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        ticket: Option<&WriteTicket>,
        progress: &mut dyn ProgressSink,
    ) -> Result<ToolOutput, ToolError> {
        let running = self.now_running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(running, Ordering::SeqCst);
        if let Some(delay) = self.delay {
            progress.progress("half-way", None).await;
            tokio::time::sleep(delay).await;
        } else {
            tokio::task::yield_now().await;
        }
        self.now_running.fetch_sub(1, Ordering::SeqCst);
        let breaks = tool.read_only && self.lock().break_reads;
        assert!(!breaks, "a defect, as the test says");
        // Send nothing that the settings of the call forbid, as in the pipeline.
        if !tool.read_only && (scope.settings.safe_mode || !scope.settings.admits(tool.source)) {
            return Err(error(ToolErrorClass::OutOfContext));
        }
        let mut inner = self.lock();
        if let Some(faults) = inner.faults.get_mut(&tool.name)
            && !faults.is_empty()
        {
            return Err(error(faults.remove(0)));
        }
        let output = |result: Json, summary: &str| ToolOutput {
            result,
            summary: summary.into(),
            artifact: None,
            cached: false,
            attempts: 1,
        };
        if tool.read_only {
            inner.reads.push(args.clone());
            return Ok(output(json!({"rows": [{"revenue": 7}], "asked": args}), "1 row"));
        }
        let ticket = ticket.expect("a write needs its ticket");
        assert_eq!(ticket.digest, self.digest(tool, args), "the ticket is for other arguments");
        let through = inner.connection(scope, args);
        inner.went.push(through);
        inner.written.push((ticket.call, args.clone()));
        if inner.break_after_writes > 0 {
            inner.break_after_writes -= 1;
            drop(inner);
            panic!("a defect, as the test says");
        }
        if inner.lose_replies > 0 {
            inner.lose_replies -= 1;
            return Err(error(ToolErrorClass::UnknownOutcome));
        }
        Ok(output(json!({"id": "group-1", "name": args["name"]}), "created"))
    }

    async fn baseline(&self, _: &CallScope, _: &ToolInfo, args: &Json) -> Result<Option<Json>, ToolError> {
        let takes = self.lock().look_takes;
        if let Some(takes) = takes {
            tokio::time::sleep(takes).await;
        }
        Ok(Some(json!(self.lock().equal_to(args))))
    }

    async fn probe(
        &self,
        scope: &CallScope,
        _: &ToolInfo,
        args: &Json,
        baseline: Option<&Json>,
    ) -> Result<ProbeOutcome, ToolError> {
        let inner = self.lock();
        if inner.sight == Sight::Compares {
            return Ok(match baseline.and_then(Json::as_u64) {
                Some(before) if inner.equal_to(args) > before => {
                    ProbeOutcome::Happened { result: json!({"id": "group-1"}), summary: "created".into() }
                }
                Some(_) => ProbeOutcome::DidNotHappen { looked_at: "the mediation groups".into() },
                None => ProbeOutcome::CannotTell { why: "One looks like it.".into() },
            });
        }
        Ok(match inner.sight {
            Sight::Blind => ProbeOutcome::CannotTell { why: "It is too dark.".into() },
            Sight::Clear if inner.written.iter().any(|(call, _)| *call == scope.call) => ProbeOutcome::Happened {
                result: json!({"id": "group-1", "name": args["name"]}),
                summary: "created".into(),
            },
            Sight::Clear | Sight::Compares => ProbeOutcome::DidNotHappen { looked_at: "the mediation groups".into() },
        })
    }
}

#[async_trait]
impl Gateway for FakeNetwork {
    async fn networks(&self, _: WorkspaceId) -> Result<Vec<(Network, NetworkState)>, ToolError> {
        let takes = self.lock().states_take;
        if let Some(takes) = takes {
            tokio::time::sleep(takes).await;
        }
        if self.lock().states_fail {
            return Err(error(ToolErrorClass::Retryable));
        }
        Ok(vec![(Network::AdMob, self.lock().state.unwrap_or(NetworkState::Connected))])
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
