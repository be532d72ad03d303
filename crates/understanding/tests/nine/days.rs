//! Tests days that are over for the workspace but still in progress where a network counts them.

use adagent_domain::Network;
use adagent_llm::NetworkDay;

use crate::world::{World, world};

/// Builds a workspace in Berlin just after midnight: today is Nov 21 there, and still Nov 20 for networks that count in UTC.
async fn after_midnight(connected: &[Network]) -> World {
    let mut world = world(connected).await;
    let day = || NetworkDay { date: "2026-11-20".into(), zone: "Etc/UTC".into() };
    let in_utc = connected.iter().filter(|network| !network.uses_oauth());
    world.days = in_utc.map(|network| (*network, day())).collect();
    world
}

const PARTIAL: &str = "Nov 20 is still in progress in UTC, so its numbers are partial.";

#[tokio::test]
async fn a_day_that_still_runs_in_utc_is_partial() {
    let mut world = after_midnight(&Network::ALL).await;
    for text in [
        "LevelPlay revenue yesterday",
        "what did pangle earn yesterday?",
        "Umsatz gestern bei LevelPlay",
        "ingresos de ayer en Mintegral",
        "revenue last 7 days",
        "Liftoff revenue last 7 days by day",
        "revenue by network yesterday",
    ] {
        world.history.clear();
        let said = world.ask(text).await;
        assert!(said.reply.text.contains(PARTIAL), "{text}: {}", said.reply.text);
    }
    // AdMob counts in the time zone of its account, where the day is over.
    world.history.clear();
    let said = world.ask("AdMob revenue yesterday").await;
    assert!(!said.reply.text.contains("in progress"), "{}", said.reply.text);
}

#[tokio::test]
async fn a_day_that_still_runs_in_utc_is_not_set_against_a_whole_one() {
    let mut world = after_midnight(&[Network::Unity, Network::Pangle]).await;
    for text in ["LevelPlay revenue yesterday vs the day before", "Umsatz gestern im Vergleich zu vorgestern"] {
        world.history.clear();
        let said = world.ask(text).await;
        let alone = "Nov 20 is still in progress in UTC, so I don't compare it with a whole day.";
        assert!(said.reply.text.contains(alone), "{text}: {}", said.reply.text);
        assert!(
            !said.reply.text.contains(" down ") && !said.reply.text.contains(" up "),
            "{text}: {}",
            said.reply.text
        );
    }
    world.history.clear();
    let said = world.ask("revenue last 7 days vs the 7 days before").await;
    assert!(said.reply.text.contains("so I compare Nov 14–19, 2026 with"), "{}", said.reply.text);
    world.history.clear();
    let said = world.ask("LevelPlay revenue today").await;
    assert!(said.reply.text.starts_with("Nov 21, 2026 hasn't begun yet in UTC"), "{}", said.reply.text);
}
