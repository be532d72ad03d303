//! Invented data for the gallery. It can never reach a page that people use.

use std::collections::BTreeMap;

use adagent_contract::{
    ActionKind, ActionView, ApprovalStatus, Artifact, BarItem, ChangeRow, Column, ColumnKind, DecidedBy, EntityOption,
    FieldHint, KpiTile, ModelTier, Path, Point, Preview, PreviewKind, Progress, Risk, RoutingView, RunStatus, Series,
    StepState, StepView, StopView, TableArtifact, TimeseriesArtifact, Tone, TurnApproval, TurnView, UiHints, Value,
    Widget,
};
use adagent_domain::{Currency, Money, Network, Timestamp};
use serde_json::{Value as Json, json};

use crate::ui::format::Civil;

/// The time on the gallery's pages: Nov 21, 2026, 10:02 UTC.
pub const NOW: Timestamp = Timestamp::from_micros(1_795_255_320_000_000);

/// Returns an ID that ends in this number.
fn id<T: std::str::FromStr>(number: usize) -> T
where
    T::Err: std::fmt::Debug,
{
    format!("019aa5c4-9a3e-7000-8000-{number:012}").parse().expect("a UUID by construction")
}

fn usd(cents: i64) -> Value {
    Value::Money { money: Money::new(Currency::USD, cents * 10_000) }
}

fn text(value: &str) -> Value {
    Value::Text { value: value.into() }
}

fn option(id: &str, name: &str, parent: Option<&str>, network: Network) -> EntityOption {
    EntityOption {
        id: id.into(),
        name: name.into(),
        parent: parent.map(Into::into),
        detail: None,
        network: Some(network),
    }
}

pub fn accounts() -> Vec<EntityOption> {
    vec![
        option("pub-4482019375518826", "Acme Games", None, Network::AdMob),
        option("pub-7710032288410055", "Northwind Studio", None, Network::AdMob),
    ]
}

pub fn apps() -> Vec<EntityOption> {
    let of = |id: &str, name, account| {
        option(&format!("ca-app-pub-4482019375518826~{id}"), name, Some(account), Network::AdMob)
    };
    vec![
        of("1830496627", "Puzzle Game iOS", "pub-4482019375518826"),
        of("7714208856", "Puzzle Game Android", "pub-4482019375518826"),
        of("3329817745", "Word Quest iOS", "pub-4482019375518826"),
        of("9001132847", "Farm Days iOS", "pub-7710032288410055"),
    ]
}

fn sources() -> Vec<EntityOption> {
    vec![
        option("1", "AdMob Network", None, Network::AdMob),
        option("2", "Liftoff Monetize", None, Network::Liftoff),
        option("3", "Unity Ads", None, Network::Unity),
        option("4", "AppLovin", None, Network::AppLovin),
        option("5", "Mintegral", None, Network::Mintegral),
    ]
}

pub fn tiles() -> Vec<KpiTile> {
    let tile = |label: &str, value, previous, change, unit: &str, tone| KpiTile {
        label: label.into(),
        value,
        previous,
        change,
        change_unit: unit.into(),
        tone,
    };
    vec![
        tile("Revenue", usd(5_964_263), Some(usd(6_216_388)), Some(-4.1), "%", Tone::Bad),
        tile(
            "Impressions",
            Value::Count { value: 9_283_414 },
            Some(Value::Count { value: 9_046_112 }),
            Some(2.6),
            "%",
            Tone::Good,
        ),
        tile(
            "Match rate",
            Value::Percent { value: 93.4 },
            Some(Value::Percent { value: 95.2 }),
            Some(-1.8),
            "pt",
            Tone::Bad,
        ),
        tile(
            "Up is bad",
            Value::Number { value: 412.0 },
            Some(Value::Number { value: 368.0 }),
            Some(12.0),
            "%",
            Tone::Bad,
        ),
        tile("No change", Value::Count { value: 15 }, None, Some(0.0), "%", Tone::Neutral),
        tile("No data", Value::Missing, None, None, "%", Tone::Neutral),
    ]
}

fn column(key: &str, label: &str, kind: ColumnKind) -> Column {
    Column { key: key.into(), label: label.into(), kind, unit: None }
}

pub fn table() -> TableArtifact {
    let row = |app: &str, cents, change: Option<f64>, count| {
        let change = change.map_or(Value::Missing, |value| Value::Percent { value });
        vec![text(app), usd(cents), change, Value::Count { value: count }]
    };
    let rows = vec![
        row("Puzzle Game iOS", 3_446_726, Some(-4.1), 4_812_306),
        row("Word Quest iOS", 1_200_840, Some(2.3), 1_304_551),
        row("Farm Days iOS", 87_402, Some(0.0), 90_210),
        row("Tile Tales Android", 0, None, 0),
    ];
    TableArtifact {
        columns: vec![
            column("app", "App", ColumnKind::Text),
            column("revenue", "Revenue", ColumnKind::Money),
            column("revenue_change", "Change", ColumnKind::Percent),
            column("impressions", "Impressions", ColumnKind::Count),
        ],
        row_count: rows.len() as u64,
        rows,
        total: Some(row("Total", 4_734_968, Some(-2.5), 6_207_067)),
        sorted_by: Some("-revenue".into()),
    }
}

pub fn long_table(rows: usize) -> TableArtifact {
    let rows: Vec<Vec<Value>> = (0..rows)
        .map(|at| {
            let number = i64::try_from(at).unwrap_or(0);
            vec![
                text(&format!("Ad unit {at}")),
                usd(number * 7919 % 100_000),
                Value::Count { value: number * 104_729 % 1_000_000 },
            ]
        })
        .collect();
    TableArtifact {
        columns: vec![
            column("unit", "Ad unit", ColumnKind::Text),
            column("revenue", "Revenue", ColumnKind::Money),
            column("impressions", "Impressions", ColumnKind::Count),
        ],
        row_count: rows.len() as u64,
        rows,
        total: None,
        sorted_by: None,
    }
}

pub fn chart(days: i64, lines: i64, compared: bool) -> TimeseriesArtifact {
    let date = |days_ago: i64| {
        let day = Civil::from_days(20_777 - days_ago);
        format!("{:04}-{:02}-{:02}", day.year, day.month, day.day)
    };
    let cents = |line: i64, day: i64| {
        190_000 / (line + 1) + [60_000, 50_000, 4000, 0, 3000, 9000, 28_000][usize::try_from(day % 7).unwrap_or(0)]
    };
    let names = ["AdMob", "AppLovin", "Unity"];
    let mut series: Vec<Series> = (0..lines)
        .map(|line| Series {
            name: if compared { "This period".into() } else { names[usize::try_from(line % 3).unwrap_or(0)].into() },
            previous: false,
            points: (0..days)
                .map(|day| Point { at: date(days - day), value: usd(cents(line, day)), date: None })
                .collect(),
        })
        .collect();
    if compared {
        series.push(Series {
            name: format!("{days} days before"),
            previous: true,
            points: (0..days)
                .map(|day| Point {
                    at: date(days - day),
                    value: usd(cents(0, day) + 8000),
                    date: Some(date(2 * days - day)),
                })
                .collect(),
        });
    }
    TimeseriesArtifact { series, unit: "USD".into() }
}

pub fn bars() -> Vec<BarItem> {
    [("United States", 2_184_010, 61.3), ("Germany", 640_277, 18.0), ("Japan", 512_040, 14.4), ("Brazil", 229_003, 6.4)]
        .into_iter()
        .map(|(label, cents, share)| BarItem {
            label: label.into(),
            value: usd(cents),
            previous: None,
            share: Some(share),
        })
        .collect()
}

fn change(label: &str, before: Option<&str>, after: Option<&str>) -> ChangeRow {
    ChangeRow { label: label.into(), before: before.map(Into::into), after: after.map(Into::into) }
}

pub fn changes() -> Vec<ChangeRow> {
    vec![
        change("eCPM floor", Some("$14.00"), Some("$9.00")),
        change("Countries", Some("US"), Some("US")),
        change("Line", Some("AppLovin catch-all"), None),
    ]
}

pub fn deletion() -> Vec<ChangeRow> {
    vec![
        change("Group", Some("Word Quest · Test B"), None),
        change("Lines", Some("4 (Unity, AppLovin, Mintegral, Liftoff)"), None),
    ]
}

pub fn group_args() -> Json {
    json!({
        "account_id": "pub-4482019375518826",
        "body": {
            "displayName": "Puzzle Game iOS · Interstitial · Tier 1",
            "state": "ENABLED",
            "targeting": {"platform": "IOS", "format": "INTERSTITIAL", "adUnitIds": ["ca-app-pub-4482019375518826/9921570344"]},
            "mediationGroupLines": {
                "-1": {"adSourceId": "1", "displayName": "AdMob Network", "cpmMode": "LIVE", "state": "ENABLED"},
                "-2": {"adSourceId": "2", "displayName": "Liftoff Monetize", "cpmMode": "LIVE", "state": "ENABLED"},
                "-3": {"adSourceId": "3", "displayName": "Unity Ads", "cpmMode": "LIVE", "state": "ENABLED"},
                "-4": {"adSourceId": "4", "displayName": "AppLovin US high", "cpmMode": "MANUAL", "cpmMicros": "14500000", "state": "ENABLED"},
                "-5": {"adSourceId": "5", "displayName": "Mintegral T1", "cpmMode": "MANUAL", "cpmMicros": "9000000", "state": "ENABLED"},
                "-6": {"adSourceId": "4", "displayName": "AppLovin catch-all", "cpmMode": "MANUAL", "cpmMicros": "6000000", "state": "ENABLED"},
            },
        },
    })
}

fn hint(pointer: &str, label: &str, widget: Widget) -> FieldHint {
    FieldHint {
        pointer: pointer.into(),
        label: label.into(),
        widget,
        help: None,
        options: None,
        parent: None,
        choices: Vec::new(),
        required: false,
        max_length: None,
        ..FieldHint::default()
    }
}

fn options() -> BTreeMap<String, Vec<EntityOption>> {
    let unit = |id: &str, name, app: &str| {
        option(
            &format!("ca-app-pub-4482019375518826/{id}"),
            name,
            Some(&format!("ca-app-pub-4482019375518826~{app}")),
            Network::AdMob,
        )
    };
    let units = vec![
        unit("9921570344", "Level end interstitial", "1830496627"),
        unit("9921570345", "Shop banner", "1830496627"),
        unit("9921570346", "Daily bonus rewarded", "7714208856"),
    ];
    BTreeMap::from([
        ("account".into(), accounts()),
        ("app".into(), apps()),
        ("ad_unit".into(), units),
        ("ad_source".into(), sources()),
    ])
}

fn approval(number: usize, network: Network, title: &str, risk: Risk, preview: Preview) -> TurnApproval {
    TurnApproval {
        approval_id: id(number),
        tool_call_id: id(100 + number),
        tool_name: "admob_create_mediation_group".into(),
        source: network.into(),
        title: title.into(),
        tool_input: json!({}),
        parameter_schema: json!({}),
        ui_hints: UiHints::default(),
        risk,
        warnings: Vec::new(),
        preview,
        asked_at: NOW,
        expires_at: Some(NOW.plus_seconds(23 * 3600 + 600)),
        status: ApprovalStatus::Pending,
        answered_at: None,
        answered_by: None,
        edits: Vec::new(),
        edited_args: None,
        reason: None,
        made: false,
        asked_again: false,
    }
}

pub fn create_group(number: usize) -> TurnApproval {
    let preview = Preview::new(
        PreviewKind::Create,
        vec![
            change("Served by", Some("AdMob default group"), Some("Puzzle Game iOS · Interstitial · Tier 1")),
            change("Bidding", Some("1 source"), Some("3 sources")),
            change("Waterfall", Some("1 line, $8.00"), Some("3 lines, $14.50 to $6.00")),
        ],
    );
    let title = "Create mediation group “Puzzle Game iOS · Interstitial · Tier 1” with 3 bidders and 3 waterfall lines";
    let mut name = hint("/body/displayName", "Name", Widget::Text);
    (name.required, name.max_length) = (true, Some(120));
    let mut account = hint("/account_id", "Account", Widget::Entity);
    (account.required, account.options) = (true, Some("account".into()));
    let mut units = hint("/body/targeting/adUnitIds", "Ad units", Widget::EntityList);
    (units.required, units.options) = (true, Some("ad_unit".into()));
    let mut state = hint("/body/state", "State after creation", Widget::Select);
    state.choices = vec![("ENABLED".into(), "Enabled".into()), ("DISABLED".into(), "Disabled".into())];
    let mut lines = hint("/body/mediationGroupLines", "Lines", Widget::MediationLines);
    lines.options = Some("ad_source".into());
    TurnApproval {
        tool_input: group_args(),
        ui_hints: UiHints {
            fields: vec![name, account, state, units, lines],
            options: options(),
            ..UiHints::default()
        },
        warnings: vec!["Mintegral is disabled in your context. Its line would be created but not reported on.".into()],
        ..approval(number, Network::AdMob, title, Risk::Write, preview)
    }
}

pub fn update_line(number: usize) -> TurnApproval {
    let preview = Preview::new(PreviewKind::Update, changes());
    let mut floor = hint("/cpmMicros", "eCPM floor", Widget::MoneyMicros);
    floor.required = true;
    TurnApproval {
        tool_input: json!({"cpmMicros": "9000000"}),
        parameter_schema: json!({"properties": {"cpmMicros": {"type": "string", "minimum": 10_000}}}),
        ui_hints: UiHints { fields: vec![floor], ..UiHints::default() },
        ..approval(number, Network::AppLovin, "Update waterfall line “US Tier 1”", Risk::Write, preview)
    }
}

pub fn delete_group(number: usize) -> TurnApproval {
    let preview = Preview::new(PreviewKind::Delete, deletion());
    TurnApproval {
        ui_hints: UiHints { confirm_text: Some("Word Quest · Test B".into()), ..UiHints::default() },
        ..approval(number, Network::Unity, "Delete mediation group “Word Quest · Test B”", Risk::Destructive, preview)
    }
}

pub fn answered(approval: TurnApproval, status: ApprovalStatus) -> TurnApproval {
    let edited = status == ApprovalStatus::Approved;
    TurnApproval {
        status,
        answered_at: Some(NOW.plus_seconds(-240)),
        answered_by: Some("Mara Kessler".into()),
        edits: if edited { vec![change("eCPM floor", Some("$9.00"), Some("$9.50"))] } else { Vec::new() },
        reason: (status == ApprovalStatus::Denied).then(|| "It still serves the holiday campaign.".into()),
        ..approval
    }
}

pub fn every_field(number: usize) -> TurnApproval {
    let mut choice = hint("/choice", "Select", Widget::Select);
    choice.choices = vec![("a".into(), "First".into()), ("b".into(), "Second".into())];
    let mut several = hint("/several", "Several of a list", Widget::MultiSelect);
    several.choices = vec![("VIDEO".into(), "Video".into()), ("RICH_MEDIA".into(), "Rich media".into())];
    let mut account = hint("/account", "Account", Widget::Entity);
    account.options = Some("account".into());
    let mut app = hint("/app", "App", Widget::Entity);
    (app.options, app.parent) = (Some("app".into()), Some("/account".into()));
    let mut help = hint("/text", "Text with help", Widget::Text);
    help.help = Some("Shown under the field.".into());
    let fields = vec![
        help,
        choice,
        hint("/number", "Number", Widget::Number),
        hint("/money", "Money", Widget::MoneyMicros),
        account,
        app,
        several,
        hint("/on", "Checkbox", Widget::Checkbox),
        hint("/rows", "Rows", Widget::Rows),
        hint("/mask", "Only shown", Widget::ReadOnly),
    ];
    TurnApproval {
        tool_input: json!({
            "text": "Text", "choice": "b", "number": 11, "money": "1500000", "on": true,
            "several": ["VIDEO"], "rows": ["US", "CA"], "mask": "displayName,state",
        }),
        parameter_schema: json!({"required": ["text"], "properties": {"number": {"type": "integer", "maximum": 10}}}),
        ui_hints: UiHints { fields, options: options(), ..UiHints::default() },
        ..approval(
            number,
            Network::AdMob,
            "Every kind of field",
            Risk::Write,
            Preview::new(PreviewKind::Create, Vec::new()),
        )
    }
}

pub fn artifacts() -> Vec<Artifact> {
    let (subtitle, sources) = (String::from("USD, Oct 24 – Nov 20, 2026, UTC"), vec![id(201)]);
    vec![
        Artifact::Kpi { title: "Revenue".into(), subtitle: subtitle.clone(), tiles: tiles(), sources: sources.clone() },
        Artifact::Timeseries {
            title: "Revenue per day".into(),
            subtitle: subtitle.clone(),
            chart: chart(28, 1, true),
            sources: sources.clone(),
        },
        Artifact::Bars {
            title: "Revenue by country".into(),
            subtitle: subtitle.clone(),
            unit: "USD".into(),
            items: bars(),
            sources: sources.clone(),
        },
        Artifact::Table { title: "By app".into(), subtitle, table: table(), sources: sources.clone() },
        Artifact::Json { title: "Mediation group".into(), value: group_args(), sources },
    ]
}

fn tool(number: usize, name: &str, state: StepState) -> StepView {
    let done = state == StepState::Ok;
    StepView::Tool {
        at: NOW,
        tool_call_id: id(number),
        name: name.into(),
        source: Network::AdMob.into(),
        params: json!({"account_id": "pub-4482019375518826", "dimensions": ["DATE", "APP"], "metrics": ["ESTIMATED_EARNINGS"]}),
        read_only: true,
        state,
        message: (state == StepState::Running).then(|| "Reading AdMob, page 3 of 5".into()),
        progress: (state == StepState::Running).then_some(Progress { done: 3, total: 5 }),
        summary: match state {
            StepState::Ok => Some("28 days, 4 apps".into()),
            StepState::Failed => Some("429 Too Many Requests after 3 tries".into()),
            _ => None,
        },
        result: done.then(|| json!({"rows": [{"app": "Puzzle Game iOS", "micros": "34467260000"}]})),
        artifact: done.then(|| Artifact::Table {
            title: "Report".into(),
            subtitle: String::new(),
            table: TableArtifact { row_count: 84, ..table() },
            sources: Vec::new(),
        }),
        duration_ms: matches!(state, StepState::Ok | StepState::Failed).then_some(1849),
        cached: false,
        done_at: matches!(state, StepState::Ok | StepState::Failed).then_some(NOW.plus_millis(1849)),
        to: None,
    }
}

fn turn(number: usize, status: RunStatus) -> TurnView {
    let mut turn = TurnView::new(id(number));
    turn.status = status;
    turn.started_at = Some(NOW.plus_seconds(-6));
    turn.finished_at = status.is_final().then_some(NOW);
    turn.model = "local".into();
    turn.routing = Some(RoutingView {
        at: NOW.plus_seconds(-6),
        service: "admob".into(),
        capability: "reporting".into(),
        path: Path::Reactive,
        confidence: 0.97,
        decided_by: DecidedBy::Local,
        model_tier: ModelTier::Fast,
        thinking: None,
    });
    turn
}

/// Returns questions and turns, in the order in which a turn progresses.
pub fn turns() -> Vec<(String, TurnView)> {
    let agent = |agent: &str, task: &str| StepView::Agent { at: NOW, agent: agent.into(), task: Some(task.into()) };
    let mut done = turn(301, RunStatus::Completed);
    done.steps = vec![
        agent("entity_loader", "“Puzzle Game” is 2 apps: iOS and Android"),
        tool(201, "admob_generate_network_report", StepState::Ok),
        agent("verifier", "all 14 figures found in the results"),
    ];
    done.answer = "Puzzle Game earned **$59,642.63** from 24 October to 20 November, 4.1% less than in the 28 days before.\n\n\
                   - **Since 13 November** interstitials on iOS earn less\n- Rewarded placements moved by single digits\n\n\
                   | App | Revenue |\n| --- | ---: |\n| Puzzle Game iOS | $34,467.26 |\n| Word Quest iOS | $12,008.40 |\n"
        .into();
    done.answered = true;
    done.artifacts = artifacts().into_iter().take(2).collect();
    done.follow_ups = vec!["And by country?".into(), "Make it 90 days".into(), "Only iOS".into()];

    let mut running = turn(302, RunStatus::Running);
    running.label = Some("Reading AdMob, page 3 of 5".into());
    running.steps = vec![
        agent("entity_loader", "Word Quest Android"),
        tool(202, "admob_generate_network_report", StepState::Running),
    ];
    running.answer = "The drop starts on **Tuesday 17 November**:\n\n1. Brazil, 88.1% to 34.7%\n2. Colombia, ".into();

    let mut stopped = turn(303, RunStatus::Stopped);
    stopped.steps = vec![tool(203, "admob_generate_network_report", StepState::Failed)];
    stopped.stops = vec![StopView {
        code: "deterministic_failure".into(),
        content: "Stopped after 2 failures that repeating cannot mend. Nothing was written.".into(),
        retryable: true,
        developer_override_available: true,
    }];

    let mut connect = turn(304, RunStatus::Completed);
    connect.answer = "I can list Unity placements once Unity is connected.".into();
    connect.actions = vec![ActionView {
        action: ActionKind::ConnectNetwork,
        network: Some(Network::Unity),
        message: "Unity is not connected to this workspace yet.".into(),
        deep_link: Some("/settings/networks?connect=unity".into()),
    }];

    let mut waiting = turn(305, RunStatus::AwaitingApproval);
    waiting.approvals = vec![answered(update_line(11), ApprovalStatus::Approved), update_line(12)];
    vec![
        ("How did Puzzle Game do over the last 28 days?".into(), done),
        ("Fill on Word Quest Android looks low since Tuesday. Find out why.".into(), running),
        ("Show me the segment 88120".into(), stopped),
        ("List my Unity placements".into(), connect),
        ("Set the US Tier 1 floor back to $9".into(), waiting),
    ]
}
