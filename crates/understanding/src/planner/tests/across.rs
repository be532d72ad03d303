//! Tests for the reports of each network, and of several side by side.

use adagent_contract::{Artifact, Value};
use adagent_domain::Network;
use serde_json::json;

use super::{
    fleet::*,
    world::{Run, only, slots},
};
use crate::{Capability, FilterValue, Outcome, Slots, ToolResult, Verdict, verify};

const WEEK: (&str, &str) = ("2026-11-14", "2026-11-20");

fn ask(fleet: &Fleet, services: &[Network], slots: Slots, text: &str) -> Run {
    let understood = asks(services, Capability::Reporting, Outcome::Answer, slots, text);
    let run = play(fleet, text, &understood);
    if run.reply.calls.is_empty() && !run.results().is_empty() {
        let results: Vec<ToolResult<'_>> =
            run.results().into_iter().map(|(tool, arguments, output)| ToolResult { tool, arguments, output }).collect();
        // Every number of every answer must be one of the results, or exact arithmetic on them.
        if let Verdict::Incomplete { reasons, missing, .. } =
            verify(&understood, &run.reply.text, &run.reply.artifacts, &results)
        {
            let unfounded = missing
                .iter()
                .any(|what| matches!(what, crate::Missing::UnfoundedFigure(_) | crate::Missing::UnknownId(_)));
            assert!(!unfounded, "{text}: {reasons:?}: {}", run.reply.text);
        }
    }
    run
}

fn named(network: Network) -> Slots {
    let _ = network;
    slots(&["revenue"], &[], WEEK.0, WEEK.1)
}

/// Returns the rows of the first table: the first cell and the first amount of each.
fn rows(run: &Run) -> Vec<(String, i64)> {
    let table = run.reply.artifacts.iter().find_map(|artifact| match artifact {
        Artifact::Table { table, .. } => Some(table),
        _ => None,
    });
    let money = |row: &Vec<Value>| {
        row.iter().find_map(|cell| match cell {
            Value::Money { money } => Some(money.micros),
            _ => None,
        })
    };
    table.expect("a table").rows.iter().map(|row| (row[0].raw(), money(row).unwrap_or_default())).collect()
}

#[test]
fn every_network_alone_answers_with_the_sum_of_its_report() {
    for network in Network::ALL {
        if matches!(network, Network::AdMob | Network::AdManager) {
            continue;
        }
        let text = format!("{} revenue last 7 days", network.display_name());
        let run = ask(&Fleet::default(), &[network], named(network), &text);
        // The reports of AppLovin, Unity and DT Exchange also hold what they mediate, and the answer says so.
        let sum = dollars(earned(network, WEEK.0, WEEK.1, None));
        let start = format!("{} earned **{sum}**", network.display_name());
        assert!(run.reply.text.starts_with(&start), "{}", run.reply.text);
        let mediates = matches!(network, Network::AppLovin | Network::Unity | Network::DtExchange);
        assert_eq!(run.said().contains("everything the network mediates"), mediates, "{}", run.reply.text);
    }
}

#[test]
fn calls_are_cut_to_what_a_network_takes() {
    let run = ask(
        &Fleet::default(),
        &[Network::Mintegral],
        slots(&["revenue"], &[], "2026-10-22", "2026-11-20"),
        "Mintegral revenue last 30 days",
    );
    let main: Vec<_> =
        run.rounds.iter().flatten().filter(|call| call.args["start"].as_str() >= Some("20261022")).collect();
    assert_eq!(main.len(), 5, "{:?}", run.rounds);
    assert!(
        run.reply.text.contains(&dollars(earned(Network::Mintegral, "2026-10-22", "2026-11-20", None))),
        "{}",
        run.reply.text
    );
    let run = ask(&Fleet::default(), &[Network::Pangle], named(Network::Pangle), "Pangle revenue last 7 days");
    assert!(run.rounds.iter().flatten().all(|call| call.args["currency"] == "usd" && call.args["time_zone"] == 0));
    assert!(run.rounds.iter().flatten().count() >= 7);
}

#[test]
fn countries_formats_and_apps_restrict_whoever_does_it() {
    let networks = [
        Network::AppLovin,
        Network::Unity,
        Network::Mintegral,
        Network::Liftoff,
        Network::InMobi,
        Network::Pangle,
        Network::DtExchange,
    ];
    for network in networks {
        let mut asked = named(network);
        asked.filters = vec![only("country", &["US"]), only("format", &["rewarded"])];
        asked.dimensions = vec!["country".into(), "format".into()];
        let run = ask(
            &Fleet::default(),
            &[network],
            asked,
            &format!("{} revenue for rewarded in the US by country and format", network.display_name()),
        );
        let found = rows(&run);
        assert_eq!(found.len(), 1, "{network}: {}", run.reply.text);
        assert_eq!(found[0].0, "United States", "{network}");
        // Three of four parts are from the US, four of five are rewarded, and each day adds its own number to each row.
        assert!(found[0].1 > 0 && found[0].1 < earned(network, WEEK.0, WEEK.1, None), "{network}");
    }
}

#[test]
fn the_total_by_network_counts_every_impression_once() {
    let all = [Network::AdMob, Network::AppLovin, Network::Unity];
    let mut asked = slots(&["revenue"], &["network"], WEEK.0, WEEK.1);
    asked.sort = Some("-revenue".into());
    let run = ask(&Fleet::default(), &all, asked, "total revenue last 7 days by network");
    let found: std::collections::BTreeMap<String, i64> = rows(&run).into_iter().collect();
    let of = |network, source| earned(network, WEEK.0, WEEK.1, Some(source));
    assert_eq!(found["AdMob Network"], of(Network::AdMob, "AdMob Network"));
    // AdMob's estimate for Unity does not count.
    assert_eq!(found["Unity LevelPlay"], of(Network::Unity, "UnityAds") + of(Network::Unity, "ironSource"));
    assert_eq!(found["Meta Audience Network via AdMob mediation"], of(Network::AdMob, "Meta Audience Network"));
    // The question does not include Mintegral, so what LevelPlay mediates for it counts.
    assert_eq!(found["Mintegral via Unity LevelPlay"], of(Network::Unity, "Mintegral"));
    assert!(!found.keys().any(|name| name.starts_with("AppLovin (")), "{found:?}");
    let total: i64 = found.values().sum();
    assert!(run.reply.text.contains(&dollars(total)), "{}: {found:?}", run.reply.text);
    assert!(run.said().contains("every impression once"), "{}", run.said());
}

#[test]
fn networks_compared_by_name_count_their_own_demand_alone() {
    let pair = [Network::AppLovin, Network::Unity];
    let run = ask(
        &Fleet::default(),
        &pair,
        slots(&["ecpm"], &["network"], "2026-11-01", "2026-11-21"),
        "compare AppLovin and Unity eCPM this month",
    );
    let found = rows(&run);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(run.rounds.iter().flatten().any(|call| call.name == "applovin_get_report"));
    assert!(!run.rounds.iter().flatten().any(|call| call.name == "applovin_get_max_report"));
    assert!(run.said().contains("only each network's own demand"), "{}", run.said());
    assert!(run.reply.text.contains("still in progress"), "{}", run.reply.text);
}

#[test]
fn the_best_network_is_found_where_it_was_asked_for() {
    let mut asked = slots(&["ecpm"], &["network"], WEEK.0, WEEK.1);
    asked.filters = vec![only("format", &["rewarded"]), only("country", &["US"])];
    asked.sort = Some("-ecpm".into());
    asked.limit = Some(1);
    let run = ask(
        &Fleet::default(),
        &[Network::Liftoff, Network::Pangle, Network::InMobi],
        asked,
        "which network pays best for rewarded video in the US",
    );
    assert!(run.reply.text.contains("only rewarded, United States"), "{}", run.reply.text);
    assert_eq!(rows(&run).len(), 1);
}

#[test]
fn who_did_not_answer_is_named_and_not_in_the_sum() {
    let three = [Network::Liftoff, Network::Mintegral, Network::InMobi];
    let fleet = Fleet { silent: vec![Network::Mintegral], ..Fleet::default() };
    let run = ask(&fleet, &three, slots(&["revenue"], &[], YESTERDAY, YESTERDAY), "how much did we make yesterday");
    let sum =
        [Network::Liftoff, Network::InMobi].map(|network| earned(network, YESTERDAY, YESTERDAY, None)).iter().sum();
    assert!(run.reply.text.contains(&dollars(sum)), "{}", run.reply.text);
    assert!(
        run.reply
            .text
            .contains("**Mintegral isn't included**: I couldn't read its report (the service is unavailable)"),
        "{}",
        run.reply.text
    );
    // We ask it once, not for every piece.
    assert_eq!(
        run.rounds.iter().flatten().filter(|call| call.name.starts_with("mintegral")).count(),
        2,
        "{:?}",
        run.rounds
    );

    let all = Fleet { silent: three.to_vec(), ..Fleet::default() };
    let run = ask(&all, &three, slots(&["revenue"], &[], YESTERDAY, YESTERDAY), "how much did we make yesterday");
    assert!(run.reply.text.contains("no numbers to show") && run.reply.artifacts.is_empty(), "{}", run.reply.text);
}

#[test]
fn currencies_are_never_added_and_zones_are_said() {
    let fleet = Fleet {
        currencies: [(Network::Liftoff, "EUR")].into(),
        zones: [(Network::Mintegral, "Asia/Shanghai")].into(),
        ..Fleet::default()
    };
    let three = [Network::Liftoff, Network::Mintegral, Network::InMobi];
    let run =
        ask(&fleet, &three, slots(&["revenue"], &["network"], WEEK.0, WEEK.1), "total revenue by network last 7 days");
    let text = &run.reply.text;
    assert!(text.contains("In EUR: ") && text.contains("In USD: "), "{text}");
    let sum: i64 = three.map(|network| earned(network, WEEK.0, WEEK.1, None)).iter().sum();
    assert!(!text.contains(&dollars(sum)), "{text}");
    assert!(text.contains("I show one total for each currency"), "{text}");
    assert!(run.said().contains("Mintegral in Asia/Shanghai"), "{}", run.said());
}

#[test]
fn what_a_network_does_not_report_is_said_with_what_it_does() {
    let run = ask(
        &Fleet::default(),
        &[Network::Liftoff],
        slots(&["requests"], &[], WEEK.0, WEEK.1),
        "Liftoff requests last week",
    );
    assert!(run.rounds.is_empty() && run.reply.text.contains("doesn't report requests"), "{}", run.reply.text);
    assert!(run.reply.text.contains("completed views"), "{}", run.reply.text);
    let run = ask(
        &Fleet::default(),
        &[Network::InMobi],
        slots(&["revenue"], &["hour"], WEEK.0, WEEK.1),
        "InMobi revenue by hour",
    );
    assert!(run.rounds.is_empty() && run.reply.text.contains("break down numbers by hour"), "{}", run.reply.text);
    // With another network in the question, only this one is left out.
    let pair = [Network::Liftoff, Network::InMobi];
    let run = ask(&Fleet::default(), &pair, slots(&["requests"], &["network"], WEEK.0, WEEK.1), "requests by network");
    assert!(run.reply.text.contains("Liftoff doesn't report requests, so it is left out."), "{}", run.reply.text);
}

#[test]
fn once_a_network_is_late_the_answer_comes_from_what_is_there() {
    let fleet = Fleet { late: vec![Network::Pangle], ..Fleet::default() };
    let asked = slots(&["revenue"], &[], "2026-10-01", "2026-10-31");
    let run = ask(&fleet, &[Network::Liftoff, Network::Pangle], asked, "revenue in October");
    assert_eq!(run.rounds.len(), 1, "nothing more is asked: {:?}", run.rounds);
    let text = &run.reply.text;
    let sum = dollars(earned(Network::Liftoff, "2026-10-01", "2026-10-31", None));
    assert!(text.starts_with(&format!("Liftoff earned **{sum}** over Oct 1–31, 2026 (without Pangle)")), "{text}");
    assert!(text.contains("**Pangle isn't included**: I couldn't read its report (it took too long)."), "{text}");
}

#[test]
fn days_a_network_no_longer_has_are_said() {
    let run = ask(
        &Fleet::default(),
        &[Network::AppLovin],
        slots(&["revenue"], &[], "2026-09-01", "2026-11-20"),
        "AppLovin revenue since September",
    );
    // The sentence with the number says it, not a later one: the question asked from Sep 1.
    let first = run.reply.text.split(". ").next().unwrap_or_default();
    assert!(first.contains("over Oct 7 – Nov 20, 2026 (AppLovin's reports start on Oct 7)"), "{}", run.reply.text);
    assert!(run.said().contains("go back 45 days, so its numbers start on Oct 7, 2026"), "{}", run.said());
    // With several networks, the answer names the one whose numbers begin later.
    let asked = slots(&["revenue"], &[], "2026-10-01", "2026-10-31");
    let run = ask(&Fleet::default(), &[Network::AppLovin, Network::Liftoff], asked, "revenue in October");
    let first = run.reply.text.split(". ").next().unwrap_or_default();
    assert!(first.contains("over Oct 1–31, 2026 (AppLovin only from Oct 7)"), "{}", run.reply.text);
    let run = ask(
        &Fleet::default(),
        &[Network::AppLovin],
        slots(&["revenue"], &[], "2026-01-01", "2026-01-31"),
        "AppLovin revenue in January",
    );
    assert!(run.rounds.is_empty() && run.reply.text.contains("go back only 45 days"), "{}", run.reply.text);
}

#[test]
fn an_agent_that_may_use_two_networks_counts_as_whoever_names_the_two() {
    let two = [Network::AdMob, Network::Pangle];
    let total = |fleet: &Fleet, text: &str| {
        let run = ask(fleet, &two, slots(&["revenue"], &[], WEEK.0, WEEK.1), text);
        let amount = run.reply.text.split("**").nth(1).map(str::to_owned);
        amount.unwrap_or_else(|| panic!("{}", run.reply.text))
    };
    let persona = |narrow| adagent_llm::Persona {
        handle: "reporter".into(),
        name: "Reporter".into(),
        position: String::new(),
        instructions: String::new(),
        narrow,
    };
    let by = |narrow| Fleet { agent: Some(persona(narrow)), ..Fleet::default() };
    let named = total(&Fleet::default(), "AdMob and Pangle revenue last 7 days");
    assert_eq!(total(&by(true), "revenue last 7 days"), named);
    // If nothing else is connected, the two networks are everything, and the total includes what others earn through AdMob.
    assert_ne!(total(&by(false), "revenue last 7 days"), named);
}

#[test]
fn ad_manager_runs_a_saved_report_or_asks_before_it_saves_one() {
    let network = [Network::AdManager];
    let asked = || slots(&["revenue"], &[], WEEK.0, WEEK.1);
    let run = ask(&Fleet::default(), &network, asked(), "Ad Manager revenue last 7 days");
    let [write] = run.reply.calls.as_slice() else { panic!("{}", run.reply.text) };
    assert_eq!(write.name, "admanager_create_report");
    assert_eq!(write.args["body"]["visibility"], "HIDDEN");
    let safe = Fleet { safe: true, ..Fleet::default() };
    let run = ask(&safe, &network, asked(), "Ad Manager revenue last 7 days");
    assert!(run.reply.calls.is_empty() && run.reply.text.contains("safe mode keeps me"), "{}", run.reply.text);
    // With several networks, we don't save a report either.
    let run = ask(&Fleet::default(), &[Network::AdManager, Network::Liftoff], asked(), "revenue last 7 days");
    let text = &run.reply.text;
    assert!(text.starts_with("Liftoff earned") && text.contains("(without Google Ad Manager)"), "{text}");
    assert!(
        text.split("\n\n").last().is_some_and(|last| last.starts_with("**Google Ad Manager isn't included**")),
        "{text}"
    );

    let definition = json!({"dimensions": ["DATE", "MOBILE_APP_ID", "MOBILE_APP_NAME"], "metrics": ["REVENUE", "IMPRESSIONS", "AD_REQUESTS", "RESPONSES_SERVED"],
        "dateRange": {"fixed": {"startDate": {"year": 2026, "month": 11, "day": 1}, "endDate": {"year": 2026, "month": 11, "day": 20}}}});
    let saved = vec![json!({"name": "networks/217/reports/59", "reportId": "59", "reportDefinition": definition})];
    let run = ask(&Fleet { saved, ..Fleet::default() }, &network, asked(), "Ad Manager revenue last 7 days");
    let sum = dollars(earned(Network::AdManager, WEEK.0, WEEK.1, None));
    assert!(run.reply.text.starts_with(&format!("Google Ad Manager earned **{sum}**")), "{}", run.reply.text);
}

#[test]
fn a_network_taken_out_is_not_asked() {
    let mut asked = slots(&["revenue"], &["network"], WEEK.0, WEEK.1);
    asked.filters =
        vec![crate::Filter { field: "network".into(), value: FilterValue::Not { not: vec!["liftoff".into()] } }];
    let run = ask(
        &Fleet::default(),
        &[Network::Liftoff, Network::InMobi, Network::Pangle],
        asked,
        "revenue by network without Liftoff",
    );
    assert!(run.rounds.iter().flatten().all(|call| !call.name.starts_with("liftoff")));
    assert_eq!(rows(&run).len(), 2);
}

#[test]
fn an_account_in_another_currency_is_asked_in_dollars_and_that_is_said() {
    let account =
        json!({"network": "admob", "kind": "account", "id": "pub-1", "name": "Acme", "raw": {"currencyCode": "EUR"}});
    let fleet = Fleet { entities: vec![serde_json::from_value(account).unwrap()], ..Fleet::default() };
    let pair = [Network::AdMob, Network::Liftoff];
    let run = ask(&fleet, &pair, slots(&["revenue"], &["network"], WEEK.0, WEEK.1), "total revenue by network");
    let call = run.rounds.iter().flatten().find(|call| call.name.starts_with("admob")).unwrap();
    assert_eq!(call.args["body"]["reportSpec"]["localizationSettings"]["currencyCode"], "USD");
    assert!(run.said().contains("AdMob's account is in EUR"), "{}", run.said());
}

#[test]
fn ad_sources_of_several_mediators_count_once() {
    let pair = [Network::AdMob, Network::AppLovin];
    let run =
        ask(&Fleet::default(), &pair, slots(&["revenue"], &["ad_source"], WEEK.0, WEEK.1), "revenue by ad source");
    let found = rows(&run);
    assert!(!found.iter().any(|(name, _)| name == "AppLovin (bidding)"), "{found:?}");
    assert!(found.iter().any(|(name, _)| name == "AppLovin exchange"), "{found:?}");
    assert!(found.iter().any(|(name, _)| name == "Meta Audience Network"), "{found:?}");
}

#[test]
fn an_approved_ad_manager_report_answers_only_what_it_holds() {
    let fleet = Fleet { approves: true, ..Fleet::default() };
    let asked = slots(&["revenue"], &[], WEEK.0, WEEK.1);
    let run = ask(&fleet, &[Network::AdManager], asked, "Ad Manager revenue last 7 days");
    let made = run.rounds.iter().flatten().filter(|call| call.name == "admanager_create_report").count();
    // The question asks for no comparison, so we save no report for one and invent none.
    assert_eq!(made, 1, "{:?}", run.rounds);
    assert_eq!(run.rounds.iter().flatten().filter(|call| call.name == "admanager_run_report").count(), 1);
    let sum = dollars(earned(Network::AdManager, WEEK.0, WEEK.1, None));
    assert!(run.reply.text.starts_with(&format!("Google Ad Manager earned **{sum}**")), "{}", run.reply.text);
    assert!(!run.reply.text.contains("compare") && !run.reply.text.contains(" before"), "{}", run.reply.text);
    // A comparison that the question asks for needs its own report.
    let asked = slots(&["revenue"], &[], WEEK.0, WEEK.1);
    let text = "why did Ad Manager revenue drop last 7 days";
    let understood = asks(&[Network::AdManager], Capability::Reporting, Outcome::Answer, asked, text);
    let run = play(&Fleet { approves: true, ..Fleet::default() }, text, &understood);
    let made: Vec<_> = run
        .rounds
        .iter()
        .flatten()
        .filter(|call| call.name == "admanager_create_report")
        .map(|call| &call.args)
        .collect();
    assert!(made.len() > 1, "{:?}", run.rounds);
    assert!((1..made.len()).all(|at| !made[..at].contains(&made[at])), "twice: {made:?}");
}

#[test]
fn a_comparison_is_over_the_same_networks_or_not_at_all() {
    let pair = [Network::AppLovin, Network::Liftoff];
    let month = || slots(&["revenue"], &[], "2026-10-22", "2026-11-20");
    let run = ask(&Fleet::default(), &pair, month(), "revenue last 30 days");
    let text = &run.reply.text;
    // The question asks for no comparison, so the answer mentions none.
    assert!(!text.contains("both periods") && !text.contains("before"), "{text}");
    let early = |call: &&adagent_llm::ProposedCall| call.args["start"].as_str() < Some("2026-10-22");
    assert_eq!(run.rounds.iter().flatten().filter(early).count(), 0);
    let run = ask(&Fleet::default(), &pair, month(), "why did revenue drop in the last 30 days");
    let text = &run.reply.text;
    assert!(text.contains("left out of this comparison"), "{text}");
    assert!(run.rounds.iter().flatten().all(|call| !call.name.starts_with("applovin")), "{:?}", run.rounds);
    assert!(run.rounds.iter().flatten().any(|call| early(&call)), "{:?}", run.rounds);
}

#[test]
fn what_unity_earns_in_the_mediation_of_others_stays_in_the_total() {
    let asked = || slots(&["revenue"], &["network"], WEEK.0, WEEK.1);
    let text = "total revenue last 7 days by network";
    let found: std::collections::BTreeMap<String, i64> =
        rows(&ask(&Fleet::default(), &[Network::AdMob, Network::Unity], asked(), text)).into_iter().collect();
    let of = |network, source| earned(network, WEEK.0, WEEK.1, Some(source));
    assert_eq!(found["Unity Ads via AdMob mediation"], of(Network::AdMob, "Unity Ads (bidding)"), "{found:?}");
    assert_eq!(found["Unity LevelPlay"], of(Network::Unity, "UnityAds") + of(Network::Unity, "ironSource"));
    let without: i64 = rows(&ask(&Fleet::default(), &[Network::AdMob, Network::Liftoff], asked(), text))
        .into_iter()
        .filter(|(name, _)| name != "Liftoff")
        .map(|(_, sum)| sum)
        .sum();
    let with: i64 = found.iter().filter(|(name, _)| name.contains("AdMob")).map(|(_, sum)| sum).sum();
    // Connecting Unity must not lower the total.
    assert_eq!(with, without);
    let run = ask(&Fleet::default(), &[Network::AdMob, Network::Unity], asked(), "compare AdMob and Unity revenue");
    assert_eq!(rows(&run).len(), 2);
    assert!(run.said().contains("Their demand in other mediation isn't included"), "{}", run.said());
}

#[test]
fn a_format_a_network_has_no_word_for_leaves_it_out() {
    let mut asked = slots(&["revenue"], &[], WEEK.0, WEEK.1);
    asked.filters = vec![only("format", &["app_open"])];
    let run = ask(&Fleet::default(), &[Network::AppLovin], asked.clone(), "AppLovin app open revenue");
    assert!(run.rounds.is_empty() && run.reply.text.contains("doesn't report app open"), "{}", run.reply.text);
    let run = ask(&Fleet::default(), &[Network::AppLovin, Network::Liftoff], asked.clone(), "app open revenue");
    assert!(run.reply.text.contains("AppLovin doesn't report app open, so it is left out"), "{}", run.reply.text);
    asked.filters = vec![only("format", &["mrec"])];
    let run = ask(&Fleet::default(), &[Network::AdMob, Network::Liftoff], asked, "mrec revenue");
    assert!(run.rounds.iter().flatten().all(|call| !call.name.starts_with("admob_generate")), "{:?}", run.rounds);
}

#[test]
fn attempts_are_not_added_up_over_mediation() {
    let pair = [Network::AdMob, Network::InMobi];
    let run = ask(&Fleet::default(), &pair, slots(&["requests"], &["network"], WEEK.0, WEEK.1), "requests by network");
    assert!(
        run.reply.text.contains("AdMob doesn't report requests in a way that can be added up"),
        "{}",
        run.reply.text
    );
    assert!(run.rounds.iter().flatten().all(|call| !call.name.starts_with("admob")), "{:?}", run.rounds);
    let both = slots(&["revenue", "requests"], &["network"], WEEK.0, WEEK.1);
    let run = ask(&Fleet::default(), &pair, both, "revenue and requests by network");
    assert!(run.said().contains("for each demand source it calls"), "{}", run.said());
}

#[test]
fn a_word_that_is_also_a_network_does_not_change_what_counts() {
    let all = [Network::AdMob, Network::AppLovin, Network::Unity];
    let asked = || slots(&["ecpm"], &["network"], WEEK.0, WEEK.1);
    let run = ask(&Fleet::default(), &all, asked(), "max eCPM across all networks");
    assert!(run.said().contains("every impression once"), "{}", run.said());
    // An excluded network must not come back through AdMob.
    let mut without = asked();
    without.filters =
        vec![crate::Filter { field: "network".into(), value: FilterValue::Not { not: vec!["applovin".into()] } }];
    let run = ask(&Fleet::default(), &all, without, "eCPM by network without AppLovin");
    assert!(!rows(&run).iter().any(|(name, _)| name.starts_with("AppLovin")), "{:?}", rows(&run));
}

#[test]
fn a_comparison_nobody_asked_for_costs_no_figures() {
    let days = slots(&["revenue"], &[], "2026-10-02", "2026-11-20");
    let run = ask(&Fleet::default(), &[Network::Pangle], days, "Pangle revenue last 50 days");
    let sum = dollars(earned(Network::Pangle, "2026-10-02", "2026-11-20", None));
    assert!(run.reply.text.starts_with(&format!("Pangle earned **{sum}**")), "{}", run.reply.text);
}

#[test]
fn a_network_without_numbers_of_one_period_is_in_no_comparison() {
    let all = [Network::InMobi, Network::Liftoff, Network::Mintegral];
    let fleet = Fleet { begins: [(Network::Liftoff, WEEK.0)].into(), ..Fleet::default() };
    let before = ("2026-11-07", "2026-11-13");
    for dims in [&[][..], &["network"][..]] {
        let mut asked = slots(&["revenue"], dims, WEEK.0, WEEK.1);
        asked.compare_to = Some(crate::types::Comparison {
            kind: "previous_period".into(),
            date_from: before.0.into(),
            date_to: before.1.into(),
        });
        let run = ask(&fleet, &all, asked, "revenue last 7 days vs the 7 days before");
        let sum = |(from, to): (&str, &str)| {
            dollars(earned(Network::InMobi, from, to, None) + earned(Network::Mintegral, from, to, None))
        };
        let said = &run.reply.text;
        assert!(said.contains(&sum(WEEK)) && said.contains(&sum(before)), "{said}");
        let why = "**Liftoff is in the numbers but not in the comparison**: it has none for Nov 7–13, 2026.";
        assert!(said.contains(why), "{said}");
    }
}
