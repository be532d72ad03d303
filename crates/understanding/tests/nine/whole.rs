//! Tests that a change is drafted completely or not at all: if a card would lack something that the wish names, we ask first.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use crate::world::{Said, world};

fn sent<'s>(said: &'s Said, tool: &str) -> &'s Json {
    let found = said.done.iter().find(|(name, ..)| name == tool);
    &found.unwrap_or_else(|| panic!("no {tool}: {} {:#?} {:?}", said.reply.text, said.done, said.understood)).1
}

#[tokio::test]
async fn two_orders_are_two_changes_each_in_its_own_network() {
    let mut desk = world(&Network::ALL).await;
    let wish = "Raise the floor of the Level Complete Interstitial for Puzzle Game iOS on Pangle to $9.00 and set the floor of \
                the Main Menu Banner of Space Runner Android on InMobi to $0.60.";
    let said = desk.ask(wish).await;
    let units = desk.units(Network::Pangle).await;
    let args = sent(&said, "pangle_update_expected_cpm");
    let id = args["body"]["ad_slot_id"].to_string();
    let unit = units.iter().find(|unit| unit.id == id).expect("known");
    let app = desk
        .apps(Network::Pangle)
        .await
        .into_iter()
        .find(|app| Some(&app.id) == unit.parent.as_ref())
        .expect("its app");
    assert_eq!((unit.name.as_str(), app.name.as_str()), ("Level Complete Interstitial", "Puzzle Game"));
    assert!(app.platform.as_deref().is_some_and(|platform| platform.eq_ignore_ascii_case("ios")), "{app:?}");
    assert!(said.unused.iter().all(Vec::is_empty), "{:#?}", said.unused);
    let args = sent(&said, "inmobi_update_placement").clone();
    let units = desk.units(Network::InMobi).await;
    let unit = units.iter().find(|unit| args.to_string().contains(&unit.id)).expect("known");
    let app = desk
        .apps(Network::InMobi)
        .await
        .into_iter()
        .find(|app| Some(&app.id) == unit.parent.as_ref())
        .expect("its app");
    assert_eq!((unit.name.as_str(), app.name.as_str()), ("Main Menu Banner", "Space Runner"), "{args}");
}

#[tokio::test]
async fn a_state_that_a_network_has_none_of_is_said() {
    let mut desk = world(&Network::ALL).await;
    let said = desk.ask("Pause the Main Menu Banner of Space Runner Android on InMobi").await;
    assert!(said.reply.text.starts_with("InMobi doesn't let me pause placements."), "{}", said.reply.text);
}

#[tokio::test]
async fn an_ad_unit_of_another_app_or_platform_is_never_taken_instead() {
    let mut desk = world(&Network::ALL).await;
    for (wish, said_of) in [
        ("Raise the floor of Extra Life Rewarded for Puzzle Game iOS on InMobi to $9.00", "InMobi has no"),
        ("Pause the Extra Life Rewarded of Puzzle Game on iOS in InMobi", "InMobi has no"),
        (
            "Raise the floor of Extra Life Rewarded for Puzzle Game iOS on Pangle to $9.00 and pause the Main Menu Banner of Space Runner Android on InMobi.",
            "Pangle has no",
        ),
    ] {
        desk.history.clear();
        let said = desk.ask(wish).await;
        assert!(said.unused.is_empty(), "{wish}: {:#?}", said.done);
        assert!(said.reply.text.contains(said_of), "{wish}: {}", said.reply.text);
        assert!(
            said.reply.text.contains("Puzzle Game") && said.reply.text.contains("iOS"),
            "{wish}: {}",
            said.reply.text
        );
    }
}

#[tokio::test]
async fn a_floor_for_one_country_keeps_those_of_the_others() {
    let mut desk = world(&Network::ALL).await;
    let wish = "Set the AppLovin MAX floor of the Puzzle Game Android Level Complete Interstitial to $6.50 in the United States.";
    let said = desk.ask(wish).await;
    let floors = &sent(&said, "applovin_update_ad_unit")["body"]["bid_floors"];
    assert_eq!(
        *floors,
        json!([
            {"country_group_name": "US", "cpm": "6.50", "countries": {"type": "INCLUDE", "values": ["US"]}},
            {"country_group_name": "Tier 1", "cpm": "1.50", "countries": {"type": "INCLUDE", "values": ["gb", "de"]}},
        ])
    );
    // If all countries of a group get a new price, the group gets it.
    let said = desk.ask("Set the AppLovin MAX floor of the Puzzle Game Android Level Complete Interstitial to $2 in the UK and Germany").await;
    let floors = &sent(&said, "applovin_update_ad_unit")["body"]["bid_floors"];
    let tier = floors.as_array().expect("a list").iter().find(|floor| floor["country_group_name"] == "Tier 1");
    assert_eq!(tier.map(|tier| &tier["cpm"]), Some(&json!("2.00")), "{floors}");
    assert_eq!(floors.as_array().map(Vec::len), Some(2), "{floors}");
}

#[tokio::test]
async fn a_floor_without_a_country_asks_where_floors_are_by_country() {
    let mut desk = world(&Network::ALL).await;
    let wish = "Set the AppLovin MAX floor of the Puzzle Game Android Level Complete Interstitial to $6.50";
    let said = desk.ask(wish).await;
    assert!(desk.writes(Network::AppLovin).await.is_empty(), "{:#?}", said.done);
    assert!(said.reply.text.contains("Tier 1") && said.reply.text.contains("$1.50"), "{}", said.reply.text);
    let chips = said.reply.follow_ups.clone();
    let said = desk.ask(&chips[0]).await;
    let floors = &sent(&said, "applovin_update_ad_unit")["body"]["bid_floors"];
    assert_eq!((&floors[0]["country_group_name"], &floors[0]["cpm"]), (&json!("Tier 1"), &json!("6.50")), "{chips:?}");
    desk.history.clear();
    desk.ask(&wish.replace("6.50", "7")).await;
    let said = desk.ask(&chips[1]).await;
    let floors = &sent(&said, "applovin_update_ad_unit")["body"]["bid_floors"];
    assert_eq!((floors.as_array().map(Vec::len), &floors[0]["cpm"]), (Some(1), &json!("7.00")), "{floors}");
    assert_eq!(floors[0]["countries"], Json::Null, "{floors}");
}

#[tokio::test]
async fn a_group_is_made_with_its_country_and_the_rate_of_its_source() {
    let mut desk = world(&Network::ALL).await;
    let asked = desk
        .ask(
            "Create a mediation group on Unity LevelPlay for Puzzle Game Android interstitial in the United States with a rate of \
             $10.00 for AppLovin.",
        )
        .await;
    // The network bids in that group, and a bidder has no rate.
    assert!(asked.reply.text.starts_with("AppLovin bids in **Puzzle Game**"), "{} {:#?}", asked.reply.text, asked.done);
    desk.ask("As the floor of the whole group").await;
    let said = desk.ask("With the name \"US high\" and position 1").await;
    let body = &sent(&said, "unity_create_mediation_groups")["body"][0];
    assert_eq!(body["countries"], json!(["US"]), "{body}");
    assert_eq!(body["floorPrice"], json!(10.0), "{body}");
    assert!(body["instances"][0]["id"].is_number() && body["instances"][0]["groupRate"].is_null(), "{body}");
    assert_eq!(said.unused.concat(), Vec::<String>::new());
}

#[tokio::test]
async fn what_a_change_cannot_carry_is_asked_before_there_is_a_card() {
    let mut desk = world(&Network::ALL).await;
    for (wish, lost) in [
        ("create an AdMob banner ad unit called Footer 3 for Word Quest Android in Germany", "Germany"),
        ("Create an AppLovin banner ad unit called \"Footer 4\" for com.example.puzzle on Android in France", "France"),
    ] {
        desk.history.clear();
        let asked = desk.ask(wish).await;
        assert!(asked.unused.is_empty(), "{wish}: {:#?}", asked.done);
        assert!(asked.reply.text.contains(lost) && asked.reply.text.contains('?'), "{wish}: {}", asked.reply.text);
        let chip = asked.reply.follow_ups[0].clone();
        assert_eq!(chip, format!("Without {lost}"));
        let said = desk.ask(&chip).await;
        assert_eq!(said.unused, [Vec::<String>::new()], "{wish}: {} {:#?}", said.reply.text, said.done);
    }
}

/// The name of a field means the field. The answer to our question for it is its value.
#[tokio::test]
async fn the_answer_to_a_question_for_one_field_is_taken() {
    let mut desk = world(&Network::ALL).await;
    let asked = desk
        .ask("Create a placement called \"Level Complete Rewarded\" for Space Runner on Android in Mintegral.")
        .await;
    assert!(asked.reply.text.contains("I still need: "), "{}", asked.reply.text);
    let mut said = asked;
    for _ in 0..4 {
        let text = said.reply.text.clone();
        let answer = if text.contains("name of the waterfall ad unit**.") {
            "Level Complete Rewarded WF"
        } else if text.contains("format") {
            "rewarded"
        } else {
            break;
        };
        said = desk.ask(answer).await;
        assert_ne!(said.reply.text, text, "the same question again");
    }
    let body = &sent(&said, "mintegral_create_placement")["body"];
    assert_eq!(
        (&body["placement_name"], &body["unit_names"]),
        (&json!("Level Complete Rewarded"), &json!("Level Complete Rewarded WF"))
    );
}

#[tokio::test]
async fn an_agent_refuses_at_once_what_it_may_not_do() {
    let mut desk = world(&Network::ALL).await;
    desk.not_granted = vec![
        "mintegral_update_ad_unit".into(),
        "mintegral_update_placement".into(),
        "admob_update_mediation_group".into(),
    ];
    for wish in [
        "Raise the floor of Level Complete Interstitial for Puzzle Game iOS on Mintegral to $7.00.",
        "set the AdMob floor to $5",
    ] {
        desk.history.clear();
        let said = desk.ask(wish).await;
        assert!(said.reply.text.starts_with("Not granted: "), "{wish}: {}", said.reply.text);
        assert!(said.done.is_empty(), "{wish}: {:#?}", said.done);
    }
}

/// The next draft has everything that a reason names, or we ask for it. We draft nothing from half of a reason.
#[tokio::test]
async fn a_reason_is_taken_whole_or_asked_about() {
    let mut desk = world(&Network::ALL).await;
    desk.denies = vec![
        "Wrong network and wrong platform: I asked for Pangle on iOS, not InMobi on Android. Please draft it for Pangle.",
    ];
    let said =
        desk.ask("Raise the floor of Level Complete Interstitial for Puzzle Game Android on InMobi to $9.00").await;
    assert_eq!(said.done.iter().filter(|(name, ..)| name.contains("_update_")).count(), 2, "{:#?}", said.done);
    assert_eq!(sent(&said, "pangle_update_expected_cpm")["body"]["cpm"], json!(9.0));
    assert!(said.reply.text.starts_with("Done"), "{}", said.reply.text);

    desk.history.clear();
    let wish = "Set the AppLovin MAX floor of the Puzzle Game Android Level Complete Interstitial to $6.50 in the United States.";
    for reason in ["Keep the Tier 1 floor of $1.50 for the United Kingdom and Germany.", "$4 in Canada, please"] {
        desk.history.clear();
        desk.denies = vec![reason];
        let said = desk.ask(wish).await;
        assert_eq!(said.calls("applovin_update_ad_unit"), 1, "{reason}: {:#?}", said.done);
        assert!(
            said.reply.text.contains(&reason[..20]) && said.reply.text.contains('?'),
            "{reason}: {}",
            said.reply.text
        );
    }
    assert!(desk.writes(Network::AppLovin).await.is_empty());
}

#[tokio::test]
async fn an_amount_that_was_rejected_is_not_missed_in_the_next_draft() {
    let mut desk = world(&Network::ALL).await;
    desk.denies = vec!["too low, make it $13.00"];
    let said = desk.ask("Set the Liftoff floor of Extra Life Rewarded of Puzzle Game on Android to $12.50").await;
    assert_eq!(said.calls("liftoff_update_placement"), 2, "{} {:#?}", said.reply.text, said.done);
    assert_eq!(said.done.last().expect("sent").1["body"]["cpmFloor"]["default"], json!(13.0));
    assert_eq!(said.unused.concat(), Vec::<String>::new());
}

/// A name decides which network has the thing, whatever the chat was about before. We offer nothing else in its place.
#[tokio::test]
async fn a_name_says_the_network_and_a_deletion_offers_nothing_else() {
    let mut desk = world(&Network::ALL).await;
    desk.ask(
        "Create a rewarded ad unit called \"Level Up Bonus\" for Puzzle Game Android in AdMob with reward 5 coins",
    )
    .await;
    let unity = "Create a rewarded ad unit called \"Side Quest\" for Puzzle Game Android in Unity";
    desk.ask(unity).await;
    let before = desk.history.clone();
    for (wish, says) in [
        ("delete the ad unit level up bonus", "AdMob's API can't delete ad units"),
        ("rename the ad unit Level Up Bonus to LUB rewarded", "AdMob"),
        ("set a floor of 3,75 euro on level up bonus", "AdMob ad units have no floor of their own"),
    ] {
        for history in [Vec::new(), before.clone()] {
            desk.history = history;
            let said = desk.ask(wish).await;
            assert!(said.unused.is_empty(), "{wish}: {:#?}", said.done);
            assert!(said.reply.text.contains(says), "{wish}: {} {:?}", said.reply.text, said.understood);
            assert!(!said.reply.text.contains("Unity"), "{wish}: {}", said.reply.text);
        }
    }
    // If no network has the thing, the answer says so and offers no other thing to delete.
    for wish in [
        "delete the ad unit golden goose",
        "delete the Unity ad unit golden goose",
        "delete the ad unit \"Golden Goose\"",
    ] {
        for history in [Vec::new(), before.clone()] {
            desk.history = history;
            let said = desk.ask(wish).await;
            assert!(said.unused.is_empty(), "{wish}: {:#?}", said.done);
            let text = said.reply.text.to_lowercase();
            assert!(text.contains("golden goose"), "{wish}: {}", said.reply.text);
            assert!(
                !said.reply.follow_ups.iter().any(|chip| chip.starts_with("I mean")),
                "{wish}: {:?}",
                said.reply.follow_ups
            );
            assert!(!text.contains("level up bonus") && !text.contains("do you mean"), "{wish}: {}", said.reply.text);
        }
    }
}
