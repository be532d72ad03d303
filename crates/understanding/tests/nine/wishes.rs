//! Tests lists and changes of every network, through checks and approval to the result.

use adagent_contract::Artifact;
use adagent_domain::Network;
use serde_json::{Value as Json, json};

use crate::world::{Said, world};

fn listed(said: &Said) -> usize {
    said.reply
        .artifacts
        .iter()
        .find_map(|artifact| match artifact {
            Artifact::Table { table, .. } => Some(table.rows.len()),
            _ => None,
        })
        .unwrap_or_else(|| panic!("no table: {} {:#?}", said.reply.text, said.done))
}

#[tokio::test]
async fn what_every_network_has_is_listed() {
    for (network, question) in [
        (Network::AppLovin, "list my AppLovin ad units"),
        (Network::Unity, "show my Unity apps"),
        (Network::Unity, "list Unity ad units"),
        (Network::Mintegral, "list my Mintegral apps"),
        (Network::Mintegral, "show my Mintegral placements"),
        (Network::Liftoff, "list Liftoff applications"),
        (Network::Liftoff, "show my Liftoff placements"),
        (Network::InMobi, "list my InMobi apps"),
        (Network::InMobi, "list InMobi placements"),
        (Network::Pangle, "list my Pangle apps"),
        (Network::Pangle, "show Pangle ad slots"),
        (Network::DtExchange, "list my DT Exchange apps"),
        (Network::DtExchange, "list DT Exchange placements of Puzzle Game"),
        (Network::AdManager, "list my Ad Manager orders"),
        (Network::AdManager, "show Ad Manager line items"),
        (Network::AdManager, "list my Ad Manager ad units"),
    ] {
        let mut world = world(&[network]).await;
        let said = world.ask(question).await;
        assert!(listed(&said) > 0, "{question}: {}", said.reply.text);
    }
}

async fn changes(network: Network, wish: &str, tool: &str) {
    let mut world = world(&[network]).await;
    let said = world.ask(wish).await;
    assert_eq!(said.calls(tool), 1, "{wish}: {} {:#?} {:?}", said.reply.text, said.done, said.understood);
    assert!(said.reply.text.starts_with("Done"), "{wish}: {} {:#?}", said.reply.text, said.done);
    let writes = world.writes(network).await;
    assert_eq!(writes.len(), 1, "{wish}: {writes:#?}");
}

#[tokio::test]
async fn ad_units_and_placements_are_created() {
    changes(
        Network::AppLovin,
        "Create an AppLovin rewarded ad unit called \"Level end\" for com.example.puzzle on Android",
        "applovin_create_ad_unit",
    )
    .await;
    changes(
        Network::Unity,
        "Create a Unity rewarded ad unit called \"Level end\" for Puzzle Game on Android",
        "unity_create_ad_units",
    )
    .await;
    changes(
        Network::Liftoff,
        "Create a Liftoff rewarded placement called \"Level end\" for Puzzle Game on Android",
        "liftoff_create_placement",
    )
    .await;
    changes(
        Network::InMobi,
        "Create an InMobi interstitial placement \"Level end\" for Puzzle Game on Android with bidding",
        "inmobi_create_placement",
    )
    .await;
    changes(
        Network::Mintegral,
        "Create a Mintegral banner placement called \"Menu banner\" for Puzzle Game on Android with bidding",
        "mintegral_create_placement",
    )
    .await;
}

#[tokio::test]
async fn more_is_created_with_what_each_network_needs() {
    changes(
        Network::Pangle,
        "Create a Pangle rewarded ad slot called \"Level end\" for Puzzle Game on Android",
        "pangle_create_ad_slot",
    )
    .await;
    changes(
        Network::DtExchange,
        "Create a DT Exchange rewarded placement called \"Level end\" for Puzzle Game on Android, not directed at children",
        "dtexchange_create_placement",
    )
    .await;
    changes(
        Network::DtExchange,
        "Create a DT Exchange app called \"Night Racer\" on Android with package com.example.racer, category Racing, coppa no",
        "dtexchange_create_app",
    )
    .await;
    changes(
        Network::Unity,
        "Add an AppLovin bidding instance to Unity for Puzzle Game on Android, rewarded, called \"AL bid\"",
        "unity_create_instances",
    )
    .await;
    changes(
        Network::AdManager,
        "Create an order in Ad Manager called \"Winter\" for the advertiser Nordic Sneakers, trafficker Demo Trafficker",
        "admanager_batch_create_orders",
    )
    .await;
    changes(Network::AdManager, "Create an Ad Manager placement called \"Home screens\"", "admanager_create_placement")
        .await;
}

#[tokio::test]
async fn what_is_paused_keeps_its_other_settings() {
    let mut world = world(&[Network::AppLovin]).await;
    world.ask("Deactivate the AppLovin ad unit Puzzle Game iOS Extra Life Rewarded").await;
    let writes = world.writes(Network::AppLovin).await;
    let [write] = writes.as_slice() else { panic!("{writes:#?}") };
    let body = write["body"].to_string();
    assert!(body.contains("Puzzle Game iOS Extra Life Rewarded") && body.contains("disabled"), "{body}");
}

#[tokio::test]
async fn floors_names_and_states_are_changed() {
    changes(
        Network::Liftoff,
        "Set the floor of the Liftoff placement Extra Life Rewarded of Puzzle Game on Android to $4.50",
        "liftoff_update_placement",
    )
    .await;
    changes(
        Network::InMobi,
        "Set the CPM floor of the InMobi interstitial placement of Puzzle Game on Android to $3",
        "inmobi_update_placement",
    )
    .await;
    changes(Network::Unity, "Pause the Unity banner ad unit of Puzzle Game on Android", "unity_update_ad_units").await;
    changes(
        Network::AppLovin,
        "Set a $4.50 floor in the US on the AppLovin ad unit Puzzle Game iOS Extra Life Rewarded",
        "applovin_update_ad_unit",
    )
    .await;
}

#[tokio::test]
async fn orders_are_archived_and_approved() {
    let mut world = world(&[Network::AdManager]).await;
    let said = world.ask("list my Ad Manager orders").await;
    let name = said
        .reply
        .artifacts
        .iter()
        .find_map(|artifact| match artifact {
            Artifact::Table { table, .. } => Some(table.rows[0][0].raw()),
            _ => None,
        })
        .expect("an order");
    let said = world.ask(&format!("Archive the Ad Manager order \"{name}\"")).await;
    assert_eq!(said.calls("admanager_batch_archive_orders"), 1, "{} {:#?}", said.reply.text, said.done);
}

#[tokio::test]
async fn an_order_is_found_by_a_name_of_words_that_mean_something_else() {
    let mut world = world(&[Network::AdManager]).await;
    let said = world.ask("Ad Manager order House campaigns").await;
    assert!(said.reply.text.contains("House campaigns"), "{} {:#?}", said.reply.text, said.done);
    assert!(said.done.iter().all(|(name, ..)| !name.contains("report")), "{:#?}", said.done);
    let said = world.ask("Archive order House campaigns in Ad Manager").await;
    assert_eq!(said.calls("admanager_batch_archive_orders"), 1, "{} {:#?}", said.reply.text, said.done);
}

#[tokio::test]
async fn what_nobody_said_is_asked_and_nothing_is_sent() {
    for (network, wish, asked) in [
        (Network::Liftoff, "Create a Liftoff placement for Puzzle Game on Android", "placement name"),
        (Network::InMobi, "Create an InMobi app", "store address"),
        (
            Network::AppLovin,
            "Set a $4.50 floor on the AppLovin rewarded ad unit of Puzzle Game on Android",
            "has no ad unit that fits all of that. which ad unit do you mean?",
        ),
        (Network::Pangle, "Create a Pangle app called \"Night Racer\"", "category"),
    ] {
        let mut world = world(&[network]).await;
        let said = world.ask(wish).await;
        assert!(said.reply.text.to_lowercase().contains(asked), "{wish}: {}", said.reply.text);
        assert!(said.reply.text.ends_with("Nothing has been changed."), "{wish}: {}", said.reply.text);
        assert!(world.writes(network).await.is_empty());
    }
}

#[tokio::test]
async fn a_name_fills_no_other_field() {
    let mut world = world(&[Network::AdManager]).await;
    let said = world.ask("create an Ad Manager ad unit called \"Shop banner\"").await;
    let created = said.done.iter().find(|(name, _, _)| name == "admanager_create_ad_unit");
    let (_, args, _) = created.unwrap_or_else(|| panic!("{} {:#?}", said.reply.text, said.done));
    let fields: Vec<&String> = args["body"].as_object().expect("a body").keys().collect();
    assert_eq!(fields.len(), 2, "{args}");
    assert_eq!(args["body"]["displayName"], "Shop banner");
}

/// Checks the one change that is sent, and the values in it.
async fn sends(network: Network, wish: &str, tool: &str, fields: &[(&str, Json)]) {
    let mut world = world(&[network]).await;
    let said = world.ask(wish).await;
    let sent = said.done.iter().find(|(name, _, _)| name == tool);
    let (_, args, _) = sent.unwrap_or_else(|| panic!("{wish}: {} {:#?}", said.reply.text, said.done));
    for (pointer, wanted) in fields {
        assert_eq!(args.pointer(pointer).unwrap_or(&Json::Null), wanted, "{wish}: {pointer} in {args}");
    }
    let writes = world.writes(network).await;
    assert_eq!(writes.len(), 1, "{wish}: {writes:#?}");
}

#[tokio::test]
async fn a_verb_in_a_name_orders_nothing() {
    sends(
        Network::AppLovin,
        "Create an AppLovin interstitial ad unit called Pause Menu for com.example.puzzle on Android",
        "applovin_create_ad_unit",
        &[
            ("/body/name", json!("Pause Menu")),
            ("/body/platform", json!("android")),
            ("/body/package_name", json!("com.example.puzzle")),
            ("/body/ad_format", json!("INTER")),
        ],
    )
    .await;
    sends(
        Network::Mintegral,
        "Create a Mintegral banner placement called Remove Ads for Puzzle Game on Android and enable bidding",
        "mintegral_create_placement",
        &[("/body/placement_name", json!("Remove Ads")), ("/body/hb_unit_name", json!("Remove Ads"))],
    )
    .await;
}

#[tokio::test]
async fn a_name_ends_where_something_known_begins() {
    sends(
        Network::AdManager,
        "In Ad Manager create an ad unit called Test Leaderboard below Puzzle Game Android Main Menu Banner",
        "admanager_create_ad_unit",
        &[("/body/displayName", json!("Test Leaderboard"))],
    )
    .await;
}

#[tokio::test]
async fn prices_are_what_they_become() {
    sends(
        Network::Liftoff,
        "Raise the floor of the Liftoff placement Extra Life Rewarded of Puzzle Game on Android from $2 to $3",
        "liftoff_update_placement",
        &[("/body/cpmFloor", json!({"default": 3.0, "geo": {"US": 4.0}})), ("/body/status", Json::Null)],
    )
    .await;
    sends(
        Network::InMobi,
        "Set the CPM floor of the InMobi interstitial placement of Puzzle Game on Android to $3",
        "inmobi_update_placement",
        &[("/body/cpmFloor", json!(3.0)), ("/body/isAudienceBiddingEnabled", Json::Null)],
    )
    .await;
    sends(
        Network::AppLovin,
        "Set a $0.125 floor in the US on the AppLovin ad unit Puzzle Game iOS Extra Life Rewarded",
        "applovin_update_ad_unit",
        &[
            ("/body/bid_floors/0/cpm", json!("0.125")),
            ("/body/bid_floors/0/countries", json!({"type": "INCLUDE", "values": ["US"]})),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_pause_switches_nothing_inside() {
    sends(
        Network::Unity,
        "Pause the Unity banner ad unit of Puzzle Game on Android",
        "unity_update_ad_units",
        &[("/body/0/isPaused", json!(true)), ("/body/0/settings", Json::Null)],
    )
    .await;
}

#[tokio::test]
async fn what_is_not_clear_is_asked() {
    const PLACE: &str = "the Liftoff placement Extra Life Rewarded of Puzzle Game on Android";
    for (network, wish, asked) in [
        (Network::Liftoff, format!("Set the floor of {PLACE} to -$3"), "below zero"),
        (Network::Liftoff, format!("Set the floor of {PLACE} to 4 EUR"), "in usd"),
        (
            Network::InMobi,
            "Set a $3 floor in Germany on the InMobi interstitial placement of Puzzle Game on Android".to_owned(),
            "all countries",
        ),
        (Network::Mintegral, "Delete the Mintegral placement \"No such thing\"".to_owned(), "“no such thing”"),
        (
            Network::AppLovin,
            "Create an AppLovin interstitial ad unit called Level in the Sky for com.example.puzzle on Android"
                .to_owned(),
            "where the name ends",
        ),
    ] {
        let mut world = world(&[network]).await;
        let said = world.ask(&wish).await;
        assert!(said.reply.text.to_lowercase().contains(asked), "{wish}: {}", said.reply.text);
        assert!(world.writes(network).await.is_empty(), "{wish}");
    }
}

#[tokio::test]
async fn a_new_name_ends_before_the_next_wish() {
    sends(
        Network::Liftoff,
        "Rename the Liftoff placement Extra Life Rewarded of Puzzle Game on Android to Bonus Life and set its floor to $3",
        "liftoff_update_placement",
        &[("/body/name", json!("Bonus Life")), ("/body/cpmFloor", json!({"default": 3.0, "geo": {"US": 4.0}}))],
    )
    .await;
}

#[tokio::test]
async fn only_the_first_of_numbered_fields_is_filled() {
    sends(
        Network::DtExchange,
        "Create a DT Exchange app called \"Night Racer\" on Android with package com.example.racer, category Racing, coppa no",
        "dtexchange_create_app",
        &[
            ("/body/name", json!("Night Racer")),
            ("/body/category1", json!("Racing")),
            ("/body/category2", Json::Null),
            ("/body/coppa", json!(false)),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_spoken_currency_is_sent() {
    sends(
        Network::Pangle,
        "Create a Pangle rewarded ad slot called \"Level end\" for Puzzle Game on Android with a CPM of 10 CNY",
        "pangle_create_ad_slot",
        &[("/body/cpm", json!(10.0)), ("/body/currency", json!("cny")), ("/body/ad_slot_name", json!("Level end"))],
    )
    .await;
}

#[tokio::test]
async fn nothing_else_is_done_instead_of_deleting() {
    let mut world = world(&[Network::AdManager]).await;
    let said = world.ask("Delete the Ad Manager ad unit Puzzle Game Android Main Menu Banner").await;
    assert!(said.reply.text.contains("can't delete ad units"), "{}", said.reply.text);
    assert!(world.writes(Network::AdManager).await.is_empty());
}

#[tokio::test]
async fn a_placement_is_paused_by_its_own_switch() {
    sends(
        Network::Unity,
        "Pause the Unity placement DefaultRewardedVideo of Puzzle Game on Android",
        "unity_update_placements",
        &[
            ("/body/placements/0/adDelivery", json!(0)),
            ("/body/placements/0/capping", Json::Null),
            ("/body/placements/0/pacing", Json::Null),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_floor_for_a_country_leaves_where_it_serves() {
    sends(
        Network::DtExchange,
        "Set a $3 floor in Germany on the DT Exchange rewarded placement of Puzzle Game on Android",
        "dtexchange_update_placement",
        &[
            ("/body/floorPrices", json!([{"country": "DE", "price": 3.0}, {"country": "WW", "price": 0.3}, {"country": "US", "price": 3.5}])),
            ("/body/geo", Json::Null),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_deleted_is_named() {
    for (network, wish) in [
        (Network::Mintegral, "Delete the Mintegral placement Foo Bar of Puzzle Game on Android"),
        (Network::Mintegral, "Delete the Mintegral android banner placement"),
        (Network::AdManager, "Archive the Ad Manager ad unit Game Android Main Menu Banner"),
        (Network::Mintegral, "Remove the floor of the Mintegral ad unit of Puzzle Game"),
    ] {
        let mut world = world(&[network]).await;
        let said = world.ask(wish).await;
        assert!(said.reply.text.contains('?'), "{wish}: {}", said.reply.text);
        assert!(world.writes(network).await.is_empty(), "{wish}: {:#?}", said.done);
    }
}

/// A field that we send replaces the old one, so the values that nobody mentioned must be sent too.
#[tokio::test]
async fn the_price_of_one_country_leaves_the_others_alone() {
    let mut world = world(&[Network::Mintegral, Network::Liftoff]).await;
    for (network, wish, field, kept) in [
        (Network::Mintegral, "set the target ecpm of Mintegral unit 7056924 to 11 in the US", "target_ecpm", "ALL"),
        (
            Network::Liftoff,
            "set the cpm floor of Liftoff placement 4c9cb4a9c1592e2fa764ab40 to 5 in the US",
            "cpmFloor",
            "default",
        ),
    ] {
        world.history.clear();
        let said = world.ask(wish).await;
        let args = said.done.iter().find_map(|(name, args, _)| name.contains("update").then_some(args));
        let args = args.unwrap_or_else(|| panic!("{wish}: {} {:#?}", said.reply.text, said.done));
        assert!(args["body"][field][kept].is_number(), "{wish}: {args}");
        assert_eq!(world.writes(network).await.len(), 1, "{wish}");
    }
}

/// Required fields are sent unchanged. A part with IDs of its own must not get the ID of the whole.
#[tokio::test]
async fn a_pause_changes_the_state_and_nothing_else() {
    let mut world = world(&[Network::Liftoff]).await;
    let said = world.ask("pause the Liftoff application Puzzle Game on Android").await;
    let change = said.done.iter().find_map(|(name, args, _)| (name == "liftoff_update_application").then_some(args));
    let body = &change.unwrap_or_else(|| panic!("{} {:#?}", said.reply.text, said.done))["body"];
    assert_eq!(body["status"], "inactive", "{body}");
    assert!(body.get("testDevices").is_none(), "{body}");
    let apps = said.done.iter().find_map(|(name, _, result)| (name == "liftoff_list_applications").then_some(result));
    if let Some(Ok(apps)) = apps {
        let app = apps["items"].as_array().into_iter().flatten().find(|app| app["name"] == body["name"]);
        assert_eq!(app.map(|app| &app["raw"]["tagFilters"]), Some(&body["tagFilters"]), "{body}");
    }
}

/// The desk asks which line the person means. The name of the line is an answer, and so is the choice that the desk offers.
#[tokio::test]
async fn a_line_that_is_named_answers_which_one_is_meant() {
    for pick in ["Unity Ads", "choice"] {
        let mut world = world(&[Network::AdMob]).await;
        let asked = world.ask("In AdMob set the floor in the mediation group Android Inter US to $14").await;
        assert!(asked.reply.text.contains("Which line of"), "{} {:#?}", asked.reply.text, asked.done);
        let chip = asked.reply.follow_ups.iter().find(|chip| chip.contains("Unity Ads")).expect("a choice").clone();
        let said = world.ask(if pick == "choice" { &chip } else { pick }).await;
        assert_eq!(said.calls("admob_update_mediation_group"), 1, "{pick}: {} {:?}", said.reply.text, said.understood);
        let writes = world.writes(Network::AdMob).await;
        assert!(writes[0].to_string().contains("14000000"), "{writes:#?}");
    }
}

/// The name alone answers "What should it be?".
#[tokio::test]
async fn a_name_alone_answers_the_question_for_it() {
    let mut world = world(&[Network::Unity]).await;
    let asked = world.ask("new rewarded ad unit for Word Quest on Android in LevelPlay").await;
    assert!(asked.reply.text.contains("name**. What should it be?"), "{} {:#?}", asked.reply.text, asked.done);
    let said = world.ask("vip bonus").await;
    let writes = world.writes(Network::Unity).await;
    assert_eq!(writes.len(), 1, "{} {:?}", said.reply.text, said.understood);
    assert!(writes[0].to_string().contains("vip bonus"), "{writes:#?}");
}

/// The change has everything the wish said, however many questions it takes.
#[tokio::test]
async fn every_answer_keeps_what_the_wish_said() {
    for (turns, format, country) in [
        (
            ["create a mediation group in AdMob in the US", "Puzzle Game on Android", "rewarded", "AppLovin bidding"],
            "REWARDED",
            "US",
        ),
        (
            ["in AdMob create a mediation group in Germany", "for Puzzle Game Android", "Banner", "with Unity bidding"],
            "BANNER",
            "DE",
        ),
        (
            [
                "create a mediation group in AdMob for Puzzle Game Android rewarded in the US",
                "AppLovin and Unity bidding",
                "",
                "",
            ],
            "REWARDED",
            "US",
        ),
        (
            [
                "create a mediation group in AdMob for Japan with AppLovin bidding",
                "Puzzle Game Android",
                "Interstitial",
                "",
            ],
            "INTERSTITIAL",
            "JP",
        ),
    ] {
        let mut world = world(&Network::ALL).await;
        let mut last = None;
        for turn in turns.into_iter().filter(|turn| !turn.is_empty()) {
            last = Some(world.ask(turn).await);
        }
        let said = last.expect("a turn");
        let created = said.done.iter().find(|(name, _, _)| name == "admob_create_mediation_group");
        let (_, args, _) = created.unwrap_or_else(|| panic!("{turns:?}: {}", said.reply.text));
        let targeting = &args["body"]["targeting"];
        assert_eq!(targeting["format"], format, "{turns:?}");
        assert_eq!(targeting["targetedRegionCodes"], json!([country]), "{turns:?}");
    }
}

#[tokio::test]
async fn a_floor_and_a_name_survive_a_question_back() {
    let mut world = world(&Network::ALL).await;
    for turn in
        ["set the floor to $3 on the Liftoff placement in Germany", "Extra Life Rewarded", "Puzzle Game on Android"]
    {
        let said = world.ask(turn).await;
        if let Some((_, args, _)) = said.done.iter().find(|(name, _, _)| name == "liftoff_update_placement") {
            assert_eq!(args["body"]["cpmFloor"]["geo"]["DE"], json!(3.0), "{args}");
            return;
        }
    }
    panic!("no change: {:?}", world.history.last());
}

/// A price needs a line that the person named. The only line that fits does not count, because nobody named it.
#[tokio::test]
async fn a_price_without_a_line_asks_which_one() {
    let mut world = world(&[Network::AdMob]).await;
    for (wish, asked) in [
        ("set ecpm floor to 8 for rewarded", "Which line's price should change to $8.00: "),
        ("raise the floor to $5", "Which line's price should change to $5.00: "),
        (
            "set the banner floor to $2",
            "Only one line there has a price: Pangle in **Android Banner Global** (now $0.40).",
        ),
    ] {
        world.history.clear();
        let said = world.ask(wish).await;
        assert!(said.reply.text.starts_with(asked), "{wish}: {}", said.reply.text);
        assert!(said.reply.follow_ups[0].starts_with("I mean "), "{wish}: {:?}", said.reply.follow_ups);
        assert!(world.writes(Network::AdMob).await.is_empty(), "{wish}");
    }
    let said = world.ask("I mean Pangle in Android Banner Global (1048210380)").await;
    assert_eq!(said.calls("admob_update_mediation_group"), 1, "{} {:?}", said.reply.text, said.understood);
    assert!(world.writes(Network::AdMob).await[0].to_string().contains("2000000"));
}

/// In "X in Y", X is a source in Y's mediation. Nothing of X's own changes, and no number is an answer.
#[tokio::test]
async fn a_network_named_inside_a_mediation_is_a_source_there() {
    let mut world = world(&Network::ALL).await;
    for (wish, answer) in [
        ("turn off liftoff in levelplay", "Unity has no instance of Liftoff"),
        ("turn off AppLovin in LevelPlay", "instances match"),
        ("turn off Liftoff in AdMob", "Which mediation group do you mean?"),
        ("pause unity in max", "Which ad unit's waterfall do you mean"),
        ("disable Pangle in FairBid", "DT Exchange has no instance of Pangle"),
        ("disable applovin in mintegral", "Mintegral doesn't mediate other networks"),
        ("turn off liftoff", "Where do you mean: AdMob, AppLovin, Unity or DT Exchange?"),
    ] {
        world.history.clear();
        let said = world.ask(wish).await;
        assert!(said.reply.text.contains(answer), "{wish}: {} {:#?}", said.reply.text, said.understood);
        assert!(said.reply.text.ends_with("Nothing has been changed."), "{wish}: {}", said.reply.text);
        assert!(said.done.iter().all(|(name, ..)| !name.contains("report")), "{wish}: {:#?}", said.done);
    }
    for network in Network::ALL {
        assert!(world.writes(network).await.is_empty(), "{network:?}");
    }
}

/// Words in a name order nothing, in lowercase or in capitals.
#[tokio::test]
async fn a_name_in_small_letters_orders_nothing() {
    sends(
        Network::Unity,
        "Create a Unity rewarded ad unit called pause or remove menu for Puzzle Game on Android",
        "unity_create_ad_units",
        &[("/body/0/mediationAdUnitName", json!("pause or remove menu"))],
    )
    .await;
}

#[tokio::test]
async fn a_known_app_brings_its_package() {
    let mut world = world(&Network::ALL).await;
    let said = world.ask("Create an AppLovin interstitial ad unit called pause menu for Puzzle Game on Android").await;
    let created = said.done.iter().find(|(name, _, _)| name == "applovin_create_ad_unit");
    let (_, args, _) = created.unwrap_or_else(|| panic!("{} {:#?}", said.reply.text, said.done));
    assert_eq!(args["body"]["name"], "pause menu");
    assert!(args["body"]["package_name"].as_str().is_some_and(|package| package.contains('.')), "{args}");
    world.history.clear();
    let asked = world.ask("Create a MAX rewarded ad unit for Word Quest on iOS").await;
    assert!(asked.reply.text.contains("I still need: **ad unit name**."), "{}", asked.reply.text);
}

#[tokio::test]
async fn whether_an_app_is_in_a_store_is_said_in_words() {
    for (state, wanted) in [("live in store", 1), ("published", 1), ("not live yet", 0)] {
        sends(
            Network::Mintegral,
            &format!(
                "Create a Mintegral app called \"Night Racer\" on Android with package com.example.racer, {state}"
            ),
            "mintegral_create_app",
            &[("/body/is_live_in_store", json!(wanted)), ("/body/app_name", json!("Night Racer"))],
        )
        .await;
    }
}

/// AdMob's API creates ad units and can't change any.
#[tokio::test]
async fn a_wish_about_an_ad_unit_that_is_there_never_makes_another() {
    for wish in [
        "rename the AdMob ad unit Extra Life Rewarded of Puzzle Game iOS to Extra Life v2",
        "rename ad unit \"Puzzle Game iOS Extra Life Rewarded\" in AdMob to \"Extra Life v2\"",
        "disable the ad unit Puzzle Game iOS Extra Life Rewarded in AdMob",
    ] {
        let mut world = world(&[Network::AdMob]).await;
        let said = world.ask(wish).await;
        assert_eq!(said.calls("admob_create_ad_unit"), 0, "{wish}: {:?}", said.understood);
        assert!(world.writes(Network::AdMob).await.is_empty(), "{wish}");
    }
}
