//! Tests lines of waterfalls that a person names by their network, in the waterfall of another network.

use adagent_domain::Network;

use crate::world::{Said, world};

/// Returns the drafted change, if there is one.
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
        // Fyber also bids with the same placement, and a bidder has no price.
        assert_eq!(body.matches(&format!("\"cpm\":\"{cpm}\"")).count(), 1, "{text}: {body}");
    }
    desk.history.clear();
    let said = desk.ask("lower the Liftoff line in the LevelPlay waterfall of Puzzle Game to 0.7").await;
    assert!(said.reply.text.starts_with("Unity has no instance of Liftoff in **Puzzle Game**."), "{}", said.reply.text);
}

#[tokio::test]
async fn a_line_named_after_a_waterfall_is_one_of_that_waterfall() {
    let mut desk = world(&[Network::AdMob, Network::AppLovin, Network::Unity]).await;
    let unit = "Puzzle Game iOS Level Complete Interstitial";
    let id = desk.units(Network::AppLovin).await.into_iter().find(|own| own.name == unit).expect("there").id;
    let show = format!("show the MAX waterfall of {unit}");
    for (start, text, cpm) in [
        (Some(&show), "set Fyber there to 12,5", "12.50"),
        (None, "change the CPM of Chartboost to 4", "4.00"),
        (None, "und setze Meta dort auf 3,2", "3.20"),
        (None, "and Chartboost to 7.5", "7.50"),
        (Some(&show), "pon Chartboost ahí a 8,25", "8.25"),
    ] {
        if let Some(start) = start {
            desk.history.clear();
            desk.ask(start).await;
        }
        let said = desk.ask(text).await;
        let args = written(&said, "applovin_update_ad_unit").unwrap_or_else(|| panic!("{text}: {}", said.reply.text));
        let body = args["body"]["ad_network_settings"].to_string();
        assert_eq!(args["ad_unit_id"], id.as_str(), "{text}");
        assert_eq!(body.matches(&format!("\"cpm\":\"{cpm}\"")).count(), 1, "{text}: {body}");
    }
    for (text, cpm) in [
        (format!("change the CPM of Chartboost for {unit} in MAX to 6"), "6.00"),
        (format!("change the CPM of Chartboost for {unit} to 5.5"), "5.50"),
        (format!("Ändere den CPM von Chartboost für {unit} auf 6,5"), "6.50"),
    ] {
        desk.history.clear();
        let said = desk.ask(&text).await;
        let args = written(&said, "applovin_update_ad_unit").unwrap_or_else(|| panic!("{text}: {}", said.reply.text));
        let body = args["body"]["ad_network_settings"].to_string();
        assert_eq!(body.matches(&format!("\"cpm\":\"{cpm}\"")).count(), 1, "{text}: {body}");
    }
}

#[tokio::test]
async fn a_price_of_one_order_is_no_part_of_the_next() {
    let mut desk = world(&[Network::AppLovin, Network::Liftoff]).await;
    let other = "Puzzle Game iOS Main Menu Banner";
    let id = desk.units(Network::AppLovin).await.into_iter().find(|own| own.name == other).expect("there").id;
    for text in [format!("and pause {other}"), format!("now pause {other} please"), format!("pausiere {other}")] {
        desk.history.clear();
        let said = desk.ask("set the floor of Puzzle Game iOS Level Complete Interstitial in MAX to $0.75").await;
        assert!(said.reply.text.contains("For which countries should it be $0.75?"), "{}", said.reply.text);
        let said = desk.ask(&text).await;
        let args = written(&said, "applovin_update_ad_unit").unwrap_or_else(|| panic!("{text}: {}", said.reply.text));
        assert_eq!((&args["ad_unit_id"], &args["body"]["disabled"]), (&id.as_str().into(), &true.into()), "{text}");
        assert!(args["body"].get("bid_floors").is_none(), "{text}: {args}");
        desk.history.clear();
        desk.ask(&format!("resume {other} in MAX")).await;
    }
}

#[tokio::test]
async fn a_price_that_changes_by_so_much_follows_from_the_one_there() {
    let mut desk = world(&[Network::AppLovin, Network::InMobi, Network::Liftoff]).await;
    for (text, tool, at, value) in [
        (
            "raise the floor of Extra Life Rewarded of Puzzle Game Android on Liftoff by 10%",
            "liftoff_update_placement",
            "/body/cpmFloor",
            serde_json::json!({"default": 0.55, "geo": {"US": 4.4}}),
        ),
        (
            "erhöhe den Floor von Extra Life Rewarded von Puzzle Game Android auf InMobi um 10%",
            "inmobi_update_placement",
            "/body/cpmFloor",
            serde_json::json!(0.44),
        ),
        (
            "sube el floor de Extra Life Rewarded de Puzzle Game Android en InMobi un 50%",
            "inmobi_update_placement",
            "/body/cpmFloor",
            serde_json::json!(0.66),
        ),
        (
            "lower the floor of Puzzle Game iOS Level Complete Interstitial in MAX by $0.50",
            "applovin_update_ad_unit",
            "/body/bid_floors/0/cpm",
            serde_json::json!("1.00"),
        ),
    ] {
        desk.history.clear();
        let said = desk.ask(text).await;
        let args = written(&said, tool).unwrap_or_else(|| panic!("{text}: {}", said.reply.text));
        assert_eq!(args.pointer(at), Some(&value), "{text}: {args}");
        assert!(said.unused.iter().all(Vec::is_empty), "{text}: {:?}", said.unused);
    }
    // A line of a waterfall changes from its own price.
    let unit = "Puzzle Game iOS Level Complete Interstitial";
    desk.history.clear();
    desk.ask(&format!("set Fyber to 2 in the MAX waterfall of {unit}")).await;
    desk.history.clear();
    let said = desk.ask(&format!("raise the Fyber line in the MAX waterfall of {unit} by 10%")).await;
    let args = written(&said, "applovin_update_ad_unit").unwrap_or_else(|| panic!("{}", said.reply.text));
    let body = args["body"]["ad_network_settings"].to_string();
    assert_eq!(body.matches("\"cpm\":\"2.20\"").count(), 1, "{body}");
    // If several match, the person must name one.
    desk.history.clear();
    let said = desk.ask("raise the floors of Puzzle Game on InMobi by 10%").await;
    assert!(said.reply.text.contains("Which one do you mean?"), "{}", said.reply.text);
}
