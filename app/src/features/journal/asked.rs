//! The address of the journal holds what it shows, so that it works without JavaScript and can be shared.

use leptos_router::params::ParamsMap;

use crate::features::{api::JournalAsked, desk::encode};

pub const JOURNAL: &str = "/journal";

pub fn of(query: &ParamsMap) -> JournalAsked {
    let given = |name: &str| query.get(name).unwrap_or_default().trim().to_owned();
    JournalAsked {
        agent: given("agent"),
        person: given("person"),
        status: given("status"),
        from: given("from"),
        to: given("to"),
        q: given("q"),
        month: given("month"),
        cursor: given("cursor"),
    }
}

/// Checks whether the list leaves entries out, apart from older ones.
pub const fn is_narrowed(asked: &JournalAsked) -> bool {
    let JournalAsked { agent, person, status, from, to, q, .. } = asked;
    !(agent.is_empty() && person.is_empty() && status.is_empty() && from.is_empty() && to.is_empty() && q.is_empty())
}

pub fn address(asked: &JournalAsked) -> String {
    let JournalAsked { agent, person, status, from, to, q, month, cursor } = asked;
    let given = [
        ("agent", agent),
        ("person", person),
        ("status", status),
        ("from", from),
        ("to", to),
        ("q", q),
        ("month", month),
        ("cursor", cursor),
    ];
    let query: Vec<String> = given
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| format!("{key}={}", encode(value)))
        .collect();
    if query.is_empty() { JOURNAL.to_owned() } else { format!("{JOURNAL}?{}", query.join("&")) }
}

/// Returns the address of one day.
pub fn of_day(asked: &JournalAsked, day: &str) -> String {
    address(&JournalAsked { from: day.to_owned(), to: day.to_owned(), cursor: String::new(), ..asked.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_only_what_is_asked_for() {
        let none = JournalAsked::default();
        assert_eq!((address(&none).as_str(), is_narrowed(&none)), ("/journal", false));
        let asked = JournalAsked { agent: "reporter".into(), cursor: "x y".into(), ..none };
        assert_eq!((address(&asked).as_str(), is_narrowed(&asked)), ("/journal?agent=reporter&cursor=x%20y", true));
        assert_eq!(of_day(&asked, "2026-11-26"), "/journal?agent=reporter&from=2026-11-26&to=2026-11-26");
    }
}
