use adagent_contract::{Artifact, EntityItem, Tone, Value};
use proptest::prelude::*;
use serde_json::json;

use super::world::*;
use crate::planner::format;
use crate::{Capability, Comparison, FilterValue, Outcome, Slots};

fn ask(world: &World, text: &str, slots: Slots) -> Run {
    let understood = understood(Capability::Reporting, Outcome::Answer, Some(slots), text);
    run(world, request(world, text, &understood))
}

fn usd(micros: i64) -> Value {
    Value::Money { money: adagent_domain::Money::new(adagent_domain::Currency::USD, micros) }
}

fn money(micros: i64) -> String {
    format::value(&usd(micros))
}

fn kpi(run: &Run) -> &adagent_contract::KpiTile {
    run.reply
        .artifacts
        .iter()
        .find_map(|a| match a {
            Artifact::Kpi { tiles, .. } => tiles.first(),
            _ => None,
        })
        .expect("tiles")
}

fn table(run: &Run) -> &adagent_contract::TableArtifact {
    run.reply
        .artifacts
        .iter()
        .find_map(|a| match a {
            Artifact::Table { table, .. } => Some(table),
            _ => None,
        })
        .expect("a table")
}

#[test]
fn yesterdays_revenue_is_the_sum_over_accounts_with_the_day_before_a_chart_and_a_table() {
    let world = World::default();
    let run = ask(&world, "What was my revenue yesterday?", slots(&["revenue"], &[], "2026-11-20", "2026-11-20"));
    let (now, before) = (world.revenue("2026-11-20", "2026-11-20"), world.revenue("2026-11-19", "2026-11-19"));
    assert_eq!(run.rounds.len(), 1, "all reads side by side");
    assert!(
        run.reply.text.starts_with(&format!("AdMob earned **{}** on Nov 20, 2026", money(now))),
        "{}",
        run.reply.text
    );
    assert!(run.reply.text.contains(&format!("from {} the day before", money(before))), "{}", run.reply.text);
    let tile = kpi(&run);
    assert_eq!(tile.value, Value::Money { money: adagent_domain::Money::new(adagent_domain::Currency::USD, now) });
    assert_eq!(tile.previous.as_ref(), Some(&usd(before)));
    assert_eq!(tile.tone, if now > before { Tone::Good } else { Tone::Bad });
    assert!(run.reply.artifacts.iter().any(|a| matches!(a, Artifact::Timeseries { .. })));
    let Some(Artifact::Kpi { subtitle, sources, .. }) = run.reply.artifacts.first() else { panic!("tiles first") };
    assert!(subtitle.starts_with("Nov 20, 2026, UTC · AdMob"), "{subtitle}");
    assert_eq!(sources.len(), run.rounds[0].len());
    let table = table(&run);
    assert_eq!(table.rows.len(), 3);
    assert_eq!(table.total.as_ref().unwrap()[1], tile.value);
    assert_eq!(run.reply.follow_ups.len(), 3);
}

#[test]
fn the_top_five_are_cut_after_merging_and_the_total_covers_all() {
    let world = World::default();
    let slots = Slots {
        limit: Some(2),
        sort: Some("-revenue".into()),
        ..slots(&["revenue"], &["country"], "2026-10-22", "2026-11-20")
    };
    let run = ask(&world, "by country, last 30 days, top 2", slots);
    let table = table(&run);
    assert_eq!((table.rows.len(), table.row_count), (2, 3));
    let all = world.revenue("2026-10-22", "2026-11-20");
    assert_eq!(
        table.total.as_ref().unwrap()[1],
        Value::Money { money: adagent_domain::Money::new(adagent_domain::Currency::USD, all) }
    );
    assert!(run.reply.text.contains("Top 2 of 3 countries by revenue, Oct 22 – Nov 20, 2026"), "{}", run.reply.text);
    assert_eq!(run.rounds[0].len(), 2, "one call per account");
}

#[test]
fn rates_are_recomputed_from_sums_and_change_in_points() {
    let world = World::default();
    let run = ask(&world, "match rate yesterday", slots(&["match_rate"], &[], "2026-11-20", "2026-11-20"));
    let tile = kpi(&run);
    assert_eq!(tile.value, Value::Percent { value: 60.0 });
    assert_eq!((tile.change_unit.as_str(), tile.tone), ("pt", Tone::Neutral));
}

#[test]
fn a_filter_by_app_asks_only_the_accounts_that_hold_it_with_its_ids() {
    let world = World::default();
    let mut slots = slots(&["revenue"], &[], "2026-11-20", "2026-11-20");
    slots.filters = vec![only("app", &["Word Quest"])];
    let run = ask(&world, "Word Quest revenue yesterday", slots);
    assert!(run.rounds[0].iter().all(|c| c.args["account_id"] == NORTH));
    let filter = &run.rounds[0][0].args["body"]["reportSpec"]["dimensionFilters"][0];
    assert_eq!(
        *filter,
        json!({"dimension": "APP", "matchesAny": {"values": ["ca-app-pub-2222222222222222~2000000001"]}})
    );
}

#[test]
fn an_unknown_app_is_said_with_close_names_and_nothing_is_fetched() {
    let world = World::default();
    let mut slots = slots(&["revenue"], &[], "2026-11-20", "2026-11-20");
    slots.filters = vec![only("app", &["Word Jest"])];
    let run = ask(&world, "Word Jest revenue yesterday", slots);
    assert!(run.rounds.is_empty());
    assert!(
        run.reply.text.contains("can't find an app called “Word Jest”") && run.reply.text.contains("Word Quest"),
        "{}",
        run.reply.text
    );
}

#[test]
fn without_a_period_the_last_seven_days_are_shown_and_said() {
    let run = ask(&World::default(), "AdMob revenue by country", slots(&["revenue"], &["country"], "", ""));
    assert!(run.reply.text.contains("Showing the last 7 days."), "{}", run.reply.text);
}

#[test]
fn thresholds_apply_to_merged_rows() {
    let world = World::default();
    let mut slots = slots(&["revenue"], &["country"], "2026-11-20", "2026-11-20");
    let limit = world
        .facts(day("2026-11-20"), day("2026-11-20"))
        .iter()
        .filter(|f| f.country == "DE")
        .map(|f| f.revenue)
        .sum::<i64>();
    #[expect(clippy::cast_precision_loss, reason = "a test amount")]
    let limit = limit as f64 / 1e6;
    slots.filters =
        vec![crate::Filter { field: "revenue".into(), value: FilterValue::Compare([("gt".to_owned(), limit)].into()) }];
    let run = ask(&world, "countries with more", slots);
    assert_eq!(table(&run).rows.len(), 1);
    assert!(run.reply.text.starts_with("1 of 3 countries had revenue above"), "{}", run.reply.text);
}

fn limited(metric: &str, dim: &str, op: &str, limit: f64) -> Slots {
    let mut slots = slots(&[metric], &[dim], "2026-11-20", "2026-11-20");
    slots.filters =
        vec![crate::Filter { field: metric.into(), value: FilterValue::Compare([(op.to_owned(), limit)].into()) }];
    slots
}

fn with_a_sleeping_app() -> World {
    let mut world = World::default();
    let app = world.entities.iter().find(|e| e.name == "Word Quest").unwrap().clone();
    world.entities.push(EntityItem {
        id: "ca-app-pub-2222222222222222~2000000009".into(),
        name: "Sleeping Game".into(),
        platform: Some("ios".into()),
        ..app
    });
    world
}

fn first_cells(run: &Run) -> Vec<String> {
    let name = |value: &Value| match value {
        Value::Entity { name, .. } => name.clone(),
        other => other.raw(),
    };
    table(run).rows.iter().map(|row| name(&row[0])).collect()
}

#[test]
fn what_the_report_has_no_row_for_counts_as_nothing_and_is_marked() {
    let world = with_a_sleeping_app();
    let run = ask(&world, "apps with no impressions", limited("impressions", "app", "lte", 0.0));
    assert!(run.reply.text.starts_with("1 of 4 apps had impressions at most 0."), "{}", run.reply.text);
    assert!(run.reply.text.contains("1 of them is not in AdMob's report"), "{}", run.reply.text);
    assert_eq!(first_cells(&run), ["Sleeping Game (not in the report)"]);
    let row = &table(&run).rows[0];
    assert_eq!(row[1], Value::Count { value: 0 });
    assert!(row[2..].iter().all(|cell| *cell == Value::Missing), "only what was limited is known: {row:?}");

    let mut android = limited("impressions", "app", "lte", 0.0);
    android.filters.push(only("platform", &["android"]));
    let run = ask(&world, "Android apps with no impressions", android);
    assert!(!run.reply.text.contains("Sleeping Game"), "{}", run.reply.text);
    let run = ask(&world, "apps with eCPM under $900", limited("ecpm", "app", "lt", 900.0));
    assert!(!run.reply.text.contains("Sleeping Game"), "nothing has no eCPM: {}", run.reply.text);
}

#[test]
fn where_rows_without_traffic_cannot_be_known_the_answer_speaks_of_the_report() {
    let world = with_a_sleeping_app();
    let run = ask(&world, "countries with no impressions", limited("impressions", "country", "lte", 0.0));
    assert!(
        run.reply.text.starts_with("Every country in the report had impressions on Nov 20, 2026."),
        "{}",
        run.reply.text
    );
    assert!(run.reply.text.contains("so countries without traffic aren't included"), "{}", run.reply.text);

    let run = ask(&world, "countries under 5000 impressions", limited("impressions", "country", "lt", 5_000_000.0));
    assert!(run.reply.text.contains("so countries without traffic aren't included"), "{}", run.reply.text);
    let run = ask(&world, "countries over 5 impressions", limited("impressions", "country", "gt", 5.0));
    assert!(!run.reply.text.contains("not counted here"), "{}", run.reply.text);
}

#[test]
fn an_average_per_row_is_of_the_rows_of_the_period() {
    let world = World::default();
    let mut slots = slots(&["revenue"], &["app"], "2026-11-20", "2026-11-20");
    let text = "which apps lost revenue yesterday, and the average revenue per app";
    let run = ask(&world, text, slots.clone());
    assert!(!run.reply.text.contains("per app on average"), "{}", run.reply.text);
    slots.compare_to = None;
    let run = ask(&world, "average revenue per app yesterday", slots);
    assert!(run.reply.text.contains(" Together, that's **"), "{}", run.reply.text);
}

#[test]
fn a_comparison_adds_previous_and_change_to_the_table() {
    let world = World::default();
    let mut slots = slots(&["revenue"], &["app"], "2026-10-01", "2026-10-31");
    slots.compare_to =
        Some(Comparison { kind: "previous_year".into(), date_from: "2025-10-01".into(), date_to: "2025-10-31".into() });
    let run = ask(&world, "October vs October last year by app", slots);
    assert_eq!(run.rounds[0].len(), 4);
    let keys: Vec<&str> = table(&run).columns.iter().map(|c| c.key.as_str()).collect();
    assert_eq!(&keys[..4], ["app", "revenue", "previous_revenue", "change"]);
    assert!(run.reply.text.contains("in Oct 2025"), "{}", run.reply.text);
}

#[test]
fn days_are_a_chart_with_the_compared_days_dashed() {
    let mut slots = slots(&["revenue"], &["date"], "2026-11-14", "2026-11-20");
    slots.compare_to = Some(Comparison {
        kind: "previous_period".into(),
        date_from: "2026-11-07".into(),
        date_to: "2026-11-13".into(),
    });
    let run = ask(&World::default(), "revenue per day", slots);
    let chart = run
        .reply
        .artifacts
        .iter()
        .find_map(|a| match a {
            Artifact::Timeseries { chart, .. } => Some(chart),
            _ => None,
        })
        .expect("a chart");
    assert_eq!((chart.series.len(), chart.series[0].points.len()), (2, 7));
    assert!(chart.series[1].previous);
    assert_eq!(chart.series[1].points[0].date.as_deref(), Some("2026-11-07"));
    assert_eq!(chart.series[1].points[0].at, "2026-11-14");
}

#[test]
fn show_rate_comes_from_the_sums_of_every_source_and_quarters_from_months() {
    let run = ask(&World::default(), "show rate yesterday", slots(&["show_rate"], &[], "2026-11-20", "2026-11-20"));
    assert!(run.rounds[0].iter().all(|c| c.name == "admob_generate_mediation_report"));
    let run = ask(&World::default(), "2025 by quarter", slots(&["revenue"], &["quarter"], "2025-01-01", "2025-12-31"));
    assert_eq!(run.rounds[0][0].args["body"]["reportSpec"]["dimensions"], json!(["MONTH"]));
    assert_eq!(table(&run).rows.len(), 4);
    assert_eq!(table(&run).rows[2][0], Value::Text { value: "2025 Q3".into() });
}

#[test]
fn the_ad_source_that_drags_ecpm_down_is_named_by_price_and_weight() {
    let world = World { cheap: Some("InMobi"), ..World::default() };
    let text = "find out which ad source is dragging eCPM down";
    let run = ask(&world, text, slots(&["ecpm"], &["ad_source"], "2026-10-22", "2026-11-20"));
    assert!(run.reply.text.contains("Pulls the average down most: **InMobi** at $"), "{}", run.reply.text);
}

#[test]
fn weeks_start_on_monday_whatever_the_network_thinks() {
    let world = World::default();
    let run = ask(&world, "revenue per week", slots(&["revenue"], &["week"], "2026-11-07", "2026-11-20"));
    assert_eq!(run.rounds[0][0].args["body"]["reportSpec"]["dimensions"], json!(["DATE"]));
    let weeks: Vec<String> = table(&run).rows.iter().map(|row| row[0].raw()).collect();
    assert_eq!(weeks, ["2026-11-07", "2026-11-09", "2026-11-16"]);
    assert_eq!(table(&run).rows[1][1], usd(world.revenue("2026-11-09", "2026-11-15")));
}

#[test]
fn campaigns_come_from_the_house_report_under_their_names() {
    let run = ask(
        &World::default(),
        "clicks per house campaign",
        slots(&["clicks"], &["campaign"], "2026-11-14", "2026-11-20"),
    );
    assert!(run.rounds[0].iter().all(|c| c.name == "admob_generate_campaign_report"));
    assert_eq!(table(&run).rows[0][0], Value::Entity { id: "77".into(), name: "Cross promo".into() });
}

#[test]
fn no_rows_partial_days_and_warnings_are_said() {
    let empty = World { empty: true, ..World::default() };
    let run = ask(&empty, "revenue yesterday", slots(&["revenue"], &[], "2026-11-20", "2026-11-20"));
    assert!(run.reply.text.starts_with("AdMob has no rows"), "{}", run.reply.text);
    assert!(run.reply.artifacts.is_empty());
    let warned = World { warnings: vec!["Data is delayed.".into()], ..World::default() };
    let run = ask(&warned, "revenue today", slots(&["revenue"], &[], TODAY, TODAY));
    assert!(run.reply.text.contains("Nov 21 is still in progress, so its numbers are partial."), "{}", run.reply.text);
    assert!(run.reply.method.contains(&"AdMob: Data is delayed.".to_owned()), "{}", run.said());
}

#[test]
fn a_failed_report_is_explained_and_nothing_is_made_up() {
    let mut world = World::default();
    world.broken.insert(
        "admob_generate_mediation_report".into(),
        json!({"error": {"code": "RATE_LIMITED", "message": "AdMob asks to wait."}}),
    );
    let run = ask(&world, "revenue yesterday", slots(&["revenue"], &[], "2026-11-20", "2026-11-20"));
    assert!(run.reply.text.contains("AdMob asks to wait") && run.reply.artifacts.is_empty(), "{}", run.reply.text);
    assert!(!run.reply.text.contains('$'));
}

#[test]
fn why_is_answered_with_totals_then_breakdowns_and_contributors() {
    let world = World::default();
    let text = "Why did our revenue drop on Thursday?";
    let run = ask(&world, text, slots(&["revenue"], &[], "2026-11-19", "2026-11-19"));
    assert_eq!(run.rounds[0].len(), 4, "totals first, then breakdowns");
    let (now, before) = (world.revenue("2026-11-19", "2026-11-19"), world.revenue("2026-11-18", "2026-11-18"));
    assert!(run.reply.text.contains(&money(now)) && run.reply.text.contains(&money(before)), "{}", run.reply.text);
    assert!(
        run.reply.text.contains(" by country: ") && run.reply.text.contains("the day before (Nov 18)"),
        "{}",
        run.reply.text
    );
}

#[test]
fn a_week_that_began_today_is_said_above_its_figure() {
    let world = World { today: "2026-11-23", ..World::default() };
    let run = ask(&world, "revenue this week", slots(&["revenue"], &[], "2026-11-23", "2026-11-23"));
    assert!(run.reply.text.starts_with("**This week began today**"), "{}", run.reply.text);
    assert_eq!(run.reply.follow_ups[0], "And last week?");
    let run = ask(&world, "revenue today", slots(&["revenue"], &[], "2026-11-23", "2026-11-23"));
    assert!(!run.reply.text.contains("began today"), "{}", run.reply.text);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn merged_totals_equal_the_sums_of_what_happened(seed in 0_i64..1_000_000_000, back in 1_i32..60, length in 0_i32..40, dim in 0_usize..4) {
        use jiff::ToSpan as _;
        let world = World { seed, ..World::default() };
        let to = day(TODAY).saturating_sub(back.days());
        let from = to.saturating_sub(length.days());
        let dims: &[&str] = [&["country"] as &[&str], &["app"], &["ad_source", "country"], &[]][dim];
        let run = ask(&world, "revenue", slots(&["revenue", "impressions", "ecpm"], dims, &from.to_string(), &to.to_string()));
        let facts = world.facts(from, to);
        let (revenue, impressions) = (facts.iter().map(|f| f.revenue).sum::<i64>(), facts.iter().map(|f| f.impressions).sum::<i64>());
        let ecpm = (i128::from(revenue) * 2000 + i128::from(impressions)) / (2 * i128::from(impressions));
        let total = table(&run).total.clone().expect("a total");
        let at = dims.len().max(1);
        prop_assert_eq!(&total[at], &usd(revenue));
        prop_assert_eq!(&total[at + 1], &Value::Count { value: impressions });
        prop_assert_eq!(&total[at + 2], &usd(i64::try_from(ecpm).unwrap()));
        prop_assert!(run.reply.text.contains(&money(revenue)), "{}", run.reply.text);
    }
}
