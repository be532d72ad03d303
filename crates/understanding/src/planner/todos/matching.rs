//! Finds the to-do and the person that a text means.

use serde_json::Value as Json;

use super::words::{Word, words};

/// Words that do not help to tell one to-do from another.
const LITTLE: [&str; 12] = ["the", "a", "an", "to", "of", "on", "in", "for", "and", "one", "my", "our"];

fn telling(text: &str) -> Vec<String> {
    let all = words(text).into_iter().filter(|word: &Word| !word.is(&LITTLE));
    // So that "floor" also matches "floors".
    all.map(|word| word.text.trim_end_matches("'s").trim_end_matches('s').to_owned()).collect()
}

fn text_of(item: &Json) -> &str {
    item["text"].as_str().unwrap_or_default()
}

/// Returns the to-dos that the text means: those with exactly this text, or else those that have all its words. If it names none, returns
/// the to-dos that the answer before quoted, or the only to-do there is.
pub(super) fn todo<'i>(what: &str, items: &'i [Json], said_before: &str) -> Vec<&'i Json> {
    let wanted = telling(what);
    if wanted.is_empty() {
        let spoken: Vec<&Json> =
            items.iter().filter(|item| said_before.contains(&format!("“{}”", text_of(item)))).collect();
        return if spoken.is_empty() && items.len() == 1 { items.iter().collect() } else { spoken };
    }
    let same: Vec<&Json> = items.iter().filter(|item| telling(text_of(item)) == wanted).collect();
    if !same.is_empty() {
        return same;
    }
    let has_all = |item: &&Json| {
        let own = telling(text_of(item));
        wanted.iter().all(|word| own.contains(word))
    };
    items.iter().filter(has_all).collect()
}

/// Returns the ID of the member with this name. `Err` holds the names of those who could be meant, or of all members if nobody fits.
pub(super) fn person(name: &str, members: &[Json]) -> Result<String, Vec<String>> {
    let wanted = name.to_lowercase();
    let name_of = |item: &Json| item["name"].as_str().unwrap_or_default().to_owned();
    let whole: Vec<&Json> = members.iter().filter(|item| name_of(item).to_lowercase() == wanted).collect();
    let part = |item: &&Json| name_of(item).to_lowercase().split_whitespace().any(|part| part == wanted);
    let found = if whole.is_empty() { members.iter().filter(part).collect() } else { whole };
    match found.as_slice() {
        [one] => Ok(one["id"].as_str().unwrap_or_default().to_owned()),
        [] => Err(members.iter().map(name_of).collect()),
        several => Err(several.iter().map(|item| name_of(item)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_to_do_with_these_words_is_meant() {
        let items =
            [json!({"text": "Check AppLovin floors"}), json!({"text": "Check floors"}), json!({"text": "Call Google"})];
        let found = |what: &str, before: &str| todo(what, &items, before).into_iter().map(text_of).collect::<Vec<_>>();
        assert_eq!(found("check floors", ""), ["Check floors"], "the whole text counts more");
        assert_eq!(found("the applovin floor", ""), ["Check AppLovin floors"]);
        assert_eq!(found("floors", ""), ["Check AppLovin floors", "Check floors"]);
        assert_eq!(found("", "I added “Call Google”, due tomorrow."), ["Call Google"]);
        assert!(found("", "Hello.").is_empty() && found("Unity", "").is_empty());
        assert_eq!(todo("", &items[..1], "").len(), 1, "the only one there is");
    }

    #[test]
    fn people_are_found_by_their_names() {
        let members = [json!({"id": "1", "name": "Tomi Okafor"}), json!({"id": "2", "name": "Mara Kessler"})];
        assert_eq!(person("tomi", &members), Ok("1".into()));
        assert_eq!(person("Mara Kessler", &members), Ok("2".into()));
        assert_eq!(person("Jo", &members), Err(vec!["Tomi Okafor".into(), "Mara Kessler".into()]));
    }
}
