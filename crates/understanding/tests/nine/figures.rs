//! Compares the numbers in answers with the sandbox's own.

use adagent_contract::{Artifact, Value};
use adagent_domain::{Currency, Money, Network};
use serde_json::{Value as Json, json};

use crate::world::{Said, WEEK, world};

fn dollars(micros: i64) -> String {
    Money::new(Currency::USD, micros).display(2)
}

/// Returns the first cell and the first amount of each row in the first table.
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
    let said = world.ask("Ad Manager revenue by app last 7 days").await;
    assert_eq!(said.calls("admanager_create_report"), 1, "{:#?}", said.done);
    let truth = world.earned(Network::AdManager, WEEK).await;
    assert!(
        said.reply.text.contains(&format!("**{}**", dollars(truth))),
        "{truth}: {} {:#?}",
        said.reply.text,
        said.done
    );
    assert_eq!(world.writes(Network::AdManager).await.len(), 1);
    // The platform tells two apps of the same name apart, in the table and in the sentence.
    let mut names: Vec<String> = named(&said);
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "{names:?}");
    assert!(names.contains(&"Puzzle Game (Android)".to_owned()), "{names:?}");
    assert!(!said.reply.text.contains("**Puzzle Game** $"), "{}", said.reply.text);
}

/// Returns the names in the first column of the first table.
fn named(said: &Said) -> Vec<String> {
    let table = said.reply.artifacts.iter().find_map(|artifact| match artifact {
        Artifact::Table { table, .. } => Some(table),
        _ => None,
    });
    let table = table.unwrap_or_else(|| panic!("no table: {}", said.reply.text));
    let name = |row: &Vec<Value>| if let Value::Entity { name, .. } = &row[0] { name.clone() } else { row[0].raw() };
    table.rows.iter().map(name).collect()
}

/// The answer for Ad Manager alone uses a saved report too, as the answer for all networks does.
#[tokio::test]
async fn ad_manager_alone_is_answered_by_a_report_that_is_saved_already() {
    let mut world = world(&[Network::AdManager]).await;
    let truth = world.earned(Network::AdManager, WEEK).await;
    for question in
        ["Ad Manager revenue last 7 days", "Google Ad Manager revenue yesterday", "GAM revenue last 7 days by day"]
    {
        world.history.clear();
        let said = world.ask(question).await;
        assert_eq!(said.calls("admanager_create_report"), 0, "{question}: {:#?}", said.done);
        assert!(said.reply.text.contains("**$"), "{question}: {}", said.reply.text);
        if question.contains("7 days") {
            assert!(said.reply.text.contains(&dollars(truth)), "{question}: {}", said.reply.text);
        }
    }
    assert!(world.writes(Network::AdManager).await.is_empty());
}

#[tokio::test]
async fn the_total_by_network_is_each_networks_own_once() {
    let several = Network::ALL;
    let mut world = world(&several).await;
    let said = world.ask("total revenue last 7 days by network").await;
    let found: std::collections::BTreeMap<String, i64> = rows(&said).into_iter().collect();
    for network in several.into_iter().filter(|network| *network != Network::AdMob) {
        let truth = world.earned(network, WEEK).await;
        let row = match network {
            Network::Unity => "Unity LevelPlay",
            Network::DtExchange => "DT FairBid",
            other => other.display_name(),
        };
        assert_eq!(found.get(row).copied(), Some(truth), "{network}: {found:?} {}", said.reply.text);
    }
    // LevelPlay shows only Unity's own ads here. AdMob mediated them, so they are one amount. LevelPlay shows nothing of ironSource.
    assert!(found.contains_key("AdMob Network") && !found.contains_key("Unity Ads via AdMob mediation"), "{found:?}");
    assert!(found.contains_key("ironSource Ads via AdMob mediation"), "{found:?}");
    let total: i64 = found.values().sum();
    assert!(said.reply.text.contains(&dollars(total)), "{} {found:?}", said.reply.text);
    // Sources that AdMob mediates and that are not connected here.
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
    assert!(said.reply.text.contains("**Mintegral isn't included**"), "{}", said.reply.text);
}

#[tokio::test]
async fn why_a_total_moved_is_answered_over_all_networks() {
    let mut world = world(&Network::ALL).await;
    let said = world.ask("why did revenue drop last week across all networks?").await;
    assert!(said.reply.text.contains("Nov 9–15, 2026"), "{}", said.reply.text);
    assert!(!said.reply.artifacts.is_empty());
    let checked =
        said.reply.text.starts_with("**It didn't drop:** Your 9 networks") || said.reply.text.contains("down");
    assert!(checked, "{}", said.reply.text);
    assert_eq!(said.reply.text.matches("Nov 9–15, 2026").count(), 1, "{}", said.reply.text);
}

#[tokio::test]
async fn yesterdays_revenue_with_ad_manager_holds_both_networks() {
    let mut world = world(&[Network::AdMob, Network::AdManager]).await;
    // The first question saves a report over both days. Later questions use it for yesterday and the day before.
    world.ask("Ad Manager revenue by app last 7 days").await;
    let day = "from=2026-11-20&to=2026-11-20";
    let truth = world.earned(Network::AdMob, day).await + world.earned(Network::AdManager, day).await;
    for question in ["Show me yesterday's revenue", "What was my revenue yesterday?"] {
        world.history.clear();
        let said = world.ask(question).await;
        assert!(!said.reply.text.contains("isn't included"), "{} {:#?}", said.reply.text, said.done);
        assert!(said.reply.text.contains(&format!("**{}**", dollars(truth))), "{truth}: {}", said.reply.text);
    }
}

#[tokio::test]
async fn a_follow_up_counts_as_the_first_total_did() {
    let mut world = world(&[Network::AdMob, Network::Unity, Network::Liftoff]).await;
    let first = world.ask("revenue yesterday by app").await;
    let before = world.ask("what about the day before?").await;
    let method = |said: &Said| said.reply.method.iter().find(|line| line.starts_with("Counted:")).cloned();
    assert!(method(&first).is_some(), "{:?}", first.reply.method);
    assert_eq!(method(&first), method(&before), "{}", before.reply.text);
    let mut fresh = crate::world::world(&[Network::AdMob, Network::Unity, Network::Liftoff]).await;
    let alone = fresh.ask("revenue by app on November 19, 2026").await;
    let sum = |said: &Said| rows(said).iter().map(|(_, micros)| micros).sum::<i64>();
    assert_eq!(sum(&before), sum(&alone), "{}", before.reply.text);
}

#[tokio::test]
async fn why_over_all_accounts_of_admob_reads_every_breakdown() {
    let mut world = world(&[Network::AdMob]).await;
    let said = world.ask("why did AdMob revenue change yesterday?").await;
    for dim in ["ad source", "country", "app", "format"] {
        assert!(said.reply.text.contains(&format!("by {dim}:")), "{dim}: {}", said.reply.text);
    }
    let truth = world.earned(Network::AdMob, "from=2026-11-20&to=2026-11-20").await;
    assert!(said.reply.text.contains(&format!("**{}**", dollars(truth))), "{truth}: {}", said.reply.text);
    assert!(said.reply.text.contains("the day before (Nov 19)"), "{}", said.reply.text);
}

#[tokio::test]
async fn floors_are_advised_from_their_own_line() {
    let mut world = world(&[Network::AdMob]).await;
    let said = world.ask("Optimize my AdMob mediation").await;
    let floors = said.reply.artifacts.iter().find_map(|artifact| match artifact {
        Artifact::Table { title, table, .. } if title.starts_with("Floors") => Some(table),
        _ => None,
    });
    let floors = floors.unwrap_or_else(|| panic!("{}", said.reply.text));
    let reports: Vec<_> = said
        .done
        .iter()
        .filter(|(_, args, _)| {
            args.pointer("/body/reportSpec/dimensions") == Some(&json!(["MEDIATION_GROUP", "AD_SOURCE"]))
        })
        .filter_map(|(_, _, result)| adagent_contract::ReportData::from_result(result.as_ref().ok()?))
        .collect();
    assert!(!reports.is_empty() && !floors.rows.is_empty());
    for row in &floors.rows {
        let Value::Entity { id: group, .. } = &row[0] else { panic!("{row:?}") };
        let source = row[1].raw();
        let of_group = |cell: &Value| matches!(cell, Value::Entity { id, .. } if id.ends_with(&format!(":mg:{group}")));
        let mut seen = reports.iter().flat_map(|report| &report.rows);
        let own = seen.find(|seen| of_group(&seen[0]) && seen[1].raw() == source);
        let Some(own) = own else { panic!("no figures of {source} in {group}") };
        assert!(own.contains(&row[3]), "{source} in {group}: {own:?} {row:?}");
    }
}

#[tokio::test]
async fn figures_of_one_mediation_group_are_of_that_group() {
    let mut world = world(&[Network::AdMob]).await;
    let said = world
        .ask("which ad source has the lowest eCPM in the mediation group Android Rewarded Global, last 7 days")
        .await;
    let mut filters = 0;
    for (name, args, result) in said.done.iter().filter(|(name, ..)| name.contains("report")) {
        assert!(result.is_ok(), "{name} {args}: {result:?}");
        let values = args.pointer("/body/reportSpec/dimensionFilters/0/matchesAny/values");
        let values = values.and_then(Json::as_array).unwrap_or_else(|| panic!("{args}"));
        assert!(!values.is_empty(), "nothing would stand for everything: {args}");
        filters += values.len();
    }
    assert!(filters > 0 && !said.reply.text.contains("couldn't read"), "{} {:#?}", said.reply.text, said.done);
}

/// Home and a chat ask the same. The sentence names the networks that a total lacks, and one paragraph under it says why.
#[tokio::test]
async fn what_a_total_lacks_stands_in_its_sentence() {
    let mut world = world(&Network::ALL).await;
    for (question, start) in [
        (
            // The saved report has yesterday, but no day of the week before.
            "How did yesterday go compared to the same day last week?",
            "**Google Ad Manager is in the numbers but not in the comparison**: ",
        ),
        (
            "Total revenue last 7 days by day compared to the previous 7 days",
            "**Google Ad Manager is in the numbers but not in the comparison**: ",
        ),
        ("Revenue by app last 7 days compared to the previous 7 days", "**Google Ad Manager isn't included**: "),
    ] {
        world.history.clear();
        let said = world.ask(question).await;
        let text = &said.reply.text;
        assert!(text.split("\n\n").last().is_some_and(|last| last.starts_with(start)), "{question}: {text}");
        assert!(!text.starts_with("**Google"), "{question}: {text}");
        if start.contains("isn't included") {
            let first = text.split(": **").next().unwrap_or_default();
            assert!(first.ends_with("(without Google Ad Manager)"), "{question}: {text}");
        }
        // If no report was read, the method says nothing about it; the answer only says why.
        let told = said.reply.method.iter().any(|line| line.contains("saved report"));
        assert_eq!(told, start.contains("in the numbers"), "{:?}", said.reply.method);
    }
    // The next answer of the chat names the network and does not explain it again.
    let next = world.ask("and by country?").await.reply;
    assert!(next.text.contains("(without Google Ad Manager)"), "{}", next.text);
    assert!(!next.text.contains("isn't included"), "{}", next.text);
    assert!(next.method.iter().any(|line| line.contains("isn't included")), "{:?}", next.method);
}

/// A rate that nobody asked for must not exclude a network whose saved reports lack it.
#[tokio::test]
async fn a_day_and_its_days_count_the_same_networks() {
    let mut world = world(&[Network::AdMob, Network::AdManager]).await;
    for question in ["What was my revenue yesterday?", "Total revenue last 7 days by day"] {
        world.history.clear();
        let said = world.ask(question).await;
        assert!(!said.reply.text.contains("isn't included"), "{question}: {}", said.reply.text);
    }
}

#[tokio::test]
async fn a_trend_by_format_is_a_series_for_each() {
    let mut world = world(&Network::ALL).await;
    let said = world.ask("eCPM trend by format last 14 days").await;
    let series = said.reply.artifacts.iter().any(|artifact| matches!(artifact, Artifact::Timeseries { .. }));
    assert!(series, "{} {:?}", said.reply.text, said.understood.slots);
}

#[tokio::test]
async fn the_weakest_source_is_found_by_what_it_pays() {
    let mut world = world(&[Network::AdMob]).await;
    for question in ["weakest ad source last 7 days", "what is my weakest source", "worst ad source"] {
        world.history.clear();
        let said = world.ask(question).await;
        let slots = said.understood.slots.as_ref().unwrap_or_else(|| panic!("{question}: {:?}", said.understood));
        assert_eq!((slots.dimensions.as_slice(), slots.sort.as_deref()), (&["ad_source".to_owned()][..], Some("ecpm")));
        assert!(said.reply.text.contains("eCPM"), "{question}: {}", said.reply.text);
    }
}

/// The answer says in a sentence what it computes from the numbers: a share, a faster growth, a distance from the average.
#[tokio::test]
async fn what_is_asked_of_the_figures_is_computed_and_said() {
    let mut desk = world(&Network::ALL).await;
    for (wish, says) in [
        (
            "What share of AdMob revenue came from rewarded ads versus interstitial ads last week, and how did it compare with the week before?",
            vec![
                "**Rewarded** had **37.5%** and **Interstitial** had **35.9%** of all revenue: ",
                " It was 37.6% and 36.0% in the week before",
            ],
        ),
        (
            "What percentage of AdMob revenue last week came from the United States?",
            vec!["**United States** had **40.3%** of all revenue: "],
        ),
        (
            "Did Unity revenue in the United States and Canada grow faster than AdMob revenue there last week compared to the week before?",
            vec!["**Neither grew**: **Unity LevelPlay** is down 1.2%, **AdMob Network** down 3.0%."],
        ),
        (
            "Which day in the last 14 had the lowest eCPM on Liftoff, and by how much was it below the average?",
            vec!["On Nov 18, 2026: **$0.15** (7.9%) below the average of $1.93."],
        ),
    ] {
        desk.history.clear();
        let said = desk.ask(wish).await;
        for words in says {
            assert!(said.reply.text.contains(words), "{wish}: {}", said.reply.text);
        }
    }
}

#[tokio::test]
async fn below_average_is_what_is_below_it_and_the_lowest_come_first() {
    let mut desk = world(&[Network::AdMob, Network::InMobi]).await;
    for (text, below) in [
        ("apps below average revenue last 7 days", true),
        ("which apps earned less than average last 7 days", true),
        ("Welche Apps lagen in den letzten 7 Tagen unter dem Durchschnitt beim Umsatz?", true),
        ("apps con ingresos por debajo de la media los últimos 7 días", true),
        ("apps above average revenue last 7 days", false),
    ] {
        desk.history.clear();
        let all: i64 = rows(&desk.ask("revenue by app last 7 days").await).iter().map(|(_, micros)| micros).sum();
        desk.history.clear();
        let said = desk.ask(text).await;
        let rows = rows(&said);
        let average = all / 9;
        assert!(!rows.is_empty() && rows.iter().all(|(_, micros)| (*micros < average) == below), "{text}: {rows:?}");
        assert!(rows.windows(2).all(|pair| (pair[0].1 <= pair[1].1) == below), "{text}: {rows:?}");
        let limit = if below { "under the average of $" } else { "above the average of $" };
        assert!(said.reply.text.contains(limit), "{text}: {}", said.reply.text);
    }
    desk.history.clear();
    let said = desk.ask("countries with eCPM worse than average last month").await;
    assert!(said.reply.text.contains("countries had eCPM under the overall $"), "{}", said.reply.text);
}

#[tokio::test]
async fn a_share_of_one_network_is_of_all_of_them() {
    let mut desk = world(&[Network::AdMob, Network::Unity, Network::InMobi]).await;
    let whole = desk.ask("revenue by network last week").await;
    let rows = rows(&whole);
    let unity = rows.iter().find(|(name, _)| name.starts_with("Unity"));
    let (name, unity) = unity.cloned().unwrap_or_else(|| panic!("no row: {rows:?}"));
    for text in [
        "what share of revenue last week is Unity?",
        "Welchen Anteil am Umsatz hatte Unity letzte Woche?",
        "qué porcentaje de los ingresos de la semana pasada es de Unity",
        "what percentage of last week's revenue came from Unity",
    ] {
        desk.history.clear();
        let said = desk.ask(text).await;
        assert!(said.reply.text.contains(&format!("**{name}** had **")), "{text}: {}", said.reply.text);
        assert!(said.reply.text.contains(&format!("of all revenue: {} of $", dollars(unity))), "{}", said.reply.text);
    }
}

#[tokio::test]
async fn the_best_network_is_asked_alone() {
    let mut desk = world(&[Network::AdMob, Network::Unity, Network::InMobi]).await;
    for (start, text, network) in [
        ("InMobi and Unity revenue by network last week", "and by country for the best one", "Unity"),
        ("InMobi and Unity revenue by network last week", "by app for the second one", "InMobi"),
        ("Umsatz von InMobi und Unity nach Netzwerk letzte Woche", "und nach Land für das beste", "Unity"),
    ] {
        desk.history.clear();
        desk.ask(start).await;
        let said = desk.ask(text).await;
        let own = if network == "Unity" { Network::Unity } else { Network::InMobi };
        let days = "from=2026-11-09&to=2026-11-15";
        let total: i64 = rows(&said).iter().map(|(_, micros)| micros).sum();
        assert_eq!(
            (said.understood.services.as_slice(), total),
            (&[own][..], desk.earned(own, days).await),
            "{text}: {}",
            said.reply.text
        );
    }
}
