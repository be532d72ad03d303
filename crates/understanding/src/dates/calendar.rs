//! Date arithmetic. Weeks start on Monday; the first quarter starts in January.

use jiff::{ToSpan, civil::Date};

/// A range of days; both ends are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub from: Date,
    pub to: Date,
}

impl Span {
    pub fn new(a: Date, b: Date) -> Self {
        if a <= b { Self { from: a, to: b } } else { Self { from: b, to: a } }
    }

    pub fn day(date: Date) -> Self {
        Self { from: date, to: date }
    }

    pub fn days(self) -> i32 {
        (self.to - self.from).get_days() + 1
    }
}

pub fn plus(date: Date, days: i32) -> Date {
    date.saturating_add(days.days())
}

pub fn plus_months(date: Date, months: i32) -> Date {
    date.saturating_add(months.months())
}

pub fn week_of(date: Date) -> Span {
    let monday = plus(date, -i32::from(date.weekday().to_monday_zero_offset()));
    Span::new(monday, plus(monday, 6))
}

pub fn month_of(date: Date) -> Span {
    Span::new(date.first_of_month(), date.last_of_month())
}

pub fn quarter_of(date: Date) -> Span {
    let back = i32::from((date.month() - 1) % 3);
    let first = plus_months(date.first_of_month(), -back);
    Span::new(first, plus_months(first, 2).last_of_month())
}

pub fn year_of(date: Date) -> Span {
    Span::new(date.first_of_year(), date.last_of_year())
}

/// Returns the first day of `month`, in the latest year in which that day is not in the future.
pub fn latest_month(month: i8, today: Date) -> Option<Date> {
    let this = Date::new(today.year(), month, 1).ok()?;
    Some(if this > today { plus_months(this, -12) } else { this })
}

/// Returns this day in the latest year in which it is not in the future. Looks back four years, for February 29.
pub fn latest_day(day: i8, month: i8, today: Date) -> Option<Date> {
    (0..5).find_map(|back| Date::new(today.year() - back, month, day).ok().filter(|d| *d <= today))
}

/// Returns the latest date with this day of the month that is not in the future. Looks back two months.
pub fn latest_day_of_month(day: i8, today: Date) -> Option<Date> {
    (0..3).find_map(|back| {
        let month = plus_months(today.first_of_month(), -back);
        Date::new(month.year(), month.month(), day).ok().filter(|d| *d <= today)
    })
}

/// Returns the period of the same length right before this one.
pub fn directly_before(span: Span) -> Span {
    let days = span.days();
    Span::new(plus(span.from, -days), plus(span.from, -1))
}

/// Moves a period back by `months`. A period that ends with a month still does after the move.
pub fn unit_before(span: Span, months: i32) -> Span {
    let from = plus_months(span.from, -months);
    let to = if span.to == span.to.last_of_month() {
        plus_months(span.to.first_of_month(), -months).last_of_month()
    } else {
        plus_months(span.to, -months)
    };
    Span::new(from, to)
}

pub fn is_whole_months(span: Span) -> bool {
    span.from == span.from.first_of_month() && span.to == span.to.last_of_month()
}

pub fn month_count(span: Span) -> i32 {
    (i32::from(span.to.year()) - i32::from(span.from.year())) * 12 + i32::from(span.to.month())
        - i32::from(span.from.month())
        + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn weeks_start_on_monday_and_quarters_in_january() {
        let today = date(2026, 11, 21);
        assert_eq!(week_of(today), Span::new(date(2026, 11, 16), date(2026, 11, 22)));
        assert_eq!(quarter_of(today), Span::new(date(2026, 10, 1), date(2026, 12, 31)));
        assert_eq!(latest_day(25, 12, today), Some(date(2025, 12, 25)));
        assert_eq!(latest_day(29, 2, today), Some(date(2024, 2, 29)));
    }
}
