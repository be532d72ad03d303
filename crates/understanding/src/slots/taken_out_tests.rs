//! Tests whole questions: what they keep, and what they leave out.

use adagent_contract::HistoryEntry;
use adagent_domain::Network;

use crate::{FilterValue, Question, Slots, understand};

fn asked(turns: &[&str]) -> Slots {
    let (last, before) = turns.split_last().unwrap();
    let history = before
        .iter()
        .flat_map(|text| [("user", *text), ("assistant", "Here it is.")])
        .map(|(role, content)| HistoryEntry { role: role.into(), content: content.into() })
        .collect();
    understand(&Question {
        text: (*last).into(),
        history,
        connected: vec![Network::AdMob],
        disabled: Vec::new(),
        today: "2026-11-21".into(),
        entities: adagent_llm::Entities::default(),
        connections: Vec::new(),
        own_tools: Vec::new(),
        colleagues: Vec::new(),
    })
    .slots
    .unwrap_or_else(|| panic!("no slots: {turns:?}"))
}

/// Returns every filter as words: `country=DE`, `country!=DE,FR`, `clicks lte 0`.
fn filters(slots: &Slots) -> String {
    let words: Vec<String> = slots
        .filters
        .iter()
        .map(|f| match &f.value {
            FilterValue::In(list) => format!("{}={}", f.field, list.join(",")),
            FilterValue::Not { not } => format!("{}!={}", f.field, not.join(",")),
            FilterValue::Compare(map) => {
                map.iter().map(|(op, limit)| format!("{} {op} {limit}", f.field)).collect::<Vec<_>>().join(" ")
            }
        })
        .collect();
    words.join(" ")
}

#[test]
fn figures_that_drop_are_asked_where_they_drop() {
    for (text, wanted) in [
        ("Why did revenue drop in Germany?", "country=DE"),
        ("why did revenue drop in Germany last week", "country=DE"),
        ("Why did eCPM drop for Puzzle Game last week", "app=Puzzle Game"),
        ("why did revenue drop in the US", "country=US"),
        ("why did impressions drop for Android yesterday", "platform=android"),
        ("did clicks drop in France or Italy this week", "country=FR,IT"),
        ("revenue drop from Germany, yesterday vs the day before", "country=DE"),
        ("which apps saw a drop in Germany last week", "country=DE"),
        ("how much did eCPM drop in the US compared to last week", "country=US"),
        ("the revenue drop in Germany: what happened", "country=DE"),
        ("did we drop in Germany last week", "country=DE"),
        ("how much did we lose in Germany last week", "country=DE"),
        ("a revenue cut in Germany last week, why", "country=DE"),
        ("we earned less in Germany last week, why", "country=DE"),
        ("less revenue in Germany last week, why", "country=DE"),
        ("why did revenue fall without ads in Germany last week", "country=DE"),
        ("why is revenue not growing in Germany", "country=DE"),
        ("why did Meta revenue drop last week", "ad_source=meta"),
        ("why do impressions not show in Germany last week", "country=DE"),
        ("why did revenue drop by more than 20% in Germany last week", "country=DE"),
        ("how much did Unity drop last week in AdMob", "ad_source=unity"),
        ("ad units with no iOS impressions last week", "platform=ios"),
    ] {
        assert_eq!(filters(&asked(&[text])), wanted, "{text}");
    }
    assert_eq!(filters(&asked(&["revenue by country last 30 days", "why did it drop in Germany"])), "country=DE");
}

#[test]
fn what_is_told_to_go_goes() {
    for (text, wanted) in [
        ("revenue by country last week, drop the US", "country!=US"),
        ("revenue by country drop the US", "country!=US"),
        ("can we drop the US from revenue by country last week", "country!=US"),
        ("remove Germany from revenue by country last week", "country!=DE"),
        ("skip iOS: revenue last week by platform", "platform!=ios"),
        ("after removing Germany, revenue last week", "country!=DE"),
        ("revenue less Germany last week", "country!=DE"),
        ("revenue minus Germany last week", "country!=DE"),
        ("leave out Germany: revenue last week", "country!=DE"),
        ("revenue last week, leave Germany and France out", "country!=DE,FR"),
        ("take out iOS, revenue last week", "platform!=ios"),
        ("revenue last week with Germany excluded", "country!=DE"),
        ("non-US revenue last week", "country!=US"),
        ("eCPM of all formats but interstitials last week", "format!=interstitial"),
        ("revenue in Germany but not on Android last week", "country=DE platform!=android"),
        ("revenue excluding the app Puzzle Game last week", "app!=Puzzle Game"),
        ("revenue excluding revenue from Germany last week", "country!=DE"),
        ("revenue except the United States and Germany last week", "country!=DE,US"),
        ("revenue last week for countries other than the United States or Canada", "country!=CA,US"),
        ("revenue without 'Puzzle Game' and 'Word Quest' last week", "app!=Puzzle Game,Word Quest"),
        ("impressions excluding US, UK, CA, AU, BR and Germany last week", "country!=AU,BR,CA,DE,GB,US"),
        ("revenue last week by ad source without Meta", "ad_source!=meta"),
        ("revenue by ad source last week except Unity", "ad_source!=Unity"),
        ("revenue last week excluding AppLovin", "ad_source!=AppLovin"),
        ("revenue in Germany not including rewarded last week", "country=DE format!=rewarded"),
        ("revenue in the US with no banners last week", "country=US format!=banner"),
        ("revenue ex US last week", "country!=US"),
        ("don't include Germany in revenue by country last week", "country!=DE"),
        ("I don't want Germany in there, revenue by country last week", "country!=DE"),
        ("what if we drop Germany: revenue last week", "country!=DE"),
        ("can I see last week's clicks minus those from India", "country!=IN"),
        ("hide banners, revenue by format last week", "format!=banner"),
        ("remove Germany from the revenue report of last week", "country!=DE"),
        ("revenue excluding the US, CA, FR and Germany last week", "country!=CA,DE,FR,US"),
        ("revenue anywhere except in Germany and in France last week", "country!=DE,FR"),
    ] {
        assert_eq!(filters(&asked(&[text])), wanted, "{text}");
    }
    assert_eq!(asked(&["revenue excluding the US, CA, FR and Germany last week"]).metrics, ["revenue"]);
    assert_eq!(filters(&asked(&["revenue by country last 30 days", "drop the US"])), "country!=US");
    assert_eq!(filters(&asked(&["revenue by app last week", "let's drop Android"])), "platform!=android");
}

#[test]
fn a_place_named_after_what_is_taken_out_is_where_it_is_asked() {
    for (text, wanted) in [
        ("revenue without banners in Germany last week", "format!=banner country=DE"),
        ("revenue without iOS, in Germany, last week", "platform!=ios country=DE"),
        ("revenue in Germany, not Austria, last week", "country=DE"),
        ("revenue in the Nordics except Sweden last week", "country=DK,FI,IS,NO"),
    ] {
        assert_eq!(filters(&asked(&[text])), wanted, "{text}");
    }
}

#[test]
fn a_follow_up_takes_out_of_what_was_asked() {
    for (turns, wanted) in [
        (["revenue in Germany and Austria last week", "drop Austria"], "country=DE"),
        (["revenue in the Nordics last week", "without Sweden"], "country=DK,FI,IS,NO"),
        (["revenue without Germany last week", "drop the US"], "country!=DE,US"),
        (["revenue by app last week", "without Germany by country"], "country!=DE"),
    ] {
        assert_eq!(filters(&asked(&turns)), wanted, "{turns:?}");
    }
}

#[test]
fn a_split_stays_unless_it_is_told_to_go() {
    for (text, wanted) in [
        ("revenue drop by country last week", &["country"][..]),
        ("revenue cut by app last week", &["app"]),
        ("biggest drop in revenue by app last week", &["app"]),
        ("why is revenue not growing by country last week", &["country"]),
        ("revenue without Germany by app last week", &["app"]),
        ("revenue without banners by app last week", &["app"]),
        ("revenue last week, not by country", &[]),
        ("revenue last week, no country split", &[]),
    ] {
        assert_eq!(asked(&[text]).dimensions, wanted, "{text}");
    }
    let before = "revenue by country and app last 30 days";
    assert_eq!(asked(&[before, "drop the app split"]).dimensions, ["country"]);
    assert!(asked(&[before, "why the drop by app?"]).dimensions.contains(&"app".to_owned()));
}

#[test]
fn a_figure_that_drops_is_not_taken_off_the_list() {
    let before = "revenue and clicks by country last 30 days";
    for text in ["why did clicks drop?", "why are there no clicks"] {
        assert!(asked(&[before, text]).metrics.contains(&"clicks".to_owned()), "{text}");
    }
    assert_eq!(asked(&[before, "drop the clicks"]).metrics, ["revenue"]);
    assert_eq!(asked(&[before, "no clicks please"]).metrics, ["revenue"]);
}

#[test]
fn now_as_a_filler_leaves_the_period_alone() {
    let followed = asked(&["revenue by country last 30 days", "add clicks now"]);
    assert_eq!(followed.metrics, ["revenue", "clicks"]);
    let whole = (Some("2026-10-22".to_owned()), Some("2026-11-20".to_owned()));
    assert_eq!((followed.date_from, followed.date_to), whole);
    let followed = asked(&["revenue by country last 30 days", "clicks so far"]);
    assert_eq!((followed.date_from, followed.date_to), whole, "said before, and not taken back");
    let followed = asked(&["revenue this month", "how many clicks so far"]);
    assert_eq!((followed.metrics[0].as_str(), followed.date_from.as_deref()), ("clicks", Some("2026-11-01")));
    assert_eq!(
        asked(&["revenue until now"]).date_from.as_deref(),
        Some("2026-11-01"),
        "the month's first day, and said"
    );
    for text in ["revenue so far", "what is our eCPM right now"] {
        assert_eq!(asked(&[text]).date_from.as_deref(), Some("2026-11-21"), "{text}");
    }
}

#[test]
fn limits_in_cents_and_without_a_figure_are_kept() {
    for (text, wanted) in [
        ("apps under 50 cents last week", "revenue lt 0.5"),
        ("which ad units earned under 50 cents yesterday", "revenue lt 0.5"),
        ("ad units with eCPM under 50 cents last week", "ecpm lt 0.5"),
        ("revenue by app last week, skip the ones under $10", "revenue gte 10"),
        ("impressions by country last week, but drop everything under 1000", "impressions gte 1000"),
        ("ad units last week excluding those with more than 100 clicks", "clicks lte 100"),
        ("apps that dropped below $5 last week", "revenue lt 5"),
        ("apps with $5 or more last week", "revenue gte 5"),
        ("apps that earned 50 cents or less last week", "revenue lte 0.5"),
        ("apps without revenue last week", "revenue lte 0"),
        ("ad units without impressions last week", "impressions lte 0"),
    ] {
        assert_eq!(filters(&asked(&[text])), wanted, "{text}");
    }
}
