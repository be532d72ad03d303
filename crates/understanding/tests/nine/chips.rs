//! Tests the chips of answers: the desk understands and answers what it offers.

use adagent_domain::Network;

use crate::world::world;

#[tokio::test]
async fn every_chip_of_an_answer_is_understood() {
    // Only networks whose rate limits would not slow the test down.
    let mut desk = world(&[Network::AdMob, Network::AdManager, Network::AppLovin, Network::Unity]).await;
    let mut wrong = Vec::new();
    for chat in [
        &["What was my revenue yesterday?"][..],
        &["What was my total revenue last week?", "and by app?"],
        &["Total revenue last 7 days by network"],
        &["eCPM by ad source last week"],
        &["Ad Manager revenue last 7 days"],
        &["top 5 apps this week by money"],
        &["How much did Puzzle Game make in the US last week on iOS?"],
        &["List my mediation groups"],
        &["what can you do?"],
        &["and?"],
    ] {
        desk.history.clear();
        let mut chips = Vec::new();
        for text in chat {
            chips = desk.ask(text).await.reply.follow_ups;
        }
        assert!(!chips.is_empty(), "{chat:?}");
        let before = desk.history.clone();
        for chip in chips {
            desk.history.clone_from(&before);
            let text = desk.ask(&chip).await.reply.text;
            // If a network limits our rate, the question was understood too.
            if text.starts_with("I'm not sure") || text.contains("so I didn't pull anything") {
                wrong.push(format!("{chat:?} → {chip}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// For a month, some networks need many calls, because they return a day or a week at a time. The answer covers all of it, and says from
/// which day on if a network has less.
#[tokio::test]
#[ignore = "the networks' own limits make it minutes long; cargo xtask soak asks it"]
async fn the_same_for_last_month_over_nine_networks_is_answered() {
    let mut desk = world(&Network::ALL).await;
    desk.ask("Puzzle Game iOS revenue in the United States last week").await;
    let said = desk.ask("same for last month").await;
    let text = &said.reply.text;
    let first = text.split(". ").next().unwrap_or_default();
    assert!(
        first.contains(
            "Oct 1–31, 2026 (only Puzzle Game, iOS, United States; without Google Ad Manager; AppLovin only from Oct 7)"
        ),
        "{text}"
    );
    assert!(!text.contains("both periods"), "nobody asked for a comparison: {text}");
    assert_eq!(said.calls("pangle_get_report"), 31);
}
