//! Two accounts of one network in one workspace: which connection a call uses, that they share no data, and that the numbers match the
//! books.

use std::sync::{Arc, Mutex};

use adagent_contract::{
    AccountChoice, CONNECTION, ContextMode, ContextSettings, EntityItem, EntityKind, NetworkState, ReportData, Value,
};
use adagent_domain::{ConnectionId, ManualClock, Network, SequentialIds, ToolCallId, UserId, WorkspaceId};
use adagent_networks::{
    BreakerPolicy, Circuit, Connected, ConnectionMark, CredentialSource, Credentials, Networks, Parts, SecretFields,
    Tuning, Via, http_client,
};
use adagent_sandbox::{RunningSandbox, Sandbox, SandboxConfig};
use adagent_tools::{
    CallScope, EntityFilter, Gateway as _, Provider as _, ToolError, ToolErrorClass, ToolOutput, WriteTicket,
    connection_of,
};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

use crate::support::{ACME, LEXICON, Told};

const NOW: &str = "2026-11-22T09:00:00Z";
const DAY: &str = "2026-11-20";

struct Given {
    network: Network,
    fields: Vec<(String, String)>,
    one: Connected,
}

struct Source {
    base: String,
    all: Mutex<Vec<Given>>,
    refused: Mutex<Vec<ConnectionId>>,
}

impl Source {
    fn of(&self, via: Via, network: Network) -> Result<Credentials, ToolError> {
        let all = self.all.lock().expect("free");
        let given = all.iter().find(|given| given.one.mark.id == via.connection && given.network == network);
        let given = given.ok_or_else(|| ToolError::not_connected(network))?;
        if given.one.state == NetworkState::Disabled {
            return Err(ToolError::disabled(network));
        }
        let fields = given.fields.iter().map(|(name, value)| (name.clone(), value.clone().into()));
        Ok(Credentials {
            fields: fields.collect::<SecretFields>(),
            base_url: format!("{}/{}", self.base, network.id()).parse().expect("valid"),
            sandbox: true,
            accounts: given.one.accounts.clone(),
            connection: Some(given.one.mark.id),
            version: given.one.mark.version,
            made: given.one.mark.made,
        })
    }

    fn change(&self, label: &str, change: impl Fn(&mut Connected)) {
        let mut all = self.all.lock().expect("free");
        change(&mut all.iter_mut().find(|given| given.one.mark.label == label).expect("there").one);
    }
}

#[async_trait]
impl CredentialSource for Source {
    async fn connections(&self, _: WorkspaceId) -> Result<Vec<Connected>, ToolError> {
        Ok(self.all.lock().expect("free").iter().map(|given| given.one.clone()).collect())
    }

    async fn credentials(&self, via: Via, network: Network) -> Result<Credentials, ToolError> {
        self.of(via, network)
    }

    async fn renew(&self, via: Via, network: Network, _: &Credentials) -> Result<Credentials, ToolError> {
        self.of(via, network)
    }

    async fn report_auth_failure(&self, via: Via, _: Network, _: &Credentials) {
        self.refused.lock().expect("free").push(via.connection);
    }
}

struct World {
    networks: Networks,
    source: Arc<Source>,
    scope: CallScope,
    sandbox: RunningSandbox,
    client: reqwest::Client,
    _folder: tempfile::TempDir,
}

/// Makes a world with AppLovin as "Acme" and "Lexicon", and AdMob as "Acme's user" and "Everybody": two Google users, one of whom sees both
/// accounts.
async fn world() -> World {
    drop(rustls::crypto::ring::default_provider().install_default());
    let folder = tempfile::tempdir().expect("a folder");
    let now: jiff::Timestamp = NOW.parse().expect("valid");
    let config = SandboxConfig::new(folder.path(), Arc::new(move || now));
    let sandbox = Sandbox::start_on_free_port(config).await.expect("starts");
    let many = 100_000.try_into().expect("not zero");
    let tuning = Tuning {
        requests_per_second: many,
        calls_per_minute: many,
        breaker: BreakerPolicy { failures: 1, open_millis: 60_000 },
        ..Tuning::default()
    };
    let client = http_client(&tuning).expect("builds");
    let ids = SequentialIds::default();
    let mut all = Vec::new();
    let sets = [
        (Network::AppLovin, "Acme", json!({"network": "applovin", "standing": "acme"}), vec![]),
        (Network::AppLovin, "Lexicon", json!({"network": "applovin", "standing": "lexicon"}), vec![]),
        (Network::AdMob, "Acme's user", json!({"identity": "single@sandbox.example"}), vec![ACME]),
        (Network::AdMob, "Everybody", json!({"identity": "demo@sandbox.example"}), vec![ACME, LEXICON]),
    ];
    for (network, label, asked, accounts) in sets {
        let url = format!("{}/__sandbox/grant", sandbox.base_url());
        let given: Json = client.post(url).json(&asked).send().await.expect("sent").json().await.expect("json");
        let fields = match given["fields"].as_object() {
            Some(fields) => fields.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
            None => vec![("access_token".to_owned(), text(&given["access_token"]))],
        };
        let accounts: Vec<AccountChoice> = accounts.into_iter().map(account).collect();
        let mark = ConnectionMark {
            id: ConnectionId::new(&ids),
            version: 1,
            sandbox: true,
            selected: accounts.iter().map(|account| account.id.clone()).collect(),
            made: 1,
            abilities: None,
            label: label.to_owned(),
        };
        all.push(Given { network, fields, one: Connected { network, state: NetworkState::Connected, accounts, mark } });
    }
    let source = Arc::new(Source { base: sandbox.base_url(), all: Mutex::new(all), refused: Mutex::default() });
    let parts = Parts {
        client: client.clone(),
        credentials: source.clone(),
        clock: Arc::new(ManualClock::at(NOW.parse().expect("valid"))),
        jitter: Arc::new(|| 0.0),
        tuning,
    };
    let scope = CallScope {
        workspace: WorkspaceId::new(&ids),
        user: UserId::new(&ids),
        call: ToolCallId::new(&ids),
        settings: ContextSettings::default(),
        grants: adagent_contract::Grants::everything(),
        connection: None,
    };
    World { networks: Networks::new(parts).expect("loads"), source, scope, sandbox, client, _folder: folder }
}

fn text(value: &Json) -> String {
    value.as_str().expect("a text").to_owned()
}

fn account(id: &str) -> AccountChoice {
    AccountChoice { id: id.into(), name: id.into(), currency: None, time_zone: None, selected: true, label: None }
}

impl World {
    fn id(&self, label: &str) -> ConnectionId {
        let all = self.source.all.lock().expect("free");
        all.iter().find(|given| given.one.mark.label == label).expect("there").one.mark.id
    }

    async fn run(&self, scope: &CallScope, tool: &str, args: &Json) -> Result<ToolOutput, ToolError> {
        let tool = self.networks.tool(tool).expect("known");
        let place = self.networks.place(scope, &tool, args).await.ok().flatten();
        let ticket = WriteTicket { call: scope.call, digest: self.networks.digest(&tool, args), place };
        let ticket = (!tool.read_only).then_some(&ticket);
        self.networks.execute(scope, &tool, args, ticket, &mut Told::default()).await
    }

    async fn all(&self, network: Network, kind: EntityKind) -> Vec<EntityItem> {
        self.networks.entities(&self.scope, network, kind, EntityFilter::default()).await.expect("listed")
    }

    async fn asks(&self, scope: &CallScope, tool: &str, args: &Json) -> Vec<(String, Vec<String>)> {
        let tool = self.networks.tool(tool).expect("known");
        let issues = self.networks.ground(scope, &tool, args).await.expect("grounds");
        let named = |issue: adagent_tools::GroundingIssue| {
            (issue.pointer, issue.candidates.into_iter().map(|(id, _)| id).collect())
        };
        issues.into_iter().map(named).collect()
    }

    async fn truth(&self, query: &str) -> Json {
        let url = format!("{}/__sandbox/truth?from={DAY}&to={DAY}&metric=revenue&{query}", self.sandbox.base_url());
        self.client.get(url).send().await.expect("sent").json().await.expect("json")
    }

    async fn writes(&self) -> Vec<Json> {
        let url = format!("{}/__sandbox/writes?network=applovin", self.sandbox.base_url());
        let body: Json = self.client.get(url).send().await.expect("sent").json().await.expect("json");
        body["items"].as_array().expect("items").clone()
    }
}

fn report(connection: Option<&str>) -> Json {
    let mut args = json!({"start": DAY, "end": DAY, "columns": ["package_name", "estimated_revenue"]});
    if let Some(label) = connection {
        args[CONNECTION] = label.into();
    }
    args
}

fn micros(output: &ToolOutput) -> i64 {
    let data = ReportData::from_result(&output.result).expect("a report");
    let money = |value: &Value| if let Value::Money { money } = value { money.micros } else { 0 };
    data.rows.iter().flatten().map(money).sum()
}

#[tokio::test]
async fn figures_of_two_accounts_are_their_own_and_add_up_to_the_books() {
    let world = world().await;
    let books = world.truth("network=applovin&by=app").await;
    let books: Vec<(String, i64)> = books["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| (text(&item["key"]), item["micros"].as_i64().expect("micros")))
        .collect();
    let units = world.all(Network::AppLovin, EntityKind::AdUnit).await;
    let mut sum = 0;
    for label in ["Acme", "Lexicon"] {
        let read = world.run(&world.scope, "applovin_get_max_report", &report(Some(label))).await.expect("read");
        let own = units.iter().filter(|unit| unit.connection.as_deref() == Some(label));
        let mut packages: Vec<String> = own.map(|unit| text(&unit.raw["package_name"])).collect();
        packages.sort();
        packages.dedup();
        assert!(packages.len() > 1, "{label}: {packages:?}");
        let truth: i64 = books.iter().filter(|(key, _)| packages.contains(key)).map(|(_, micros)| micros).sum();
        assert_eq!(micros(&read), truth, "{label}");
        sum += truth;
    }
    let others: i64 = books.iter().map(|(_, micros)| micros).sum();
    assert!(sum > 0 && sum < others, "the third publisher is in neither");
    // Case does not matter, and the repeat is answered from this connection's cache.
    let again = world.run(&world.scope, "applovin_get_max_report", &report(Some("ACME"))).await.expect("read");
    assert!(again.cached);
}

#[tokio::test]
async fn whose_call_it_is_follows_from_the_name_or_the_id_and_is_asked_else() {
    let world = world().await;
    let labels = || vec!["Acme".to_owned(), "Lexicon".to_owned()];
    let pointer = || format!("/{CONNECTION}");
    assert_eq!(world.asks(&world.scope, "applovin_get_max_report", &report(None)).await, [(pointer(), labels())]);
    let create =
        json!({"body": {"name": "New", "platform": "android", "package_name": "com.x.y", "ad_format": "INTER"}});
    assert_eq!(world.asks(&world.scope, "applovin_create_ad_unit", &create).await, [(pointer(), labels())]);
    let unknown = world.asks(&world.scope, "applovin_get_max_report", &report(Some("Casual"))).await;
    assert_eq!(unknown, [(pointer(), labels())]);
    let refused = world.run(&world.scope, "applovin_get_max_report", &report(None)).await.expect_err("not said");
    assert_eq!(refused.class, ToolErrorClass::Invalid);
    assert!(refused.errors[0].message.contains("“Acme”, “Lexicon”"), "{refused:?}");
    // An ID has one owner, and the list names it.
    for unit in world.all(Network::AppLovin, EntityKind::AdUnit).await.iter().step_by(7) {
        let label = unit.connection.clone().expect("there are two");
        let tool = world.networks.tool("applovin_get_ad_unit").expect("known");
        let place = world.networks.place(&world.scope, &tool, &json!({"ad_unit_id": unit.id})).await.expect("decided");
        assert_eq!(place.as_deref().and_then(connection_of), Some(world.id(&label)));
        world.run(&world.scope, "applovin_get_ad_unit", &json!({"ad_unit_id": unit.id})).await.expect("read");
        // The other connection does not have it.
        let other = if label == "Acme" { "Lexicon" } else { "Acme" };
        let wrong = json!({"ad_unit_id": unit.id, CONNECTION: other});
        assert_eq!(world.asks(&world.scope, "applovin_get_ad_unit", &wrong).await.len(), 1);
    }
    // Two sign-ins reach the same publisher account: a read uses either, a change asks.
    let apps = json!({"account_id": ACME});
    assert_eq!(world.asks(&world.scope, "admob_list_apps", &apps).await, []);
    let app = json!({"account_id": ACME, "body": {"platform": "ANDROID", "manualAppInfo": {"displayName": "Twice"}}});
    let asked = world.asks(&world.scope, "admob_create_app", &app).await;
    assert_eq!(asked, [(pointer(), vec!["Acme's user".to_owned(), "Everybody".to_owned()])]);
    let only = json!({"account_id": LEXICON});
    assert_eq!(world.asks(&world.scope, "admob_list_apps", &only).await, []);
}

#[tokio::test]
async fn a_change_goes_through_the_connection_it_was_approved_for() {
    let world = world().await;
    let units = world.all(Network::AppLovin, EntityKind::AdUnit).await;
    let own = units.iter().find(|unit| unit.connection.as_deref() == Some("Lexicon")).expect("some");
    let create = json!({CONNECTION: "Lexicon", "body": {
        "name": "Brand new", "platform": "android", "package_name": own.raw["package_name"], "ad_format": "INTER",
    }});
    let tool = world.networks.tool("applovin_create_ad_unit").expect("known");
    let sketch = world.networks.sketch(&world.scope, &tool, &create).await.expect("drawn");
    assert_eq!(sketch.ui_hints.goes_to, Some(world.id("Lexicon")));
    let row = sketch.preview.changes.iter().find(|row| row.before.is_some() && row.before == row.after).expect("said");
    assert!(row.after.as_deref().is_some_and(|text| text == "AppLovin · Lexicon (sandbox)"), "{row:?}");
    // The names are swapped while the approval is pending. It is bound to the connection, not to its current name.
    world.source.change("Acme", |one| "Elsewhere".clone_into(&mut one.mark.label));
    world.source.change("Lexicon", |one| "Acme".clone_into(&mut one.mark.label));
    world.source.change("Elsewhere", |one| "Lexicon".clone_into(&mut one.mark.label));
    let bound = CallScope { connection: sketch.ui_hints.goes_to, ..world.scope.clone() };
    let anew = world.networks.sketch(&bound, &tool, &create).await.expect("drawn");
    assert_eq!(anew.ui_hints.goes_to, sketch.ui_hints.goes_to);
    let renamed = |text: &String| text == "The account “Lexicon” is now called “Acme”.";
    assert!(anew.warnings.iter().any(renamed) && !sketch.warnings.iter().any(renamed), "{:?}", anew.warnings);
    world.run(&bound, "applovin_create_ad_unit", &create).await.expect("made");
    assert_eq!(world.writes().await.len(), 1);
    let made: Vec<_> = world.all(Network::AppLovin, EntityKind::AdUnit).await;
    let made = made.iter().find(|unit| unit.name == "Brand new").expect("is there");
    assert_eq!(made.connection.as_deref(), Some("Acme"), "what was Lexicon's is called so now");
    // The connection was removed in the meantime, so nothing is sent through another one.
    let gone = CallScope { connection: Some(ConnectionId(world.scope.call.0)), ..world.scope.clone() };
    let refused = world.run(&gone, "applovin_create_ad_unit", &create).await.expect_err("gone");
    assert_eq!(refused.code, "CONNECTION_CHANGED");
    assert_eq!(world.writes().await.len(), 1);
}

#[tokio::test]
async fn what_fails_through_one_says_nothing_of_the_other() {
    let world = world().await;
    let url = format!("{}/__sandbox/faults", world.sandbox.base_url());
    let fault = json!({"network": "applovin", "operation": "applovin_get_max_report", "kind": "status", "status": 503, "times": 4, "retry_after": 0});
    assert!(world.client.post(url).json(&fault).send().await.expect("sent").status().is_success());
    world.run(&world.scope, "applovin_get_max_report", &report(Some("Acme"))).await.expect_err("down");
    assert!(matches!(world.networks.circuit(Network::AppLovin, world.id("Acme")), Circuit::Open { .. }));
    assert_eq!(world.networks.circuit(Network::AppLovin, world.id("Lexicon")), Circuit::Closed);
    world.run(&world.scope, "applovin_get_max_report", &report(Some("Lexicon"))).await.expect("the other goes on");
    // Refused keys affect only one connection.
    world.source.all.lock().expect("free")[1].fields.iter_mut().for_each(|(_, value)| value.push('x'));
    let list = |label: &str| json!({CONNECTION: label});
    world.run(&world.scope, "applovin_list_ad_units", &list("Lexicon")).await.expect_err("refused");
    assert_eq!(*world.source.refused.lock().expect("free"), [world.id("Lexicon")]);
}

#[tokio::test]
async fn what_is_switched_off_or_left_out_is_not_asked() {
    let world = world().await;
    world.source.change("Acme", |one| one.state = NetworkState::Disabled);
    // One connection is left, so the call need not name it, and its entities carry no connection name.
    assert_eq!(world.asks(&world.scope, "applovin_get_max_report", &report(None)).await, []);
    let units = world.all(Network::AppLovin, EntityKind::AdUnit).await;
    assert!(!units.is_empty() && units.iter().all(|unit| unit.connection.is_none()));
    let off = world.run(&world.scope, "applovin_get_max_report", &report(Some("Acme"))).await.expect_err("off");
    assert_eq!(off.class, ToolErrorClass::Disabled);
    world.source.change("Acme", |one| one.state = NetworkState::Connected);
    for (mode, allowed) in [(ContextMode::Soft, true), (ContextMode::Strict, false)] {
        let mut scope = world.scope.clone();
        scope.settings.mode = mode;
        scope.settings.enabled_connections.insert(Network::AppLovin, vec![world.id("Lexicon")]);
        let tool = world.networks.tool("applovin_get_max_report").expect("known");
        let place = world.networks.place(&scope, &tool, &report(None)).await.expect("decided");
        assert_eq!(place.as_deref().and_then(connection_of), Some(world.id("Lexicon")), "{mode:?}");
        let other = world.run(&scope, "applovin_get_max_report", &report(Some("Acme"))).await;
        assert_eq!(other.is_ok(), allowed, "{mode:?}");
        let seen =
            world.networks.entities(&scope, Network::AppLovin, EntityKind::AdUnit, EntityFilter::default()).await;
        let acme = seen.expect("listed").iter().any(|unit| unit.connection.as_deref() == Some("Acme"));
        assert_eq!(acme, allowed, "{mode:?}");
        // The selected connection is gone. In strict mode no other one takes its place.
        scope.settings.enabled_connections.insert(Network::AppLovin, vec![ConnectionId(scope.call.0)]);
        world.source.change("Acme", |one| one.state = NetworkState::Disabled);
        let left = world.run(&scope, "applovin_get_max_report", &report(None)).await;
        assert_eq!(left.is_ok(), allowed, "{mode:?}");
        world.source.change("Acme", |one| one.state = NetworkState::Connected);
    }
    let offered = world.networks.offered(world.scope.workspace).await.expect("offered");
    let of = |name: &str| offered.iter().find(|tool| tool.name == name).expect("there").clone();
    let schema = &of("applovin_get_max_report").input_schema["properties"][CONNECTION];
    assert_eq!(schema["enum"], json!(["Acme", "Lexicon"]));
    assert!(of("unity_list_applications").input_schema["properties"].get(CONNECTION).is_none());
}

impl World {
    /// Makes the keys of this connection invalid.
    fn spoil(&self, label: &str) {
        let mut all = self.source.all.lock().expect("free");
        let given = all.iter_mut().find(|given| given.one.mark.label == label).expect("there");
        given.fields.iter_mut().for_each(|(_, value)| value.push('x'));
    }

    async fn unit_of(&self, label: &str) -> EntityItem {
        let units = self.all(Network::AppLovin, EntityKind::AdUnit).await;
        units.into_iter().find(|unit| unit.connection.as_deref() == Some(label)).expect("some")
    }

    /// Returns the connection that a call would use.
    async fn goes_to(&self, scope: &CallScope, tool: &str, args: &Json) -> Option<ConnectionId> {
        let tool = self.networks.tool(tool).expect("known");
        let place = self.networks.place(scope, &tool, args).await.expect("decided");
        place.as_deref().and_then(connection_of)
    }

    fn preferring(&self, mode: ContextMode, network: Network, label: &str) -> CallScope {
        let mut scope = self.scope.clone();
        scope.settings.mode = mode;
        scope.settings.enabled_connections.insert(network, vec![self.id(label)]);
        scope
    }
}

#[tokio::test]
async fn one_that_is_refused_takes_nothing_of_the_others_away() {
    for mode in [ContextMode::Soft, ContextMode::Strict] {
        let world = world().await;
        world.spoil("Lexicon");
        let mut scope = world.scope.clone();
        scope.settings.mode = mode;
        let listed = async || {
            world.networks.entities(&scope, Network::AppLovin, EntityKind::AdUnit, EntityFilter { refresh: true }).await
        };
        let units = listed().await.expect("the other answers");
        assert!(!units.is_empty(), "{mode:?}");
        assert!(units.iter().all(|unit| unit.connection.as_deref() == Some("Acme")), "{mode:?}");
        world.spoil("Acme");
        let via = Via { workspace: world.scope.workspace, connection: world.id("Acme") };
        world.networks.forget(via, Network::AppLovin);
        assert_eq!(listed().await.expect_err("none answers").class, ToolErrorClass::AuthFailed, "{mode:?}");
    }
}

#[tokio::test]
async fn what_one_that_is_refused_may_have_too_is_asked_about_before_it_is_changed() {
    let world = world().await;
    let unit = world.unit_of("Acme").await;
    // Forget everything known of both connections.
    for label in ["Acme", "Lexicon"] {
        let via = Via { workspace: world.scope.workspace, connection: world.id(label) };
        world.networks.forget(via, Network::AppLovin);
    }
    world.spoil("Lexicon");
    let read = json!({"ad_unit_id": unit.id});
    assert_eq!(world.goes_to(&world.scope, "applovin_get_ad_unit", &read).await, Some(world.id("Acme")));
    let mut change = json!({"ad_unit_id": unit.id, "body": {
        "id": unit.id, "name": "Other", "platform": unit.raw["platform"], "package_name": unit.raw["package_name"],
        "ad_format": unit.raw["ad_format"],
    }});
    let asked = world.asks(&world.scope, "applovin_update_ad_unit", &change).await;
    assert_eq!(asked, [(format!("/{CONNECTION}"), vec!["Acme".to_owned(), "Lexicon".to_owned()])]);
    let refused = world.run(&world.scope, "applovin_update_ad_unit", &change).await.expect_err("not said");
    assert!(refused.errors[0].message.contains("“Lexicon”: AppLovin no longer accepts"), "{refused:?}");
    assert!(world.writes().await.is_empty());
    // The ID may belong to the connection that refused, so the error names that connection.
    let tool = world.networks.tool("applovin_get_ad_unit").expect("known");
    let nowhere = json!({"ad_unit_id": "00000000000000ff"});
    let failed = world.networks.ground(&world.scope, &tool, &nowhere).await.expect_err("cannot be told");
    assert_eq!(failed.class, ToolErrorClass::AuthFailed);
    assert!(failed.message.starts_with("“Lexicon”: "), "{}", failed.message);
    // The name of the connection is enough.
    change[CONNECTION] = "Acme".into();
    assert_eq!(world.asks(&world.scope, "applovin_update_ad_unit", &change).await, []);
    world.run(&world.scope, "applovin_update_ad_unit", &change).await.expect("changed");
    assert_eq!(world.writes().await.len(), 1);
}

#[tokio::test]
async fn a_soft_selection_prefers_and_an_id_of_another_account_is_found() {
    let world = world().await;
    let (acme, lexicon) = (world.unit_of("Acme").await, world.unit_of("Lexicon").await);
    let get = |unit: &EntityItem| json!({"ad_unit_id": unit.id});
    let soft = world.preferring(ContextMode::Soft, Network::AppLovin, "Lexicon");
    assert_eq!(world.goes_to(&soft, "applovin_get_max_report", &report(None)).await, Some(world.id("Lexicon")));
    for tool in ["applovin_get_ad_unit", "applovin_update_ad_unit"] {
        assert_eq!(world.goes_to(&soft, tool, &get(&lexicon)).await, Some(world.id("Lexicon")), "{tool}");
        assert_eq!(world.goes_to(&soft, tool, &get(&acme)).await, Some(world.id("Acme")), "{tool}");
    }
    world.run(&soft, "applovin_get_ad_unit", &get(&acme)).await.expect("read");
    // If no connection has the ID, the lookup uses the preferred connection.
    let nowhere = json!({"ad_unit_id": "00000000000000ff"});
    assert_eq!(world.goes_to(&soft, "applovin_get_ad_unit", &nowhere).await, Some(world.id("Lexicon")));
    assert_eq!(world.asks(&soft, "applovin_get_ad_unit", &nowhere).await[0].0, "/ad_unit_id");
    let strict = world.preferring(ContextMode::Strict, Network::AppLovin, "Lexicon");
    assert_eq!(world.asks(&strict, "applovin_get_ad_unit", &get(&acme)).await[0].0, "/ad_unit_id");
    // If two connections reach the account, the selected one is used without a question. If only one reaches it, that one is used.
    let user = world.preferring(ContextMode::Soft, Network::AdMob, "Acme's user");
    let app = |account: &str| json!({"account_id": account, "body": {"platform": "ANDROID", "manualAppInfo": {"displayName": "Twice"}}});
    assert_eq!(world.goes_to(&user, "admob_create_app", &app(ACME)).await, Some(world.id("Acme's user")));
    assert_eq!(world.goes_to(&user, "admob_create_app", &app(LEXICON)).await, Some(world.id("Everybody")));
}
