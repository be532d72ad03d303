//! Tests that nobody misreads money: comparisons are fair, a chat keeps and names its way of counting, and we ask nothing twice.

use adagent_contract::{Artifact, EntityItem, EntityKind, HistoryEntry, Value};
use adagent_domain::Network;
use serde_json::json;

use super::{fleet::*, journey::Conversation, world::*};
use crate::{Capability, Comparison, Outcome, Slots};

fn ask(world: &World, text: &str, slots: Slots) -> Run {
    let understood = understood(Capability::Reporting, Outcome::Answer, Some(slots), text);
    run(world, request(world, text, &understood))
}

fn against(slots: Slots, from: &str, to: &str) -> Slots {
    let compare_to = Some(Comparison { kind: "custom".to_owned(), date_from: from.to_owned(), date_to: to.to_owned() });
    Slots { compare_to, ..slots }
}

fn revenue(from: &str, to: &str) -> String {
    dollars(World::default().revenue(from, to))
}

#[test]
fn a_saved_report_over_both_days_is_run_once_and_is_in_the_total() {
    let definition = json!({"dimensions": ["DATE", "MOBILE_APP_ID", "MOBILE_APP_NAME"], "metrics": ["REVENUE", "IMPRESSIONS", "AD_REQUESTS", "RESPONSES_SERVED"],
        "dateRange": {"fixed": {"startDate": {"year": 2026, "month": 11, "day": 1}, "endDate": {"year": 2026, "month": 11, "day": 20}}}});
    let saved = vec![json!({"reportId": "7", "displayName": "November", "reportDefinition": definition})];
    let fleet = Fleet { saved, ..Fleet::default() };
    for text in ["Show me yesterday's revenue", "What was my revenue yesterday?"] {
        let asked = slots(&["revenue"], &[], YESTERDAY, YESTERDAY);
        let both = [Network::AdMob, Network::AdManager];
        let understood = asks(&both, Capability::Reporting, Outcome::Answer, asked, text);
        // `play` fails if a call is proposed twice.
        let run = play(&fleet, text, &understood);
        let runs = run.rounds.iter().flatten().filter(|call| call.name == "admanager_run_report").count();
        assert_eq!(runs, 1, "{:?}", run.rounds);
        assert!(!run.reply.text.contains("included"), "{}", run.reply.text);
        let sum =
            earned(Network::AdMob, YESTERDAY, YESTERDAY, None) + earned(Network::AdManager, YESTERDAY, YESTERDAY, None);
        assert!(run.reply.text.contains(&dollars(sum)), "{}", run.reply.text);
        assert!(run.reply.text.contains("the day before (Nov 19)"), "{}", run.reply.text);
    }
}

#[test]
fn reasons_over_many_accounts_stay_within_what_a_turn_takes() {
    for accounts in [1, 3, 9, 20] {
        let mut world = World::default();
        let one = world.entities[0].clone();
        world.entities.extend((2..accounts).map(|n| {
            let id = format!("pub-90000000000000{n:02}");
            EntityItem { name: format!("Studio {n}"), account: Some(id.clone()), id, ..one.clone() }
        }));
        let text = "Why did revenue change yesterday?";
        let understood = understood(
            Capability::Reporting,
            Outcome::Answer,
            Some(slots(&["revenue"], &[], "2026-11-20", "2026-11-20")),
            text,
        );
        // A run has 15 turns of its model, and the answer takes one of them.
        let run = run_within(&world, request(&world, text, &understood), 14);
        assert!(run.reply.text.contains("by ad source"), "{}", run.reply.text);
        assert!(!run.reply.text.contains("missing"), "{}", run.reply.text);
    }
}

#[test]
fn a_week_that_began_today_is_not_set_against_a_whole_one() {
    let world = World { today: "2026-11-23", ..World::default() };
    let asked = against(slots(&["revenue"], &[], "2026-11-23", "2026-11-23"), "2026-11-16", "2026-11-22");
    for text in ["Why is AdMob revenue down this week compared to last week?", "AdMob revenue this week vs last week"] {
        let run = ask(&world, text, asked.clone());
        let said = &run.reply.text;
        assert!(
            said.starts_with("Nov 23 is still in progress, so I compare the last full period, Nov 16–22, 2026"),
            "{said}"
        );
        assert!(said.contains(&revenue("2026-11-16", "2026-11-22")), "{said}");
        assert!(said.contains(&revenue("2026-11-09", "2026-11-15")), "{said}");
    }
    let today = against(slots(&["revenue"], &[], "2026-11-23", "2026-11-23"), "2026-11-22", "2026-11-22");
    let run = ask(&world, "AdMob revenue today vs yesterday", today);
    assert!(run.reply.text.contains("so I don't compare it with a whole day"), "{}", run.reply.text);
    assert!(!run.reply.text.contains("down") && !run.reply.text.contains("up "), "{}", run.reply.text);
}

#[test]
fn a_month_so_far_is_told_whole_and_compared_by_its_full_days() {
    let run = ask(&World::default(), "How much so far this month?", slots(&["revenue"], &[], "2026-11-01", TODAY));
    let said = &run.reply.text;
    assert!(
        said.starts_with(&format!("AdMob earned **{}** over Nov 1–21, 2026", revenue("2026-11-01", TODAY))),
        "{said}"
    );
    let (now, before) = (revenue("2026-11-01", "2026-11-20"), revenue("2026-10-01", "2026-10-20"));
    assert!(said.contains(&format!("Full days only (Nov 1–20, 2026): **{now}**")), "{said}");
    assert!(said.contains(&format!("from {before} on the same days of the month before (Oct 1–20, 2026)")), "{said}");
    // The tile of the whole period shows no change, because there is no whole period to compare it with.
    let Some(Artifact::Kpi { tiles, .. }) = run.reply.artifacts.first() else { panic!("tiles first") };
    assert!(tiles.iter().all(|tile| tile.change.is_none()), "{tiles:?}");
}

#[test]
fn a_year_so_far_is_read_by_month_and_compared_with_nothing_unasked() {
    let run = ask(&World::default(), "revenue so far this year", slots(&["revenue"], &[], "2026-01-01", TODAY));
    assert!(run.reply.text.contains(&revenue("2026-01-01", TODAY)), "{}", run.reply.text);
    assert!(!run.reply.text.contains("alone") && !run.reply.text.contains(" from $"), "{}", run.reply.text);
    assert!(run.reply.text.contains("Nov 21 is still in progress, so its numbers are partial."), "{}", run.reply.text);
}

#[test]
fn what_a_question_takes_for_granted_is_checked_first() {
    let day = || slots(&["revenue"], &[], "2026-11-20", "2026-11-20");
    let (now, before) = (revenue("2026-11-20", "2026-11-20"), revenue("2026-11-19", "2026-11-19"));
    let run = ask(&World::default(), "Why did revenue drop yesterday?", day());
    let first = format!("**It didn't drop:** AdMob revenue was **{now}** on Nov 20, 2026, up ");
    assert!(run.reply.text.starts_with(&first), "{}", run.reply.text);
    assert!(run.reply.text.contains(&format!("from {before} the day before (Nov 19).")), "{}", run.reply.text);
    let run = ask(&World::default(), "Why did revenue rise yesterday?", day());
    assert!(run.reply.text.starts_with("AdMob revenue was"), "{}", run.reply.text);

    // With several networks, the comparison uses the same period before, and nothing appears twice.
    let text = "Why did revenue drop yesterday?";
    let all = [Network::AdMob, Network::AppLovin, Network::Unity, Network::Liftoff];
    let run = play(&Fleet::default(), text, &asks(&all, Capability::Reporting, Outcome::Answer, day(), text));
    assert!(run.reply.text.starts_with("**It didn't drop:** Your 4 networks together earned"), "{}", run.reply.text);
    assert!(run.reply.text.contains("the day before (Nov 19)"), "{}", run.reply.text);
    assert_eq!(run.reply.text.matches("Nov 20").count(), 1, "{}", run.reply.text);
    let mut lines = run.reply.method.clone();
    lines.dedup();
    assert_eq!(lines, run.reply.method);
}

#[test]
fn a_chat_keeps_its_way_of_counting_and_says_when_it_changes() {
    let all = [Network::AdMob, Network::AppLovin, Network::Unity];
    let first = "revenue yesterday by app";
    let asked = slots(&["revenue"], &["app"], YESTERDAY, YESTERDAY);
    let run = play(&Fleet::default(), first, &asks(&all, Capability::Reporting, Outcome::Answer, asked, first));
    assert!(run.reply.method.iter().any(|line| line.contains("every impression once")), "{:?}", run.reply.method);
    let total = |run: &Run| -> i64 {
        let Some(Artifact::Table { table, .. }) =
            run.reply.artifacts.iter().find(|artifact| matches!(artifact, Artifact::Table { .. }))
        else {
            panic!("no table: {}", run.reply.text)
        };
        table.rows.iter().filter_map(|row| row.iter().find_map(money)).sum()
    };
    let said = |role: &str, content: String| HistoryEntry { role: role.into(), content };
    let fleet =
        Fleet { history: vec![said("user", first.to_owned()), said("assistant", run.said())], ..Fleet::default() };
    // The understanding writes a follow-up out like this, with every network by its name.
    let follow_up = |text: &str, dims: &[&str], services: &[Network]| {
        let asked = slots(&["revenue"], dims, YESTERDAY, YESTERDAY);
        let mut understood = asks(services, Capability::Reporting, Outcome::Answer, asked, text);
        understood.standalone = "AdMob, AppLovin, Unity revenue from 2026-11-20 to 2026-11-20".to_owned();
        play(&fleet, text, &understood)
    };
    let again = follow_up("what about that day?", &["app"], &all);
    assert_eq!(total(&again), total(&run), "{}", again.reply.text);
    assert!(!again.reply.text.contains("isn't comparable"), "{}", again.reply.text);
    // One network alone shows everything that it mediates. That is another way of counting, so the answer says it first.
    let alone = follow_up("and only AppLovin?", &["app"], &[Network::AppLovin]);
    assert!(
        alone.reply.text.starts_with("**This total isn't comparable with my last answer.**"),
        "{}",
        alone.reply.text
    );
}

fn money(cell: &Value) -> Option<i64> {
    match cell {
        Value::Money { money } => Some(money.micros),
        _ => None,
    }
}

#[test]
fn a_follow_up_in_admob_keeps_what_its_total_counts() {
    let mut talk = Conversation::new();
    let first = talk.say("AdMob revenue yesterday");
    let then = talk.say("what about the day before?");
    for run in [&first, &then] {
        assert!(run.reply.method.iter().any(|line| line.contains("everything the network mediates")), "{}", run.said());
        assert!(!run.reply.text.contains("Counted"), "{}", run.reply.text);
    }
    let network = talk.say("AdMob Network revenue yesterday");
    assert!(network.reply.text.starts_with("**This total isn't comparable"), "{}", network.reply.text);
}

fn floors(world: &World) -> (Run, Option<Vec<Vec<Value>>>) {
    let text = "Optimize my AdMob mediation";
    let run = ask(world, text, slots(&["revenue"], &[], "", ""));
    let table = run.reply.artifacts.iter().find_map(|artifact| match artifact {
        Artifact::Table { title, table, .. } if title.starts_with("Floors") => Some(table.rows.clone()),
        _ => None,
    });
    (run, table)
}

#[test]
fn a_floor_is_advised_from_what_its_own_line_earned() {
    // All other apps earn a tenth, so an average over them would price the line far too low.
    let world = World { poor: Some("ca-app-pub-1111111111111111~1000000001"), ..World::default() };
    let (run, rows) = floors(&world);
    let line = |fact: &Fact| fact.app.ends_with("~1000000002") && fact.source.1 == "InMobi";
    let facts = world.facts(day("2026-11-14"), day("2026-11-20"));
    let (revenue, impressions) =
        facts.iter().filter(|fact| line(fact)).fold((0, 0), |(r, i), fact| (r + fact.revenue, i + fact.impressions));
    let own = revenue * 1000 / impressions / 10_000 * 10_000;
    let rows = rows.unwrap_or_else(|| panic!("no table: {}", run.reply.text));
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!(row.iter().filter_map(money).collect::<Vec<_>>()[2], own, "{row:?}");
    assert!(run.reply.text.contains("InMobi in iOS Rewarded Global: $3.00 → $3.96"), "{}", run.reply.text);
}

#[test]
fn without_figures_of_the_line_there_is_no_floor_and_a_reason() {
    let mut world = World::default();
    let group = world.entities.iter_mut().find(|item| item.kind == EntityKind::MediationGroup).unwrap();
    let twin = group.raw["mediationGroupLines"]["9002"].clone();
    group.raw["mediationGroupLines"]["9003"] = twin;
    let (run, rows) = floors(&world);
    assert_eq!(rows, None, "{}", run.reply.text);
    assert!(
        run.reply.text.contains("I have no floor to suggest: 2 lines share an ad source with another line"),
        "{}",
        run.reply.text
    );
    let mut world = World::default();
    let group = world.entities.iter_mut().find(|item| item.kind == EntityKind::MediationGroup).unwrap();
    group.raw["mediationGroupLines"]["9002"]["adSourceId"] = "7069338991535737586".into();
    let (run, _) = floors(&world);
    assert!(run.reply.text.contains("1 line had fewer than 1,000 impressions"), "{}", run.reply.text);
}

#[test]
fn things_of_one_name_and_platform_show_their_app() {
    let mut world = World::default();
    let app = world.entities.iter().find(|item| item.name == "Word Quest").unwrap().clone();
    world.entities.push(EntityItem {
        id: "ca-app-pub-2222222222222222~2000000002".into(),
        name: "Sudoku".into(),
        ..app
    });
    for (id, parent) in [
        ("ca-app-pub-1111111111111111~1000000001/unit", "ca-app-pub-1111111111111111~1000000001"),
        ("ca-app-pub-1111111111111111~1000000002/unit", "ca-app-pub-1111111111111111~1000000002"),
        ("ca-app-pub-2222222222222222~2000000001/unit", "ca-app-pub-2222222222222222~2000000001"),
    ] {
        let like = world.entities.iter().find(|item| item.kind == EntityKind::AdUnit).unwrap().clone();
        let platform = Some(if parent.ends_with("~1000000002") { "ios" } else { "android" }.to_owned());
        let unit = EntityItem { id: id.into(), name: "A unit".into(), parent: Some(parent.into()), platform, ..like };
        world.entities.push(unit);
    }
    let run = ask(&world, "revenue by ad unit", slots(&["revenue"], &["ad_unit"], "2026-11-20", "2026-11-20"));
    for name in ["A unit (Puzzle Game Android)", "A unit (Puzzle Game iOS)", "A unit (Word Quest Android)"] {
        assert!(run.reply.text.contains(name), "{name}: {}", run.reply.text);
    }
}

#[test]
fn the_reporting_time_zone_is_said_once_with_the_zones_of_the_reports() {
    let asked = || slots(&["revenue"], &[], "2026-11-20", "2026-11-20");
    for text in ["AdMob revenue yesterday", "Why did AdMob revenue change yesterday?"] {
        let world = World { time_zone: "America/New_York", ..World::default() };
        let run = ask(&world, text, asked());
        let line = "Reporting time zone: America/New_York. The reports use UTC.";
        assert_eq!(run.reply.method.iter().filter(|own| *own == line).count(), 1, "{:?}", run.reply.method);
        let run = ask(&World { time_zone: "Etc/UTC", ..World::default() }, text, asked());
        assert!(run.reply.method.contains(&"Reporting time zone: UTC.".to_owned()), "{:?}", run.reply.method);
    }
}

#[test]
fn all_your_accounts_is_said_only_where_all_were_read() {
    let world = World::default();
    let text = "AdMob revenue yesterday";
    let asked = slots(&["revenue"], &[], "2026-11-20", "2026-11-20");
    let understood = understood(Capability::Reporting, Outcome::Answer, Some(asked), text);
    let mut request = request(&world, text, &understood);
    request.planner.settings.enabled_accounts = [(Network::AdMob, vec![ACME.to_owned()])].into();
    let run = run(&world, request);
    assert!(
        run.reply.text.contains("in Acme Games") && !run.reply.text.contains("all your accounts"),
        "{}",
        run.reply.text
    );
}
