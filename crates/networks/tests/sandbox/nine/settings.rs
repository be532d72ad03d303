//! Tests what each context setting allows: setting × list, entity lookup, report, read of one entity, write.

use adagent_contract::{ContextSettings, EntityKind};
use adagent_domain::Network;
use adagent_tools::{EntityFilter, Gateway as _, Provider as _, ToolError, ToolOutput};
use serde_json::{Value as Json, json};

use super::world::{World, world};

const DT: Network = Network::DtExchange;

/// The expected result: everything, a part of the list, or a refusal with this sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    All,
    Mine,
    Refused(&'static str),
}
use Expected::{All, Mine, Refused};

const SAFE: &str = "Safe mode is on: no changes, not even after approval.";
const OFF: &str = "DT Exchange is turned off.";
const OUTSIDE: &str = "isn't in your current selection (Selected only).";
const NO_APP: &str = "No Unity app is in your current selection (Selected only).";

/// In this order: DT Exchange's list of apps, a lookup of its apps, a report of Unity, one placement of the app that is not selected, a
/// change of an instance there, and the same change in the selected app.
type Row = (&'static str, Json, [Expected; 6]);

fn rows(mine: &str, other: &str, account: &str) -> Vec<Row> {
    vec![
        ("nothing set", json!({}), [All; 6]),
        ("safe mode", json!({"safe_mode": true}), [All, All, All, All, Refused(SAFE), Refused(SAFE)]),
        (
            "a network off, soft",
            json!({"enabled_networks": ["unity"]}),
            [Refused(OFF), Refused(OFF), All, Refused(OFF), Refused(OFF), Refused(OFF)],
        ),
        (
            "a network off, strict",
            json!({"enabled_networks": ["unity"], "mode": "strict"}),
            [Refused(OFF), Refused(OFF), All, Refused(OFF), Refused(OFF), Refused(OFF)],
        ),
        ("an app, soft: a preference", json!({"enabled_apps": {"dtexchange": [mine]}}), [All; 6]),
        (
            "an app, strict",
            json!({"enabled_apps": {"dtexchange": [mine]}, "mode": "strict"}),
            [Mine, Mine, All, Refused(OUTSIDE), Refused(OUTSIDE), All],
        ),
        (
            "the same id at another network decides nothing here",
            json!({"enabled_apps": {"unity": [other]}, "mode": "strict"}),
            [All, All, Refused(NO_APP), All, All, All],
        ),
        (
            "one list for all networks, as it was once",
            json!({"enabled_apps": [mine], "mode": "strict"}),
            [Mine, Mine, Refused(NO_APP), Refused(OUTSIDE), Refused(OUTSIDE), All],
        ),
        (
            "no account, strict",
            json!({"enabled_accounts": {"dtexchange": []}, "mode": "strict"}),
            [Refused(OUTSIDE), Mine, All, Refused(OUTSIDE), Refused(OUTSIDE), Refused(OUTSIDE)],
        ),
        ("its account, strict", json!({"enabled_accounts": {"dtexchange": [account]}, "mode": "strict"}), [All; 6]),
        ("style and model change no reach", json!({"response_style": "detailed", "model": "local"}), [All; 6]),
    ]
}

fn said(outcome: Result<usize, ToolError>, all: usize) -> Result<bool, String> {
    outcome.map(|count| count == all).map_err(|error| error.message)
}

fn hold(label: &str, act: &str, expected: Expected, outcome: Result<usize, ToolError>, all: usize) {
    let said = said(outcome, all);
    let fits = match (&said, expected) {
        (Ok(whole), All) => *whole,
        (Ok(whole), Mine) => !whole,
        (Err(message), Refused(part)) => message.contains(part),
        _ => false,
    };
    assert!(fits, "{label}: {act}: {expected:?} but {said:?}");
}

fn listed(output: Result<ToolOutput, ToolError>) -> Result<usize, ToolError> {
    output.map(|output| output.result["items"].as_array().map_or(1, Vec::len))
}

fn with(world: &mut World, settings: &Json) {
    let settings: ContextSettings = serde_json::from_value(settings.clone()).expect("settings");
    world.scope.settings = settings;
}

#[tokio::test]
async fn each_setting_changes_what_can_happen() {
    let mut world = world().await;
    let apps = world.all(DT, EntityKind::App).await;
    let (mine, other) = (apps[0].clone(), apps[1].clone());
    let units = world.all(DT, EntityKind::AdUnit).await;
    let instances = world.all(DT, EntityKind::Instance).await;
    let unit_of = |app: &str| units.iter().find(|unit| unit.parent.as_deref() == Some(app)).expect("one").id.clone();
    let instance_of = |app: &str| {
        let here = |id: &str| units.iter().any(|unit| unit.id == id && unit.parent.as_deref() == Some(app));
        instances.iter().find(|one| one.parent.as_deref().is_some_and(here)).expect("one").id.clone()
    };
    let change = |id: &str| json!({"instanceInternalId": id, "body": {"status": "inactive"}});
    let list = json!({"publisherId": mine.account});
    let report =
        json!({"startDate": "2026-11-16", "endDate": "2026-11-18", "metrics": ["revenue"], "breakdowns": ["app"]});
    let placement = json!({"placementId": unit_of(&other.id)});
    let account = mine.account.clone().expect("an account");
    let whole = listed(world.run("dtexchange_list_apps", &list).await).expect("lists");
    for (label, settings, expected) in rows(&mine.id, &other.id, &account) {
        with(&mut world, &settings);
        let before = world.writes(DT).await.len();
        hold(label, "list", expected[0], listed(world.run("dtexchange_list_apps", &list).await), whole);
        let looked = world.networks.entities(&world.scope, DT, EntityKind::App, EntityFilter::default()).await;
        hold(label, "lookup", expected[1], looked.map(|items| items.len()), apps.len());
        let answer = world.run("unity_get_levelplay_report", &report).await.map(|_| 1);
        hold(label, "report", expected[2], answer, 1);
        let one = world.run("dtexchange_get_placement", &placement).await.map(|_| 1);
        hold(label, "read", expected[3], one, 1);
        for (act, expected, app) in [("write elsewhere", expected[4], &other.id), ("write", expected[5], &mine.id)] {
            let args = change(&instance_of(app));
            // The check before the approval is shown gives the same result as the check before the change is sent.
            let tool = world.networks.tool("dtexchange_update_instance").expect("known");
            let shown = world.networks.ground(&world.scope, &tool, &args).await.map(|issues| 1 + issues.len());
            hold(label, &format!("{act}, shown"), expected, shown, 1);
            hold(label, act, expected, world.run("dtexchange_update_instance", &args).await.map(|_| 1), 1);
        }
        let sent = world.writes(DT).await.len() - before;
        let allowed = expected[4..].iter().filter(|expected| **expected == All).count();
        assert_eq!(sent, allowed, "{label}: what was refused did not leave");
    }
}
