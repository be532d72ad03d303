//! Tests for what people met: each is a chat that went wrong, and the same wish in other words and languages.

use adagent_contract::{Artifact, DRAFTED, HistoryEntry, Value};
use adagent_domain::Network;
use serde_json::Value as Json;

use crate::world::{Said, World, world};

/// Returns the changes that were sent.
fn changes(said: &Said) -> Vec<&(String, Json, Result<Json, String>)> {
    said.done.iter().filter(|(name, ..)| name.contains("_update_") || name.contains("_create_")).collect()
}

/// Asks every message in one chat and returns the last answer.
async fn last(world: &mut World, chat: &[&str]) -> Said {
    world.history.clear();
    let mut said = None;
    for text in chat {
        said = Some(world.ask(text).await);
    }
    said.expect("a message")
}

/// Returns how many rows the first table has.
fn rows(said: &Said) -> usize {
    let table = said.reply.artifacts.iter().find_map(|artifact| match artifact {
        Artifact::Table { table, .. } => Some(table.rows.len()),
        _ => None,
    });
    table.unwrap_or_default()
}

/// Returns the first tile.
fn figure(said: &Said) -> Value {
    let tile = said.reply.artifacts.iter().find_map(|artifact| match artifact {
        Artifact::Kpi { tiles, .. } => tiles.first().map(|tile| tile.value.clone()),
        _ => None,
    });
    tile.unwrap_or_else(|| panic!("no figure: {}", said.reply.text))
}

#[tokio::test]
async fn a_whole_question_is_counted_as_in_a_new_chat() {
    let mut world = world(&Network::ALL).await;
    let first = "Revenue last 7 days on AppLovin and Unity";
    for text in [
        "Umsatz letzte 7 Tage gesamt",
        "Wie hoch war der Umsatz in den letzten 7 Tagen?",
        "Ingresos de los últimos 7 días",
        "revenue for the last 7 days, please",
    ] {
        let alone = last(&mut world, &[text]).await;
        let after = last(&mut world, &[first, text]).await;
        assert_eq!(figure(&after), figure(&alone), "{text}: {}", after.reply.text);
        // The way of counting changed, so the answer says that above the figure.
        let warned = after.reply.text.starts_with("**This total isn't comparable with my last answer.**");
        assert!(warned, "{text}: {}", after.reply.text);
    }
    // What goes on with the numbers before keeps their way of counting.
    let goes_on = last(&mut world, &[first, "and by country?"]).await;
    assert!(goes_on.reply.method.iter().any(|line| line.contains("own demand")), "{:?}", goes_on.reply.method);
}

/// Returns the settings of one network in the waterfall that the last change sends, and how many other switches it turns off.
fn switched(said: &Said, key: &str) -> (Json, usize) {
    let (_, args, outcome) = changes(said).pop().unwrap_or_else(|| panic!("no change: {}", said.reply.text));
    assert!(outcome.is_ok(), "{args} {outcome:?}");
    assert_eq!(args["body"].get("disabled"), None, "the whole ad unit: {args}");
    let all = args["body"]["ad_network_settings"].as_array().expect("settings").clone();
    let own = all.iter().find_map(|setting| setting.get(key)).cloned().expect("the network");
    let off =
        all.iter().filter(|setting| setting.get(key).is_none() && setting.to_string().contains("\"disabled\":true"));
    (own, off.count())
}

#[tokio::test]
async fn a_network_in_an_ad_unit_is_switched_alone() {
    for text in [
        "Pause Chartboost in Tower Blast Android Main Menu Banner on AppLovin",
        "Pausiere Chartboost in Tower Blast Android Main Menu Banner auf AppLovin",
        "switch Chartboost off in the AppLovin waterfall of Tower Blast Android Main Menu Banner",
        "Desactiva Chartboost en Tower Blast Android Main Menu Banner de AppLovin",
        "turn chartboost off in the max waterfall of tower blast android main menu banner",
    ] {
        let mut world = world(&Network::ALL).await;
        let said = last(&mut world, &[text]).await;
        let (own, others) = switched(&said, "CHARTBOOST_NETWORK");
        assert_eq!((&own["disabled"], others), (&Json::Bool(true), 0), "{text}: {own}");
        assert_eq!(said.unused, [Vec::<String>::new()], "{text}");
    }
    // Unity and ironSource are two lines, although both belong to Unity.
    let mut world = world(&Network::ALL).await;
    let said = last(&mut world, &["Pausiere Unity in Tower Blast Android Main Menu Banner auf AppLovin"]).await;
    assert_eq!(switched(&said, "UNITY_BIDDING").1, 0, "{}", said.reply.text);
}

#[tokio::test]
async fn a_placement_named_by_its_price_is_switched_alone() {
    for text in [
        "Disable the Facebook placement at $3.92 in Tower Blast Android Main Menu Banner",
        "Pausiere das Facebook Placement zu 3,92 $ in Tower Blast Android Main Menu Banner auf AppLovin",
        "turn off the $3.92 Meta placement in Tower Blast Android Main Menu Banner on MAX",
    ] {
        let mut world = world(&Network::ALL).await;
        let said = last(&mut world, &[text]).await;
        let (own, others) = switched(&said, "FACEBOOK_NETWORK");
        let placement = &own["ad_network_ad_units"][0]["disabled"];
        assert_eq!((&own["disabled"], placement, others), (&Json::Bool(false), &Json::Bool(true), 0), "{text}: {own}");
    }
    let mut world = world(&Network::ALL).await;
    let said =
        last(&mut world, &["Disable the Facebook placement at $5 in Tower Blast Android Main Menu Banner"]).await;
    assert!(changes(&said).is_empty() && said.reply.text.contains("$3.92"), "{}", said.reply.text);
}

#[tokio::test]
async fn a_denial_can_narrow_the_change_to_one_network() {
    let mut world = world(&Network::ALL).await;
    for reason in ["Pause only the Chartboost placement instead.", "Pausiere nur Chartboost.", "pausa solo Chartboost"]
    {
        world.denies = vec![reason];
        let said = last(&mut world, &["Disable Tower Blast Android Main Menu Banner on AppLovin"]).await;
        assert_eq!(changes(&said).len(), 2, "{reason}: {}", said.reply.text);
        let (_, others) = switched(&said, "CHARTBOOST_NETWORK");
        assert_eq!(others, 0, "{reason}");
        // It is off now, so the next reason needs a new world.
        world = crate::world::world(&Network::ALL).await;
    }
}

#[tokio::test]
async fn a_network_that_a_change_cannot_be_limited_to_leaves_it_undrafted() {
    let mut world = world(&Network::ALL).await;
    let unit = "Extra Life Rewarded (Puzzle Game, Android) on Pangle";
    for text in [format!("Pause Chartboost in {unit}"), format!("Pausiere Chartboost in {unit}")] {
        let said = last(&mut world, &[&text]).await;
        assert!(changes(&said).is_empty(), "{text}: {:?}", said.done);
    }
}

#[tokio::test]
async fn the_waterfall_of_a_named_ad_unit_is_shown() {
    let mut world = world(&Network::ALL).await;
    for text in [
        "Waterfall of Tower Blast iOS Double Coins Rewarded on AppLovin",
        "Wasserfall von Tower Blast iOS Double Coins Rewarded auf AppLovin",
        "the waterfall for Tower Blast iOS Double Coins Rewarded",
    ] {
        let said = last(&mut world, &[text]).await;
        assert_eq!(rows(&said), 5, "{text}: {}", said.reply.text);
    }
    for text in [
        "Which CPM does Ironsource have in Tower Blast iOS Double Coins Rewarded on AppLovin?",
        "Welchen CPM hat Ironsource in Tower Blast iOS Double Coins Rewarded auf AppLovin?",
        "¿Qué precio tiene Ironsource en Tower Blast iOS Double Coins Rewarded?",
        "what is ironsource's floor in Tower Blast iOS Double Coins Rewarded on MAX",
    ] {
        let said = last(&mut world, &[text]).await;
        assert!(said.reply.text.starts_with("**Ironsource** has a CPM of $5.57"), "{text}: {}", said.reply.text);
        assert_eq!(rows(&said), 1, "{text}");
    }
}

#[tokio::test]
async fn a_whole_list_takes_nothing_from_the_list_before() {
    let mut world = world(&Network::ALL).await;
    let first = "Waterfall for Tower Blast on AppLovin with floors";
    for text in [
        "List every ad unit of Puzzle Game with its floor",
        "Zeig alle Anzeigenblöcke von Puzzle Game mit Floor",
        "all ad units in Puzzle Game and their floors please",
    ] {
        let alone = last(&mut world, &[text]).await;
        let after = last(&mut world, &[first, text]).await;
        assert_eq!((rows(&after), &after.reply.text), (28, &alone.reply.text), "{text}");
    }
    let after = last(&mut world, &[first, "Lista los bloques de anuncios de Puzzle Game"]).await;
    assert!(!after.reply.text.contains("Tower Blast") && rows(&after) < 29, "{}", after.reply.text);
}

#[tokio::test]
async fn a_refused_step_is_no_done_step() {
    let mut world = world(&Network::ALL).await;
    for text in [
        "Pause the mediation group iOS Inter Global and rename Default iOS Banner to \"iOS Banner Standard\" in AdMob",
        "Pausiere die Mediation Group iOS Inter Global und benenne Default iOS Banner in \"iOS Banner Standard\" um in AdMob",
        "Pausa el grupo de mediación iOS Inter Global y renombra Default iOS Banner a \"iOS Banner Standard\" en AdMob",
    ] {
        let said = last(&mut world, &[text]).await;
        assert!(changes(&said).is_empty(), "{text}: {:?}", said.done);
        let plan = said.plans.last().unwrap_or_else(|| panic!("{text}: no plan: {}", said.reply.text));
        assert!(plan.steps.len() == 2 && plan.steps.iter().all(|step| step.unmade), "{text}: {plan:#?}");
        assert!(said.reply.text.ends_with("Nothing has been changed."), "{text}: {}", said.reply.text);
    }
    let half =
        "Disable Chartboost in Android Rewarded Global and rename Default iOS Banner to \"iOS Standard\" in AdMob";
    let said = last(&mut world, &[half]).await;
    assert_eq!(changes(&said).len(), 1, "{}", said.reply.text);
    let plan = said.plans.last().expect("a plan");
    assert_eq!(plan.steps.iter().map(|step| step.unmade).collect::<Vec<_>>(), [false, true], "{plan:#?}");
}

#[tokio::test]
async fn each_half_of_a_message_goes_to_its_own_group() {
    for text in [
        "Setz Pangle in Android Banner Global auf 0,55 $ und pausiere Chartboost in Android Rewarded Global",
        "Pause Chartboost in Android Rewarded Global, and set Pangle in Android Banner Global to $0.55",
        "Pausa Chartboost en Android Rewarded Global y pon Pangle en Android Banner Global a 0,55 $",
        "Pausiere Chartboost in Android Rewarded Global und setz Unity Ads in Android Inter US auf 8,80 $",
        "Pause Chartboost in Android Rewarded Global, and set Unity Ads in Android Inter US to $8.80",
    ] {
        let mut world = world(&Network::ALL).await;
        let said = last(&mut world, &[text]).await;
        let made = changes(&said);
        assert_eq!(made.len(), 2, "{text}: {}", said.reply.text);
        let groups = made.iter().map(|(name, args, _)| (name.as_str(), args["mediation_group_id"].as_str()));
        assert!(groups.clone().all(|(name, _)| name == "admob_update_mediation_group"), "{text}");
        assert!(groups.clone().any(|(_, group)| group == Some("1048210381")), "{text}");
        assert!(made.iter().all(|(_, args, _)| !args.to_string().contains("\"-1\"")), "a new line: {text}");
    }
}

#[tokio::test]
async fn the_ad_unit_says_whose_line_it_is() {
    for text in [
        "Setz den Preis von Ironsource in Tower Blast iOS Double Coins Rewarded auf 6,20 $",
        "Set the price of Ironsource in Tower Blast iOS Double Coins Rewarded to $6.20",
        "Sube el precio de Ironsource en Tower Blast iOS Double Coins Rewarded a 6,20 $",
        "Erhöhe den CPM von Ironsource in Tower Blast iOS Double Coins Rewarded auf 6,20 $",
    ] {
        let mut world = world(&Network::ALL).await;
        let said = last(&mut world, &[text]).await;
        let [(name, args, _)] = changes(&said)[..] else { panic!("{text}: {}", said.reply.text) };
        assert_eq!(
            (name.as_str(), args.to_string().matches("\"6.20\"").count()),
            ("applovin_update_ad_unit", 1),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_question_without_an_answer_is_not_gone_on_from() {
    let mut world = world(&Network::ALL).await;
    let first = "Wie viele Nutzer hatten wir gestern (DAU)?";
    for text in [
        "Welche App hat letzte Woche am meisten Umsatz gemacht, und welche von ihnen am wenigsten?",
        "Which app had the most revenue last week, and which one the least?",
        "Ingresos de ayer por app",
        "eCPM nach Land",
    ] {
        let alone = last(&mut world, &[text]).await;
        let after = last(&mut world, &[first, text]).await;
        assert_eq!(after.reply.text, alone.reply.text, "{text}");
        assert!(!after.reply.text.to_lowercase().contains("dau"), "{text}: {}", after.reply.text);
    }
}

#[tokio::test]
async fn a_waiting_card_is_corrected_by_an_amount_alone() {
    for (wish, corrected) in [
        ("Setz Pangle in Android Banner Global auf 0,55 $", "doch lieber 0,60 $"),
        ("Set Pangle in Android Banner Global to $0.55", "make it $0.60 instead"),
        ("Pon Pangle en Android Banner Global a 0,55 $", "mejor 0,60 $"),
        ("Setze Pangle in Android Banner Global auf 0,55 $", "nein, mach bitte 0,60 $"),
    ] {
        let mut world = world(&Network::ALL).await;
        for (role, content) in [("user", wish.to_owned()), ("assistant", format!("{DRAFTED}Change Pangle."))] {
            world.history.push(HistoryEntry { role: role.into(), content });
        }
        let said = world.ask(corrected).await;
        let [(_, args, _)] = changes(&said)[..] else { panic!("{corrected}: {}", said.reply.text) };
        let lines = serde_json::json!({"1048210380100003": {"cpmMicros": "600000"}});
        assert_eq!(args["body"]["mediationGroupLines"], lines, "{corrected}");
    }
}

#[tokio::test]
async fn where_to_look_is_answered_with_what_moved_yesterday() {
    let mut world = world(&Network::ALL).await;
    for text in ["What should I look at today?", "Was sollte ich mir heute ansehen?"] {
        let said = last(&mut world, &[text]).await;
        let moved = said.reply.text.contains("Biggest gains") && said.reply.text.contains("Biggest drops");
        assert!(moved && said.reply.text.contains("Nov 20, 2026"), "{text}: {}", said.reply.text);
    }
    for text in ["Überweise das Guthaben von Unity auf unser Konto", "Transfer our Unity balance to the bank account"]
    {
        let said = last(&mut world, &[text]).await;
        assert!(
            said.done.is_empty() && said.reply.text.starts_with("I can't move money"),
            "{text}: {}",
            said.reply.text
        );
    }
}
