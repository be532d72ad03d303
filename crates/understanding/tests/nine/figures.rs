//! Figures of answers against the sandbox's own.

use adagent_contract::{Artifact, Value};
use adagent_domain::{Currency, Money, Network};
use serde_json::json;

use crate::world::{Said, WEEK, world};

fn dollars(micros: i64) -> String {
    Money::new(Currency::USD, micros).display(2)
}

/// Rows of the first table: first cell and first amount.
fn rows(said: &Said) -> Vec<(String, i64)> {
    let table = said.reply.artifacts.iter().find_map(|artifact| match artifact {
        Artifact::Table { table, .. } => Some(table),
        _ => None,
    });
    let money = |row: &Vec<Value>| {
        row.iter().find_map(|cell| match cell {
            Value::Money { money } => Some(money.micros),
            _ => None,
        })
    };
    let table = table.unwrap_or_else(|| panic!("no table: {}", said.reply.text));
    table.rows.iter().map(|row| (row[0].raw(), money(row).unwrap_or_default())).collect()
}

async fn alone(network: Network) {
    let mut world = world(&[network]).await;
    let said = world.ask(&format!("{} revenue last 7 days", network.display_name())).await;
    let truth = world.earned(network, WEEK).await;
    assert!(
        said.reply.text.contains(&format!("**{}**", dollars(truth))),
        "{truth}: {} {:#?}",
        said.reply.text,
        said.done
    );
    let said = world.ask("and by country?").await;
    let by: i64 = rows(&said).iter().map(|(_, micros)| micros).sum();
    assert_eq!(by, truth, "{}", said.reply.text);
}

#[tokio::test]
async fn applovin() {
    alone(Network::AppLovin).await;
}

#[tokio::test]
async fn unity() {
    alone(Network::Unity).await;
}

#[tokio::test]
async fn mintegral() {
    alone(Network::Mintegral).await;
}

#[tokio::test]
async fn liftoff() {
    alone(Network::Liftoff).await;
}

#[tokio::test]
async fn inmobi() {
    alone(Network::InMobi).await;
}

#[tokio::test]
async fn pangle() {
    alone(Network::Pangle).await;
}

#[tokio::test]
async fn dt_exchange() {
    alone(Network::DtExchange).await;
}

#[tokio::test]
async fn ad_manager_saves_a_report_when_that_was_approved_and_reads_it() {
    let mut world = world(&[Network::AdManager]).await;
    let said = world.ask("Ad Manager revenue last 7 days").await;
    assert_eq!(said.calls("admanager_create_report"), 1, "{:#?}", said.done);
    let truth = world.earned(Network::AdManager, WEEK).await;
    assert!(
        said.reply.text.contains(&format!("**{}**", dollars(truth))),
        "{truth}: {} {:#?}",
        said.reply.text,
        said.done
    );
    assert_eq!(world.writes(Network::AdManager).await.len(), 1);
}

#[tokio::test]
async fn the_total_by_network_is_each_networks_own_once() {
    let several = Network::ALL;
    let mut world = world(&several).await;
    let said = world.ask("total revenue last 7 days by network").await;
    let found: std::collections::BTreeMap<String, i64> = rows(&said).into_iter().collect();
    for network in several.into_iter().filter(|network| *network != Network::AdMob) {
        let truth = world.earned(network, WEEK).await;
        assert_eq!(found.get(network.display_name()).copied(), Some(truth), "{network}: {found:?} {}", said.reply.text);
    }
    let total: i64 = found.values().sum();
    assert!(said.reply.text.contains(&dollars(total)), "{} {found:?}", said.reply.text);
    // Mediated through AdMob and connected nowhere here.
    assert!(found.keys().any(|name| name.starts_with("Meta Audience Network")), "{found:?}");
}

#[tokio::test]
async fn the_best_payer_for_rewarded_in_the_us_is_the_truths() {
    let three = [Network::AppLovin, Network::Unity, Network::Mintegral];
    let mut world = world(&three).await;
    let said = world.ask("which network pays best for rewarded video in the US last 7 days?").await;
    let mut best = (0.0, "");
    for network in three {
        let truth = world
            .truth(&format!(
                "network={network}&metric=ecpm&{WEEK}&country=US&format=rewarded,rewarded_video,REWARD,rewardedVideo"
            ))
            .await;
        let ecpm = truth["micros"].as_f64().unwrap_or_default();
        if ecpm > best.0 {
            best = (ecpm, network.display_name());
        }
    }
    assert!(best.0 > 0.0, "no truth");
    let first = rows(&said).first().map(|(name, _)| name.clone());
    assert_eq!(first.as_deref(), Some(best.1), "{}", said.reply.text);
}

#[tokio::test]
async fn a_network_that_fails_is_named_and_left_out() {
    let two = [Network::Liftoff, Network::Mintegral];
    let mut world = world(&two).await;
    let truth = world.earned(Network::Liftoff, "from=2026-11-20&to=2026-11-20").await;
    world.fault(json!({"network": "mintegral", "operation": "mintegral_get_report", "kind": "status", "status": 500, "times": 50})).await;
    let said = world.ask("how much did we make yesterday?").await;
    assert!(said.reply.text.contains(&dollars(truth)), "{}", said.reply.text);
    assert!(said.reply.text.contains("**Mintegral did not answer**"), "{}", said.reply.text);
}

#[tokio::test]
async fn why_a_total_moved_is_answered_over_all_networks() {
    let mut world = world(&Network::ALL).await;
    let said = world.ask("why did revenue drop last week across all networks?").await;
    assert!(said.reply.text.contains("9 to 15 Nov 2026"), "{}", said.reply.text);
    assert!(!said.reply.artifacts.is_empty());
}
