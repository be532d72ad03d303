//! A call that an agent was not granted reaches no provider, however it is made. Looking at an earlier write is always open.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects fails right there")]

use std::sync::{Arc, Mutex};

use adagent_contract::{Access, ContextSettings, FieldError, Grants, Progress};
use adagent_domain::{Network, SequentialIds, Source, ToolCallId, UserId, WorkspaceId};
use adagent_tools::{
    ApprovalSketch, CallScope, GroundingIssue, JOURNAL, ProbeOutcome, ProgressSink, Provider, Registry, ToolError,
    ToolInfo, ToolOutput, WriteTicket,
};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

/// Notes the calls that reach it, and refuses everything.
#[derive(Default)]
struct Noted {
    tools: Vec<Arc<ToolInfo>>,
    reached: Mutex<Vec<&'static str>>,
}

impl Noted {
    fn note(&self, what: &'static str) -> ToolError {
        self.reached.lock().unwrap().push(what);
        ToolError::out_of_context("it was reached")
    }
}

#[async_trait]
impl Provider for Noted {
    fn tools(&self) -> Vec<Arc<ToolInfo>> {
        self.tools.clone()
    }

    fn tool(&self, name: &str) -> Option<Arc<ToolInfo>> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    fn check(&self, _: &ToolInfo, _: &Json) -> Vec<FieldError> {
        Vec::new()
    }

    async fn ground(&self, _: &CallScope, _: &ToolInfo, _: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        Err(self.note("ground"))
    }

    async fn sketch(&self, _: &CallScope, _: &ToolInfo, _: &Json) -> Result<ApprovalSketch, ToolError> {
        Err(self.note("sketch"))
    }

    async fn execute(
        &self,
        _: &CallScope,
        _: &ToolInfo,
        _: &Json,
        _: Option<&WriteTicket>,
        _: &mut dyn ProgressSink,
    ) -> Result<ToolOutput, ToolError> {
        Err(self.note("execute"))
    }

    async fn probe(&self, _: &CallScope, _: &ToolInfo, _: &Json, _: Option<&Json>) -> Result<ProbeOutcome, ToolError> {
        Err(self.note("probe"))
    }
}

struct Unheard;

#[async_trait]
impl ProgressSink for Unheard {
    async fn progress(&mut self, _: &str, _: Option<Progress>) {}
}

fn tool(name: &str, source: Source, access: Access) -> Arc<ToolInfo> {
    let read_only = matches!(access, Access::Read | Access::List);
    let made = ToolInfo { read_only, destructive: access == Access::Delete, ..ToolInfo::named(name, source) };
    assert_eq!(made.access(), access, "{name}");
    Arc::new(made)
}

/// Makes a tool of each access for each of these sources, and the journal.
fn every_tool() -> Vec<Arc<ToolInfo>> {
    let mut all = vec![tool(JOURNAL, Source::Native, Access::List)];
    all.extend(["docs", "mail"].into_iter().flat_map(|server| {
        [("look", Access::Read), ("send", Access::Update)]
            .map(|(name, access)| tool(&format!("mcp:{server}:{name}"), Source::Mcp, access))
    }));
    for source in [Source::Network(Network::AdMob), Source::Network(Network::Unity), Source::Native] {
        for access in Access::ALL {
            let verb = if access == Access::Read { "get" } else { access.as_str() };
            all.push(tool(&format!("{}_{verb}_thing", source.id()), source, access));
        }
    }
    all
}

fn scope(grants: Grants) -> CallScope {
    let ids = SequentialIds::default();
    CallScope {
        workspace: WorkspaceId::new(&ids),
        user: UserId::new(&ids),
        call: ToolCallId::new(&ids),
        settings: ContextSettings::default(),
        grants,
        connection: None,
    }
}

/// Returns which steps of a call reach the provider.
async fn reaching(noted: &Noted, registry: &Registry, grants: Grants, tool: &ToolInfo) -> Vec<&'static str> {
    noted.reached.lock().unwrap().clear();
    let (scope, args) = (scope(grants), json!({}));
    let told = [
        registry.ground(&scope, tool, &args).await.err(),
        registry.sketch(&scope, tool, &args).await.err(),
        registry.execute(&scope, tool, &args, None, &mut Unheard).await.err(),
        registry.probe(&scope, tool, &args, None).await.err(),
    ];
    let reached = noted.reached.lock().unwrap().clone();
    for error in told.into_iter().flatten().filter(|error| error.message != "it was reached") {
        assert_eq!(error.code, "NOT_GRANTED");
        assert!(error.message.contains("@watcher"), "{}", error.message);
    }
    reached
}

#[tokio::test]
async fn every_way_of_calling_asks_the_grants_first() {
    let noted = Arc::new(Noted { tools: every_tool(), ..Noted::default() });
    let registry = Registry::new(vec![noted.clone()]).unwrap();
    let grants: Vec<Grants> = [
        json!([]),
        json!([{"on": "everything", "may": ["read", "list"]}]),
        json!([{"on": "admob", "may": ["read", "list", "create", "update", "delete"]}]),
        json!([{"on": "native", "may": ["create"]}, {"on": "tool:unity_update_thing", "may": ["update"]}]),
        json!([{"on": "mcp:docs", "may": ["read"]}, {"on": "tool:mcp:mail:send", "may": ["update"]}]),
        json!([{"on": "mcp", "may": ["read", "update"]}]),
    ]
    .into_iter()
    .map(|grants| Grants::of("watcher", serde_json::from_value(grants).unwrap()))
    .chain([Grants::everything()])
    .collect();
    for grants in grants {
        for tool in &noted.tools {
            let open = tool.name == JOURNAL || grants.admits(&tool.name, tool.source, tool.access());
            let expected: &[&str] = if open { &["ground", "sketch", "execute", "probe"] } else { &["probe"] };
            assert_eq!(reaching(&noted, &registry, grants.clone(), tool).await, expected, "{grants:?} {}", tool.name);
        }
    }
}
