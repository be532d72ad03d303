//! Tests questions that we answer with a question, and questions about states, moves and orders, with all nine networks.

use adagent_domain::Network;

use crate::world::world;

#[tokio::test]
async fn what_says_nothing_is_not_answered_with_a_report() {
    let mut desk = world(&Network::ALL).await;
    for text in ["and?", "hmm", "make it $14", "pause it", "what should I do about it?"] {
        desk.history.clear();
        let said = desk.ask(text).await;
        assert!(said.done.is_empty() && said.reply.artifacts.is_empty(), "{text}: {}", said.reply.text);
        assert!(said.reply.follow_ups.len() >= 2, "{text}: {:?}", said.reply.follow_ups);
    }
}

#[tokio::test]
async fn a_reading_that_is_offered_is_answered_when_it_is_chosen() {
    let mut desk = world(&[Network::AdManager, Network::AdMob, Network::Unity]).await;
    for text in
        ["Android Banner thingy", "is Network fill paused now?", "all fine with the sites?", "LTV stuff 8ccf36df9"]
    {
        desk.history.clear();
        let said = desk.ask(text).await;
        if said.understood.doubt.is_none() {
            continue;
        }
        for chip in said.reply.follow_ups.clone() {
            desk.history.clear();
            desk.ask(text).await;
            let chosen = desk.ask(&chip).await;
            assert!(!chosen.reply.text.starts_with("I'm not sure"), "{text} / {chip}: {}", chosen.reply.text);
        }
    }
}

#[tokio::test]
async fn what_can_be_done_is_answered_as_such() {
    let mut desk = world(&[Network::Unity, Network::AdMob]).await;
    let able = desk.ask("what can you do with Unity?").await.reply.text;
    assert!(able.contains("mediation groups") && able.contains("approve"), "{able}");
}

#[tokio::test]
async fn out_of_the_ordinary_is_what_moved_either_way() {
    let mut desk = world(&[Network::Pangle, Network::Liftoff, Network::InMobi]).await;
    for text in ["anything weird yesterday?", "anything unusual last week"] {
        desk.history.clear();
        let said = desk.ask(text).await.reply.text;
        assert!(said.contains("Biggest") || said.contains("fell most") || said.contains("No "), "{text}: {said}");
    }
}

#[tokio::test]
async fn the_state_of_a_thing_is_shown_and_nothing_is_drafted() {
    let mut desk = world(&[Network::AdManager, Network::Liftoff]).await;
    let before = desk.ask("is the line item Network fill paused?").await;
    assert!(before.reply.text.starts_with("The line item **Network fill**"), "{}", before.reply.text);
    desk.ask("pause the line item Network fill").await;
    let after = desk.ask("is Network fill paused now?").await;
    assert!(after.reply.text.contains("is **paused**"), "{}", after.reply.text);
    let many = desk.ask("are the banner placements on Liftoff on?").await;
    assert!(many.reply.text.contains("9 placements: ") && many.reply.text.contains("active"), "{}", many.reply.text);
}

#[tokio::test]
async fn another_value_and_another_country_keep_the_rest_of_a_change() {
    let mut desk = world(&[Network::DtExchange]).await;
    let wish = "set the US floor of the DT Exchange placement Main Menu Banner in Puzzle Game iOS to $2";
    // The floors of all other countries stay.
    for (text, floors) in [
        (wish, vec![("US", 2.0), ("WW", 0.3)]),
        ("make it $3", vec![("US", 3.0), ("WW", 0.3)]),
        ("and for Brazil too", vec![("BR", 3.0), ("US", 3.0), ("WW", 0.3)]),
    ] {
        let said = desk.ask(text).await;
        let sent = said.done.iter().find(|(name, ..)| name == "dtexchange_update_placement");
        let sent = sent.unwrap_or_else(|| panic!("{text}: {}", said.reply.text));
        let sent = sent.1["body"]["floorPrices"].as_array().expect("a list");
        let mut sent: Vec<(&str, f64)> = sent
            .iter()
            .map(|floor| (floor["country"].as_str().unwrap_or_default(), floor["price"].as_f64().unwrap_or_default()))
            .collect();
        sent.sort_by_key(|(country, _)| *country);
        assert_eq!(sent, floors, "{text}");
    }
}

#[tokio::test]
async fn an_app_is_no_mediation_group() {
    let mut desk = world(&[Network::AdMob]).await;
    let said = desk.ask("set floor of Puzzle Game to $5 on AdMob").await;
    let text = &said.reply.text;
    assert!(text.starts_with("AdMob sets prices on the lines of mediation groups, not on apps."), "{text}");
    assert!(text.ends_with("Nothing has been changed."), "{text}");
}

#[tokio::test]
async fn the_smallest_come_first_where_that_is_said() {
    let mut desk = world(&[Network::Mintegral]).await;
    let large = desk.ask("Mintegral revenue by country last week").await.reply.text;
    let small = desk.ask("worst first").await.reply.text;
    assert!(large.contains("**United States**") && small.contains("**Argentina**"), "{large}\n{small}");
    assert!(desk.ask("best first").await.reply.text.contains("**United States**"));
    let lost = desk.ask("and which country lost the most?").await.reply.text;
    assert!(lost.starts_with("Countries whose revenue fell most"), "{lost}");
}

/// A short text about numbers goes on from the question before. We answer it and never ask what it means.
#[tokio::test]
async fn what_goes_on_about_figures_is_not_asked_back() {
    let mut desk = world(&Network::ALL).await;
    for (first, next) in [
        ("hows revenue yesterday", &["and by country?", "only ios", "same for last week", "only android"][..]),
        ("rev last week", &["only ios", "only android", "by app"][..]),
        ("top 5 apps this week by money", &["same for last week"][..]),
        ("What was my total revenue last week?", &["And by app?", "and last week?", "by country"][..]),
    ] {
        desk.history.clear();
        desk.ask(first).await;
        for text in next {
            let said = desk.ask(text).await.reply.text;
            assert!(!said.starts_with("I'm not sure"), "{first} → {text}: {said}");
        }
    }
}

#[tokio::test]
async fn the_other_end_is_shown_when_only_that_is_named() {
    let mut desk = world(&[Network::AdMob, Network::Pangle]).await;
    let best = desk.ask("whats my best ecpm app last week").await.reply.text;
    let worst = desk.ask("and the worst").await.reply.text;
    assert!(best.contains("Highest") && worst.contains("Lowest"), "{best} / {worst}");
}

/// A follow-up is saved as the whole question that it means.
#[tokio::test]
async fn a_saved_follow_up_is_the_whole_question() {
    let mut desk = world(&Network::ALL).await;
    for (first, then, whole) in [
        (
            "AdMob revenue by country on Android last week",
            "compare with the week before",
            "AdMob revenue on Android last week by country compared with the week before",
        ),
        (
            "AdMob revenue by country yesterday",
            "vs the same day last week",
            "AdMob revenue yesterday by country compared with the same day last week",
        ),
        ("AdMob revenue by app last week", "only rewarded", "AdMob revenue for rewarded ads last week by app"),
    ] {
        desk.history.clear();
        desk.ask(first).await;
        desk.ask(then).await;
        let known = desk.known().await;
        let reply = desk.propose("save this question and pin it to home", &known);
        let [save] = reply.calls.as_slice() else { panic!("{then}: {}", reply.text) };
        assert_eq!(save.args["question"], whole, "{then}");
    }
}
