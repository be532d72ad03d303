//! Tests several accounts of one network: numbers add up and name their accounts, an ID or a name picks the account, and for a change we
//! ask.

use adagent_contract::{Artifact, CONNECTION, Value};
use adagent_domain::{Currency, Money, Network};
use serde_json::{Value as Json, json};

use crate::world::{Said, WEEK, World, world_of};

async fn two() -> World {
    let parts = [(Network::AppLovin, "Games EU", "acme"), (Network::AppLovin, "Words", "lexicon")];
    world_of(&[Network::AppLovin, Network::Unity], &parts).await
}

fn dollars(micros: i64) -> String {
    Money::new(Currency::USD, micros).display(2)
}

/// Returns the first cell and the amount of each row in the table by account.
fn by_account(said: &Said) -> Vec<(String, i64)> {
    let table = said.reply.artifacts.iter().find_map(|artifact| match artifact {
        Artifact::Table { table, .. } if table.columns[0].key == "account" => Some(table),
        _ => None,
    });
    let table = table.unwrap_or_else(|| panic!("no table: {} {:#?}", said.reply.text, said.reply.artifacts));
    let name = |value: &Value| if let Value::Entity { name, .. } = value { name.clone() } else { value.raw() };
    let money = |row: &[Value]| {
        row.iter().find_map(|cell| if let Value::Money { money } = cell { Some(money.micros) } else { None })
    };
    let mut rows: Vec<_> = table.rows.iter().map(|row| (name(&row[0]), money(row).unwrap_or_default())).collect();
    rows.sort();
    rows
}

/// Returns the connections that the calls of an operation used.
fn through(said: &Said, tool: &str) -> Vec<String> {
    let calls = said.done.iter().filter(|(name, ..)| name == tool);
    calls.map(|(_, args, _)| args[CONNECTION].as_str().unwrap_or("unsaid").to_owned()).collect()
}

/// Returns what the apps of one account earned, according to the sandbox.
async fn earned(world: &World, label: &str) -> i64 {
    let mut packages: Vec<String> = world
        .units(Network::AppLovin)
        .await
        .into_iter()
        .filter(|unit| unit.connection.as_deref() == Some(label))
        .filter_map(|unit| unit.raw["package_name"].as_str().map(str::to_owned))
        .collect();
    packages.sort();
    packages.dedup();
    let truth = world.truth(&format!("network=applovin&metric=revenue&by=app&{WEEK}")).await;
    let own = |item: &&Json| packages.iter().any(|package| item["key"] == *package);
    truth["items"].as_array().expect("items").iter().filter(own).filter_map(|item| item["micros"].as_i64()).sum()
}

#[tokio::test]
async fn a_figure_is_the_sum_of_the_accounts_and_names_them() {
    let mut world = two().await;
    let (games, words) = (earned(&world, "Games EU").await, earned(&world, "Words").await);
    assert!(games > 0 && words > 0);
    let said = world.ask("AppLovin revenue last 7 days").await;
    assert!(said.reply.text.contains(&format!("**{}**", dollars(games + words))), "{}", said.reply.text);
    let expected = [("AppLovin · Games EU".to_owned(), games), ("AppLovin · Words".to_owned(), words)];
    assert_eq!(by_account(&said), expected);
    // One step for each account.
    let calls: Vec<&str> = said.done.iter().map(|(name, ..)| name.as_str()).collect();
    let report = *calls.iter().find(|name| name.contains("report")).expect("a report");
    let mut asked = through(&said, report);
    asked.sort();
    asked.dedup();
    assert_eq!(asked, ["Games EU", "Words"]);
    // Also together with another network.
    let all = world.ask("Total revenue last 7 days by network").await;
    assert!(all.done.iter().any(|(name, ..)| name.starts_with("unity_")), "{:?}", all.done);
}

#[tokio::test]
async fn a_name_decides_and_a_follow_up_stays_with_it() {
    let mut world = two().await;
    let words = earned(&world, "Words").await;
    for question in ["AppLovin revenue in Words last 7 days", "revenue of the Words account, last 7 days"] {
        let said = world.ask(question).await;
        assert!(said.reply.text.contains(&format!("**{}**", dollars(words))), "{question}: {}", said.reply.text);
        assert!(said.done.iter().all(|(_, args, _)| args[CONNECTION] == "Words"), "{question}: {:?}", said.done);
    }
    let said = world.ask("and by country?").await;
    assert!(!said.done.is_empty());
    assert!(said.done.iter().all(|(_, args, _)| args[CONNECTION] == "Words"), "{:?}", said.done);
}

#[tokio::test]
async fn one_account_that_does_not_answer_is_named_and_the_other_counts() {
    let mut world = two().await;
    let report = {
        let said = world.ask("AppLovin revenue last 7 days").await;
        said.done.iter().find(|(name, ..)| name.contains("report")).expect("a report").0.clone()
    };
    let (games, words) = (earned(&world, "Games EU").await, earned(&world, "Words").await);
    world.fault(json!({"network": "applovin", "operation": report, "kind": "status", "status": 403})).await;
    let said = world.ask("AppLovin revenue in the last 14 days").await;
    assert!(said.reply.text.contains("couldn't read"), "{}", said.reply.text);
    let silent: Vec<&str> = ["Games EU", "Words"]
        .into_iter()
        .filter(|label| said.reply.text.contains(&format!("**AppLovin · {label} isn't included**")))
        .collect();
    assert_eq!(silent.len(), 1, "{}", said.reply.text);
    assert!(!said.reply.text.contains(&dollars(games + words)), "half is not shown as the whole");
}

#[tokio::test]
async fn where_no_account_may_be_read_the_connection_is_to_be_checked() {
    let mut world = two().await;
    let report = {
        let said = world.ask("AppLovin revenue last 7 days").await;
        said.done.iter().find(|(name, ..)| name.contains("report")).expect("a report").0.clone()
    };
    let fault = json!({"network": "applovin", "operation": report, "kind": "status", "status": 403, "times": 20});
    world.fault(fault).await;
    let said = world.ask("AppLovin revenue in the last 14 days").await.reply.text;
    assert!(said.contains("I have no numbers to show. Check the connection in Settings › Networks."), "{said}");
    // Trying again would not help against a missing permission.
    assert!(!said.contains("again in a moment"), "{said}");
}

#[tokio::test]
async fn lists_name_the_account_of_each_thing() {
    let mut world = two().await;
    let said = world.ask("List my AppLovin ad units").await;
    let mut asked = through(&said, "applovin_list_ad_units");
    asked.sort();
    assert_eq!(asked, ["Games EU", "Words"]);
    let table = said.reply.artifacts.iter().find_map(|artifact| match artifact {
        Artifact::Table { table, .. } => Some(table),
        _ => None,
    });
    let table = table.expect("a table");
    let at = table.columns.iter().position(|column| column.key == "connection").expect("a column");
    let owners = world.units(Network::AppLovin).await;
    for row in &table.rows {
        let Value::Entity { id, .. } = &row[0] else { panic!("{row:?}") };
        let unit = owners.iter().find(|unit| unit.id == *id).expect("known");
        assert_eq!(Some(row[at].raw()), unit.connection);
    }
}

#[tokio::test]
async fn a_change_goes_where_its_thing_is_and_is_asked_about_else() {
    let mut world = two().await;
    let units = world.units(Network::AppLovin).await;
    let one = units.iter().find(|unit| unit.connection.as_deref() == Some("Words")).expect("some").clone();
    let said = world.ask(&format!("pause the AppLovin ad unit {}", one.id)).await;
    assert_eq!(through(&said, "applovin_update_ad_unit"), ["Words"], "{} {:#?}", said.reply.text, said.done);
    assert_eq!(world.writes(Network::AppLovin).await.len(), 1);
    let create =
        "create a banner ad unit called \"Fresh\" on Android in AppLovin with the package name com.example.fresh";
    let said = world.ask(create).await;
    assert!(said.reply.text.contains("**Games EU** or **Words**"), "{}", said.reply.text);
    assert!(said.reply.text.ends_with("Nothing has been changed."), "{}", said.reply.text);
    assert_eq!(said.reply.follow_ups[..2], ["In Games EU", "In Words"]);
    assert_eq!(world.writes(Network::AppLovin).await.len(), 1);
    let said = world.ask("In Words").await;
    assert_eq!(through(&said, "applovin_create_ad_unit"), ["Words"], "{} {:#?}", said.reply.text, said.done);
    assert_eq!(world.writes(Network::AppLovin).await.len(), 2);
    let made = world.units(Network::AppLovin).await;
    let made = made.iter().find(|unit| unit.name == "Fresh").expect("is there");
    assert_eq!(made.connection.as_deref(), Some("Words"));
}

#[tokio::test]
async fn a_name_that_is_equal_to_an_id_decides_nothing() {
    let mut world = two().await;
    let units = world.units(Network::AppLovin).await;
    let id = &units.iter().find(|unit| unit.connection.as_deref() == Some("Words")).expect("some").id;
    let create = format!(
        "create a banner ad unit called \"{id}\" on Android in AppLovin with the package name com.example.fresh"
    );
    let said = world.ask(&create).await;
    assert!(said.reply.text.contains("**Games EU** or **Words**"), "{} {:#?}", said.reply.text, said.done);
    assert!(world.writes(Network::AppLovin).await.is_empty());
}

#[tokio::test]
async fn what_is_named_by_id_is_found_outside_a_soft_selection() {
    let mut world = two().await;
    world.select("Games EU").await;
    let games = earned(&world, "Games EU").await;
    let said = world.ask("AppLovin revenue last 7 days").await;
    assert!(said.reply.text.contains(&format!("**{}**", dollars(games))), "{}", said.reply.text);
    let units = world.units(Network::AppLovin).await;
    let one = units.iter().find(|unit| unit.connection.as_deref() == Some("Words")).expect("some").clone();
    let said = world.ask(&format!("pause the AppLovin ad unit {}", one.id)).await;
    assert_eq!(through(&said, "applovin_update_ad_unit"), ["Words"], "{} {:#?}", said.reply.text, said.done);
    assert_eq!(world.writes(Network::AppLovin).await.len(), 1);
}

#[tokio::test]
async fn an_account_that_is_switched_off_is_not_replaced_by_another() {
    let mut world = two().await;
    let words = earned(&world, "Words").await;
    world.switch_off("Games EU");
    // A person who names the connection learns that it is off, and sees no number of the other one.
    let said = world.ask("AppLovin revenue in Games EU last 7 days").await;
    assert!(said.done.iter().all(|(_, args, _)| args[CONNECTION] == "Games EU"), "{:#?}", said.done);
    assert!(said.done.iter().all(|(_, _, outcome)| outcome.is_err()), "{:#?}", said.done);
    assert!(said.reply.text.contains("turned off"), "{}", said.reply.text);
    assert!(!said.reply.text.contains(&dollars(words)), "{}", said.reply.text);
    let create = "create a banner ad unit called \"Fresh\" on Android in AppLovin with the package name com.example.fresh in the Games EU account";
    let said = world.ask(create).await;
    assert!(through(&said, "applovin_create_ad_unit").iter().all(|label| label == "Games EU"), "{:#?}", said.done);
    assert!(world.writes(Network::AppLovin).await.is_empty(), "{} {:#?}", said.reply.text, said.done);
    // If the question names no connection, the one that is still on answers.
    world.history.clear();
    let said = world.ask("AppLovin revenue last 7 days").await;
    assert!(said.reply.text.contains(&format!("**{}**", dollars(words))), "{}", said.reply.text);
}
