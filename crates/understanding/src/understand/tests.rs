use adagent_contract::HistoryEntry;

use super::*;

fn route(text: &str) -> (Vec<Network>, Capability, Path, Outcome) {
    let understood = understand(&Question {
        text: text.into(),
        history: Vec::new(),
        connected: vec![Network::AdMob],
        disabled: Vec::new(),
        today: "2026-11-21".into(),
        entities: adagent_llm::Entities::default(),
        connections: Vec::new(),
        own_tools: Vec::new(),
        colleagues: Vec::new(),
    });
    (understood.services, understood.capability, understood.path, understood.outcome)
}

#[test]
fn what_goes_on_is_the_question_of_before() {
    let before = route("What was my revenue yesterday?");
    for text in [
        "AdMob is connected now. Continue with: What was my revenue yesterday?",
        "AdMob is switched on now. Continue with: What was my revenue yesterday?",
        "AdMob is connected now, go on with: What was my revenue yesterday?",
        "AdMob is switched on now, go on with: What was my revenue yesterday?",
    ] {
        assert_eq!(route(text), before, "{text}");
    }
}

fn after(before: &[&str], text: &str) -> Understood {
    let history = before.iter().map(|text| HistoryEntry { role: "user".into(), content: (*text).into() }).collect();
    understand(&Question {
        text: text.into(),
        history,
        connected: Network::ALL.to_vec(),
        disabled: Vec::new(),
        today: "2026-11-24".into(),
        entities: adagent_llm::Entities::default(),
        connections: Vec::new(),
        own_tools: Vec::new(),
        colleagues: Vec::new(),
    })
}

#[test]
fn a_whole_question_takes_no_filter_and_no_time_from_the_one_before() {
    let rewarded = ["eCPM trend last 14 days rewarded on Android in the US"];
    for text in [
        "how does this week compare to last week",
        "did fill rate drop over the wknd? just checking before standup",
        "hey quick one before standup - what was revenue yesterday on all apps",
    ] {
        let slots = after(&rewarded, text).slots.unwrap_or_default();
        assert!(slots.filters.is_empty(), "{text}: {slots:?}");
        assert_ne!(slots.date_from.as_deref(), Some("2026-11-10"), "{text}: {slots:?}");
    }
    let weekend =
        after(&["top apps last 30 days"], "did fill tank over wknd? need #s for US ios").slots.unwrap_or_default();
    assert_eq!((weekend.date_from.as_deref(), weekend.date_to.as_deref()), (Some("2026-11-21"), Some("2026-11-22")));
    // Short texts go on from the question before.
    let on = after(&rewarded, "and on iOS?").slots.unwrap_or_default();
    assert!(on.filters.iter().any(|filter| filter.field == "format"), "{on:?}");
    let this = after(&rewarded, "and this week?").slots.unwrap_or_default();
    assert!(this.filters.iter().any(|filter| filter.field == "country"), "{this:?}");
}

#[test]
fn a_word_that_points_within_a_question_takes_nothing_from_the_one_before() {
    let slots = |before: &[&str], text: &str| {
        let said = after(before, text);
        (said.services.clone(), said.slots.unwrap_or_default())
    };
    let germany = ["What was AdMob revenue in Germany last week?"];
    let text = "What was AppLovin revenue in October and how did it compare with September?";
    let (services, found) = slots(&germany, text);
    assert_eq!((services, found.filters), (vec![Network::AppLovin], vec![]));
    assert!(found.compare_to.is_some());

    let rank = [
        "Rank my ad sources on AdMob by match rate and eCPM for interstitial ads in the United States over the past 14 days.",
    ];
    for text in [
        "What was total revenue from rewarded ads across all networks in October, and how did it compare with September?",
        "Which apps lost the most revenue on AdMob yesterday compared with the same day last week, and in which country?",
        "Show Unity revenue by app last week, and compare it with the week before",
        "Did Unity revenue in Canada grow faster than AdMob revenue there last week?",
    ] {
        let (_, found) = slots(&rank, text);
        assert_eq!(found.metrics, ["revenue"], "{text}");
        let before = |field: &str, value: &str| {
            found.filters.iter().any(|one| one.field == field && format!("{:?}", one.value).contains(value))
        };
        assert!(!before("country", "US") && !before("format", "interstitial"), "{text}: {:?}", found.filters);
    }
    let days = ["Which days in October had revenue above $100 for Puzzle Game on Pangle?"];
    let text = "Which day in the last 14 had the lowest eCPM on Pangle, and by how much was it below the average?";
    let (services, found) = slots(&days, text);
    assert_eq!((services, found.filters), (vec![Network::Pangle], vec![]));
    assert_eq!((found.metrics, found.date_from.as_deref()), (vec!["ecpm".to_owned()], Some("2026-11-10")));

    // A text that points back goes on from the question before.
    for text in [
        "what was revenue for it yesterday",
        "show it by country",
        "and the same for last week",
        "which of those lost revenue?",
    ] {
        let (services, _) = slots(&germany, text);
        assert_eq!(services, [Network::AdMob], "{text}");
    }
}

#[test]
fn what_is_ranked_has_a_row_each_and_the_most_is_of_money() {
    for (text, dimensions, metrics) in [
        ("Rank the ad sources on AdMob by match rate over the past 14 days.", &["ad_source"][..], &["match_rate"][..]),
        ("Rank my ad sources on AdMob by eCPM and impressions last week", &["ad_source"], &["ecpm", "impressions"]),
        (
            "Which ad units earned the most on Liftoff last week, and what was their eCPM?",
            &["ad_unit"],
            &["revenue", "ecpm"],
        ),
        ("Which apps made the most impressions last week?", &["app"], &["impressions"]),
    ] {
        let slots = after(&[], text).slots.unwrap_or_default();
        assert_eq!((slots.dimensions, slots.metrics), (own(dimensions), own(metrics)), "{text}");
    }
}

fn own(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn all_of_something_leaves_a_part_of_it_behind() {
    let us = ["us revenue last week", "and by country?", "and android?"];
    let said = after(&us, "total last week, all networks, all platforms").slots.unwrap_or_default();
    assert_eq!((said.filters, said.dimensions), (vec![], Vec::<String>::new()));
    let android = ["AdMob revenue last week by app, only Android"];
    let said = after(&android, "all platforms").slots.unwrap_or_default();
    assert_eq!((said.filters, said.dimensions), (vec![], vec!["app".to_owned()]));
    let said = after(&["AdMob revenue last week in Spain"], "and all countries?").slots.unwrap_or_default();
    assert_eq!(said.filters, vec![]);
}

#[test]
fn thanks_change_nothing() {
    let chat = ["applovin revenue yesterday", "top 5 countries all networks yesterday"];
    for text in
        ["thx! and the day before?", "thanks, and the day before?", "great. and the day before?", "and the day before?"]
    {
        let said = after(&chat, text);
        assert_eq!(said.services.len(), Network::ALL.len(), "{text}");
        assert_eq!(said.slots.unwrap_or_default().date_from.as_deref(), Some("2026-11-22"), "{text}");
    }
}

#[test]
fn a_country_of_two_letters_is_one_where_a_name_stands_before_it() {
    for text in [
        "revenue puzzle game us last 7 days",
        "puzzle game us revenue last week",
        "puzzle game revenue usa last 7 days",
        "ecpm us yesterday",
        "revenue in us",
    ] {
        let filters = after(&[], text).slots.unwrap_or_default().filters;
        assert!(filters.iter().any(|one| one.field == "country"), "{text}: {filters:?}");
    }
    for text in ["what did AdMob earn us last week", "give us revenue last week", "revenue for all of us last week"] {
        let filters = after(&[], text).slots.unwrap_or_default().filters;
        assert!(filters.iter().all(|one| one.field != "country"), "{text}: {filters:?}");
    }
}

#[test]
fn a_whole_question_leaves_the_network_before_and_a_fragment_keeps_it() {
    let services = |before: &[&str], text: &str| after(before, text).services;
    let pangle = ["Pangle revenue yesterday"];
    let fresh = "top 5 apps by revenue yesterday";
    assert_eq!(services(&pangle, fresh).len(), Network::ALL.len());
    let on = [pangle[0], fresh];
    assert_eq!(services(&on, "and by country?").len(), Network::ALL.len(), "goes on with the whole question");
    for text in ["and by country?", "same for last week", "eCPM per ad unit?", "worst first", "what about October?"] {
        assert_eq!(services(&pangle, text), [Network::Pangle], "{text}");
    }
    let spain = after(&["AdMob revenue yesterday in Spain"], fresh);
    assert_eq!((spain.services.len(), spain.slots.unwrap_or_default().filters), (Network::ALL.len(), vec![]));
    let spain = after(&["AdMob revenue yesterday in Spain"], "and by app?");
    assert_eq!(spain.slots.unwrap_or_default().filters.len(), 1);
}

#[test]
fn which_end_is_first_and_what_moved_go_on_with_the_figures() {
    let sort = |text: &str| after(&["Unity revenue by app last week"], text).slots.unwrap_or_default().sort;
    for (text, expected) in [("worst first", "revenue"), ("smallest on top", "revenue"), ("best first", "-revenue")] {
        assert_eq!(sort(text).as_deref(), Some(expected), "{text}");
    }
    for text in ["which app lost the most", "what fell", "biggest drop", "losers yesterday"] {
        let said = after(&[], text);
        let slots = said.slots.unwrap_or_default();
        assert_eq!((said.capability, slots.dimensions), (Capability::Reporting, vec!["app".to_owned()]), "{text}");
    }
}

#[test]
fn a_question_about_a_state_changes_nothing_and_another_value_changes_the_same() {
    let pause = ["pause the line item Network fill"];
    let state = after(&pause, "is Network fill paused now?");
    assert_eq!((state.capability, state.outcome, state.verb.as_str()), (Capability::Orders, Outcome::Answer, "read"));
    let floor = ["set the US floor of the DT Exchange placement Main Menu Banner to $2"];
    let made = after(&floor, "make it $3");
    assert_eq!((made.verb.as_str(), made.outcome), ("update", Outcome::Approval), "{made:?}");
    assert!(made.standalone.contains("$3") && !made.standalone.contains("$2"), "{}", made.standalone);
    let too = after(&[floor[0], "make it $3"], "and for Brazil too");
    assert_eq!((too.verb.as_str(), too.outcome, &too.doubt), ("update", Outcome::Approval, &None), "{too:?}");
    assert!(too.standalone.contains("$3") && !too.standalone.contains("$2"), "{}", too.standalone);
}

#[test]
fn what_names_a_network_a_figure_and_a_time_leaves_the_split_before() {
    let slots = |before: &[&str], text: &str| after(before, text).slots.unwrap_or_default();
    let source = ["eCPM by ad source last week"];
    for text in [
        "Revenue from Google Ad Manager last week",
        "AdMob revenue yesterday",
        "AdMob revenue yesterday vs the day before",
        "Total revenue last 7 days compared to the previous 7 days",
    ] {
        assert_eq!(slots(&source, text).dimensions, Vec::<String>::new(), "{text}");
    }
    assert!(slots(&source, "AdMob revenue yesterday vs the day before").compare_to.is_some());
    // Short texts go on from the question before.
    for text in ["AdMob only", "and Unity?", "same for the week before", "what about the week before?", "yesterday"] {
        assert_eq!(slots(&source, text).dimensions, ["ad_source"], "{text}");
    }
}

#[test]
fn a_day_that_dropped_was_seen_among_days() {
    let scoped = ["last 7 days rev", "by ad source", "which ad source pays best in japan"];
    for text in ["y did monday drop", "why did Monday drop"] {
        let said = after(&scoped, text);
        let slots = said.slots.unwrap_or_default();
        assert_eq!(
            (slots.dimensions, slots.filters, slots.metrics),
            (vec![], vec![], vec!["revenue".to_owned()]),
            "{text}"
        );
        assert_eq!(said.services.len(), Network::ALL.len(), "{text}");
    }
    // The question is about the days that were shown.
    let days = after(&["Pangle revenue by day last 7 days"], "why did monday drop");
    assert_eq!(days.services, [Network::Pangle]);
}

#[test]
fn figures_with_a_time_are_all_of_a_question() {
    for (before, text) in [
        (&["Which app earned the most last week?"][..], "eCPM by ad source last week"),
        (&["Google Ad Manager revenue last 7 days"][..], "iOS revenue Nov 9 to Nov 15"),
        (&[][..], "Top 3 countries by eCPM for Word Quest last month"),
    ] {
        assert_eq!(after(before, text).doubt, None, "{text}");
    }
}

#[test]
fn figures_of_every_network_stay_those_of_every_network() {
    for (before, text) in [
        (&["top 5 apps this week by money"][..], "same for last week"),
        (&["top 5 apps this week by money", "same for last week", "only ios"], "and android"),
        (&["What was my total revenue last week?"], "And by country?"),
        (&["AppLovin revenue in October", "revenue in October by network"], "impressions yesterday"),
    ] {
        let said = after(before, text);
        assert_eq!((said.capability, said.services.len()), (Capability::Reporting, Network::ALL.len()), "{text}");
    }
    let android = after(&["Pangle revenue last week", "only ios"], "and android");
    assert_eq!((android.capability, android.services), (Capability::Reporting, vec![Network::Pangle]));
}

#[test]
fn a_network_that_is_named_is_the_one_asked_and_by_network_is_every_one() {
    let why = after(&["Optimize my AdMob mediation"], "why did AppLovin revenue drop last sunday");
    assert_eq!(why.services, [Network::AppLovin], "{why:?}");
    let two = ["compare AppLovin vs Unity eCPM this month"];
    assert!(after(&two, "revenue by network last 7 days").services.len() != 2);
    assert_eq!(after(&two, "by network").services.len(), 2);
}

#[test]
fn what_says_nothing_goes_on_with_nothing() {
    for text in ["can you write me an out of office email", "tell me a joke about penguins please"] {
        let said = after(&["What was my revenue last week?"], text);
        assert_ne!(said.capability, Capability::Reporting, "{text}: {said:?}");
    }
}

#[test]
fn an_order_after_figures_is_an_order() {
    let figures = ["What was my AppLovin revenue last week?"];
    for text in [
        "pause AppLovin in the group Android Inter US",
        "Create a mediation group called Tower US Rewarded for Tower Blast on iOS with AppLovin bidding and Unity Ads waterfall at $15",
    ] {
        let said = after(&figures, text);
        assert_eq!((said.capability, said.outcome), (Capability::Mediation, Outcome::Approval), "{text}: {said:?}");
    }
}

#[test]
fn the_name_of_a_thing_is_no_other_thing() {
    for text in [
        "Ad Manager order House campaigns",
        "what is the status of the Ad Manager order House campaigns",
        "when does the House campaigns order end",
        "archive order House Ads in Ad Manager",
        "who is the trafficker of order Video Content",
    ] {
        assert_eq!(route(text).1, Capability::Orders, "{text}");
    }
    // In lower case, or capitalized only because they begin the message, "house", "order" and "campaigns" are not names.
    assert_eq!(route("clicks per house campaign last week").1, Capability::Reporting);
    assert_eq!(route("show order line items").1, Capability::Orders);
    assert_eq!(route("House campaigns: clicks last week").1, Capability::Reporting);
}

#[test]
fn a_network_without_such_a_thing_of_its_own_is_a_part_of_admob() {
    let parts = [
        ("is Mintegral in one of our mediation groups?", Capability::Mediation),
        ("what is the ad source id of Liftoff", Capability::Mediation),
        ("use Pangle for a third of the traffic of mediation group 4411223355, as a try", Capability::Experiments),
    ];
    for (text, capability) in parts {
        let (services, got, ..) = route(text);
        assert_eq!((services, got), (vec![Network::AdMob], capability), "{text}");
    }
    assert_eq!(route("show my AppLovin waterfall").3, Outcome::Connect);
}

#[test]
fn with_nothing_connected_a_named_network_is_the_one_to_connect() {
    let none = |text: &str| {
        let said = understand(&Question { text: text.into(), today: "2026-11-21".into(), ..Question::default() });
        (said.services, said.outcome)
    };
    for (text, network) in [
        ("What was my AdMob revenue yesterday?", Network::AdMob),
        ("eCPM of Pangle last week by country", Network::Pangle),
        ("pause the Liftoff campaign in Italy", Network::Liftoff),
    ] {
        assert_eq!(none(text), (vec![network], Outcome::Connect), "{text}");
    }
    assert_eq!(none("What was my revenue yesterday?"), (vec![], Outcome::Connect), "any network would do");
}

#[test]
fn wishes_and_trials_are_changes_and_rules_of_a_network_are_documentation() {
    for text in [
        "we'd like Unity to be in every banner group",
        "the group 'Nordics' should just bid in SE and NO",
        "rename 'Old one' to 'New one'",
        "serve 10% of the users in 'Android Banner' without Meta",
        "we need two more ad units in Word Quest",
    ] {
        let (.., path, outcome) = route(text);
        assert_eq!((path, outcome), (Path::Workflow, Outcome::Approval), "{text}");
    }
    for text in [
        "when does AdMob pay us out",
        "can AdMob run in kids apps",
        "how do waterfalls work",
        "why would one need a mapping",
    ] {
        assert_eq!(route(text).1, Capability::Docs, "{text}");
    }
}

#[test]
fn the_weekend_is_a_period_and_two_neighbouring_days_a_range() {
    let dates = |text: &str| {
        let slots = understand(&Question {
            text: text.into(),
            history: Vec::new(),
            connected: vec![Network::AdMob],
            disabled: Vec::new(),
            today: "2026-11-21".into(),
            entities: adagent_llm::Entities::default(),
            connections: Vec::new(),
            own_tools: Vec::new(),
            colleagues: Vec::new(),
        })
        .slots;
        slots.and_then(|s| s.date_from.zip(s.date_to))
    };
    let range = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
    assert_eq!(dates("how was the weekend"), range("2026-11-14", "2026-11-15"));
    assert_eq!(dates("revenue on 12 and 13 november"), range("2026-11-12", "2026-11-13"));
    assert_eq!(dates("revenue of the 3 biggest apps and 13 november"), range("2026-11-13", "2026-11-13"));
}

#[test]
fn figures_of_one_network_split_by_network_are_of_all() {
    let asked = |text: &str| {
        let said = |role: &str, content: &str| HistoryEntry { role: role.into(), content: content.into() };
        let understood = understand(&Question {
            text: text.into(),
            history: vec![said("user", "AppLovin revenue last 7 days"), said("assistant", "It was $12.00.")],
            connected: vec![Network::AdMob, Network::AppLovin, Network::Unity],
            disabled: Vec::new(),
            today: "2026-11-21".into(),
            entities: adagent_llm::Entities::default(),
            connections: Vec::new(),
            own_tools: Vec::new(),
            colleagues: Vec::new(),
        });
        let mut services = understood.services;
        services.sort();
        (services, understood.slots.map(|slots| slots.dimensions).unwrap_or_default())
    };
    let all = vec![Network::AdMob, Network::AppLovin, Network::Unity];
    for text in ["by network", "and by network?", "now split it by network"] {
        assert_eq!(asked(text), (all.clone(), vec!["network".to_owned()]), "{text}");
    }
    assert_eq!(asked("and by country?"), (vec![Network::AppLovin], vec!["country".to_owned()]));
}

#[test]
fn an_ordinary_word_is_not_repaired_into_a_term() {
    for word in ["serve", "weak", "issue", "charge", "currently"] {
        assert_eq!(Reading::new(word, Date::constant(2026, 11, 21), &[]).tokens[0].norm, word);
    }
}

#[test]
fn a_restriction_alone_restricts() {
    for (text, dimension) in [("only ios", "platform"), ("only ios last week", "platform"), ("only germany", "country")]
    {
        let understood = understand(&Question {
            text: text.into(),
            history: Vec::new(),
            connected: Network::ALL.to_vec(),
            disabled: Vec::new(),
            today: "2026-11-26".into(),
            entities: Vec::new().into(),
            connections: Vec::new(),
            own_tools: Vec::new(),
            colleagues: Vec::new(),
        });
        let filters = understood.slots.map(|slots| slots.filters).unwrap_or_default();
        assert!(
            filters.iter().any(|filter| format!("{filter:?}").to_lowercase().contains(dimension)),
            "{text}: {filters:?} {}",
            understood.standalone
        );
    }
}
