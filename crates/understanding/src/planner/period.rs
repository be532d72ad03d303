//! Answers for periods that we understand but can't serve: says what we understood, why we can't, and what would work. This must never
//! answer with numbers of another period.

use super::{
    Answer,
    format::{plain, range},
    names,
    read::Turn,
    report::spec::Plan,
};
use crate::dates::{self, Why};
use adagent_contract::{Covers, EntityKind};
use jiff::{ToSpan as _, civil::Date};

/// Returns an answer instead of a report if the period does not exist or is in the future.
pub(super) fn unserved(turn: &Turn<'_>) -> Option<Answer> {
    let text = without_names(turn);
    let tokens = crate::text::tokens(text);
    let found = dates::periods(&tokens, turn.today);
    let hit = dates::unserved(text, &tokens, &found, turn.today)?;
    // In a follow-up, it means the period of the question before.
    if hit.why == Why::SameAs && !turn.request.planner.history.is_empty() {
        return None;
    }
    let said = plain(text.get(hit.start..hit.end).unwrap_or_default());
    let yesterday = turn.today.saturating_sub(1.day());
    let what = Plan::from(turn).map_or_else(|_| "revenue".to_owned(), |plan| plan.asked_words());
    let why = match hit.why {
        Why::NoSuchDay => format!("there is no such day as \"{said}\""),
        Why::TimeOfDay => format!("\"{said}\" is a time of day, and AdMob reports whole days"),
        Why::Future => format!("\"{said}\" is in the future, where there are no numbers yet"),
        Why::Forecast => {
            format!("I can't forecast yet (\"{said}\"), only show reported numbers")
        }
        Why::TooEarly => format!("\"{said}\" is before 2015, the earliest year I can read"),
        Why::NoLength => format!("\"{said}\" isn't a length of time: use a whole number, 1 or more"),
        Why::TooLong => format!("\"{said}\" is longer than I can read: ten years is the most"),
        Why::Reversed => format!("\"{said}\" ends before it begins"),
        Why::DayKind => {
            format!("AdMob reports can't be filtered to one kind of day (\"{said}\"); a report by day shows each date")
        }
        Why::SameTime => format!(
            "AdMob reports whole days, so I can't stop at this hour (“{said}”); a partial day next to a full one would look like a drop"
        ),
        Why::SameAs => format!("“{said}” doesn't say which period it should match"),
        Why::LeftOut => format!(
            "I can only leave out days at the start or end of a period you name, and “{said}” isn't at either end"
        ),
        Why::NoOverlap => format!("\"{said}\" and the other period you name have no day in common"),
        Why::Unknown => format!("I don't know which days \"{said}\" means; give me the first and last day"),
    };
    let days = range(yesterday.saturating_sub(29.days()), yesterday);
    let examples = [
        format!("{} last 30 days by day", capital(&what)),
        format!("{} last 4 weeks by week", capital(&what)),
        format!("{} from {} to {yesterday}", capital(&what), yesterday.saturating_sub(6.days())),
    ];
    Some(
        Answer::text(format!(
            "You asked for {what}, but {why}, so I didn't pull anything. Try: *{}* ({days}) or *{}*.",
            examples[0], examples[2]
        ))
        .following(examples),
    )
}

/// Checks whether the message asks about the future, even in words with no other content: "are we on track for 130k".
pub(super) fn asks_forecast(turn: &Turn<'_>) -> bool {
    let text = without_names(turn);
    let tokens = crate::text::tokens(text);
    let found = dates::periods(&tokens, turn.today);
    dates::unserved(text, &tokens, &found, turn.today).is_some_and(|hit| hit.why == Why::Forecast)
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// "until November 10" names no first day, so the answer says which one we took.
pub(super) fn open_note(turn: &Turn<'_>) -> Option<String> {
    let tokens = crate::text::tokens(without_names(turn));
    let open = dates::periods(&tokens, turn.today).into_iter().find(|p| p.edge == dates::Edge::Until)?;
    let unit = if open.span.from.month() == open.span.to.month() { "month" } else { "year" };
    Some(format!(
        "You named only an end date, so I started at the beginning of the {unit}: {}.",
        range(open.span.from, open.span.to)
    ))
}

/// For a week, month, quarter or year that began today: returns a note to show above the number, and an offer to show the one before.
pub(super) fn just_begun(turn: &Turn<'_>, covers: &Covers) -> Option<(String, String)> {
    let from: Date = covers.from.parse().ok()?;
    if from != turn.today {
        return None;
    }
    let tokens = crate::text::tokens(without_names(turn));
    let unit = dates::periods(&tokens, turn.today).into_iter().find(|p| p.span.from == from)?.unit;
    let unit = match unit {
        dates::Unit::Week => "week",
        dates::Unit::Month => "month",
        dates::Unit::Quarter => "quarter",
        dates::Unit::Year => "year",
        _ => return None,
    };
    let note = format!("**This {unit} began today**, so these are the numbers of one day that isn't over yet.");
    Some((note, format!("And last {unit}?")))
}

/// Returns the question without the names in it, because an app may be called "Tomorrow".
pub(super) fn without_names<'t>(turn: &'t Turn<'_>) -> &'t str {
    turn.unnamed.get_or_init(|| leave_names_out(turn))
}

fn leave_names_out(turn: &Turn<'_>) -> String {
    let mut text = turn.question().to_owned();
    for kind in [EntityKind::App, EntityKind::AdUnit, EntityKind::MediationGroup, EntityKind::Account] {
        for item in names::mentioned(turn, kind, turn.question()) {
            if let Some(at) = text.to_ascii_lowercase().find(&item.name.to_ascii_lowercase())
                && !item.name.is_empty()
            {
                text.replace_range(at..at + item.name.len(), "\"\"");
            }
        }
    }
    text
}
