//! Tests how long reading takes for texts of any shape: the longest text that we read, and the longest that a person can send.

use std::time::{Duration, Instant};

use adagent_contract::{ContextSettings, EntityItem, EntityKind, ModelTier};
use adagent_domain::Network;
use adagent_llm::{ModelMessage, ModelRequest, PlannerContext};
use adagent_understanding::{MOST_READ, Question, ToolIndex, planner::plan, understand};

/// The most characters that the desk accepts in one message.
const MOST_SENT: usize = 20_000;

/// The limit for a debug build on a busy machine. A release build takes a tenth of it.
const MOST_TIME: Duration = Duration::from_secs(8);

/// Pieces that we repeat until the text is long enough. Each of them once took more time than its length justifies.
const PIECES: [&str; 24] = [
    "a",
    "revenue ",
    "\"",
    "“",
    "“a” ",
    "\"a ",
    "'a ",
    "\"a\" ",
    "(",
    "9",
    "2026-01-01 to 2026-02-02 ",
    "1 2 3 4 5 ",
    "*_`~[",
    "$5 ",
    "by country and ",
    "november 2026 vs october ",
    "pause all the ad units in unity ",
    "Word Quest and Level end ",
    "set floor to 5 ",
    "昨日の収益 ",
    "a\n",
    ",",
    "In Banner Home For X ",
    "called X for ",
];

fn entities() -> Vec<EntityItem> {
    let item = |network: Network, kind, n: usize, name: &str| EntityItem {
        network,
        kind,
        id: format!("{network}-{n}"),
        name: format!("{name} {n}"),
        parent: None,
        account: None,
        platform: None,
        format: None,
        status: None,
        connection: None,
        raw: serde_json::Value::Null.into(),
    };
    let of = |network| {
        (0..40).flat_map(move |n| {
            [item(network, EntityKind::App, n, "Word Quest"), item(network, EntityKind::AdUnit, n, "Level end")]
        })
    };
    Network::ALL.into_iter().flat_map(of).collect()
}

/// Reads a question as far as the calls it proposes, and returns the answer, if there is one.
fn read(text: &str, entities: &[EntityItem], index: &ToolIndex) -> String {
    let connected = Network::ALL.to_vec();
    let today = "2026-11-21".to_owned();
    let question = Question {
        text: text.to_owned(),
        connected: connected.clone(),
        today: today.clone(),
        entities: entities.to_vec().into(),
        ..Question::default()
    };
    let understood = understand(&question);
    let ranked = index.rank(&understood, &understood.standalone, &connected);
    assert!(ranked.len() <= 15);
    let planner = PlannerContext {
        today,
        question: text.to_owned(),
        history: Vec::new(),
        connected,
        disabled: Vec::new(),
        understood: serde_json::to_value(&understood).expect("serialises"),
        entities: entities.to_vec().into(),
        outside: Vec::new(),
        settings: ContextSettings::default(),
        connections: Vec::new(),
        time_zone: String::new(),
        days: std::collections::BTreeMap::new(),
        agent: None,
        not_granted: std::collections::BTreeMap::new(),
        plan: None,
        own_tools: Vec::new(),
        colleagues: Vec::new(),
    };
    let reply = plan(&ModelRequest {
        tier: ModelTier::Fast,
        system: String::new(),
        messages: vec![ModelMessage::User { content: text.to_owned() }],
        tools: Vec::new(),
        max_output_tokens: 4096,
        planner,
    });
    assert!(!reply.calls.is_empty() || !reply.text.is_empty(), "neither a call nor a word");
    reply.text
}

#[test]
fn no_shape_of_text_costs_much_more_than_its_length() {
    let (entities, index) = (entities(), ToolIndex::new(&adagent_understanding::bundled_tools()));
    for piece in PIECES {
        for most in [MOST_READ, MOST_SENT] {
            let text: String = piece.chars().cycle().take(most).collect();
            let begun = Instant::now();
            let said = read(&text, &entities, &index);
            let took = begun.elapsed();
            println!("{:<34} × {most:>6}: {took:.1?}", format!("{piece:?}"));
            assert!(took < MOST_TIME, "{piece:?} × {most}: {took:?}");
            if most > MOST_READ {
                assert!(
                    said.contains("it has 20,000 characters, and I read up to 6,000. I did nothing with it."),
                    "{said}"
                );
            }
        }
    }
}
