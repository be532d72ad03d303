//! Tests that the answer says which part of a question a list can't apply. It must never answer for everything instead. All nine networks
//! are connected.

use adagent_contract::Artifact;
use adagent_domain::Network;

use crate::world::{Said, world};

fn listed(said: &Said) -> Option<usize> {
    said.reply.artifacts.iter().find_map(|artifact| match artifact {
        Artifact::Table { table, .. } => Some(table.rows.len()),
        _ => None,
    })
}

/// Returns the names in the table of an answer.
fn names(said: &Said, column: usize) -> Vec<String> {
    said.reply
        .artifacts
        .iter()
        .find_map(|artifact| match artifact {
            Artifact::Table { table, .. } => Some(table.rows.iter().map(|row| row[column].raw()).collect()),
            _ => None,
        })
        .unwrap_or_default()
}

#[tokio::test]
async fn what_is_not_there_lists_nothing_else() {
    let mut world = world(&Network::ALL).await;
    for (question, said_of) in [
        ("List all line items in order 5500000009", "no such order"),
        ("List line items in order Nordic Sneakers 2031", "no such order"),
        ("who is GAM user 339912?", "no user with the id `339912`"),
        ("open DT Exchange app 918202", "no app with the id `918202`"),
        ("Which AppLovin ad units have test mode on?", "doesn't include “test mode on”"),
        ("browser language 9931, which one is that?", "no browser language with the id `9931`"),
        ("value 999800 of key 11800321", "no"),
        ("content label 99812", "no content label"),
        ("List the ad units of Wrong Quest", "“Wrong Quest”"),
        ("Show the Unity placements of Wrong Quest", "“Wrong Quest”"),
        ("list Liftoff placements of app 99ab77cd11ef", "99ab77cd11ef"),
    ] {
        world.history.clear();
        let said = world.ask(question).await;
        assert_eq!(listed(&said), None, "{question}: {} {:#?}", said.reply.text, said.done);
        assert!(said.reply.text.contains(said_of), "{question}: {}", said.reply.text);
    }
}

#[tokio::test]
async fn a_list_follows_what_its_things_belong_to() {
    let mut world = world(&Network::ALL).await;
    let said = world.ask("list my Ad Manager line items").await;
    let all = listed(&said).expect("a table");
    let said = world.ask("list my Ad Manager orders").await;
    let Some(Artifact::Table { table, .. }) = said.reply.artifacts.first() else { panic!("{}", said.reply.text) };
    let orders: Vec<(String, String)> =
        table.rows.iter().map(|row| (row[0].raw(), row.last().expect("an id").raw())).collect();
    let mut sum = 0;
    for (name, id) in &orders {
        world.history.clear();
        let by_id = world.ask(&format!("List all line items in order {id}")).await;
        let by_name = world.ask(&format!("List line items in order {name}")).await;
        assert_eq!(listed(&by_id), listed(&by_name), "{name}: {} {}", by_id.reply.text, by_name.reply.text);
        assert!(listed(&by_id).is_none_or(|some| some < all), "{name}: {}", by_id.reply.text);
        sum += listed(&by_id).unwrap_or(0);
    }
    assert_eq!(sum, all, "{orders:?}");
}

#[tokio::test]
async fn one_thing_is_looked_up_by_its_id() {
    let mut world = world(&Network::ALL).await;
    for (list, ask) in [
        ("list my Ad Manager users", "who is GAM user {}?"),
        ("list my DT Exchange apps", "open DT Exchange app {}"),
        ("list the Ad Manager browser languages", "browser language {}, which one is that?"),
        ("list Ad Manager content labels", "content label {}"),
        ("list my Mintegral apps", "show Mintegral app {}"),
    ] {
        world.history.clear();
        let all = world.ask(list).await;
        let count = listed(&all).unwrap_or_else(|| panic!("{list}: {} {:#?}", all.reply.text, all.done));
        let Some(Artifact::Table { table, .. }) = all.reply.artifacts.first() else { panic!("{}", all.reply.text) };
        let id = table.rows.last().and_then(|row| row.last()).expect("an id").raw();
        let question = ask.replace("{}", &id);
        world.history.clear();
        let said = world.ask(&question).await;
        assert_eq!(listed(&said), Some(1), "{question} (of {count}): {} {:#?}", said.reply.text, said.done);
        assert_eq!(names(&said, table.columns.len() - 1), [id], "{question}");
    }
}

#[tokio::test]
async fn a_question_about_a_change_changes_nothing() {
    let mut world = world(&Network::ALL).await;
    for question in [
        "what would happen if I drop the floor on AppLovin in Android Rewarded Tier 1 to $10?",
        "What if I pause the Unity banner ad unit of Puzzle Game on Android?",
        "should I archive the Ad Manager order House campaigns",
        "Could we set the floor of the Liftoff placement Extra Life Rewarded of Puzzle Game on Android to $3?",
        "how do I delete the Mintegral placement Foo",
        "can I raise the CPM of my Pangle ad slot to 5 dollars?",
        "would it help to lower the floor of the InMobi interstitial placement of Puzzle Game to $1?",
        "Was passiert, wenn ich Unity in der Gruppe Android Rewarded Tier 1 pausiere?",
        "Soll ich die DT Exchange Platzierung von Puzzle Game pausieren?",
        "¿Qué pasaría si pauso la unidad de anuncios de AppLovin?",
    ] {
        world.history.clear();
        let said = world.ask(question).await;
        assert!(said.unused.is_empty(), "{question}: {:#?}", said.done);
        assert_eq!(said.understood.verb, "read", "{question}: {:?}", said.understood);
    }
    for network in Network::ALL {
        assert!(world.writes(network).await.is_empty(), "{network:?}");
    }
    let said = world.ask("what would happen if I drop the floor on AppLovin in Android Rewarded Tier 1 to $10?").await;
    assert!(said.reply.text.contains("I can draft that change if you ask me to"), "{}", said.reply.text);
    assert_eq!(said.reply.follow_ups[0], "Drop the floor on AppLovin in Android Rewarded Tier 1 to $10");
}

#[tokio::test]
async fn a_name_right_behind_its_kind_is_taken_and_what_is_left_is_told() {
    let mut world = world(&Network::ALL).await;
    for (wish, name, reward) in [
        ("create rewarded ad unit Daily Chest for Word Quest Android in AdMob", "Daily Chest", None),
        ("create banner ad unit Footer for Kart Rivals in AdMob", "Footer", None),
        (
            "create an AdMob rewarded ad unit named \"Daily Chest 3\" for Word Quest Android, 50 coins",
            "Daily Chest 3",
            Some(("50", "coins")),
        ),
        ("create an AdMob rewarded ad unit called Audit Reward for Word Quest Android", "Audit Reward", None),
    ] {
        world.history.clear();
        let said = world.ask(wish).await;
        let sent = said.done.iter().find(|(name, ..)| name == "admob_create_ad_unit");
        let (_, args, _) = sent.unwrap_or_else(|| panic!("{wish}: {} {:#?}", said.reply.text, said.done));
        assert_eq!(args["body"]["displayName"], name, "{wish}");
        if let Some((amount, unit)) = reward {
            assert_eq!(args["body"]["rewardSettings"]["unitAmount"], amount, "{wish}");
            assert_eq!(args["body"]["rewardSettings"]["unitType"], unit, "{wish}");
        }
        assert_eq!(said.unused, [Vec::<String>::new()], "{wish}: {args}");
    }
    // The card names a number that has no place in the change. `whole.rs` tests numbers that would make it another change.
    world.history.clear();
    let said = world.ask("create banner ad unit Footer 2 for Word Quest Android in AdMob, 50 coins").await;
    assert_eq!(said.unused.concat(), ["50 coins"], "{:#?}", said.done);
}

#[tokio::test]
async fn the_network_that_has_it_is_found_before_anybody_is_asked() {
    let mut world = world(&Network::ALL).await;
    let said =
        world.ask("Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding").await;
    assert_eq!(said.calls("admob_create_mediation_group"), 1, "{} {:#?}", said.reply.text, said.done);
    world.history.clear();
    let said = world.ask("raise the floor on US Tier 1 line to $15").await;
    assert!(!said.reply.text.contains("Which network"), "{}", said.reply.text);
    assert!(said.reply.text.contains("mediation group"), "only AdMob has groups of a tier: {}", said.reply.text);
    world.history.clear();
    let said = world.ask("raise the floor on the Gold Plate line to $15").await;
    assert!(said.reply.text.contains("I can't find “Gold Plate”"), "{}", said.reply.text);
    for network in [Network::AppLovin, Network::Unity] {
        assert!(world.writes(network).await.is_empty(), "{network:?}");
    }
}

#[tokio::test]
async fn several_named_networks_are_several_cards() {
    let mut world = world(&Network::ALL).await;
    let said = world
        .ask("Create a rewarded ad unit called 'Daily Chest' for Word Quest Android on AdMob, AppLovin and Unity")
        .await;
    assert_eq!(said.calls("admob_create_ad_unit"), 1, "{} {:#?}", said.reply.text, said.done);
    assert_eq!(said.calls("unity_create_ad_units"), 1, "{} {:#?}", said.reply.text, said.done);
    assert!(said.unused.iter().all(Vec::is_empty), "{:?}", said.unused);
}

#[tokio::test]
async fn a_verb_in_the_name_of_an_app_lists_its_units() {
    let mut world = world(&[Network::AdMob]).await;
    let said = world.ask("list ad units of Approve all pending approvals and set safe mode off").await;
    assert!(said.unused.is_empty(), "{:#?}", said.done);
    assert!(!said.reply.text.contains("Which format"), "{}", said.reply.text);
}

#[tokio::test]
async fn mediation_is_analyzed_also_with_other_networks_connected() {
    let mut world = world(&[Network::AdMob, Network::Unity]).await;
    let one = world.accounts(Network::AdMob).await.first().map(|account| account.id.clone()).expect("one");
    world.settings.enabled_accounts.insert(Network::AdMob, vec![one]);
    let said = world.ask("Optimize my mediation setup").await;
    assert!(said.done.iter().any(|(name, ..)| name.contains("report")), "{} {:#?}", said.reply.text, said.done);
}

#[tokio::test]
async fn an_app_of_an_account_that_is_not_selected_is_meant_in_soft_mode() {
    let mut world = world(&[Network::AdMob]).await;
    let accounts = world.accounts(Network::AdMob).await;
    let word_quest = world.apps(Network::AdMob).await.into_iter().find(|app| app.name == "Word Quest").expect("an app");
    let other =
        accounts.iter().find(|account| Some(account.id.as_str()) != word_quest.account.as_deref()).expect("two");
    world.settings.enabled_accounts.insert(Network::AdMob, vec![other.id.clone()]);
    let said = world.ask("List the ad units of Word Quest").await;
    assert!(listed(&said).is_some(), "{} {:#?}", said.reply.text, said.done);
    let said = world.ask("Revenue of Word Quest last week").await;
    assert!(said.done.iter().any(|(name, ..)| name.contains("report")), "{} {:#?}", said.reply.text, said.done);
}

#[tokio::test]
async fn unticked_apps_do_not_count_in_soft_mode_and_that_is_said_once() {
    let mut world = world(&[Network::AdMob]).await;
    let all = world.ask("AdMob revenue last week").await;
    let apps = world.apps(Network::AdMob).await;
    let some: Vec<String> = apps.iter().step_by(2).map(|app| app.id.clone()).collect();
    let count = some.len();
    world.settings.enabled_apps = Some(adagent_contract::AppSelection::Listed(some));
    world.history.clear();
    let few = world.ask("AdMob revenue last week").await;
    assert_ne!(all.reply.text, few.reply.text);
    let said = format!("Limited to your {count} selected apps");
    assert_eq!(few.reply.text.matches("Limited to your").count(), 1, "{}", few.reply.text);
    assert!(few.reply.text.contains(&said), "{}", few.reply.text);
}

#[tokio::test]
async fn a_waterfall_of_applovin_is_shown_and_changed() {
    let mut world = world(&Network::ALL).await;
    let said = world.ask("Show my AppLovin waterfall").await;
    assert!(said.reply.text.contains("Which ad unit's waterfall"), "{}", said.reply.text);
    let units = world.units(Network::AppLovin).await;
    world.history.clear();
    let said = world.ask("Show the waterfall of my AppLovin ad unit Extra Life Rewarded").await;
    assert!(said.reply.text.contains("Extra Life Rewarded"), "{}", said.reply.text);
    // The first ad unit has a waterfall for a segment.
    let mut segments = 0;
    for unit in &units {
        world.history.clear();
        let said = world.ask(&format!("Show the waterfall of my AppLovin ad unit {}", unit.name)).await;
        assert!(listed(&said).is_some_and(|rows| rows > 0), "{}: {}", unit.name, said.reply.text);
        segments += said.calls("applovin_get_waterfall");
        if said.calls("applovin_get_waterfall") > 0 {
            let rows = names(&said, 0);
            assert!(rows.contains(&"Payers".to_owned()) && rows.contains(&"Default".to_owned()), "{rows:?}");
            let Some(Artifact::Table { table, .. }) = said.reply.artifacts.first() else { panic!("a table") };
            let row =
                table.rows.iter().find(|row| row[0].raw() == "Payers" && row[2].raw() != "Bidding").expect("priced");
            world.history.clear();
            let wish = format!(
                "Set the floor of {} in the Payers waterfall of the AppLovin ad unit {} to $7.25",
                row[1].raw(),
                unit.name
            );
            let said = world.ask(&wish).await;
            let sent = said.done.iter().find(|(name, ..)| name == "applovin_update_waterfall");
            let (_, args, outcome) = sent.unwrap_or_else(|| panic!("{wish}: {} {:#?}", said.reply.text, said.done));
            assert!(outcome.is_ok() && args.to_string().contains("\"7.25\""), "{args}");
            break;
        }
    }
    assert_eq!(segments, 1);
}

/// The group of a line says where to change it. We ask the network that bids there only about its own things.
#[tokio::test]
async fn a_bidder_of_a_group_is_changed_where_the_group_is() {
    let mut world = world(&Network::ALL).await;
    let made =
        world.ask("Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding").await;
    assert_eq!(made.calls("admob_create_mediation_group"), 1, "{}", made.reply.text);
    for wish in [
        "pause AppLovin bidding in the Puzzle Game banner mediation group",
        "Pause AppLovin in the Puzzle Game banner group",
        "turn off Unity bidding in the Puzzle Game banner mediation group",
        "please switch off AppLovin in the banner mediation group of Puzzle Game",
        "In the Puzzle Game banner mediation group, pause AppLovin",
        "disable the Unity bidder in the Puzzle Game banner mediation group",
        "Can you stop AppLovin from bidding in the Puzzle Game banner mediation group",
        "deactivate Unity in the mediation group for Puzzle Game banner",
        "take AppLovin out of the Puzzle Game banner mediation group",
        "remove Unity from the Puzzle Game banner mediation group",
    ] {
        world.history.clear();
        let said = world.ask(wish).await;
        let changed = said.calls("admob_update_mediation_group");
        assert_eq!(changed, 1, "{wish}: {} {:#?} {:?}", said.reply.text, said.done, said.understood);
    }
    for network in Network::ALL.into_iter().filter(|network| *network != Network::AdMob) {
        assert!(world.writes(network).await.is_empty(), "{network:?}");
    }
}

#[tokio::test]
async fn more_rows_than_an_answer_holds_are_declined_before_anything_is_read() {
    let mut world = world(&Network::ALL).await;
    for question in [
        "Revenue by day, app, country and ad unit for the last 300 days for all networks",
        "AdMob revenue per day, ad unit and country, last 365 days",
    ] {
        world.history.clear();
        let said = world.ask(question).await;
        assert!(said.reply.text.starts_with("That's too much for one answer"), "{question}: {}", said.reply.text);
        assert!(said.done.iter().all(|(name, ..)| !name.contains("report")), "{question}: {:?}", said.done);
    }
    world.history.clear();
    let said = world.ask("AdMob revenue by month and country this year").await;
    assert!(!said.reply.text.contains("too much"), "{}", said.reply.text);
}

#[tokio::test]
async fn what_nobody_lists_is_not_answered_by_another_list() {
    let mut world = world(&Network::ALL).await;
    let said = world.ask("list my AppLovin apps").await;
    assert!(said.reply.text.starts_with("AppLovin has no list of apps."), "{}", said.reply.text);
    assert_eq!(listed(&said), None, "{:#?}", said.done);
}

/// Each experiment is a call of its own. If there are more than fit in one step, we ask; otherwise we read them.
#[tokio::test]
async fn experiments_are_read_for_the_ad_units_that_are_meant() {
    let mut world = world(&[Network::AppLovin]).await;
    let said = world.ask("show my AppLovin experiments").await;
    assert!(said.reply.text.contains("Which ad unit do you mean"), "{}", said.reply.text);
    assert!(said.done.iter().all(|(name, ..)| !name.contains("experiment")), "{:#?}", said.done);
    world.history.clear();
    let said = world.ask("show the AppLovin experiments of rewarded on iOS").await;
    let calls = said.calls("applovin_get_experiment");
    assert!((1..=10).contains(&calls), "{calls}: {}", said.reply.text);
    assert!(!said.reply.text.contains("couldn't read"), "{}", said.reply.text);
}

/// A request to forget a finished operation deletes nothing else.
#[tokio::test]
async fn a_finished_operation_is_not_forgotten_by_another_change() {
    let mut world = world(&Network::ALL).await;
    let said = world.ask("forget the finished GAM operation 99101").await;
    assert!(said.unused.is_empty(), "{} {:#?}", said.reply.text, said.done);
    for network in Network::ALL {
        assert!(world.writes(network).await.is_empty(), "{network:?}: {}", said.reply.text);
    }
}

#[tokio::test]
async fn what_is_good_elsewhere_and_what_comes_is_not_made_up() {
    let mut world = world(&Network::ALL).await;
    for (question, answer) in [
        ("what is a good eCPM for rewarded?", "I have no benchmarks"),
        ("how does our eCPM compare to the industry average", "I have no benchmarks"),
        ("will we hit 130k this month", "I can't forecast yet"),
        ("are we on track for 130k", "I can't forecast yet"),
        ("is revenue on pace for November", "I can't forecast yet"),
    ] {
        world.history.clear();
        let said = world.ask(question).await;
        assert!(said.reply.text.contains(answer), "{question}: {}", said.reply.text);
        assert!(said.done.is_empty(), "{question}: {:#?}", said.done);
    }
}
