//! Simulates all nine networks, connects the gateway to them, and plays the engine's part: bind, ask, read, approve.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use adagent_contract::{
    AccountChoice, ConnectionName, ContextSettings, EntityItem, EntityKind, HistoryEntry, ModelTier, NetworkState,
    Plan, PlanStep, Progress,
};
use adagent_domain::{ConnectionId, Ids as _, ManualClock, Network, SequentialIds, ToolCallId, UserId, WorkspaceId};
use adagent_llm::{
    ModelMessage, ModelReply, ModelRequest, NetworkDay, PlanDraft, PlannerContext, ProposedCall, ToolSpec,
};
use adagent_networks::{
    Connected, ConnectionMark, CredentialSource, Credentials, Networks, Parts, SecretFields, Tuning, Via, http_client,
};
use adagent_sandbox::{OFFICIAL_CLIENT_TOKEN, RunningSandbox, Sandbox, SandboxConfig, Standing, credentials};
use adagent_tools::{
    CallScope, EntityFilter, Gateway as _, ProgressSink, Provider as _, ToolError, ToolInfo, WriteTicket,
};
use adagent_understanding::{
    Capability, Question, RetrievableTool, ToolIndex, Understood,
    planner::{instead, not_used, plan},
    understand,
};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

pub const NOW: &str = "2026-11-21T09:41:00Z";
pub const TODAY: &str = "2026-11-21";
pub const WEEK: &str = "from=2026-11-14&to=2026-11-20";

const KINDS: [EntityKind; 5] =
    [EntityKind::Account, EntityKind::App, EntityKind::AdUnit, EntityKind::AdSource, EntityKind::MediationGroup];

/// One of several connections of a network, and the name of its keys.
#[derive(Clone)]
struct Part {
    id: ConnectionId,
    network: Network,
    label: &'static str,
    set: &'static str,
}

#[derive(Clone)]
struct Keys {
    base: String,
    connection: ConnectionId,
    accounts: Vec<(Network, Vec<AccountChoice>)>,
    parts: Vec<Part>,
    /// Labels of the connections that are turned off.
    off: Arc<Mutex<Vec<&'static str>>>,
}

impl Keys {
    fn is_off(&self, id: ConnectionId) -> bool {
        let off = self.off.lock().expect("nobody panicked");
        self.parts.iter().any(|part| part.id == id && off.contains(&part.label))
    }

    /// Returns the credentials of one of several connections, or those of the network if it has only one.
    fn through(&self, via: Via, network: Network) -> Credentials {
        let part = self.parts.iter().find(|part| part.network == network && part.id == via.connection);
        let Some(part) = part else { return self.of(network) };
        let (_, _, set) = credentials::PARTS.iter().find(|(name, ..)| *name == part.set).expect("published");
        let fields = set.fields.iter().map(|(name, value)| (*name, (*value).to_owned().into()));
        Credentials { fields: fields.collect(), connection: Some(part.id), ..self.of(network) }
    }

    fn of(&self, network: Network) -> Credentials {
        let fields: SecretFields = match credentials::of(network.id(), Standing::Valid) {
            Some(set) => set.fields.iter().map(|(name, value)| (*name, (*value).to_owned().into())).collect(),
            None => SecretFields::bearer(OFFICIAL_CLIENT_TOKEN.to_owned().into()),
        };
        let accounts = self.accounts.iter().find(|(own, _)| *own == network).map(|(_, list)| list.clone());
        Credentials {
            fields,
            base_url: format!("{}/{}", self.base, network.id()).parse().expect("valid"),
            sandbox: true,
            accounts: accounts.unwrap_or_default(),
            connection: Some(self.connection),
            version: 1,
            made: 1,
        }
    }
}

#[async_trait]
impl CredentialSource for Keys {
    async fn credentials(&self, via: Via, network: Network) -> Result<Credentials, ToolError> {
        if self.is_off(via.connection) {
            return Err(ToolError::disabled(network));
        }
        Ok(self.through(via, network))
    }

    async fn renew(&self, via: Via, network: Network, _: &Credentials) -> Result<Credentials, ToolError> {
        Ok(self.through(via, network))
    }

    async fn report_auth_failure(&self, _: Via, _: Network, _: &Credentials) {}

    async fn connections(&self, _: WorkspaceId) -> Result<Vec<Connected>, ToolError> {
        let of = |network: Network| {
            let accounts = self.of(network).accounts;
            let mark = ConnectionMark {
                id: self.connection,
                version: 1,
                sandbox: true,
                selected: accounts.iter().map(|account| account.id.clone()).collect(),
                made: 1,
                abilities: None,
                label: network.display_name().to_owned(),
            };
            Connected { network, state: NetworkState::Connected, accounts, mark }
        };
        let several = |network| self.parts.iter().any(|part| part.network == network);
        let alone = Network::ALL.into_iter().filter(|network| !several(*network)).map(of);
        let parts = self.parts.iter().map(|part| {
            let one = of(part.network);
            let state = if self.is_off(part.id) { NetworkState::Disabled } else { one.state };
            Connected { state, mark: ConnectionMark { id: part.id, label: part.label.to_owned(), ..one.mark }, ..one }
        });
        Ok(alone.chain(parts).collect())
    }
}

struct Quiet;

#[async_trait]
impl ProgressSink for Quiet {
    async fn progress(&mut self, _: &str, _: Option<Progress>) {}
}

pub struct World {
    pub networks: Networks,
    index: ToolIndex,
    tools: Vec<Arc<ToolInfo>>,
    sandbox: RunningSandbox,
    client: reqwest::Client,
    workspace: WorkspaceId,
    ids: SequentialIds,
    pub connected: Vec<Network>,
    pub history: Vec<HistoryEntry>,
    /// Networks where an earlier day than today is still in progress.
    pub days: std::collections::BTreeMap<Network, NetworkDay>,
    pub settings: ContextSettings,
    /// Changes that the answering agent may not make.
    pub not_granted: Vec<String>,
    /// Reasons with which the next changes are denied.
    pub denies: Vec<&'static str>,
    off: Arc<Mutex<Vec<&'static str>>>,
    _folder: tempfile::TempDir,
}

/// The result of a question.
#[derive(Debug)]
pub struct Said {
    pub reply: ModelReply,
    pub understood: Understood,
    /// Every call, with its result.
    pub done: Vec<(String, Json, Result<Json, String>)>,
    /// What the cards of the changes list as not used.
    pub unused: Vec<Vec<String>>,
    /// The steps of the question, for each time that calls were proposed for them.
    pub plans: Vec<PlanDraft>,
}

fn tuning() -> Tuning {
    Tuning {
        total_timeout: Duration::from_secs(30),
        poll_first: Duration::from_millis(1),
        poll_most: Duration::from_millis(5),
        ..Tuning::default()
    }
}

fn client() -> reqwest::Client {
    // This fails if another test of the same process has installed it already.
    drop(rustls::crypto::ring::default_provider().install_default());
    http_client(&tuning()).expect("builds")
}

pub async fn world(connected: &[Network]) -> World {
    world_of(connected, &[]).await
}

/// Builds a world with networks that are connected more than once.
pub async fn world_of(connected: &[Network], parts: &[(Network, &'static str, &'static str)]) -> World {
    let client = client();
    let folder = tempfile::tempdir().expect("a folder");
    let now: jiff::Timestamp = NOW.parse().expect("valid");
    let config = SandboxConfig::new(folder.path(), Arc::new(move || now));
    let sandbox = Sandbox::start_on_free_port(config).await.expect("starts");
    let ids = SequentialIds::default();
    let part = |(network, label, set): &(Network, &'static str, &'static str)| Part {
        id: ConnectionId::new(&ids),
        network: *network,
        label,
        set,
    };
    let parts: Vec<Part> = parts.iter().map(part).collect();
    let keys = Keys {
        base: sandbox.base_url(),
        connection: ConnectionId::new(&ids),
        accounts: Vec::new(),
        parts: parts.clone(),
        off: Arc::default(),
    };
    let off = Arc::clone(&keys.off);
    // The accounts are those that the credentials reach, as when a person connects a network.
    let probing = gateway(&client, keys.clone());
    let mut accounts = Vec::new();
    for network in connected {
        let mut reached = probing.reachable_accounts(*network, &keys.of(*network)).await.expect("reaches");
        for account in &mut reached {
            account.selected = true;
        }
        accounts.push((*network, reached));
    }
    let networks = gateway(&client, Keys { accounts, ..keys });
    let tools: Vec<Arc<ToolInfo>> = networks
        .tools()
        .into_iter()
        .filter(|tool| tool.network().is_some_and(|network| connected.contains(&network)))
        .collect();
    let index = ToolIndex::new(&tools.iter().map(|tool| retrievable(tool)).collect::<Vec<_>>());
    World {
        networks,
        index,
        tools,
        sandbox,
        client,
        workspace: WorkspaceId::new(&ids),
        ids,
        connected: connected.to_vec(),
        history: Vec::new(),
        days: std::collections::BTreeMap::new(),
        settings: ContextSettings::default(),
        not_granted: Vec::new(),
        denies: Vec::new(),
        off,
        _folder: folder,
    }
}

fn gateway(client: &reqwest::Client, keys: Keys) -> Networks {
    Networks::new(Parts {
        client: client.clone(),
        credentials: Arc::new(keys),
        clock: Arc::new(ManualClock::at(NOW.parse().expect("valid"))),
        jitter: Arc::new(|| 0.0),
        tuning: tuning(),
    })
    .expect("the catalogue loads")
}

fn retrievable(tool: &ToolInfo) -> RetrievableTool {
    let params = tool.input_schema.get("properties").and_then(Json::as_object);
    RetrievableTool {
        name: tool.name.clone(),
        title: tool.title.clone(),
        description: tool.description.clone(),
        network: tool.network().expect("a network's"),
        capability: serde_json::from_value(tool.capability.clone().into()).unwrap_or(Capability::Inventory),
        read_only: tool.read_only,
        destructive: tool.destructive,
        params: params.map(|map| map.keys().cloned().collect::<Vec<_>>().join(" ")).unwrap_or_default(),
    }
}

/// Returns the steps with their calls, as a run keeps them.
fn planned(draft: PlanDraft, before: Option<Plan>, calls: &[ProposedCall]) -> Plan {
    let known = before.map(|plan| plan.steps).unwrap_or_default();
    let id = |call: usize| calls[call].id;
    let steps = draft.steps.into_iter().enumerate().map(|(at, draft)| {
        let mut made = known.get(at).map(|step| step.calls.clone()).unwrap_or_default();
        made.extend(draft.calls.into_iter().filter_map(id));
        let call = draft.call.and_then(id).or_else(|| known.get(at)?.tool_call_id);
        PlanStep { says: draft.says, tool_call_id: call, calls: made, note: draft.note, unmade: draft.unmade }
    });
    Plan { goal: draft.goal, steps: steps.collect() }
}

impl World {
    /// Turns off one of several connections, by its label.
    pub fn switch_off(&self, label: &'static str) {
        self.off.lock().expect("nobody panicked").push(label);
    }

    fn scope(&self) -> CallScope {
        let call = ToolCallId(self.ids.next_uuid());
        CallScope {
            workspace: self.workspace,
            user: UserId(self.workspace.0),
            call,
            settings: self.settings.clone(),
            grants: adagent_contract::Grants::everything(),
            connection: None,
        }
    }

    async fn entities(&self, networks: &[Network]) -> Vec<EntityItem> {
        let mut items = Vec::new();
        for network in networks {
            for kind in KINDS {
                let found = self.networks.entities(&self.scope(), *network, kind, EntityFilter::default()).await;
                items.extend(found.unwrap_or_default());
            }
        }
        items
    }

    /// Returns the first proposal for a message, or the answer. Makes no call.
    pub fn propose(&self, text: &str, known: &(Vec<EntityItem>, Vec<ConnectionName>)) -> ModelReply {
        let (entities, connections) = known.clone();
        plan(&self.request(text, entities, connections).0)
    }

    /// Returns what a run loads before it reads a message.
    pub async fn known(&self) -> (Vec<EntityItem>, Vec<ConnectionName>) {
        let connections = self.networks.connections(self.workspace, &self.settings).await.expect("read");
        (self.entities(&self.connected).await, connections)
    }

    fn request(
        &self,
        text: &str,
        entities: Vec<EntityItem>,
        connections: Vec<ConnectionName>,
    ) -> (ModelRequest, Understood) {
        let understood = understand(&Question {
            text: text.into(),
            history: self.history.clone(),
            connected: self.connected.clone(),
            disabled: Vec::new(),
            today: TODAY.into(),
            entities: entities.clone().into(),
            connections: connections.clone(),
            own_tools: Vec::new(),
            colleagues: Vec::new(),
        });
        let specs = self.specs(&understood);
        let request = ModelRequest {
            tier: ModelTier::Fast,
            system: String::new(),
            messages: vec![ModelMessage::User { content: text.into() }],
            tools: specs,
            max_output_tokens: 4096,
            planner: PlannerContext {
                today: TODAY.into(),
                time_zone: String::new(),
                days: self.days.clone(),
                question: text.into(),
                history: self.history.clone(),
                connected: self.connected.clone(),
                disabled: Vec::new(),
                understood: serde_json::to_value(&understood).expect("serialises"),
                entities: entities.into(),
                outside: Vec::new(),
                settings: self.settings.clone(),
                connections,
                agent: None,
                not_granted: self
                    .not_granted
                    .iter()
                    .map(|tool| (tool.clone(), format!("Not granted: {tool}")))
                    .collect(),
                plan: None,
                own_tools: Vec::new(),
                colleagues: Vec::new(),
            },
        };
        (request, understood)
    }

    fn specs(&self, understood: &Understood) -> Vec<ToolSpec> {
        let parts = understood.parts.iter().map(|part| &part.understood);
        let each = if understood.parts.is_empty() { vec![understood] } else { parts.collect() };
        let mut ranked: Vec<(String, f64)> =
            each.into_iter().flat_map(|one| self.index.rank(one, &one.standalone, &self.connected)).collect();
        let mut seen = std::collections::HashSet::new();
        ranked.retain(|(name, _)| seen.insert(name.clone()));
        let spec = |(name, _)| {
            let tool = self.tools.iter().find(|tool| tool.name == name)?;
            Some(ToolSpec {
                name: tool.name.clone(),
                description: tool.description.clone(),
                input_schema: tool.input_schema.clone(),
                read_only: tool.read_only,
            })
        };
        ranked.into_iter().filter_map(spec).collect()
    }

    /// Asks until there is an answer. Checks, looks up, sketches and approves every write.
    pub async fn ask(&mut self, text: &str) -> Said {
        let (entities, connections) = self.known().await;
        let (mut request, understood) = self.request(text, entities, connections);
        let (mut done, mut unused, mut plans) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..15 {
            let reply = plan(&request);
            plans.extend(reply.plan.clone());
            let drafted = reply.plan.clone();
            if reply.calls.is_empty() {
                let answer = adagent_contract::with_method(&reply.text, &reply.method);
                for (role, content) in [("user", text.to_owned()), ("assistant", answer)] {
                    self.history.push(HistoryEntry { role: role.into(), content });
                }
                return Said { reply, understood, done, unused, plans };
            }
            assert!(reply.calls.len() <= 12, "the engine refuses more: {:?}", reply.calls);
            for (at, call) in reply.calls.iter().enumerate() {
                let again = reply.calls[..at].iter().any(|other| other.name == call.name && other.args == call.args);
                assert!(!again, "the engine refuses it twice: {call:?}");
            }
            let calls: Vec<ProposedCall> = reply
                .calls
                .into_iter()
                .map(|call| ProposedCall { id: Some(ToolCallId(self.ids.next_uuid())), ..call })
                .collect();
            request.messages.push(ModelMessage::Assistant { content: String::new(), calls: calls.clone() });
            if let Some(draft) = drafted {
                request.planner.plan = Some(planned(draft, request.planner.plan.take(), &calls));
            }
            let before = done.len();
            for call in calls {
                if self.tools.iter().any(|tool| tool.name == call.name && !tool.read_only) {
                    unused.push(not_used(&request, &call.name, &call.args));
                    if !self.denies.is_empty() {
                        let reason = self.denies.remove(0);
                        let content = json!({"denied": true, "cause": "declined", "reason": reason});
                        request
                            .tools
                            .extend(instead(&understood, reason).into_iter().flat_map(|read| self.specs(&read)));
                        done.push((call.name.clone(), call.args.clone(), Err("denied".to_owned())));
                        let call_id = call.id.expect("given");
                        request.messages.push(ModelMessage::Tool {
                            call_id,
                            name: call.name,
                            ok: false,
                            content: content.into(),
                        });
                        continue;
                    }
                }
                let outcome = self.make(&call).await;
                let (ok, content) = match &outcome {
                    Ok(result) => (true, result.clone()),
                    Err(error) => (false, json!({"error": {"code": error.code, "message": error.message}})),
                };
                done.push((call.name.clone(), call.args.clone(), outcome.map_err(|error| error.message)));
                let call_id = call.id.expect("given");
                request.messages.push(ModelMessage::Tool { call_id, name: call.name, ok, content: content.into() });
            }
            // When the run goes on, it sees what was changed.
            if done[before..].iter().any(|(name, ..)| self.changes(name)) {
                request.planner.entities = self.entities(&self.connected).await.into();
            }
        }
        panic!("{text}: no end to it: {done:#?}");
    }

    fn changes(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name && !tool.read_only)
    }

    async fn make(&self, call: &ProposedCall) -> Result<Json, ToolError> {
        let tool = self.networks.tool(&call.name).unwrap_or_else(|| panic!("there is no {}", call.name));
        let args = self.networks.normalise_args(&tool, &call.args);
        let errors = self.networks.check(&tool, &args);
        assert_eq!(errors, [], "{} {args} {:?}", call.name, self.history.last());
        let mut scope = self.scope();
        scope.call = call.id.expect("given");
        let issues = self.networks.ground(&scope, &tool, &args).await?;
        assert_eq!(issues, [], "{} {args}", call.name);
        let ticket = (!tool.read_only).then(|| WriteTicket {
            call: scope.call,
            digest: self.networks.digest(&tool, &args),
            place: None,
        });
        if ticket.is_some() {
            let sketch = self.networks.sketch(&scope, &tool, &args).await?;
            assert!(!sketch.title.is_empty());
        }
        let output = self.networks.execute(&scope, &tool, &args, ticket.as_ref(), &mut Quiet).await;
        output.map(|output| output.result)
    }

    pub async fn accounts(&self, network: Network) -> Vec<EntityItem> {
        let found = self.networks.entities(&self.scope(), network, EntityKind::Account, EntityFilter::default()).await;
        found.expect("listed")
    }

    pub async fn apps(&self, network: Network) -> Vec<EntityItem> {
        let found = self.networks.entities(&self.scope(), network, EntityKind::App, EntityFilter::default()).await;
        found.expect("listed")
    }

    /// Returns the ad units of a network as they are now.
    pub async fn units(&self, network: Network) -> Vec<EntityItem> {
        let filter = EntityFilter { refresh: true };
        self.networks.entities(&self.scope(), network, EntityKind::AdUnit, filter).await.expect("listed")
    }

    /// Selects only the connection with this label in its network.
    pub async fn select(&mut self, label: &str) {
        let all = self.networks.connections(self.workspace, &self.settings).await.expect("read");
        let one = all.iter().find(|one| one.label == label).expect("there");
        self.settings.enabled_connections.insert(one.network, vec![one.id]);
    }

    pub async fn truth(&self, query: &str) -> Json {
        let url = format!("{}/__sandbox/truth?{query}", self.sandbox.base_url());
        self.client.get(url).send().await.expect("sent").json().await.expect("json")
    }

    /// Returns what a network earned, in millionths.
    pub async fn earned(&self, network: Network, query: &str) -> i64 {
        let truth = self.truth(&format!("network={network}&metric=revenue&{query}")).await;
        truth["micros"].as_i64().or_else(|| truth["micros"].as_str()?.parse().ok()).unwrap_or_else(|| panic!("{truth}"))
    }

    pub async fn fault(&self, fault: Json) {
        let url = format!("{}/__sandbox/faults", self.sandbox.base_url());
        let response = self.client.post(url).json(&fault).send().await.expect("sent");
        assert_eq!(response.status(), 201, "{fault}");
    }

    /// Returns the writes that the sandbox received for a network.
    pub async fn writes(&self, network: Network) -> Vec<Json> {
        let url = format!("{}/__sandbox/writes?network={network}", self.sandbox.base_url());
        let body: Json = self.client.get(url).send().await.expect("sent").json().await.expect("json");
        body["items"].as_array().expect("items").clone()
    }
}

impl Said {
    /// Returns how often an operation was called.
    pub fn calls(&self, tool: &str) -> usize {
        self.done.iter().filter(|(name, _, _)| name == tool).count()
    }
}
