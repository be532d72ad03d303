//! Finds the documents that a text means.

use serde_json::Value as Json;

use super::words::words;

/// Words that do not help to tell one document from another.
const LITTLE: [&str; 16] =
    ["the", "a", "an", "to", "of", "on", "in", "for", "and", "my", "our", "das", "die", "der", "el", "la"];

fn telling(text: &str) -> Vec<String> {
    let all = words(text).into_iter().filter(|word| !word.is(&LITTLE));
    // So that "floor" also matches "floors".
    all.map(|word| word.text.trim_end_matches("'s").trim_end_matches('s').to_owned()).collect()
}

pub(super) fn title_of(item: &Json) -> &str {
    item["title"].as_str().unwrap_or_default()
}

/// Returns the documents that the text means: those with exactly this title, or else those that have all its words in their title or
/// folder. If the text names none, returns the documents that the answer before linked to, or the only document there is.
pub(super) fn document<'i>(what: &str, items: &'i [Json], said_before: &str) -> Vec<&'i Json> {
    let wanted = telling(what);
    if wanted.is_empty() {
        let spoken: Vec<&Json> = items
            .iter()
            .filter(|item| item["path"].as_str().is_some_and(|path| said_before.contains(&format!("]({path})"))))
            .collect();
        return if spoken.is_empty() && items.len() == 1 { items.iter().collect() } else { spoken };
    }
    let same: Vec<&Json> = items.iter().filter(|item| telling(title_of(item)) == wanted).collect();
    if !same.is_empty() {
        return same;
    }
    let has_all = |item: &&Json| {
        let own =
            telling(&format!("{} {}", title_of(item), item["folder"].as_str().unwrap_or_default().replace('/', " ")));
        wanted.iter().all(|word| own.contains(word))
    };
    items.iter().filter(has_all).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_document_with_these_words_is_meant() {
        let item = |title: &str, folder: &str| json!({"title": title, "folder": folder, "path": format!("/library/documents/{title}")});
        let items = [item("US floors", "/"), item("Floors", "/2026"), item("Ideas", "/2026")];
        let found =
            |what: &str, before: &str| document(what, &items, before).into_iter().map(title_of).collect::<Vec<_>>();
        assert_eq!(found("floors", ""), ["Floors"], "the whole title counts more");
        assert_eq!(found("the us floor", ""), ["US floors"]);
        assert_eq!(found("2026", ""), ["Floors", "Ideas"]);
        assert_eq!(found("", "I saved [Ideas](/library/documents/Ideas)."), ["Ideas"]);
        assert!(found("", "Hello.").is_empty() && found("Unity", "").is_empty());
        assert_eq!(document("", &items[..1], "").len(), 1, "the only one there is");
    }
}
