//! Tests that a total is the same however a person asks for it, and that it counts every impression once.

use adagent_contract::{Artifact, Value};
use adagent_domain::{Currency, Money, Network};

use crate::world::{Said, World, world};

const DAY: &str = "from=2026-11-20&to=2026-11-20";

/// Ad sources of AdMob whose own networks also keep books in the sandbox. Both count the same ads.
const BOOKED: [&str; 7] = ["AppLovin", "Unity Ads", "Mintegral", "Liftoff Monetize", "InMobi", "Pangle", "DT Exchange"];

fn dollars(micros: i64) -> String {
    Money::new(Currency::USD, micros).display(2)
}

/// Returns what all networks earned together. If a network keeps its own book, that counts; otherwise AdMob's book of the source does. The
/// networks in `left` do not count.
async fn truth(world: &World, days: &str, left: &[Network]) -> i64 {
    let mut sum = 0;
    for network in Network::ALL.into_iter().filter(|network| *network != Network::AdMob && !left.contains(network)) {
        sum += world.earned(network, days).await;
    }
    let sources = world.truth(&format!("network=admob&metric=revenue&by=ad_source&{days}")).await;
    let sources = sources["items"].as_array().expect("items").iter();
    let unbooked = sources.filter(|item| {
        let label = item["label"].as_str().expect("a label");
        !BOOKED.iter().any(|name| label.starts_with(name))
    });
    sum + unbooked.map(|item| item["micros"].as_i64().expect("micros")).sum::<i64>()
}

/// Returns the first tile, or else the sum of the rows of the first table.
fn total(said: &Said) -> i64 {
    let money = |cell: &Value| match cell {
        Value::Money { money } => Some(money.micros),
        _ => None,
    };
    let artifacts = said.reply.artifacts.iter();
    let found = artifacts.filter_map(|artifact| match artifact {
        Artifact::Kpi { tiles, .. } => money(&tiles.first()?.value),
        Artifact::Table { table, .. } => {
            Some(table.rows.iter().filter_map(|row| row.iter().find_map(money)).sum::<i64>())
        }
        _ => None,
    });
    found.into_iter().next().unwrap_or_else(|| panic!("no figure: {}", said.reply.text))
}

/// Returns the networks that the sentence of the total excludes.
fn left_out(said: &Said) -> Vec<Network> {
    let first = said.reply.text.split(". ").next().unwrap_or_default();
    let left = first.split_once("without ").map_or("", |(_, rest)| rest.split(')').next().unwrap_or_default());
    Network::ALL.into_iter().filter(|network| left.contains(network.display_name())).collect()
}

#[tokio::test]
async fn the_total_over_all_networks_is_the_true_sum() {
    let mut world = world(&Network::ALL).await;
    for (question, days) in [
        ("Total revenue yesterday", DAY),
        ("total revenue last 7 days", "from=2026-11-14&to=2026-11-20"),
        ("total revenue last 7 days by network", "from=2026-11-14&to=2026-11-20"),
        ("revenue by app last 7 days", "from=2026-11-14&to=2026-11-20"),
        ("revenue by country yesterday", DAY),
    ] {
        world.history.clear();
        let said = world.ask(question).await;
        let sum = truth(&world, days, &left_out(&said)).await;
        assert_eq!(total(&said), sum, "{question}: {} {:?}", said.reply.text, said.reply.method);
        assert!(said.reply.text.contains(&dollars(sum)), "{question}: {}", said.reply.text);
        assert!(
            said.reply.method.iter().any(|line| line.contains("the same money, so it counts once")),
            "{question}: {:?}",
            said.reply.method
        );
    }
}

#[tokio::test]
async fn the_same_question_by_another_breakdown_has_the_same_total() {
    let mut world = world(&Network::ALL).await;
    let first = world.ask("Total revenue yesterday").await;
    for question in ["And by network?", "and by app?", "and by country?", "and by format?", "by platform", "by network"]
    {
        let said = world.ask(question).await;
        let left = left_out(&said);
        let sum = truth(&world, DAY, &left).await;
        assert_eq!(total(&said), sum, "{question}, without {left:?}: {}", said.reply.text);
        assert!(!said.reply.text.contains("isn't comparable"), "{question}: {}", said.reply.text);
        if left == left_out(&first) {
            assert_eq!(total(&said), total(&first), "{question}: {}", said.reply.text);
        }
    }
}

/// Home compares and a chat does not, but both count every network that has numbers for the day.
#[tokio::test]
async fn a_network_without_a_baseline_counts_and_is_only_not_compared() {
    let mut world = world(&Network::ALL).await;
    // From here on, a saved report of Ad Manager has yesterday, but no day of the week before.
    world.ask("Ad Manager revenue by app last 7 days").await;
    for (plain, compared) in [
        ("Total revenue yesterday", "How did yesterday go compared to the same day last week?"),
        ("total revenue last 7 days by day", "Total revenue last 7 days by day compared to the previous 7 days"),
    ] {
        world.history.clear();
        let chat = world.ask(plain).await;
        assert!(left_out(&chat).is_empty(), "{}", chat.reply.text);
        world.history.clear();
        let home = world.ask(compared).await;
        assert_eq!(total(&home), total(&chat), "{compared}: {}", home.reply.text);
        let last = home.reply.text.split("\n\n").last().unwrap_or_default();
        assert!(
            last.starts_with("**Google Ad Manager is in the numbers but not in the comparison**: "),
            "{}",
            home.reply.text
        );
        assert!(home.reply.text.contains("Without Google Ad Manager: **"), "{}", home.reply.text);
        // The whole total has nothing to compare with. The part that has numbers on both sides is compared.
        let tiles: Vec<_> = home
            .reply
            .artifacts
            .iter()
            .filter_map(|artifact| match artifact {
                Artifact::Kpi { title, tiles, .. } => Some((title.as_str(), tiles.first()?.change.is_some())),
                _ => None,
            })
            .collect();
        assert_eq!(tiles, [("Revenue", false), ("Revenue, without Google Ad Manager", true)]);
    }
}
