//! Tests changes in plain words: everything the person said is in the change, or in the choices that we offer.

use adagent_contract::{DRAFTED, HistoryEntry, UNANSWERED};
use adagent_domain::Network;
use serde_json::{Value as Json, json};

use crate::world::{Said, World, world};

/// Returns the arguments of the one change that was made.
fn sent<'s>(said: &'s Said, tool: &str) -> &'s Json {
    let found = said.done.iter().find(|(name, ..)| name == tool);
    &found.unwrap_or_else(|| panic!("no {tool}: {} {:#?} {:?}", said.reply.text, said.done, said.understood)).1
}

/// Adds a turn to the history, as a run with another end leaves it.
fn before(desk: &mut World, asked: &str, said: &str) {
    for (role, content) in [("user", asked), ("assistant", said)] {
        desk.history.push(HistoryEntry { role: role.into(), content: content.into() });
    }
}

#[tokio::test]
async fn an_ad_unit_of_admob_has_no_floor_and_the_line_is_asked() {
    let mut desk = world(&Network::ALL).await;
    for wish in [
        "Set the eCPM floor of the rewarded ad unit in Puzzle Game on Android to $12 in AdMob",
        "change the AdMob floor of ad unit Extra Life Rewarded in Puzzle Game Android to 12",
    ] {
        desk.history.clear();
        let asked = desk.ask(wish).await;
        let text = &asked.reply.text;
        assert!(text.starts_with("AdMob ad units have no floor of their own"), "{wish}: {text}");
        assert!(text.contains("Chartboost in **Android Rewarded Global** (now $") && text.contains("$12.00"), "{text}");
        assert!(desk.writes(Network::AdMob).await.is_empty(), "{wish}");
        assert_eq!(asked.reply.follow_ups[0], "I mean Chartboost in Android Rewarded Global (1048210381), now $6.50");
    }
    let said = desk.ask("I mean Chartboost in Android Rewarded Global (1048210381), now $6.50").await;
    let lines = &sent(&said, "admob_update_mediation_group")["body"]["mediationGroupLines"];
    assert_eq!(lines["1048210381100004"]["cpmMicros"], "12000000", "{lines}");
    assert_eq!(said.unused, [Vec::<String>::new()], "nothing of the wish is left out");
    // With several lines there are several choices, each with its price.
    desk.history.clear();
    let asked = desk.ask("set the floor of Puzzle Game to $5 on AdMob").await;
    assert_eq!(asked.reply.follow_ups.len(), 5, "{:?}", asked.reply.follow_ups);
    assert!(asked.reply.follow_ups.iter().all(|chip| chip.contains(", now $")), "{:?}", asked.reply.follow_ups);
}

#[tokio::test]
async fn a_choice_keeps_the_amount_and_the_order() {
    let mut desk = world(&Network::ALL).await;
    for (wish, tool, pointer, amount) in [
        (
            "set the price of the Unity instance UnityAds Waterfall to $4",
            "unity_update_instances",
            "/body/0/rate",
            json!(4.0),
        ),
        (
            "change the rate of UnityAds Waterfall in Unity to 4.50",
            "unity_update_instances",
            "/body/0/rate",
            json!(4.5),
        ),
        (
            "set the Liftoff floor of Main Menu Banner to $2",
            "liftoff_update_placement",
            "/body/cpmFloor/default",
            json!(2.0),
        ),
        ("pause the Unity instance UnityAds Waterfall", "unity_update_instances", "/body/0/isLive", json!(false)),
    ] {
        desk.history.clear();
        let asked = desk.ask(wish).await;
        let chips = asked.reply.follow_ups.clone();
        assert_eq!(chips.len(), 8, "{wish}: {} {chips:?}", asked.reply.text);
        // Things with the same name differ by what they belong to, not only by their IDs.
        let shown: Vec<&str> = chips.iter().map(|chip| chip.rsplit_once(", ").expect("an id").0).collect();
        let distinct: std::collections::BTreeSet<&str> = shown.iter().copied().collect();
        assert_eq!(distinct.len(), shown.len(), "{wish}: {shown:?}");
        let said = desk.ask(&chips[7]).await;
        assert_eq!(sent(&said, tool).pointer(pointer), Some(&amount), "{wish}");
    }
    desk.history.clear();
    desk.ask("set the floor of Main Menu Banner to $2").await;
    let asked = desk.ask("In Liftoff").await;
    let said = desk.ask(&asked.reply.follow_ups[1].clone()).await;
    assert_eq!(sent(&said, "liftoff_update_placement")["body"]["cpmFloor"]["default"], 2.0);
}

#[tokio::test]
async fn a_line_and_a_group_are_found_however_they_are_written() {
    let mut desk = world(&Network::ALL).await;
    for wish in
        ["applovin to 4.20 in Tower Blast admob waterfall", "AppLovin to $4.30 in the Tower Blast AdMob waterfall"]
    {
        desk.history.clear();
        let said = desk.ask(wish).await;
        assert_eq!(sent(&said, "admob_update_mediation_group")["mediation_group_id"], "2260417701", "{wish}");
    }
    for wish in [
        "create mediation group for tower blast android rewarded with applovin and unity bidding",
        "Create a mediation group for Tower Blast Android rewarded with AppLovin and Unity bidding",
    ] {
        desk.history.clear();
        let said = desk.ask(wish).await;
        let lines = &sent(&said, "admob_create_mediation_group")["body"]["mediationGroupLines"];
        assert_eq!(lines.as_object().map(serde_json::Map::len), Some(2), "{wish}: {lines}");
    }
}

#[tokio::test]
async fn another_amount_while_a_card_waits_is_the_same_change_with_it() {
    let mut desk = world(&Network::ALL).await;
    for (wish, tool, pointer, amount) in [
        (
            "set the AppLovin floor in Android Inter US to $4",
            "admob_update_mediation_group",
            "/body/mediationGroupLines/1048210378100003/cpmMicros",
            json!("3800000"),
        ),
        (
            "set the CPM floor of the InMobi interstitial placement of Puzzle Game on Android to 4",
            "inmobi_update_placement",
            "/body/cpmFloor",
            json!(3.8),
        ),
    ] {
        for text in ["make it 3.80 instead", "no, $3.80 please"] {
            desk.history.clear();
            before(&mut desk, wish, &format!("{DRAFTED}Change it."));
            let said = desk.ask(text).await;
            assert_eq!(sent(&said, tool).pointer(pointer), Some(&amount), "{wish} / {text}");
            // Restore the old amount for the next text.
            desk.history.clear();
            desk.ask(wish).await;
        }
    }
}

#[tokio::test]
async fn what_has_no_way_back_is_said_with_what_can_be_done() {
    let mut desk = world(&Network::ALL).await;
    desk.ask("Create an AppLovin rewarded ad unit called \"Level end\" for com.example.puzzle on Android").await;
    let said = desk.ask("undo that").await;
    assert!(
        said.reply.text.starts_with("I can't undo this: AppLovin's API can't delete ad units"),
        "{}",
        said.reply.text
    );
    let chip = said.reply.follow_ups[0].clone();
    assert!(chip.starts_with("Pause the AppLovin ad unit Level end ("), "{chip}");
    assert_eq!(sent(&desk.ask(&chip).await, "applovin_update_ad_unit")["body"]["disabled"], true);
    desk.history.clear();
    desk.ask("Create a mediation group in AdMob for Tower Blast Android rewarded with AppLovin bidding").await;
    let said = desk.ask("undo that").await;
    assert!(said.reply.text.contains("AdMob's API can't delete mediation groups"), "{}", said.reply.text);
    let said = desk.ask(&said.reply.follow_ups[0].clone()).await;
    assert!(sent(&said, "admob_update_mediation_group").to_string().contains("DISABLED"));
    desk.history.clear();
    before(&mut desk, "set the AppLovin floor in Android Inter US to $4", &format!("{DRAFTED}Change it."));
    let said = desk.ask("undo that").await;
    assert!(said.reply.text.starts_with("Nothing was sent yet"), "{}", said.reply.text);
}

#[tokio::test]
async fn a_question_that_came_to_nothing_leaves_nothing_behind() {
    let mut desk = world(&[Network::AdMob, Network::Unity, Network::Liftoff]).await;
    for answer in [
        "Unity doesn't break down numbers by hour, so I didn't pull anything.".to_owned(),
        format!("{UNANSWERED} Something went wrong on our end."),
    ] {
        desk.history.clear();
        before(&mut desk, "Unity revenue by hour last week", &answer);
        let said = desk.ask("and yesterday?").await;
        let slots = said.understood.slots.clone().unwrap_or_default();
        assert!(slots.dimensions.is_empty() && said.understood.services.len() == 3, "{answer}: {:?}", said.understood);
    }
    desk.history.clear();
    before(
        &mut desk,
        "delete the app Puzzle Game in AdMob",
        "AdMob's API can't delete apps. Nothing has been changed.",
    );
    let said = desk.ask("Liftoff revenue yesterday").await;
    assert_eq!(said.understood.services, [Network::Liftoff]);
    assert!(said.understood.slots.unwrap_or_default().filters.is_empty());
}
