//! Moves words to their place in English: an order opens its clause, and a preposition comes before its noun.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Plain,
    /// An order: opens its clause in English.
    Order,
    /// Goes before the phrase that it follows here.
    Before,
    /// Makes the clause a question: an order in it is mentioned rather than given.
    Asks,
    /// Ends a clause.
    Stop,
    /// "and", "then": another order may follow.
    Joins,
}

/// A piece of the English text.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    pub text: String,
    pub role: Role,
    pub space: bool,
    pub translated: bool,
    pub case: &'static str,
}

impl Unit {
    pub fn translated(english: &str, space: bool) -> Self {
        let (role, text) = match english.split_at_checked(1) {
            Some(("!", rest)) => (Role::Order, rest),
            Some(("<", rest)) => (Role::Before, rest),
            Some(("?", rest)) => (Role::Asks, rest),
            _ if matches!(english, "and" | "then" | "but") => (Role::Joins, english),
            _ => (Role::Plain, english),
        };
        Self { text: text.to_owned(), role, space, translated: true, case: "" }
    }

    pub fn kept(text: String, stops: bool, space: bool, case: &'static str) -> Self {
        Self { text, role: if stops { Role::Stop } else { Role::Plain }, space, translated: false, case }
    }

    fn is_number(&self) -> bool {
        self.text.trim_start_matches('$').starts_with(|c: char| c.is_ascii_digit())
    }

    fn is_name(&self) -> bool {
        !self.translated && self.text.starts_with(|c: char| c.is_uppercase())
    }
}

/// Words that belong to the number before them.
const MEASURES: [&str; 12] =
    ["days", "day", "weeks", "week", "months", "month", "years", "hours", "dollars", "percent", "usd", "cents"];
/// Words that belong to the word after them.
const LEADS: [&str; 7] = ["last", "this", "top", "first", "next", "previous", "past"];
/// First words of two-word names.
const HALVES: [&str; 9] = ["ad", "mediation", "match", "fill", "show", "line", "sdk", "app", "os"];

/// Returns where the phrase begins that ends before `end`.
fn begin(out: &[Unit], end: usize) -> usize {
    let mut at = end.saturating_sub(1);
    let plain = |at: usize| out.get(at).filter(|unit| unit.role == Role::Plain);
    while at > 0 {
        let (Some(here), Some(before)) = (plain(at), plain(at - 1)) else { break };
        let measured = before.is_number() && (MEASURES.contains(&here.text.as_str()) || is_month(&here.text));
        let led = LEADS.contains(&before.text.as_str()) && (here.is_number() || here.translated);
        let counted =
            before.is_number() && at > 1 && plain(at - 2).is_some_and(|lead| LEADS.contains(&lead.text.as_str()));
        let same = here.text == "same days" && before.translated;
        let half = HALVES.contains(&before.text.to_ascii_lowercase().as_str()) && !here.translated;
        if !(measured || counted || led || same || half || here.is_name() && before.is_name() || here.text == "%") {
            break;
        }
        at -= 1;
    }
    at
}

pub(super) fn is_month(word: &str) -> bool {
    matches!(
        word,
        "january"
            | "february"
            | "march"
            | "april"
            | "may"
            | "june"
            | "july"
            | "august"
            | "september"
            | "october"
            | "november"
            | "december"
    )
}

pub(super) fn arranged(units: Vec<Unit>) -> Vec<Unit> {
    let mut out: Vec<Unit> = Vec::with_capacity(units.len());
    // Where the clause began, and whether it asks or contains an order.
    let (mut clause, mut asks) = (0, false);
    for mut unit in units {
        let case = std::mem::take(&mut unit.case);
        match unit.role {
            Role::Stop => {
                out.push(unit);
                (clause, asks) = (out.len(), false);
                continue;
            }
            Role::Asks => {
                if !asks {
                    let lead = out[clause..].iter().take_while(|unit| unit.role == Role::Joins).count();
                    out.insert(clause + lead, Unit { space: true, ..unit });
                    asks = true;
                    continue;
                }
            }
            Role::Before if out.len() > clause && !out.last().is_some_and(|last| last.role == Role::Order) => {
                let mut at = begin(&out, out.len());
                // "ülkelere göre": the ending only connects to the next word.
                if at > clause && out[at - 1].translated && matches!(out[at - 1].text.as_str(), "to" | "from") {
                    at -= 1;
                    out.remove(at);
                }
                out.insert(at, Unit { role: Role::Plain, space: true, ..unit });
                continue;
            }
            Role::Order => {
                let joined = out.last().is_some_and(|last| last.role == Role::Joins);
                let not = out.last().is_some_and(|last| matches!(last.text.as_str(), "not" | "do not" | "without"));
                if !asks && !joined && !not {
                    // "9월과 비교": the phrase before is what it is compared with.
                    if out.len() > clause && out.last().is_some_and(|last| last.translated && last.text == "and") {
                        out.pop();
                        let at = begin(&out, out.len());
                        out.insert(at, Unit { role: Role::Plain, ..Unit::translated("with", true) });
                    }
                    let lead = out[clause..].iter().take_while(|unit| unit.role == Role::Joins).count();
                    out.insert(clause + lead, Unit { space: true, ..unit });
                    clause = out.len();
                    continue;
                }
                out.push(unit);
                clause = out.len();
                continue;
            }
            Role::Before | Role::Plain | Role::Joins => {}
        }
        out.push(unit);
        if !case.is_empty() {
            let at = begin(&out, out.len());
            let mut before = Unit::translated(case, true);
            before.role = Role::Plain;
            out.insert(at, before);
        }
    }
    out
}

pub(super) fn joined(units: Vec<Unit>) -> String {
    let mut out = String::new();
    let mut translated = false;
    for unit in units {
        if unit.text.is_empty() {
            continue;
        }
        let mark = !unit.text.starts_with(|c: char| c.is_alphanumeric());
        let space = unit.space || unit.translated || translated && !mark;
        if space && !out.is_empty() && !out.ends_with(char::is_whitespace) {
            out.push(' ');
        }
        out.push_str(&unit.text);
        translated = unit.translated;
    }
    out
}
