//! Lines of waterfalls: called by the network whose line it is, in the waterfall of something else.

use adagent_domain::Network;

use crate::world::{Said, world};

/// The change that was drafted, if one was.
fn written<'s>(said: &'s Said, tool: &str) -> Option<&'s serde_json::Value> {
    said.done.iter().find(|(name, ..)| name == tool).map(|(_, args, _)| args)
}

#[tokio::test]
async fn a_line_called_by_a_network_is_no_thing_of_that_network() {
    let mut desk = world(&Network::ALL).await;
    for text in [
        "set the floor of the Fyber line in the waterfall of Puzzle Game to 0.7",
        "floor of Fyber in the waterfall of Level Complete Interstitial to 0,7",
        "lower the DT Exchange line in the waterfall of Puzzle Game Android interstitial to $0.70",
        "setze den Floor von Fyber im Waterfall von Puzzle Game auf 0,7",
        "pon el floor de Fyber en el waterfall de Puzzle Game a 0,7",
    ] {
        desk.history.clear();
        let said = desk.ask(text).await;
        let asked = "Which network: AdMob, AppLovin, DT Exchange or Unity? Nothing has been changed.";
        assert_eq!(said.reply.text, asked, "{text}");
        assert!(said.done.iter().all(|(name, ..)| !name.contains("update")), "{text}: {:?}", said.done);
    }
}

#[tokio::test]
async fn a_line_of_the_waterfall_that_was_named_changes_there() {
    let mut desk = world(&Network::ALL).await;
    let unit = "Puzzle Game iOS Level Complete Interstitial";
    let unit = desk.units(Network::AppLovin).await.into_iter().find(|own| own.name == unit).expect("there");
    for (text, cpm) in [
        ("set Fyber to 0.7 in the MAX waterfall of Puzzle Game iOS interstitial", "0.70"),
        ("change the CPM of DT Exchange to $0.90 in the MAX waterfall of Puzzle Game iOS interstitial", "0.90"),
        ("setze den Preis von Fyber im MAX Waterfall von Puzzle Game iOS Level Complete Interstitial auf 1,25", "1.25"),
    ] {
        desk.history.clear();
        let said = desk.ask(text).await;
        let args = written(&said, "applovin_update_ad_unit").unwrap_or_else(|| panic!("{text}: {}", said.reply.text));
        assert_eq!(args["ad_unit_id"], unit.id.as_str(), "{text}");
        let body = args["body"]["ad_network_settings"].to_string();
        // Fyber bids with the same placement, and a bidder keeps no price.
        assert_eq!(body.matches(&format!("\"cpm\":\"{cpm}\"")).count(), 1, "{text}: {body}");
    }
    desk.history.clear();
    let said = desk.ask("lower the Liftoff line in the LevelPlay waterfall of Puzzle Game to 0.7").await;
    assert!(said.reply.text.starts_with("Unity has no instance of Liftoff in **Puzzle Game**."), "{}", said.reply.text);
}
