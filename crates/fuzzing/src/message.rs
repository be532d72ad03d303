//! Messages of people: whatever they write, the code reads it, chooses a route, ranks tools and proposes calls, with all nine
//! networks connected. The code must not panic, and its next step must be a call or an answer.

use std::sync::{Arc, LazyLock};

use adagent_contract::{ContextSettings, EntityItem, EntityKind, HistoryEntry, ModelTier};
use adagent_domain::{Ids as _, Network, SequentialIds, ToolCallId};
use adagent_llm::{ModelMessage, ModelRequest, PlannerContext, ProposedCall, ToolSpec};
use adagent_networks::Catalogue;
use adagent_tools::ToolInfo;
use adagent_understanding::{Capability, Question, RetrievableTool, ToolIndex, planner::plan, understand};
use serde_json::{Value, json};

/// How many turns a chat has, with the question last.
const TURNS: usize = 3;
/// How many proposals are answered before the run is left as it is.
const ROUNDS: usize = 3;

struct Desk {
    tools: Vec<Arc<ToolInfo>>,
    index: ToolIndex,
    entities: Vec<EntityItem>,
}

static DESK: LazyLock<Desk> = LazyLock::new(|| {
    let catalogue = Catalogue::built_in().expect("the catalogue loads");
    let tools = catalogue.tools().to_vec();
    let index = ToolIndex::new(&tools.iter().filter_map(|tool| retrievable(tool)).collect::<Vec<_>>());
    Desk { tools, index, entities: Network::ALL.into_iter().flat_map(things).collect() }
});

fn retrievable(tool: &ToolInfo) -> Option<RetrievableTool> {
    let params = tool.input_schema.get("properties").and_then(Value::as_object);
    Some(RetrievableTool {
        name: tool.name.clone(),
        title: tool.title.clone(),
        description: tool.description.clone(),
        network: tool.network()?,
        capability: serde_json::from_value(tool.capability.clone().into()).unwrap_or(Capability::Inventory),
        read_only: tool.read_only,
        destructive: tool.destructive,
        params: params.map(|map| map.keys().cloned().collect::<Vec<_>>().join(" ")).unwrap_or_default(),
    })
}

/// Returns the entities of a network: names of one word, of several, with quotes, and with letters of several bytes.
fn things(network: Network) -> Vec<EntityItem> {
    let account = format!("{network}-1");
    let item = |kind, id: String, name: &str, parent: Option<String>| EntityItem {
        network,
        kind,
        id,
        name: name.into(),
        parent,
        account: Some(account.clone()),
        platform: Some("android".into()),
        format: Some("rewarded".into()),
        status: Some("active".into()),
        connection: None,
        raw: Value::Null.into(),
    };
    let app = format!("{network}-app");
    let mut all = vec![
        item(EntityKind::Account, account.clone(), "Acme", None),
        item(EntityKind::App, app.clone(), "Word Quest", Some(account.clone())),
        item(EntityKind::App, format!("{network}-app2"), "Münzen „Gold“", Some(account.clone())),
        item(EntityKind::AdUnit, "461122".into(), "Level end", Some(app.clone())),
        item(EntityKind::AdUnit, "998877".into(), "Café Éclair", Some(app)),
    ];
    if network == Network::AdMob {
        all.push(item(EntityKind::AdSource, "1".into(), "Pangle", None));
        all.push(item(EntityKind::MediationGroup, "9".into(), "Android Rewarded – Tier 1", Some(account.clone())));
    }
    all
}

/// Runs the target. The parts between empty lines are the turns of a chat; the last one is the question.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let turns: Vec<&str> = text.split("\n\n").collect();
    let turns = &turns[turns.len().saturating_sub(TURNS)..];
    let Some((question, before)) = turns.split_last() else { return };
    let said = |role: &str, content: &str| HistoryEntry { role: role.into(), content: content.into() };
    let history: Vec<_> = before.iter().flat_map(|turn| [said("user", turn), said("assistant", "Done.")]).collect();
    let desk = &*DESK;
    let connected = Network::ALL.to_vec();
    let understood = understand(&Question {
        text: (*question).to_owned(),
        history: history.clone(),
        connected: connected.clone(),
        today: "2026-11-21".into(),
        entities: desk.entities.clone().into(),
        ..Question::default()
    });
    let ranked = desk.index.rank(&understood, &understood.standalone, &connected);
    let bound = ranked.into_iter().filter_map(|(name, _)| desk.tools.iter().find(|tool| tool.name == name));
    let tools = bound.map(|tool| ToolSpec {
        name: tool.name.clone(),
        description: tool.description.clone(),
        input_schema: tool.input_schema.clone(),
        read_only: tool.read_only,
    });
    let mut request = ModelRequest {
        tier: ModelTier::Fast,
        system: String::new(),
        messages: vec![ModelMessage::User { content: (*question).to_owned() }],
        tools: tools.collect(),
        max_output_tokens: 4096,
        planner: PlannerContext {
            time_zone: "UTC".into(),
            days: std::collections::BTreeMap::new(),
            today: "2026-11-21".into(),
            question: (*question).to_owned(),
            history,
            connected,
            disabled: Vec::new(),
            understood: serde_json::to_value(&understood).expect("serialises"),
            entities: desk.entities.clone().into(),
            outside: Vec::new(),
            settings: ContextSettings::default(),
            connections: Vec::new(),
            agent: None,
            not_granted: std::collections::BTreeMap::new(),
            plan: None,
            own_tools: Vec::new(),
            colleagues: Vec::new(),
        },
    };
    let ids = SequentialIds::default();
    for round in 0..ROUNDS {
        let reply = plan(&request);
        assert!(!reply.calls.is_empty() || !reply.text.is_empty(), "neither a call nor a word: {question:?}");
        if reply.calls.is_empty() {
            return;
        }
        let calls: Vec<ProposedCall> = reply
            .calls
            .into_iter()
            .map(|call| ProposedCall { id: Some(ToolCallId(ids.next_uuid())), ..call })
            .collect();
        request.messages.push(ModelMessage::Assistant { content: reply.text, calls: calls.clone() });
        for (at, call) in calls.into_iter().enumerate() {
            let (ok, content) = result(data.len() + round + at);
            let call_id = call.id.expect("given");
            request.messages.push(ModelMessage::Tool { call_id, name: call.name, ok, content: content.into() });
        }
    }
}

/// Returns what a network might answer: a result, an empty one, or an error.
fn result(chance: usize) -> (bool, Value) {
    match chance % 4 {
        0 => (true, json!({})),
        1 => (false, json!({"error": {"code": "NOT_FOUND", "message": "Not found „dort“ – 404."}})),
        2 => (true, json!({"items": [{"id": "461122", "name": "Level “end”", "status": "active"}], "total": 1})),
        _ => (true, json!([{"id": 998_877, "name": "Café Éclair", "price": "€5"}])),
    }
}
