//! Answers about documents: what the store has, with links.

use adagent_domain::Cut as _;
use serde_json::Value as Json;

use super::{
    super::{
        Answer,
        format::{count, or, plain},
        read::Done,
        unmade,
    },
    CREATE, DELETE, MOVE,
    matching::title_of,
};

/// How many documents the text lists; the table has them all.
const TOLD: usize = 8;
/// How many documents we offer to choose from.
const OFFERED: usize = 4;
/// How many bytes of a text an answer shows.
const SHOWN: usize = 2_500;
const FOLLOWING: [&str; 3] = ["Show our documents", "What is open this week?", "What was my revenue yesterday?"];

/// Returns `[Title](/library/documents/…)`.
fn link(item: &Json) -> String {
    let (title, path) = (plain(title_of(item)), item["path"].as_str().unwrap_or("/library/documents"));
    format!("[{title}]({path})")
}

fn place(item: &Json) -> String {
    item["folder"]
        .as_str()
        .filter(|folder| *folder != "/")
        .map_or_else(String::new, |folder| format!(" in {}", plain(folder)))
}

/// Returns `version 3, written by Ann with @helper`.
fn written(item: &Json) -> String {
    let by = item["written_by"].as_str().map(plain);
    let by = by.map_or_else(String::new, |by| format!(", written by {by}"));
    let agent = item["agent"].as_str().map(|agent| format!(" with @{}", plain(agent))).unwrap_or_default();
    format!("version {}{by}{agent}", item["version"].as_i64().unwrap_or(1))
}

pub(super) fn failed(done: &Done<'_>) -> Answer {
    unmade::failed(done).following(FOLLOWING)
}

/// Says what happened to a change.
pub(super) fn changed(done: &Done<'_>) -> Answer {
    if let Some(answer) = unmade::why(done, "I changed no document.") {
        return answer.following(FOLLOWING);
    }
    let item = &done.content["item"];
    let said = match done.name {
        CREATE => format!("I saved {}{}.", link(item), place(item)),
        MOVE if item["folder"] == "/" => format!("{} is in no folder now.", link(item)),
        MOVE => format!("{} is{} now.", link(item), place(item)),
        DELETE => "I moved the document to the [trash](/library/documents?show=trash). You can restore it for 30 days."
            .to_owned(),
        _ => format!("I changed {}. It is {} now.", link(item), written(item)),
    };
    Answer::text(said).following(FOLLOWING)
}

fn items(content: &Json) -> &[Json] {
    content["items"].as_array().map(Vec::as_slice).unwrap_or_default()
}

pub(super) fn listed(content: &Json, folder: Option<&str>) -> Answer {
    let place =
        folder.filter(|folder| *folder != "/").map_or_else(String::new, |folder| format!(" in {}", plain(folder)));
    let all = items(content);
    if all.is_empty() {
        let others: Vec<String> = content["folders"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["folder"].as_str().filter(|folder| *folder != "/").map(plain))
            .take(OFFERED)
            .collect();
        let others = if others.is_empty() || folder.is_none() {
            String::new()
        } else {
            format!(" There are documents in {}.", or(&others))
        };
        return Answer::text(format!(
            "There are no documents{place}.{others} They are in the [Library](/library/documents)."
        ))
        .following(FOLLOWING);
    }
    let number = content["count"].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(all.len());
    let lines: Vec<String> =
        all.iter().take(TOLD).map(|item| format!("- {}{}, {}", link(item), self::place(item), written(item))).collect();
    let more = if number > lines.len() { "The table has the rest. " } else { "" };
    Answer::text(format!(
        "{}{place}, those written last first:\n\n{}\n\n{more}All are in the [Library](/library/documents).",
        count(number, "document", "documents"),
        lines.join("\n"),
    ))
    .following(FOLLOWING)
}

/// Answers a search: lists the documents and quotes where the words are.
pub(super) fn found(query: &str, content: &Json) -> Answer {
    let all = items(content);
    if all.is_empty() {
        return Answer::text(format!(
            "I found no document with “{}”. I looked in the titles, folders and texts of the [Library](/library/documents).",
            plain(query)
        ))
        .following(FOLLOWING);
    }
    let lines: Vec<String> = all
        .iter()
        .take(TOLD)
        .map(|item| {
            let snippet = item["snippet"].as_str().filter(|text| !text.is_empty()).map(quoted);
            let snippet = snippet.map_or_else(String::new, |text| format!(": “{text}”"));
            format!("- {}{}{snippet}", link(item), place(item))
        })
        .collect();
    let at_least = if content["complete"] == false { "More than " } else { "" };
    let what = count(all.len(), "document has", "documents have");
    let open = title_of(&all[0]).to_owned();
    Answer::text(format!("{at_least}{what} “{}”:\n\n{}", plain(query), lines.join("\n")))
        .following([format!("Open the document “{open}”"), "Show our documents".to_owned()])
}

/// Puts a piece of a text on one line, and escapes it so that nothing in it acts as Markdown.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '_' | '`' | '[' | ']' | '<' | '>' | '|' | '\\' | '#') {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

/// Quotes a document's text, so that the reader sees that its words are not ours.
pub(super) fn opened(content: &Json) -> Answer {
    let item = &content["item"];
    let text = item["text"].as_str().unwrap_or_default();
    let mut part = text.cut(..SHOWN);
    if part.len() < text.len() {
        part = part.rfind('\n').map_or(part, |end| part.cut(..end));
    }
    let whole = part.len() == text.len() && item["complete"] != false;
    let quote: Vec<String> = part.lines().map(|line| format!("> {line}")).collect();
    let head = format!("{}{}, {}", link(item), place(item), written(item));
    let body = if text.trim().is_empty() { "It is empty.".to_owned() } else { quote.join("\n") };
    let rest = if whole { "" } else { "\n\nThat is its beginning. Open it to read the rest." };
    Answer::text(format!("{head}:\n\n{body}{rest}")).following(FOLLOWING)
}

/// Says that a person replaces a text on the document's page, where both texts are visible.
pub(super) fn to_edit(item: &Json) -> Answer {
    let (title, path) = (plain(title_of(item)), item["path"].as_str().unwrap_or("/library/documents"));
    Answer::text(format!(
        "I can add to a document, rename, move and delete it. To change its text, [edit “{title}”]({path}?edit=1). To add to it, write *add to the document “{title}”: …*. I changed nothing."
    ))
    .following(FOLLOWING)
}

/// Refuses a message of which we understand only half, because we must not do one half and drop the other.
pub(super) fn more(rest: &str) -> Answer {
    Answer::text(format!(
        "I can do that with the document, but I don't know what to do with “{}”. I changed nothing. Ask for one thing at a time.",
        plain(rest)
    ))
    .following(FOLLOWING)
}

pub(super) fn to_restore() -> Answer {
    Answer::text(
        "Deleted documents are in the [trash](/library/documents?show=trash) for 30 days. You can restore them there.",
    )
    .following(FOLLOWING)
}

/// Says that no document matches these words.
pub(super) fn none(what: &str, all: &[Json], changes: bool) -> Answer {
    let nothing = if changes { " I changed nothing." } else { "" };
    if all.is_empty() {
        return Answer::text(format!("There are no documents yet.{nothing}")).following(FOLLOWING);
    }
    let which = if what.is_empty() {
        format!("Which document do you mean?{nothing}")
    } else {
        format!("I found no document called “{}”.{nothing}", plain(what))
    };
    let names: Vec<String> = all.iter().take(OFFERED).map(link).collect();
    Answer::text(format!("{which} The newest are {}.", or(&names))).following(FOLLOWING)
}

/// Says that several documents match these words, and asks which one.
pub(super) fn several(question: &str, what: &str, found: &[&Json], changes: bool) -> Answer {
    let nothing = if changes { " I changed nothing." } else { "" };
    let names: Vec<String> = found.iter().take(OFFERED).map(|item| link(item)).collect();
    let choices =
        found.iter().take(OFFERED).filter(|_| !what.is_empty()).map(|item| {
            question.replacen(what, &format!("“{}”", title_of(item)), 1).replace("““", "“").replace("””", "”")
        });
    Answer::text(format!("Which document do you mean: {}?{nothing}", or(&names)))
        .choosing(choices.filter(|choice| choice != question))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(title: &str, folder: &str) -> Json {
        json!({"title": title, "folder": folder, "version": 2, "written_by": "Ann", "path": "/library/documents/1"})
    }

    #[test]
    fn what_was_found_is_quoted_and_leads_to_its_page() {
        let mut one = item("US *floors*", "/floors");
        one["snippet"] = json!("The floor is **$9** [here](x).");
        let told = found("floor", &json!({"items": [one], "complete": true})).text;
        assert_eq!(
            told,
            "1 document has “floor”:\n\n- [US \\*floors\\*](/library/documents/1) in /floors: “The floor is \\*\\*$9\\*\\* \\[here\\](x).”"
        );
        let told = found("floor", &json!({"items": [], "complete": true})).text;
        assert!(told.starts_with("I found no document with “floor”."), "{told}");
    }

    #[test]
    fn a_text_is_quoted_and_cut_at_a_line() {
        let mut one = item("Long", "/");
        one["text"] = json!("A line of it.\n".repeat(400));
        one["complete"] = json!(true);
        let told = opened(&json!({"item": one})).text;
        assert!(
            told.starts_with("[Long](/library/documents/1), version 2, written by Ann:\n\n> A line of it.\n> "),
            "{told}"
        );
        assert!(told.ends_with("> A line of it.\n\nThat is its beginning. Open it to read the rest."), "{told}");
    }

    #[test]
    fn a_list_says_where_they_are() {
        let content = json!({"items": [item("Ideas", "/"), item("Floors", "/floors")], "count": 2});
        let told = listed(&content, None).text;
        assert!(
            told.starts_with("2 documents, those written last first:\n\n- [Ideas](/library/documents/1), version 2"),
            "{told}"
        );
        let content = json!({"items": [], "count": 0, "folders": [{"folder": "/", "documents": 1}, {"folder": "/floors", "documents": 2}]});
        let told = listed(&content, Some("/bids")).text;
        assert!(told.starts_with("There are no documents in /bids. There are documents in /floors."), "{told}");
    }

    #[test]
    fn where_several_are_meant_each_can_be_chosen() {
        let (one, two) = (item("US floors", "/"), item("EU floors", "/"));
        let answer = several("delete the document floors", "floors", &[&one, &two], true);
        assert_eq!(answer.choices, ["delete the document “US floors”", "delete the document “EU floors”"]);
    }
}
