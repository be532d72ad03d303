//! Answers about to-dos.

use serde_json::Value as Json;

use super::{
    super::{
        Answer,
        format::{or, plain},
        read::Done,
        unmade,
    },
    CREATE, DELETE,
    wish::{Asked, Status},
};

/// How many to-dos the text lists; the table has them all.
const TOLD: usize = 8;
/// How many to-dos we offer to choose from.
const OFFERED: usize = 4;
const FOLLOWING: [&str; 3] = ["What is open this week?", "Show my to-dos", "What was my revenue yesterday?"];

fn text(item: &Json) -> String {
    item["text"].as_str().map(plain).unwrap_or_default()
}

/// Returns `Fri, Nov 27, 2026`, as cards write a day.
fn day(item: &Json) -> Option<String> {
    let day = item["due"].as_str()?.parse::<jiff::civil::Date>().ok()?;
    Some(day.strftime("%a, %b %-d, %Y").to_string())
}

pub(super) fn failed(done: &Done<'_>) -> Answer {
    unmade::failed(done).following(FOLLOWING)
}

/// Says what happened to a change.
pub(super) fn changed(done: &Done<'_>) -> Answer {
    if let Some(answer) = unmade::why(done, "I changed no to-do.") {
        return answer.following(FOLLOWING);
    }
    let item = &done.content["item"];
    let name = text(item);
    let said = match done.name {
        CREATE => {
            let due = day(item).map_or_else(String::new, |day| format!(", due {day}"));
            let whom = item["for"].as_str().filter(|_| item["mine"] != true).map(plain);
            let whom = whom.map_or_else(String::new, |whom| format!(", for {whom}"));
            format!("I added “{name}”{due}{whom}.")
        }
        DELETE => "I deleted the to-do.".to_owned(),
        _ if done.args["done"] == true => format!("“{name}” is done."),
        _ if done.args["done"] == false => format!("“{name}” is open again."),
        _ => {
            let due = done
                .args
                .get("due")
                .map(|_| day(item).map_or_else(|| " has no day now".into(), |day| format!(" is due {day}")));
            let whom = done.args.get("assignee").map(|_| match item["for"].as_str() {
                Some(_) if item["mine"] == true => " is for you".to_owned(),
                Some(whom) => format!(" is for {}", plain(whom)),
                None => " is for nobody in particular".to_owned(),
            });
            format!("“{name}”{}.", due.or(whom).unwrap_or_else(|| " was changed".into()))
        }
    };
    Answer::text(format!("{said} The list is in the [Library](/library).")).following(FOLLOWING)
}

fn count(items: u64, kind: &str) -> String {
    if items == 1 { format!("1 {kind}to-do") } else { format!("{items} {kind}to-dos") }
}

pub(super) fn listed(content: &Json, asked: &Asked) -> Answer {
    let items = content["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let number = |key: &str| content[key].as_u64().unwrap_or_default();
    let kind = match asked.status {
        Status::Open => "open ",
        Status::Done => "done ",
        Status::Overdue => "overdue ",
    };
    let dated = asked.from.is_some() || asked.to.is_some();
    let when = asked.when.as_deref().filter(|_| dated).map_or_else(String::new, |when| format!(" due {when}"));
    let undated = number("without_day");
    let others = match undated {
        0 => String::new(),
        1 => " 1 more has no due date.".to_owned(),
        more => format!(" {more} more have no due date."),
    };
    let others = if dated && asked.status == Status::Open { others } else { String::new() };
    let elsewhere = " The list is in the [Library](/library).";
    if items.is_empty() {
        return Answer::text(format!("There are no {kind}to-dos{when}.{others}{elsewhere}")).following(FOLLOWING);
    }
    let overdue = number("overdue");
    let late = if asked.status == Status::Open && overdue > 0 {
        format!(", {overdue} of them overdue")
    } else {
        String::new()
    };
    let line = |item: &Json| {
        let due = day(item).map_or_else(String::new, |day| format!(", due {day}"));
        let whom = match item["for"].as_str() {
            Some(_) if item["mine"] == true => ", for you".to_owned(),
            Some(whom) => format!(", for {}", plain(whom)),
            None => String::new(),
        };
        format!("- {}{due}{whom}", text(item))
    };
    let lines: Vec<String> = items.iter().take(TOLD).map(line).collect();
    let more = if items.len() > TOLD || content["complete"] == false { " The table has the rest." } else { "" };
    let unnarrowed = if asked.status == Status::Done && asked.when.is_some() {
        " I can't tell them apart by the day they were done."
    } else {
        ""
    };
    Answer::text(format!(
        "{}{when}{late}:\n\n{}\n\n{}",
        count(number("count"), kind),
        lines.join("\n"),
        format!("{more}{unnarrowed}{others}{elsewhere}").trim_start(),
    ))
    .following(FOLLOWING)
}

/// Says that no to-do matches these words.
pub(super) fn none(what: &str, items: &[Json], status: Status) -> Answer {
    let kind = if status == Status::Done { "done" } else { "open" };
    if items.is_empty() {
        return Answer::text(format!("There are no {kind} to-dos. I changed nothing.")).following(FOLLOWING);
    }
    let which = if what.is_empty() {
        format!("Which to-do do you mean? There are several {kind} ones. I changed nothing.")
    } else {
        format!("I found no {kind} to-do with “{}”. I changed nothing.", plain(what))
    };
    let names: Vec<String> = items.iter().take(OFFERED).map(|item| format!("“{}”", text(item))).collect();
    Answer::text(format!("{which} You can name one, such as {}.", or(&names))).following(FOLLOWING)
}

/// Says that several to-dos match these words, and asks which one.
pub(super) fn several(question: &str, what: &str, found: &[&Json]) -> Answer {
    let names: Vec<String> = found.iter().take(OFFERED).map(|item| format!("“{}”", text(item))).collect();
    let choices = found.iter().take(OFFERED).filter(|_| !what.is_empty()).map(|item| {
        let own = item["text"].as_str().unwrap_or_default();
        question.replacen(what, &format!("“{own}”"), 1)
    });
    Answer::text(format!("Which to-do do you mean: {}? I changed nothing.", or(&names)))
        .choosing(choices.filter(|choice| choice != question))
}

/// Says that nobody, or more than one person, has this name.
pub(super) fn nobody(name: &str, names: &[String]) -> Answer {
    let who = names.iter().take(OFFERED).map(|name| plain(name)).collect::<Vec<_>>();
    let text = match who.as_slice() {
        [] | [_] => format!("Nobody called {} is in this workspace. I changed nothing.", plain(name)),
        _ => format!("Who is meant by {}: {}? I changed nothing.", plain(name), or(&who)),
    };
    Answer::text(text).following(FOLLOWING)
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;
    use serde_json::json;

    use super::*;

    #[test]
    fn open_to_dos_are_told_with_what_is_late_and_what_has_no_day() {
        let items = [
            json!({"text": "Check *floors*", "due": "2026-11-25", "overdue": true, "mine": true, "for": "Ada"}),
            json!({"text": "Call Google", "due": "2026-11-27", "mine": false, "for": "Tomi"}),
        ];
        let content = json!({"items": items, "count": 2, "overdue": 1, "without_day": 3, "complete": true});
        let asked =
            Asked { to: Some(Date::constant(2026, 11, 29)), when: Some("this week".into()), ..Asked::default() };
        let told = listed(&content, &asked).text;
        assert!(told.starts_with("2 open to-dos due this week, 1 of them overdue:\n\n- Check"), "{told}");
        assert!(told.contains("due Wed, Nov 25, 2026, for you\n- Call Google, due Fri, Nov 27, 2026, for Tomi\n\n3 more have no due date."), "{told}");
        let none = listed(&json!({"items": [], "without_day": 0}), &asked).text;
        assert!(none.starts_with("There are no open to-dos due this week."), "{none}");
    }

    #[test]
    fn where_several_are_meant_each_can_be_chosen() {
        let (one, two) = (json!({"text": "Check AppLovin floors"}), json!({"text": "Check Unity floors"}));
        let answer = several("mark floors as done", "floors", &[&one, &two]);
        assert_eq!(answer.choices, ["mark “Check AppLovin floors” as done", "mark “Check Unity floors” as done"]);
        assert!(answer.text.contains("“Check AppLovin floors” or “Check Unity floors”"), "{}", answer.text);
    }
}
