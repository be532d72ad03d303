//! Tests messages that ask for several things: we plan all of them, show them together, and report each part.

use adagent_domain::Network;

use crate::world::world;

/// Two users asked for changes at two networks in one sentence and got only one of them, at the wrong network.
#[tokio::test(flavor = "multi_thread")]
async fn changes_at_two_networks_are_one_plan() {
    let mut desk = world(&[Network::Liftoff, Network::InMobi]).await;
    let said = desk
        .ask(
            "Set the Liftoff floor of Extra Life Rewarded of Puzzle Game on Android to $12.50 and raise the floor of Level \
             Complete Interstitial for Puzzle Game Android on InMobi to $9.00.",
        )
        .await;
    let made: Vec<_> = said.done.iter().map(|(name, _, outcome)| (name.as_str(), outcome.is_ok())).collect();
    assert_eq!(made.len(), 2, "{made:?}");
    assert!(made[0].0.starts_with("liftoff_") && made[1].0.starts_with("inmobi_"), "{made:?}");
    assert!(made.iter().all(|(_, ok)| *ok), "{:?}", said.done);
    assert!(said.unused.iter().all(Vec::is_empty), "{:?}", said.unused);
    let text = &said.reply.text;
    assert!(text.starts_with("**1. Set the Liftoff floor") && text.contains("**2. Raise the floor of Level"), "{text}");
    let plan = &said.plans[0];
    assert_eq!(plan.steps.iter().map(|step| step.call).collect::<Vec<_>>(), [Some(0), Some(1)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_to_be_shown_after_a_change_waits_for_it() {
    let mut desk = world(&[Network::InMobi]).await;
    let said = desk
        .ask("Raise the floor of Level Complete Interstitial for Puzzle Game Android on InMobi to $9.00, then show me yesterday's revenue by app")
        .await;
    let names: Vec<_> = said.done.iter().map(|(name, ..)| name.as_str()).collect();
    assert!(!names[0].contains("report") && names.last().is_some_and(|name| name.contains("report")), "{names:?}");
    assert_eq!(said.plans[0].steps[1].call, None, "its turn comes later");
    assert!(said.reply.text.contains("**2. Show me yesterday's revenue by app.**"), "{}", said.reply.text);
    assert!(!said.reply.artifacts.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_a_person_leaves_out_ends_nothing_else() {
    let mut desk = world(&[Network::InMobi]).await;
    desk.denies.push("Not today.");
    let said = desk
        .ask("Raise the floor of Level Complete Interstitial for Puzzle Game Android on InMobi to $9.00; then show me yesterday's revenue by app")
        .await;
    assert!(said.done[0].2.is_err() && said.done.len() > 1, "{:?}", said.done);
    assert!(said.reply.text.contains("**2. Show me yesterday's revenue by app.**"), "{}", said.reply.text);
}

/// A part that we must ask about comes after the parts that we need not ask about.
#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_asks_back_does_not_hold_up_the_first() {
    let mut desk = world(&[Network::InMobi, Network::Pangle]).await;
    let said = desk
        .ask("Raise the floor of Level Complete Interstitial for Puzzle Game Android on InMobi to $9.00 and pause Extra Life Rewarded on Pangle")
        .await;
    assert_eq!(said.done.len(), 1, "{:?} {}", said.done, said.reply.text);
    assert!(said.reply.text.contains("“Pause Extra Life Rewarded on Pangle”"), "{}", said.reply.text);
    assert_eq!(said.reply.follow_ups[0], "Pause Extra Life Rewarded on Pangle");
}

/// Our question is about one part, and the answer goes on with all parts.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_about_the_first_part_goes_on_with_the_others() {
    let mut desk = world(&[Network::InMobi, Network::Liftoff]).await;
    let said = desk
        .ask(
            "Raise the floor of Extra Life Rewarded on InMobi to $9.00 and set the Liftoff floor of Extra Life Rewarded of \
             Puzzle Game on Android to $12.50",
        )
        .await;
    assert!(
        said.done.is_empty() && said.reply.text.starts_with("One question before I plan “Set"),
        "{}",
        said.reply.text
    );
    let said = desk.ask(&said.reply.follow_ups[0].clone()).await;
    let made: Vec<_> =
        said.done.iter().map(|(name, ..)| name.as_str()).filter(|name| name.contains("update")).collect();
    assert!(made.len() == 2 && made[0].starts_with("inmobi_"), "{made:?} {}", said.reply.text);
    assert_eq!(said.plans[0].steps.len(), 2);
}

/// Earlier plans say nothing about the next one.
#[tokio::test(flavor = "multi_thread")]
async fn a_plan_after_a_plan_is_read_by_itself() {
    let mut desk = world(&[Network::InMobi, Network::Liftoff]).await;
    let one = |amount| format!("Set the Liftoff floor of Extra Life Rewarded of Puzzle Game on Android to ${amount}");
    let two = |amount| {
        format!("Raise the floor of Level Complete Interstitial for Puzzle Game Android on InMobi to ${amount}")
    };
    for text in [
        format!("{} and {}", one("12.50"), two("9.00")),
        format!("{}; then {}", one("13"), two("10")),
        format!("Please s{}; then {}", &one("13.5")[1..], two("10.5")),
        one("14"),
        one("15"),
    ] {
        let said = desk.ask(&text).await;
        assert!(said.done.iter().any(|(name, ..)| name.starts_with("liftoff_update")), "{text}: {}", said.reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_change_said_twice_is_made_once() {
    let mut desk = world(&[Network::InMobi, Network::Liftoff]).await;
    let one = "Raise the floor of Level Complete Interstitial for Puzzle Game Android on InMobi to $9.00";
    let other = "set the Liftoff floor of Extra Life Rewarded of Puzzle Game on Android to $12.50";
    let said = desk.ask(&format!("{one} and {other} and {one}")).await;
    let made: Vec<_> =
        said.done.iter().map(|(name, ..)| name.as_str()).filter(|name| name.contains("update")).collect();
    assert_eq!(made, ["inmobi_update_placement", "liftoff_update_placement"]);
    assert_eq!(said.plans[0].steps.iter().map(|step| step.call).collect::<Vec<_>>(), [Some(0), Some(1), None]);
}

/// The part that we would cut off could change a price. So we refuse a message that is too long, also if it has several parts.
#[tokio::test(flavor = "multi_thread")]
async fn a_plan_of_a_message_that_is_too_long_is_refused() {
    let mut desk = world(&[Network::InMobi, Network::Liftoff]).await;
    let one = "Set the Liftoff floor of Extra Life Rewarded of Puzzle Game on Android to $12.50 and ";
    let other = "raise the floor of Level Complete Interstitial for Puzzle Game Android on InMobi to $12.50";
    let text = format!("{one}{}{other}", " ".repeat(6_003 - one.len() - other.len()));
    let said = desk.ask(&text).await;
    assert!(said.done.is_empty() && said.reply.text.contains("I read up to 6,000"), "{}", said.reply.text);
}

/// A change and a question about it in one message are both done.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_and_a_question_about_it_are_both_done() {
    let mut desk = world(&[Network::InMobi]).await;
    let said = desk
        .ask(
            "Raise the floor of Level Complete Interstitial for Puzzle Game Android on InMobi to $9.00, and what did it earn \
             last week?",
        )
        .await;
    let names: Vec<_> = said.done.iter().map(|(name, ..)| name.as_str()).collect();
    assert!(
        names.contains(&"inmobi_update_placement") && names.last().is_some_and(|n| n.contains("report")),
        "{names:?}"
    );
    assert!(
        said.reply.text.contains("**2. What did") && said.reply.text.contains("Level Complete Interstitial"),
        "{}",
        said.reply.text
    );
}

/// If a value is already set, the step gets a note, and we still plan the other steps.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_is_there_already_holds_up_nothing() {
    let mut desk = world(&[Network::InMobi, Network::Liftoff]).await;
    let one = "Raise the floor of Level Complete Interstitial for Puzzle Game Android on InMobi to $9.00";
    desk.ask(one).await;
    let said = desk
        .ask(&format!("{one} and set the Liftoff floor of Extra Life Rewarded of Puzzle Game on Android to $12.50"))
        .await;
    assert!(said.done.iter().any(|(name, ..)| name == "liftoff_update_placement"), "{}", said.reply.text);
    let note = said.plans[0].steps[0].note.as_deref().unwrap_or_default();
    assert!(note.contains("already has those values"), "{:?}", said.plans);
}

#[tokio::test]
async fn two_questions_about_figures_are_two_answers() {
    let mut desk = world(&[Network::AdMob, Network::InMobi]).await;
    for (text, second) in [
        ("revenue by network yesterday and the top 5 countries last week", "Top 5 of "),
        ("Umsatz nach Netzwerk gestern und die Top 5 Länder letzte Woche", "Top 5 of "),
        ("ingresos por app ayer y eCPM por país la semana pasada", "eCPM by country, Nov 9–15, 2026"),
    ] {
        desk.history.clear();
        let said = desk.ask(text).await;
        assert_eq!(said.understood.parts.len(), 2, "{text}");
        assert!(
            said.reply.text.starts_with("**1. ") && said.reply.text.contains("Nov 20, 2026"),
            "{}",
            said.reply.text
        );
        assert!(said.reply.text.contains("\n\n**2. ") && said.reply.text.contains(second), "{}", said.reply.text);
    }
    // A follow-up goes on from the last part.
    let said = desk.ask("and only iOS").await;
    assert!(said.reply.text.starts_with("eCPM by country, Nov 9–15, 2026 (only iOS)"), "{}", said.reply.text);
}

#[tokio::test]
async fn a_second_part_without_a_verb_is_a_step_of_its_own() {
    let mut desk = world(&[Network::InMobi, Network::Pangle, Network::Liftoff]).await;
    for (text, floor) in [
        (
            "pause Extra Life Rewarded on Liftoff in Puzzle Game Android and floor of Main Menu Banner on Pangle in Puzzle Game iOS to 0,7",
            0.7,
        ),
        (
            "pause Extra Life Rewarded on Liftoff in Puzzle Game Android, Pangle floor of Main Menu Banner in Puzzle Game iOS to $0.80",
            0.8,
        ),
        (
            "Pausiere Extra Life Rewarded von Puzzle Game Android auf Liftoff und Floor von Main Menu Banner von Puzzle Game iOS bei Pangle auf 0,9",
            0.9,
        ),
    ] {
        desk.history.clear();
        let said = desk.ask(text).await;
        let writes: Vec<_> = said.done.iter().filter(|(name, ..)| name.contains("update")).collect();
        assert_eq!(writes.len(), 2, "{text}: {}", said.reply.text);
        assert_eq!(writes[1].1["body"]["cpm"], floor, "{text}");
        assert!(said.unused.iter().all(Vec::is_empty), "{text}: {:?}", said.unused);
        // Turn it back on, so that the next text has something to pause.
        desk.history.clear();
        desk.ask("resume Extra Life Rewarded on Liftoff in Puzzle Game Android").await;
    }
}

#[tokio::test]
async fn a_to_do_and_an_undo_beside_a_change_are_parts_of_their_own() {
    let desk = world(&[Network::Liftoff, Network::Pangle]).await;
    let known = desk.known().await;
    let pause = "pause Extra Life Rewarded of Puzzle Game Android on Liftoff";
    for text in [
        format!("{pause} and remind me to check it on Friday"),
        format!("{pause}, then add a to-do to check Pangle floors tomorrow"),
        "Pausiere Extra Life Rewarded von Puzzle Game Android auf Liftoff und remind me to check it on Friday"
            .to_owned(),
    ] {
        let reply = desk.propose(&text, &known);
        let plan = reply.plan.unwrap_or_else(|| panic!("{text}: {}", reply.text));
        assert_eq!(plan.steps.len(), 2, "{text}: {plan:?}");
        assert!(plan.steps[1].says.contains("check "), "{text}: {plan:?}");
    }
    let reply = desk.propose(&format!("undo the last change and {pause}"), &known);
    assert_eq!(reply.plan.map(|plan| plan.steps.len()), Some(2), "{}", reply.text);
}

#[tokio::test]
async fn a_condition_is_no_part_of_the_change_and_its_card_says_so() {
    let mut desk = world(&[Network::Liftoff, Network::Pangle]).await;
    let pause = "pause Extra Life Rewarded of Puzzle Game Android on Liftoff";
    for (text, condition) in [
        (format!("{pause} if its eCPM is below $1"), "if its eCPM is below $1"),
        (format!("{pause}, but only after I say so"), "only after I say so"),
        (format!("if Pangle earned less than $100 yesterday {pause}, if not then not"), "if not then not"),
        (
            "Pausiere Extra Life Rewarded von Puzzle Game Android auf Liftoff, aber erst wenn ich es sage".to_owned(),
            "erst wenn ich es sage",
        ),
        (
            "pausa Extra Life Rewarded de Puzzle Game Android en Liftoff, pero solo cuando yo lo diga".to_owned(),
            "solo cuando yo lo diga",
        ),
    ] {
        desk.history.clear();
        let said = desk.ask(&text).await;
        let written = said.done.iter().find(|(name, ..)| name == "liftoff_update_placement");
        let (_, args, _) = written.unwrap_or_else(|| panic!("{text}: {}", said.reply.text));
        assert_eq!(args["body"]["status"], "inactive", "{text}: {args}");
        assert!(args["body"].get("cpmFloor").is_none(), "{text}: {args}");
        assert!(said.unused.iter().flatten().any(|left| left == condition), "{text}: {:?}", said.unused);
        desk.history.clear();
        desk.ask("resume Extra Life Rewarded on Liftoff in Puzzle Game Android").await;
    }
}
