//! Tests floors and waterfalls in lists: the answer shows them for the named things, if their network has them.

use adagent_contract::{Artifact, TableArtifact, Value};
use adagent_domain::Network;

use crate::world::{Said, world};

fn first(said: &Said) -> &TableArtifact {
    let table = said.reply.artifacts.iter().find_map(|artifact| match artifact {
        Artifact::Table { table, .. } => Some(table),
        _ => None,
    });
    table.unwrap_or_else(|| panic!("no table: {}", said.reply.text))
}

/// Returns the cells of a column as text.
fn cells(table: &TableArtifact, label: &str) -> Vec<String> {
    let at = table.columns.iter().position(|column| column.label == label);
    let at = at.unwrap_or_else(|| panic!("no {label}: {:?}", table.columns));
    let text = |row: &Vec<Value>| match &row[at] {
        Value::Text { value } => value.clone(),
        Value::Entity { name, .. } => name.clone(),
        Value::Money { money } => money.display(2),
        _ => String::new(),
    };
    table.rows.iter().map(text).collect()
}

#[tokio::test]
async fn ad_units_of_an_app_are_listed_with_their_floors_over_all_networks() {
    let mut desk = world(&Network::ALL).await;
    let said = desk.ask("List every ad unit in Puzzle Game with its floor price, across all networks.").await;
    let table = first(&said);
    let (networks, floors) = (cells(table, "Network"), cells(table, "Floor"));
    for ((place, name), network) in cells(table, "In").iter().zip(&cells(table, "Name")).zip(&networks) {
        // An ad unit of Mintegral is in a placement of the app.
        let inside =
            place == "Puzzle Game" || network == "Mintegral" || place.is_empty() && name.contains("Puzzle Game");
        assert!(inside, "{name} in {place}");
    }
    for network in ["AppLovin", "InMobi", "Liftoff", "Mintegral", "DT Exchange"] {
        let priced = networks.iter().zip(&floors).any(|(own, floor)| own == network && floor.contains('$'));
        assert!(priced, "{network}: {networks:?} {floors:?}");
    }
    assert!(networks.iter().any(|own| own == "Pangle"), "{networks:?}");
    assert!(said.reply.text.contains("list no floor of these"), "{}", said.reply.text);
}

#[tokio::test]
async fn a_list_is_of_what_it_names_first_and_a_part_says_what_it_lies_in() {
    let mut desk = world(&Network::ALL).await;
    let said = desk.ask("List the InMobi ad units with their apps and floor prices.").await;
    assert!(said.reply.text.contains("ad units on InMobi"), "{}", said.reply.text);
    assert!(cells(first(&said), "Floor").iter().all(|floor| floor.starts_with('$')), "{:?}", first(&said).rows);
    let unit = desk.units(Network::InMobi).await.into_iter().find(|unit| unit.name == "Extra Life Rewarded").unwrap();
    let app = desk.apps(Network::InMobi).await.into_iter().find(|app| Some(&app.id) == unit.parent.as_ref()).unwrap();
    let said = desk.ask(&format!("Which app is the InMobi ad unit {} in?", unit.id)).await;
    assert!(said.reply.text.contains(&format!("It's in the app **{}**", app.name)), "{}", said.reply.text);
}

#[tokio::test]
async fn waterfalls_and_floors_of_max_are_listed_as_its_change_card_knows_them() {
    let mut desk = world(&Network::ALL).await;
    let units = desk.units(Network::AppLovin).await.len();
    for wish in [
        "List the AppLovin waterfalls and their CPM floors.",
        "Show me the AppLovin MAX waterfall lines ranked by eCPM floor",
    ] {
        // A new world, because the network limits requests per minute.
        desk = world(&[Network::AppLovin]).await;
        let said = desk.ask(wish).await;
        assert!(
            said.reply.text.starts_with(&format!("The default waterfalls of {units} AppLovin ad units")),
            "{wish}: {}",
            said.reply.text
        );
        assert!(cells(first(&said), "CPM").iter().any(|cpm| cpm.starts_with('$')), "{wish}");
    }
    let mut desk = world(&[Network::AppLovin]).await;
    let said = desk.ask("show the floors of my AppLovin ad units").await;
    assert!(cells(first(&said), "Floor").iter().any(|floor| floor.contains('$')), "{}", said.reply.text);
    // The waterfall of one ad unit is shown alone.
    let said = desk.ask("The waterfall of Puzzle Game Android Level Complete Interstitial").await;
    assert!(said.reply.text.starts_with("The default waterfall of **Puzzle Game Android Level"), "{}", said.reply.text);
}

/// A name that says one platform must not be taken for a typo of the other platform's name.
#[tokio::test(flavor = "multi_thread")]
async fn figures_of_an_ad_unit_that_is_not_there_are_not_those_of_another() {
    let mut desk = world(&[Network::AppLovin]).await;
    let said = desk.ask("revenue of Tower Blast iOS Level Complete Interstitial in applovin last week").await;
    assert!(!said.reply.text.contains('$'), "{}", said.reply.text);
}

#[tokio::test]
async fn a_limit_on_floors_narrows_a_list() {
    let mut desk = world(&[Network::Mintegral]).await;
    let all = cells(first(&desk.ask("list my Mintegral ad units with their floors").await), "Floor");
    let priced = all.iter().filter(|floor| !floor.is_empty()).count();
    assert!(priced > 0 && priced < all.len(), "{all:?}");
    for text in [
        "list Mintegral ad units with a floor above 1",
        "which Mintegral ad units have a floor over $6?",
        "Zeige die Mintegral Ad Units mit Floor über 5",
        "Mintegral ad units with floor price below 2",
    ] {
        desk.history.clear();
        let said = desk.ask(text).await;
        assert_eq!(cells(first(&said), "Floor").len(), priced, "{text}: {}", said.reply.text);
        assert!(said.reply.text.contains("in any country"), "{text}: {}", said.reply.text);
    }
    for text in ["list Mintegral ad units with a floor above 7", "Mintegral ad units with a floor under $1"] {
        desk.history.clear();
        let said = desk.ask(text).await;
        assert!(said.reply.text.starts_with("There are no ad units on Mintegral (floor "), "{}", said.reply.text);
    }
}
