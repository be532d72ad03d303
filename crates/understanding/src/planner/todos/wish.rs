//! Reads what a message wants from the to-dos. It looks at several kinds of evidence, never at one fixed sentence: the word for a to-do, a
//! request for a reminder, a word for done, or a question only about what is open or due.

use jiff::{ToSpan as _, civil::Date};

use super::{
    due,
    words::{Word, is_article, is_noun, quoted, start, words, written},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wish {
    Add { text: String, due: Option<Date>, whom: Whom },
    List(Asked),
    Mark { what: What, done: bool },
    Move { what: What, due: Option<Date> },
    Assign { what: What, whom: Whom },
    Delete { what: What },
}

/// Who should do it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Whom {
    Me,
    Nobody,
    /// A person, by the name in the message.
    Named(String),
}

/// Which to-do the message means: words of its text. Empty if the message only points at one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct What(pub String);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Asked {
    pub status: Status,
    pub from: Option<Date>,
    pub to: Option<Date>,
    pub whom: Option<Whom>,
    /// The days in the person's words.
    pub when: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Status {
    #[default]
    Open,
    Done,
    Overdue,
}

pub(super) fn wish(text: &str, today: Date) -> Option<Wish> {
    let all = words(text);
    let from = start(&all);
    let words = &all[from..];
    if words.is_empty() {
        return None;
    }
    mark(text, words)
        .or_else(|| remind(text, words, today))
        .or_else(|| change(text, words, today))
        .or_else(|| add(text, words, today))
        .or_else(|| list(words, today))
}

/// Makes a to-do from these words. Takes its day and its person out if they are at an end of the text.
fn made(text: &str, mut words: &[Word], mut due: Option<Date>, whom: Whom, today: Date) -> Option<Wish> {
    const LEADS: [&str; 8] = ["to", "that", "about", "of", "dass", "daran", "an", "que"];
    while words.first().is_some_and(|word| word.is(&LEADS)) {
        words = &words[1..];
    }
    if due.is_none()
        && let Some(said) = due::around(words, today)
    {
        let rest = if said.at.start == 0 { &words[said.at.end..] } else { &words[..said.at.start] };
        // A day alone is the to-do itself, not its due day.
        if !rest.is_empty() {
            due = Some(said.due(today));
            words = rest;
        }
    }
    while words.first().is_some_and(|word| word.is(&LEADS)) {
        words = &words[1..];
    }
    let text = adagent_contract::capital(&written(text, words));
    (!text.is_empty()).then_some(Wish::Add { text, due, whom })
}

/// Reads "remind me to …", "remind Tomi on Friday that …", "don't let me forget to …".
fn remind(text: &str, words: &[Word], today: Date) -> Option<Wish> {
    let whom_of = |word: &Word| match word.text.as_str() {
        "me" | "myself" => Some(Whom::Me),
        "us" | "everyone" | "everybody" => Some(Whom::Nobody),
        other if word.at.len() > 1 && !word.is(&["to", "that", "the", "about", "of"]) => {
            Some(Whom::Named(text.get(word.at.clone()).unwrap_or(other).to_owned()))
        }
        _ => None,
    };
    let (whom, mut at) = match words {
        [first, second, ..] if first.is(&["remind"]) => (whom_of(second)?, 2),
        [first, second, ..] if first.is(&["erinnere", "erinner"]) => match second.text.as_str() {
            "mich" => (Whom::Me, 2),
            "uns" => (Whom::Nobody, 2),
            _ => return None,
        },
        [first, ..] if first.is(&["recuérdame", "recuerdame"]) => (Whom::Me, 1),
        [first, ..] if first.is(&["recuérdanos", "recuerdanos"]) => (Whom::Nobody, 1),
        [first, second, third, fourth, ..]
            if first.is(&["don't", "do", "dont"])
                && second.is(&["let"])
                && third.is(&["me", "us"])
                && fourth.is(&["forget"]) =>
        {
            (whom_of(third)?, 4)
        }
        _ => return None,
    };
    // "remind me what eCPM is" asks for an answer.
    if words.get(at)?.is(&["what", "which", "how", "who", "why", "when", "where", "whether", "if"]) {
        return None;
    }
    let mut due = None;
    if let Some(said) = due::at(words, at, today)
        && words.get(said.at.end).is_some_and(|word| word.is(&["to", "that", "about", "of"]))
    {
        due = Some(said.due(today));
        at = said.at.end;
    }
    let lead = words.get(at)?;
    let rest = words.get(at..)?;
    // "remind me of the keys": without a day, that asks what they are.
    let dated = due.is_some() || due::around(rest, today).is_some();
    let leads = lead.is(&["to", "that", "dass", "daran", "que"]) || words[at - 1].leads || dated;
    leads.then(|| made(text, rest, due, whom, today)).flatten()
}

const MAKES: [&str; 9] = ["add", "create", "make", "put", "new", "write", "set", "note", "save"];

/// Reads "add a to-do: …", "put … on my list of to-dos", "To-do: …".
fn add(text: &str, words: &[Word], today: Date) -> Option<Wish> {
    let noun = words.iter().position(is_noun)?;
    let makes = words[0].is(&MAKES);
    let before = &words[..noun];
    // With only articles between the verb and the noun, the to-do's text follows.
    let first = before
        .iter()
        .skip(usize::from(makes))
        .all(|word| is_article(word) || word.is(&["me", "us", "new", "up", "down"]));
    if first && (makes || words[noun].leads) {
        let (mut at, mut whom, mut due) = (noun + 1, Whom::Me, None);
        // "a to-do for Tomi, for Friday: …"
        while let Some(word) = words.get(at).filter(|word| word.is(&["for", "on", "by", "due"]) && !words[at - 1].leads)
        {
            if let Some(said) = due::at(words, at + usize::from(word.is(&["for"])), today) {
                due = Some(said.due(today));
                at = said.at.end;
            } else if word.is(&["for"])
                && let Some(person) = words.get(at + 1)
            {
                let leads = person.leads || words.get(at + 2).is_some_and(|next| next.is(&["to", "for", "on", "by"]));
                if !leads {
                    break;
                }
                whom = named(text, person);
                at += 2;
            } else {
                break;
            }
        }
        return made(text, words.get(at..)?, due, whom, today);
    }
    // "add checking floors to my to-dos for Friday".
    if !makes {
        return None;
    }
    let mut place = noun;
    while place > 1 && is_article(&words[place - 1]) {
        place -= 1;
    }
    let on = place.checked_sub(1).filter(|at| *at > 1 && words[*at].is(&["to", "on", "in", "onto", "into", "as"]))?;
    let after = words.get(noun + 1..).unwrap_or_default();
    let after = if after.first().is_some_and(|word| word.is(&["for"])) { &after[1..] } else { after };
    let due = due::at(after, 0, today).filter(|said| said.at.end == after.len()).map(|said| said.due(today));
    (after.is_empty() || due.is_some()).then(|| made(text, &words[1..on], due, Whom::Me, today)).flatten()
}

fn named(text: &str, person: &Word) -> Whom {
    match person.text.as_str() {
        "me" | "myself" => Whom::Me,
        "nobody" | "everyone" | "everybody" | "us" | "all" => Whom::Nobody,
        _ => Whom::Named(text.get(person.at.clone()).unwrap_or_default().to_owned()),
    }
}

/// Returns the words that name a to-do, without the noun and words such as "it" or "the last".
fn what(text: &str, words: &[Word]) -> What {
    // These words name no to-do: "the to-do about floors", "it", "the last one".
    const POINTS: [&str; 13] =
        ["it", "that", "this", "the", "one", "last", "first", "my", "our", "a", "called", "named", "about"];
    if let Some(inside) = words.first().and_then(|first| text.get(first.at.start.saturating_sub(3)..)).and_then(quoted)
    {
        return What(inside.to_owned());
    }
    let mut rest = words;
    while let Some((_, after)) = rest.split_first().filter(|(first, _)| first.is(&POINTS) || is_noun(first)) {
        rest = after;
    }
    while let Some((_, before)) = rest.split_last().filter(|(last, _)| is_noun(last)) {
        rest = before;
    }
    What(written(text, rest))
}

const DONE: [&str; 7] = ["done", "complete", "completed", "finished", "closed", "resolved", "ready"];
const OPEN: [&str; 4] = ["open", "undone", "unfinished", "incomplete"];

/// Reads "mark … as done", "tick off …", "reopen the to-do …", "… is done".
fn mark(text: &str, words: &[Word]) -> Option<Wish> {
    let (first, rest) = words.split_first()?;
    let last = rest.last()?;
    let has_noun = words.iter().any(is_noun);
    let done = |what: &[Word], done| Some(Wish::Mark { what: self::what(text, what), done });
    if first.is(&["mark", "set", "check", "tick", "cross", "flag"]) {
        // "mark it as done", "mark X done": the state is at the end.
        let (state, before) = rest.split_last()?;
        let not = before.last().is_some_and(|word| word.is(&["not"]));
        let cut = before.iter().rposition(|word| !word.is(&["as", "is", "not", "to", "being", "already"]));
        let named = cut.map_or(&[][..], |at| &before[..=at]);
        let says = before.last().is_some_and(|word| word.is(&["as", "not"])) || first.is(&["mark"]);
        if says && (first.is(&["mark", "flag"]) || has_noun) && !named.is_empty() {
            if state.is(&DONE) {
                return done(named, !not);
            }
            if state.is(&OPEN) {
                return done(named, false);
            }
        }
        if first.is(&["check", "tick", "cross"]) {
            if rest[0].is(&["off"]) && rest.len() > 1 {
                return done(&rest[1..], true);
            }
            if last.is(&["off"]) && rest.len() > 1 {
                return done(&rest[..rest.len() - 1], true);
            }
        }
        return None;
    }
    if first.is(&["reopen", "uncheck", "untick"]) && (has_noun || !first.is(&["reopen"])) {
        return done(rest, false);
    }
    if first.is(&["open"]) && has_noun && last.is(&["again"]) {
        return done(&rest[..rest.len() - 1], false);
    }
    if first.is(&["complete", "finish", "close", "resolve"]) && has_noun {
        return done(rest, true);
    }
    // "the to-do about floors is done".
    let (state, before) = words.split_last()?;
    let (is, named) = before.split_last()?;
    (has_noun && is.is(&["is", "are"]) && state.is(&DONE) && !named.is_empty() && !asks(&words[0]))
        .then(|| done(named, true))
        .flatten()
}

/// Reads "delete the to-do …", "move the to-do … to Monday", "assign the to-do … to Tomi".
fn change(text: &str, words: &[Word], today: Date) -> Option<Wish> {
    let (first, rest) = words.split_first()?;
    let has_noun = rest.iter().any(is_noun);
    let puts_off = first.is(&["postpone", "reschedule", "snooze"]);
    if !has_noun && !puts_off {
        return None;
    }
    let split = |any: &[&str]| rest.iter().rposition(|word| word.is(any)).filter(|at| *at > 0);
    if first.is(&["delete", "remove", "drop", "erase"]) {
        // "remove … from my to-dos".
        let from = split(&["from", "off"]).filter(|at| rest[*at..].iter().any(is_noun));
        return Some(Wish::Delete { what: what(text, &rest[..from.unwrap_or(rest.len())]) });
    }
    if puts_off || first.is(&["move", "push", "shift", "change"]) {
        let said = (1..rest.len()).filter_map(|at| due::at(rest, at, today)).find(|said| said.at.end == rest.len());
        return match said {
            Some(said) => {
                let lead = rest[..said.at.start].iter().rposition(|word| !word.is(&["to", "until", "till", "for"]));
                let named = lead.map_or(&[][..], |at| &rest[..=at]);
                (!named.is_empty()).then(|| Wish::Move { what: what(text, named), due: Some(said.due(today)) })
            }
            None => puts_off.then(|| Wish::Move { what: what(text, rest), due: None }),
        };
    }
    if first.is(&["assign", "give", "hand"]) {
        let to = split(&["to"])?;
        let person = rest.get(to + 1)?;
        return Some(Wish::Assign { what: what(text, &rest[..to]), whom: named(text, person) });
    }
    if first.is(&["unassign"]) {
        return Some(Wish::Assign { what: what(text, rest), whom: Whom::Nobody });
    }
    None
}

fn asks(word: &Word) -> bool {
    word.is(&[
        "what", "what's", "whats", "which", "show", "list", "see", "any", "are", "do", "is", "how", "give", "open",
        "tell", "display", "anything", "who", "my", "our", "read", "get", "find", "have",
    ])
}

/// Words that do not say what to look for.
const FILLER: [&str; 44] = [
    "what", "what's", "whats", "which", "show", "list", "is", "are", "there", "do", "does", "i", "we", "have", "has",
    "to", "the", "me", "us", "my", "our", "mine", "ours", "for", "of", "on", "in", "at", "all", "any", "anything",
    "still", "left", "now", "up", "next", "get", "got", "need", "give", "tell", "see", "today's", "please",
];
const STATES: [&str; 10] =
    ["open", "due", "overdue", "unfinished", "undone", "outstanding", "done", "completed", "finished", "late"];

/// Reads "what is open this week?", "show my to-dos", "what do I have to do today?".
fn list(words: &[Word], today: Date) -> Option<Wish> {
    const MOST: usize = 14;
    let noun = words.iter().position(is_noun);
    let state = words.iter().find(|word| word.is(&STATES));
    let left_to_do = words.windows(2).any(|pair| pair[0].is(&["to"]) && pair[1].is(&["do"]))
        && words.iter().any(|word| word.is(&["have", "left", "need", "there", "still"]));
    let alone = noun == Some(0) && words.len() <= 3 || noun == Some(1) && words[0].text.ends_with("'s");
    if words.len() > MOST || !(asks(&words[0]) || alone) || noun.is_none() && state.is_none() && !left_to_do {
        return None;
    }
    let said = (0..words.len()).find_map(|at| due::at(words, at, today));
    let mut asked = Asked::default();
    for (at, word) in words.iter().enumerate() {
        let inside = said.as_ref().is_some_and(|said| said.at.contains(&at));
        if inside || is_noun(word) || word.is(&STATES) || word.is(&FILLER) {
            continue;
        }
        if word.is(&["unassigned", "nobody", "nobody's"]) {
            asked.whom = Some(Whom::Nobody);
            continue;
        }
        if word.is(&[
            "team",
            "team's",
            "everyone",
            "everyone's",
            "everybody",
            "everybody's",
            "workspace",
            "with",
            "yet",
        ]) {
            continue;
        }
        // A person's name: "Tomi's to-dos", "to-dos for Tomi", "what is open for Tomi".
        let owns = word.text.ends_with("'s") && words.get(at + 1).is_some_and(is_noun);
        let given = at > 0 && words[at - 1].is(&["for", "of"]);
        let named = (owns || given) && asked.whom.is_none();
        if !named {
            // The question is about something else.
            return None;
        }
        asked.whom = Some(Whom::Named(word.text.trim_end_matches("'s").to_owned()));
    }
    // Without the word for a to-do, only questions in just these words mean to-dos: "what is open", "what is due today".
    let bare = |any: &[&str]| words.iter().any(|word| word.is(any));
    if asked.whom.is_none()
        && (noun.is_some() && bare(&["my", "mine"]) || bare(&["me", "i"]) && !bare(&["show", "give", "tell"]))
    {
        asked.whom = Some(Whom::Me);
    }
    asked.status = match state.map(|word| word.text.as_str()) {
        Some("overdue" | "late") => Status::Overdue,
        Some("done" | "completed" | "finished") => Status::Done,
        _ => Status::Open,
    };
    if let Some(said) = said {
        // An open to-do that was due earlier still needs to be done, so only a future period has a first day.
        let ahead = said.from > today;
        asked.from = ahead.then_some(said.from);
        asked.to = Some(said.to);
        asked.when = Some(spoken(&words[said.at]));
    }
    if asked.status == Status::Overdue {
        (asked.from, asked.to) = (None, Some(today.saturating_sub(1.day())));
    }
    Some(Wish::List(asked))
}

fn spoken(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Thursday.
    const TODAY: Date = Date::constant(2026, 11, 26);

    #[expect(clippy::unnecessary_wraps, reason = "as it is read")]
    fn added(text: &str, due: Option<&str>, whom: Whom) -> Option<Wish> {
        Some(Wish::Add { text: text.into(), due: due.map(|day| day.parse().unwrap()), whom })
    }

    #[test]
    fn what_is_to_be_done_is_added_with_its_day_and_person() {
        let friday = Some("2026-11-27");
        for (text, wanted) in [
            ("remind me to check AppLovin floors on Friday", added("Check AppLovin floors", friday, Whom::Me)),
            ("Can you remind me on Friday to check floors?", added("Check floors", friday, Whom::Me)),
            ("please remind me tomorrow about the Unity payout", added("The Unity payout", friday, Whom::Me)),
            ("remind Tomi to call Google", added("Call Google", None, Whom::Named("Tomi".into()))),
            ("Erinnere mich am Freitag, die Floors zu prüfen", added("Die Floors zu prüfen", friday, Whom::Me)),
            ("erinner uns morgen an die Auszahlung von Unity", added("Die Auszahlung von Unity", friday, Whom::Nobody)),
            ("Erinnere mich daran, AppLovin zu prüfen", added("AppLovin zu prüfen", None, Whom::Me)),
            ("Recuérdame el viernes revisar los floors", added("Revisar los floors", friday, Whom::Me)),
            ("recuérdame mañana que llame a Google", added("Llame a Google", friday, Whom::Me)),
            (
                "remind us that the contract ends by Nov 30",
                added("The contract ends", Some("2026-11-30"), Whom::Nobody),
            ),
            ("don't let me forget to pause the test next week", added("Pause the test", Some("2026-11-30"), Whom::Me)),
            (
                "add a to-do: raise the floor of Puzzle Game to $5",
                added("Raise the floor of Puzzle Game to $5", None, Whom::Me),
            ),
            ("Add a to do – check fill (US) tomorrow", added("Check fill (US)", friday, Whom::Me)),
            ("create a todo for Friday: check floors", added("Check floors", friday, Whom::Me)),
            ("new task for Tomi: check floors", added("Check floors", None, Whom::Named("Tomi".into()))),
            (
                "add a to-do for Tomi to check floors by Friday",
                added("Check floors", friday, Whom::Named("Tomi".into())),
            ),
            ("To-do: check floors", added("Check floors", None, Whom::Me)),
            ("put checking floors on my to-do list for Friday", added("Checking floors", friday, Whom::Me)),
            ("add \"Check floors\" to my to-dos", added("Check floors", None, Whom::Me)),
            ("add a reminder to check Pangle", added("Check Pangle", None, Whom::Me)),
            ("set a reminder for tomorrow to check Pangle", added("Check Pangle", friday, Whom::Me)),
            // A day inside the text is part of what the to-do is about.
            (
                "remind me to compare Friday's revenue with Monday's",
                added("Compare Friday's revenue with Monday's", None, Whom::Me),
            ),
            ("remind me what eCPM means", None),
            ("remind me of the keys in Ad Manager", None),
            ("remind me about the keys", None),
            ("add AppLovin to my mediation group", None),
            ("set the floor to $5", None),
            ("create a mediation group for Puzzle Game", None),
        ] {
            assert_eq!(wish(text, TODAY), wanted, "{text}");
        }
    }

    #[test]
    fn to_dos_are_asked_for_in_many_words() {
        let asked = |whom: Option<Whom>, status, from: Option<&str>, to: Option<&str>| {
            let day = |day: Option<&str>| day.map(|day| day.parse::<Date>().unwrap());
            (whom, status, day(from), day(to))
        };
        let open = Status::Open;
        for (text, wanted) in [
            ("what is open this week?", asked(None, open, None, Some("2026-11-29"))),
            ("What's still open?", asked(None, open, None, None)),
            ("what is due today", asked(None, open, None, Some("2026-11-26"))),
            ("what's due next week?", asked(None, open, Some("2026-11-30"), Some("2026-12-06"))),
            ("show my to-dos", asked(Some(Whom::Me), open, None, None)),
            ("show me the to-dos", asked(None, open, None, None)),
            (
                "what's on my to do list for tomorrow",
                asked(Some(Whom::Me), open, Some("2026-11-27"), Some("2026-11-27")),
            ),
            ("which to-dos are overdue?", asked(None, Status::Overdue, None, Some("2026-11-25"))),
            ("list completed tasks", asked(None, Status::Done, None, None)),
            ("what do I have to do this week?", asked(Some(Whom::Me), open, None, Some("2026-11-29"))),
            ("what is open for me", asked(Some(Whom::Me), open, None, None)),
            ("Tomi's to-dos", asked(Some(Whom::Named("tomi".into())), open, None, None)),
            (
                "what is open for Tomi this week",
                asked(Some(Whom::Named("tomi".into())), open, None, Some("2026-11-29")),
            ),
            ("which to-dos are unassigned", asked(Some(Whom::Nobody), open, None, None)),
            ("to-dos", asked(None, open, None, None)),
        ] {
            let Some(Wish::List(read)) = wish(text, TODAY) else { panic!("{text}: {:?}", wish(text, TODAY)) };
            assert_eq!((read.whom, read.status, read.from, read.to), wanted, "{text}");
        }
        for text in [
            "what is my revenue this week?",
            "which networks are open this week",
            "what is the eCPM due to?",
            "show finished experiments",
            "how do I do that",
            "what should I do about the drop",
            "list my ad units",
            "what is waiting for my approval?",
            "is AdMob done with the report",
        ] {
            assert_eq!(wish(text, TODAY), None, "{text}");
        }
    }

    #[test]
    fn a_to_do_is_changed_by_what_it_says() {
        let what = |text: &str| What(text.into());
        let mark = |text: &str, done| Some(Wish::Mark { what: what(text), done });
        for (text, wanted) in [
            ("mark check floors as done", mark("check floors", true)),
            ("Mark “Check AppLovin floors” as done.", mark("Check AppLovin floors", true)),
            ("please mark the to-do about floors as completed", mark("floors", true)),
            ("mark it as done", mark("", true)),
            ("mark that done", mark("", true)),
            ("mark check floors as not done", mark("check floors", false)),
            ("tick off check floors", mark("check floors", true)),
            ("check the Pangle one off", mark("Pangle one", true)),
            ("reopen the to-do check floors", mark("check floors", false)),
            ("complete the task check floors", mark("check floors", true)),
            ("the to-do about floors is done", mark("floors", true)),
            ("delete the to-do check floors", Some(Wish::Delete { what: what("check floors") })),
            ("remove check floors from my to-do list", Some(Wish::Delete { what: what("check floors") })),
            (
                "move the to-do check floors to Monday",
                Some(Wish::Move { what: what("check floors"), due: Some(Date::constant(2026, 11, 30)) }),
            ),
            (
                "postpone check floors until next week",
                Some(Wish::Move { what: what("check floors"), due: Some(Date::constant(2026, 11, 30)) }),
            ),
            (
                "assign the to-do check floors to Tomi",
                Some(Wish::Assign { what: what("check floors"), whom: Whom::Named("Tomi".into()) }),
            ),
            ("delete the mediation group Tier 1", None),
            ("set the floor as done", None),
            ("move the line to position 2", None),
            ("complete the report", None),
            ("check floors of Puzzle Game", None),
        ] {
            assert_eq!(wish(text, TODAY), wanted, "{text}");
        }
    }
}
