//! Tests messages with characters of more than one byte, up to the calls they propose, with all nine networks connected: nothing panics,
//! and names keep their letters.

use adagent_domain::Network;
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

use crate::world::world;

/// What phones, other keyboards and other languages put into a message: quotes, dashes, currency signs, accents, scripts, arrows, spaces,
/// characters with a longer lower case, combining marks, emoji.
const MARKS: [&str; 52] = [
    "“",
    "”",
    "„",
    "‘",
    "’",
    "«",
    "»",
    "「",
    "」",
    "\"",
    "'",
    "`",
    "–",
    "—",
    "−",
    "‑",
    "…",
    "→",
    "⇒",
    "€",
    "£",
    "¥",
    "₹",
    "₩",
    "$",
    "¢",
    "é",
    "ü",
    "ß",
    "İ",
    "ı",
    "ñ",
    "Ł",
    "Æ",
    "Ω",
    "Ж",
    "ש",
    "ع",
    "क्",
    "ก",
    "ゲ",
    "中",
    "한",
    "\u{a0}",
    "\u{2009}",
    "\u{301}",
    "\u{200d}",
    "🎮",
    "👩‍🚀",
    "½",
    "²",
    "％",
];

/// Messages that reach every way to propose something.
const WISHES: [&str; 24] = [
    "In Unity create a rewarded placement called @Daily Chest 2@ for Word Quest Android",
    "In Mintegral pause the ad unit for Caf@ @clair",
    "target ecpm of mintegral unit 461122 @ 5 USD",
    "Set the target eCPM of Pangle ad slot 998877 to @5",
    "Setze den Ziel-eCPM des Pangle-Slots @Münzen@ auf 5 USD",
    "list my Ad Manager line items@pause all of them",
    "raise the floor of Android Rewarded @ Tier 1 to @12.50",
    "rename the AppLovin ad unit @Extra Life Rewarded@ to @Extra Life@",
    "create a mediation group called @Nordics@ for Puzzle Game on iOS in SE @ NO",
    "pause the Unity placement @Daily Chest@ and set its floor to @3@",
    "AdMob revenue from 1@14 November by country vs the week before@",
    "revenue of @Word Quest@ last 7 days, top 5 @ under @1 eCPM",
    "In Liftoff create a placement named @Level@end for Space Raid",
    "In InMobi set the floor of @Main@Banner to @2",
    "archive the line item @Sneakers@2026 in Ad Manager",
    "In DT Exchange create a banner placement @Home@ for Puzzle Game @ Android",
    "create an AdMob app @com.acme.tower@ on Android called @Tower Blast@",
    "add Pangle to the waterfall of @Android Banner@ at @4.50 in DE@FR",
    "what was my eCPM yesterday @ and why is it down by @10@ %",
    "split the traffic of @Android@Inter@ 50@50 with a floor of @1",
    "lower it by @0.50@",
    "map the ad unit @Level end@ to Meta with placement id @123_456@",
    "disable bidding for @Rewarded@ @ Unity",
    "Why did revenue drop on @2026@11@18@?",
];

#[tokio::test]
async fn messages_with_typographic_marks_are_read_and_answered() {
    let mut all = world(&Network::ALL).await;
    for (text, name) in [
        ("In Unity create a rewarded placement called “Daily Chest 2” for Word Quest Android", Some("Daily Chest 2")),
        ("In Mintegral pause the ad unit for Café Éclair", None),
        ("target ecpm of mintegral unit 461122 → 5 USD", None),
        ("Set the target eCPM of Pangle ad slot 998877 to €5", None),
        ("Setze den Ziel-eCPM des Pangle-Slots „Münzen“ auf 5 USD", None),
    ] {
        all.history.clear();
        let said = all.ask(text).await;
        assert!(!said.reply.text.is_empty(), "{text}");
        if let Some(name) = name {
            let sent = said.done.iter().any(|(_, args, _)| args.to_string().contains(name));
            assert!(sent || said.reply.text.contains(name), "{text}: {} {:#?}", said.reply.text, said.done);
        }
    }
    all.history.clear();
    for text in ["list my Ad Manager line items", "pause all of them"] {
        let said = all.ask(text).await;
        assert!(!said.reply.text.is_empty(), "{text}");
    }
}

#[tokio::test]
async fn whatever_marks_are_in_a_wish_something_is_proposed_or_said() {
    let world = world(&Network::ALL).await;
    let known = world.known().await;
    // Try each wish with each mark in all of its places, alone or next to the text.
    let all = WISHES.iter().flat_map(|wish| MARKS.iter().map(move |mark| (wish, mark)));
    for (at, (wish, mark)) in all.enumerate() {
        let text = match at % 3 {
            0 => wish.replace('@', &format!(" {mark}")),
            1 => wish.replace('@', &format!("{mark} ")),
            _ => wish.replace('@', mark),
        };
        let reply = world.propose(&text, &known);
        assert!(!reply.calls.is_empty() || !reply.text.is_empty(), "{text}");
    }
    // Then try words of several wishes with any marks between them.
    let words: Vec<&str> =
        WISHES.iter().flat_map(|wish| wish.split(['@', ' '])).filter(|word| !word.is_empty()).collect();
    let piece = prop_oneof![3 => prop::sample::select(words), 2 => prop::sample::select(MARKS.to_vec())];
    let text = prop::collection::vec((piece, prop::sample::select(vec!["", " ", " ", "\n"])), 1..24)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, gap)| [piece, gap]).collect::<String>());
    let mut runner = TestRunner::new(Config { cases: 400, failure_persistence: None, ..Config::default() });
    runner
        .run(&text, |text| {
            let reply = world.propose(&text, &known);
            prop_assert!(!reply.calls.is_empty() || !reply.text.is_empty(), "{}", text);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}
