//! Chooses fair periods for a comparison. This must never compare a day, week or month that is not over with a whole one.
//!
//! All comparisons come from here: totals, breakdowns and reasons.

use jiff::{
    ToSpan as _,
    civil::{Date, Weekday},
};

use super::{
    format::{month_name, range, short},
    report::days::{Open, Period},
};

/// Two periods that can be compared.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fair {
    /// The compared period, up to its last finished day.
    pub now: Period,
    pub before: Period,
    /// The other period, in the words of a sentence: "the day before (Nov 21)".
    pub words: String,
    /// Why we compare other periods than the question asks for.
    pub note: Option<String>,
}

/// Chooses the period to compare `main` with: `other` if the question names one, otherwise the period before. `Err` holds a sentence that
/// says why nothing can be compared yet.
pub(super) fn compare(main: &Period, other: Option<&Period>, open: &Open) -> Result<Fair, String> {
    let yesterday = open.day.saturating_sub(1.day());
    if main.to < open.day {
        let before = other.map_or_else(|| whole_before(main), |other| so_far(main, other, yesterday));
        let words = words(main, &before);
        return Ok(Fair { now: main.clone(), before, words, note: None });
    }
    if main.from > yesterday {
        return just_begun(other, open);
    }
    let now = Period { from: main.from, to: yesterday };
    let (before, words) = match other {
        Some(other) => {
            let before = cut(other, &now);
            let words = words(&now, &before);
            (before, words)
        }
        None => earlier(&now),
    };
    let note =
        format!("{}, so I compare {} with {}.", open.words(), range(now.from, now.to), range(before.from, before.to));
    Ok(Fair { now, before, words, note: Some(note) })
}

/// Handles a period without any finished day. If the question compares a running week or month with the whole one before, we compare that
/// whole one with the one before it.
fn just_begun(other: Option<&Period>, open: &Open) -> Result<Fair, String> {
    let progress = open.words();
    match other.filter(|other| other.days() > 1 && other.to < open.day) {
        Some(whole) => {
            let before = whole_before(whole);
            let note = format!(
                "{progress}, so I compare the last full period, {}, with {}.",
                range(whole.from, whole.to),
                range(before.from, before.to)
            );
            Ok(Fair { words: words(whole, &before), now: whole.clone(), before, note: Some(note) })
        }
        None => Err(format!("{progress}, so I don't compare it with a whole day.")),
    }
}

/// Cuts the other period to as many days, from its first one, as are over in this period.
fn cut(other: &Period, now: &Period) -> Period {
    let first = now.from.day() == 1 && other.from.day() == 1;
    let to = if first {
        // Count by months, because they differ in length: February ends on its own last day.
        now.to.saturating_sub(months_between(other.from, now.from).months())
    } else {
        other.from.saturating_add((now.days() - 1).days())
    };
    Period { from: other.from, to: to.clamp(other.from, other.to) }
}

fn months_between(from: Date, to: Date) -> i32 {
    (i32::from(to.year()) - i32::from(from.year())) * 12 + i32::from(to.month()) - i32::from(from.month())
}

/// If `main` is a week, month, quarter or year up to yesterday, cuts the whole one in `other` to the same days.
fn so_far(main: &Period, other: &Period, yesterday: Date) -> Period {
    let runs = main.to == yesterday && !ends(main) && begins(main);
    let alike = ends(other) && begins(other) && other.days() > main.days();
    let weeks = main.from.weekday() == Weekday::Monday && other.days() == 7;
    let months =
        main.from.day() == 1 && other.from.day() == 1 && matches!(months_between(other.from, main.from), 1 | 3 | 12);
    if runs && alike && (weeks || months) { cut(other, main) } else { other.clone() }
}

/// Checks whether the period begins on the first of a month or on a Monday.
fn begins(period: &Period) -> bool {
    period.from.day() == 1 || period.from.weekday() == Weekday::Monday
}

/// Checks whether the period ends with the month that it begins in, or is a whole week from Monday.
fn ends(period: &Period) -> bool {
    if period.from.day() == 1 && period.to == period.to.last_of_month() {
        return true;
    }
    period.from.weekday() == Weekday::Monday && period.days() == 7
}

/// Returns the period before: as many whole months if the period is whole months, otherwise as many days.
fn whole_before(period: &Period) -> Period {
    let to = period.from.saturating_sub(1.day());
    let from = if period.from.day() == 1 && period.to == period.to.last_of_month() {
        period.from.saturating_sub((months_between(period.from, period.to) + 1).months())
    } else {
        period.from.saturating_sub(period.days().days())
    };
    Period { from, to }
}

/// Returns the same days of the previous week, month, quarter or year for a period that is not over.
fn earlier(now: &Period) -> (Period, String) {
    let running = months_between(now.from, now.to);
    let back = match now.from.day() {
        1 if running == 0 => Some((1, "month")),
        1 if running < 3 && matches!(now.from.month(), 1 | 4 | 7 | 10) => Some((3, "quarter")),
        1 if now.from.month() == 1 && running < 12 => Some((12, "year")),
        _ => None,
    };
    if let Some((months, unit)) = back {
        let before =
            Period { from: now.from.saturating_sub(months.months()), to: now.to.saturating_sub(months.months()) };
        let days = if now.days() == 1 { "day" } else { "days" };
        let words = format!("on the same {days} of the {unit} before ({})", range(before.from, before.to));
        return (before, words);
    }
    // Use the same weekdays, because weekends differ most from other days.
    let weeks = (now.days() + 6) / 7;
    let before = Period { from: now.from.saturating_sub(weeks.weeks()), to: now.to.saturating_sub(weeks.weeks()) };
    let words = words(now, &before);
    (before, words)
}

/// Returns "the day before (Nov 21)" or "in the 7 days before (Nov 9–15, 2026)".
fn words(now: &Period, before: &Period) -> String {
    let days = range(before.from, before.to);
    let adjacent = before.to == now.from.saturating_sub(1.day());
    match (before.days(), adjacent) {
        (1, true) if now.days() == 1 => format!("the day before ({})", short(before.to)),
        (1, _) if before.to == now.to.saturating_sub(1.week()) => {
            format!("the same day a week earlier ({})", short(before.to))
        }
        (1, _) => format!("on {days}"),
        (7, true) if now.days() == 7 && now.from.weekday() == Weekday::Monday => format!("in the week before ({days})"),
        (n, true) if n == now.days() => format!("in the {n} days before ({days})"),
        (n, _) if n == now.days() && before.from == now.from.saturating_sub(1.week()) => {
            format!("on the same days of the week before ({days})")
        }
        _ if before.from.day() == 1 && before.to == before.from.last_of_month() => {
            format!("in {} {}", month_name(before.from), before.from.year())
        }
        _ => format!("over {days}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(today: &str) -> Open {
        Open { day: today.parse().unwrap(), zone: None }
    }

    fn period(from: &str, to: &str) -> Period {
        Period { from: from.parse().unwrap(), to: to.parse().unwrap() }
    }

    /// Compares as of a day; November 23, 2026 is a Monday.
    fn on(today: &str, main: (&str, &str), other: Option<(&str, &str)>) -> Result<Fair, String> {
        let other = other.map(|(from, to)| period(from, to));
        compare(&period(main.0, main.1), other.as_ref(), &open(today))
    }

    #[test]
    fn what_is_over_is_compared_as_it_was_asked() {
        let day = on("2026-11-23", ("2026-11-22", "2026-11-22"), None).unwrap();
        assert_eq!((day.before, day.note), (period("2026-11-21", "2026-11-21"), None));
        assert_eq!(day.words, "the day before (Nov 21)");
        let month = on("2026-11-23", ("2026-10-01", "2026-10-31"), None).unwrap();
        assert_eq!(month.before, period("2026-09-01", "2026-09-30"));
        let week = on("2026-11-23", ("2026-11-16", "2026-11-22"), Some(("2026-11-02", "2026-11-08"))).unwrap();
        assert_eq!((week.now, week.before), (period("2026-11-16", "2026-11-22"), period("2026-11-02", "2026-11-08")));
    }

    #[test]
    fn a_week_in_progress_is_set_against_the_same_weekdays() {
        let asked = on("2026-11-26", ("2026-11-23", "2026-11-26"), Some(("2026-11-16", "2026-11-22"))).unwrap();
        assert_eq!(
            (&asked.now, &asked.before),
            (&period("2026-11-23", "2026-11-25"), &period("2026-11-16", "2026-11-18"))
        );
        assert_eq!(
            asked.note.as_deref(),
            Some("Nov 26 is still in progress, so I compare Nov 23–25, 2026 with Nov 16–18, 2026.")
        );
        let unasked = on("2026-11-26", ("2026-11-23", "2026-11-26"), None).unwrap();
        assert_eq!((&unasked.now, &unasked.before), (&asked.now, &asked.before));
        assert_eq!(unasked.words, "on the same days of the week before (Nov 16–18, 2026)");
    }

    #[test]
    fn a_week_that_began_today_gives_way_to_the_last_whole_one() {
        let fair = on("2026-11-23", ("2026-11-23", "2026-11-23"), Some(("2026-11-16", "2026-11-22"))).unwrap();
        assert_eq!(
            (&fair.now, &fair.before),
            (&period("2026-11-16", "2026-11-22"), &period("2026-11-09", "2026-11-15"))
        );
        assert!(fair.note.unwrap().starts_with("Nov 23 is still in progress, so I compare the last full period"));
    }

    #[test]
    fn today_is_never_set_against_a_whole_day() {
        let why = on("2026-11-23", ("2026-11-23", "2026-11-23"), None).unwrap_err();
        assert_eq!(why, "Nov 23 is still in progress, so I don't compare it with a whole day.");
        on("2026-11-23", ("2026-11-23", "2026-11-23"), Some(("2026-11-22", "2026-11-22"))).unwrap_err();
    }

    #[test]
    fn a_month_quarter_or_year_in_progress_is_set_against_the_same_days_of_the_one_before() {
        let month = on("2026-11-23", ("2026-11-01", "2026-11-23"), None).unwrap();
        assert_eq!(
            (&month.now, &month.before),
            (&period("2026-11-01", "2026-11-22"), &period("2026-10-01", "2026-10-22"))
        );
        let asked = on("2026-11-23", ("2026-11-01", "2026-11-23"), Some(("2026-10-01", "2026-10-31"))).unwrap();
        assert_eq!(asked.before, month.before);
        // The result is the same if the question's own period leaves today out.
        let until = on("2026-11-23", ("2026-11-01", "2026-11-22"), Some(("2026-10-01", "2026-10-31"))).unwrap();
        assert_eq!(until.before, month.before);
        let year = on("2026-11-23", ("2026-01-01", "2026-11-23"), None).unwrap();
        assert_eq!(year.before, period("2025-01-01", "2025-11-22"));
        let quarter = on("2026-11-23", ("2026-10-01", "2026-11-23"), None).unwrap();
        assert_eq!(quarter.before, period("2026-07-01", "2026-08-22"));
        let short = on("2026-03-31", ("2026-03-01", "2026-03-31"), Some(("2026-02-01", "2026-02-28"))).unwrap();
        assert_eq!(short.before, period("2026-02-01", "2026-02-28"));
    }

    #[test]
    fn any_other_days_in_progress_are_set_against_the_same_weekdays() {
        let since = on("2026-11-23", ("2026-11-14", "2026-11-23"), None).unwrap();
        assert_eq!(
            (&since.now, &since.before),
            (&period("2026-11-14", "2026-11-22"), &period("2026-10-31", "2026-11-08"))
        );
        for days in 2_i32..60 {
            let today: Date = "2026-11-23".parse().unwrap();
            let main = Period { from: today.saturating_sub((days - 1).days()), to: today };
            let fair = compare(&main, None, &open("2026-11-23")).unwrap();
            assert!(fair.now.to < today && fair.before.to < fair.now.from, "{fair:?}");
            assert_eq!(fair.now.days(), fair.before.days(), "{fair:?}");
        }
    }
}
