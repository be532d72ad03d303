//! Groups to-dos, and names the lists that the page can show. Pure.

use adagent_contract::TodoView;

use crate::ui::format::Civil;

/// The list that the address asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shown {
    #[default]
    Open,
    Mine,
    Done,
}

impl Shown {
    pub const ALL: [(Self, &str, &str); 3] = [
        (Self::Open, "/library", "Open"),
        (Self::Mine, "/library?show=mine", "Mine"),
        (Self::Done, "/library?show=done", "Done"),
    ];

    pub fn of(asked: Option<&str>) -> Self {
        match asked {
            Some("mine") => Self::Mine,
            Some("done") => Self::Done,
            _ => Self::Open,
        }
    }
}

/// When a to-do is due, seen from a given day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Overdue,
    Today,
    Week,
    Later,
    NoDay,
    Done,
}

impl Group {
    pub const ALL: [Self; 6] = [Self::Overdue, Self::Today, Self::Week, Self::Later, Self::NoDay, Self::Done];

    pub const fn title(self) -> &'static str {
        match self {
            Self::Overdue => "Overdue",
            Self::Today => "Today",
            Self::Week => "This week",
            Self::Later => "Later",
            Self::NoDay => "No due date",
            Self::Done => "Done",
        }
    }

    pub const fn id(self) -> &'static str {
        match self {
            Self::Overdue => "todos-overdue",
            Self::Today => "todos-today",
            Self::Week => "todos-week",
            Self::Later => "todos-later",
            Self::NoDay => "todos-undated",
            Self::Done => "todos-done",
        }
    }

    pub fn of(todo: &TodoView, today: &str) -> Self {
        if todo.done {
            return Self::Done;
        }
        let days = |day: &str| Civil::parse(day).map(Civil::days);
        let (Some(due), Some(today)) = (todo.due.as_deref().and_then(days), days(today)) else { return Self::NoDay };
        // Weeks end on Sunday; 1970-01-01 was a Thursday.
        let sunday = today + 6 - (today + 3).rem_euclid(7);
        match due {
            due if due < today => Self::Overdue,
            due if due == today => Self::Today,
            due if due <= sunday => Self::Week,
            _ => Self::Later,
        }
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::{Timestamp, TodoId};

    use super::*;

    #[test]
    fn a_to_do_stands_with_those_of_its_time() {
        let todo = |due: Option<&str>, done| TodoView {
            id: "019aa5c4-9a3e-7000-8000-000000000000".parse::<TodoId>().unwrap(),
            text: "x".into(),
            done,
            due: due.map(str::to_owned),
            assignee: None,
            mine: false,
            by: "ada".into(),
            run: None,
            version: 1,
            done_at: None,
            created_at: Timestamp::EPOCH,
            updated_at: Timestamp::EPOCH,
        };
        // 2026-11-26 is a Thursday.
        let today = "2026-11-26";
        for (due, group) in [
            (Some("2026-11-25"), Group::Overdue),
            (Some("2026-11-26"), Group::Today),
            (Some("2026-11-29"), Group::Week),
            (Some("2026-11-30"), Group::Later),
            (None, Group::NoDay),
        ] {
            assert_eq!(Group::of(&todo(due, false), today), group, "{due:?}");
        }
        assert_eq!(Group::of(&todo(Some("2026-11-29"), false), "2026-11-29"), Group::Today, "a Sunday");
        assert_eq!(Group::of(&todo(Some("2026-11-30"), false), "2026-11-29"), Group::Later);
        assert_eq!(Group::of(&todo(Some("2026-11-25"), true), today), Group::Done);
    }
}
