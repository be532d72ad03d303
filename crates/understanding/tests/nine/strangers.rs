//! Tests kinds of words that strangers used and the desk read wrong: prices without a sign, IDs, names of new things, orders.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use crate::world::{Said, world};

fn sent<'s>(said: &'s Said, tool: &str) -> &'s Json {
    let found = said.done.iter().find(|(name, ..)| name == tool);
    &found.unwrap_or_else(|| panic!("no {tool}: {} {:#?} {:?}", said.reply.text, said.done, said.understood)).1
}

#[tokio::test]
async fn a_price_is_read_in_every_form_that_people_write() {
    let mut desk = world(&Network::ALL).await;
    for (wish, floor) in [
        ("bring the InMobi floor of the Word Quest iPhone menu banner down to 25 cents", 0.25),
        ("bump the floor of 6172610608485 from .40 to .65", 0.65),
        ("InMobi 6172610608485 floor 0,55", 0.55),
    ] {
        desk.history.clear();
        let wish = if wish.contains("6172610608485") {
            let units = desk.units(Network::InMobi).await;
            wish.replace("6172610608485", &units.first().expect("some").id)
        } else {
            wish.to_owned()
        };
        let said = desk.ask(&wish).await;
        assert_eq!(sent(&said, "inmobi_update_placement")["body"]["cpmFloor"], json!(floor), "{wish}");
    }
}

#[tokio::test]
async fn an_id_says_whose_thing_it_is() {
    let mut desk = world(&Network::ALL).await;
    for network in [Network::InMobi, Network::Liftoff] {
        desk.history.clear();
        let unit = desk.units(network).await.into_iter().next().expect("some");
        let said = desk.ask(&format!("raise the floor of {} to $7", unit.id)).await;
        assert_eq!(said.understood.services, [network], "{}: {}", unit.id, said.reply.text);
        let tool = format!("{network}_update_placement");
        assert_eq!(sent(&said, &tool)["placement_id"].as_str(), Some(unit.id.as_str()));
    }
}

#[tokio::test]
async fn a_new_thing_has_the_name_as_it_was_written() {
    let mut desk = world(&Network::ALL).await;
    for (wish, name) in [
        ("new MAX banner for Android, com.acme.rush, call it KR Banner", "KR Banner"),
        (
            "novo ad unit no MAX: inter, android, com.acmegames.puzzle, nome Puzzle Inter Fim de Fase",
            "Puzzle Inter Fim de Fase",
        ),
    ] {
        desk.history.clear();
        let said = desk.ask(wish).await;
        assert_eq!(sent(&said, "applovin_create_ad_unit")["body"]["name"], name, "{wish}");
    }
    desk.history.clear();
    let said =
        desk.ask("Créez un placement rewarded « Bonus DE » dans Word Quest iOS chez Mintegral, en bidding").await;
    assert_eq!(sent(&said, "mintegral_create_placement")["body"]["placement_name"], "Bonus DE");
}

#[tokio::test]
async fn nothing_is_sent_and_nothing_false_is_said_where_no_value_changes() {
    let mut desk = world(&Network::ALL).await;
    for wish in [
        "update the Liftoff placement Gameplay Banner of Puzzle Game Android",
        "update the order House campaigns in Ad Manager",
    ] {
        desk.history.clear();
        let said = desk.ask(wish).await;
        assert!(!said.reply.text.contains("already has those values"), "{wish}: {}", said.reply.text);
        assert!(said.done.iter().all(|(name, ..)| !name.contains("update")), "{wish}: {:#?}", said.done);
    }
}

#[tokio::test]
async fn a_price_from_one_to_another_takes_the_other() {
    let mut desk = world(&Network::ALL).await;
    for (wish, micros) in [
        ("change the price of AppLovin in Android Inter US from $14 to $13", "13000000"),
        ("bring the AppLovin line in Android Inter US down to $12.50", "12500000"),
    ] {
        desk.history.clear();
        let said = desk.ask(wish).await;
        let lines = sent(&said, "admob_update_mediation_group")["body"]["mediationGroupLines"].clone();
        let lines = lines.as_object().expect("lines");
        assert!(lines.keys().all(|id| !id.starts_with('-')), "{wish} added a line: {lines:?}");
        assert!(lines.values().all(|line| line["cpmMicros"] == micros), "{wish}: {lines:?}");
    }
}

#[tokio::test]
async fn a_change_that_names_nothing_is_about_what_the_chat_is_about() {
    let mut desk = world(&Network::ALL).await;
    desk.ask("InMobi placements of Puzzle Game Android").await;
    let said = desk.ask("lower the floor of the interstitial by 10%").await;
    let args = sent(&said, "inmobi_update_placement").clone();
    let units = desk.units(Network::InMobi).await;
    let unit = units.iter().find(|unit| args["placement_id"] == json!(unit.id)).expect("known");
    assert_eq!(unit.name, "Level Complete Interstitial", "{args}");
    // Of several that were shown, the words pick one; without any, we ask among those.
    desk.history.clear();
    desk.ask("InMobi placements of Puzzle Game Android").await;
    let said = desk.ask("set the floor of the gameplay one to $0.45").await;
    let args = sent(&said, "inmobi_update_placement").clone();
    let unit = units.iter().find(|unit| args["placement_id"] == json!(unit.id)).expect("known");
    assert_eq!(unit.name, "Gameplay Banner", "{args}");
    desk.history.clear();
    desk.ask("DT Exchange placements of Puzzle Game iOS").await;
    let said = desk.ask("delete that placement").await;
    assert!(said.done.iter().all(|(name, ..)| !name.contains("delete")), "several were shown: {:#?}", said.done);
}
