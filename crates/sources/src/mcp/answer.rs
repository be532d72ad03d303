//! Turns a server's answer into data: limited in size, marked as coming from outside, and without our secrets. This module is pure.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Value as Json, json};

use super::schema::{MOST_LEVELS, is_shallow};

/// The most characters of text that we keep from an answer.
const MOST_TEXT: usize = 20_000;
/// The most bytes of structured content that we keep. We leave out longer or deeper content.
const MOST_STRUCTURED: usize = 64 * 1024;

/// Marks an answer, so that a later reader knows that its words come from outside.
pub const OUTSIDE: &str = "outside";

/// Returns the result in the form that runs keep, and its text.
pub fn kept(server: &str, tool: &str, result: &CallToolResult, secret: Option<&str>) -> (Json, String) {
    let (mut text, mut left_out, mut cut, mut room) = (String::new(), 0_usize, false, MOST_TEXT);
    for block in &result.content {
        let part = match block {
            ContentBlock::Text(text) => text.text.as_str(),
            ContentBlock::Resource(resource) => match &resource.resource {
                ResourceContents::TextResourceContents { text, .. } => text.as_str(),
                _ => "",
            },
            _ => "",
        };
        if part.is_empty() {
            left_out += 1;
            continue;
        }
        if room == 0 {
            cut = true;
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
            room -= 1;
        }
        // Do this before cutting the text, because a secret that is cut is not found.
        let part = hushed(&plain(part), secret);
        let mut chars = part.chars();
        for c in chars.by_ref().take(room) {
            text.push(c);
            room -= 1;
        }
        cut |= chars.next().is_some();
    }
    let fits = |value: &&Json| is_shallow(value, MOST_LEVELS) && value.to_string().len() <= MOST_STRUCTURED;
    let structured = result.structured_content.as_ref().filter(fits);
    let mut out = json!({"kind": OUTSIDE, "server": server, "tool": tool, "text": text});
    if let Some(value) = structured {
        out["structured"] = hushed_json(value, secret);
    }
    if cut || structured.is_none() && result.structured_content.is_some() {
        out["truncated"] = json!(true);
    }
    if left_out > 0 {
        out["left_out"] = json!(left_out);
    }
    (out, text)
}

/// Prepares a server's words for a message to people: one short line without invisible characters.
pub fn said(text: &str, most: usize, secret: Option<&str>) -> String {
    let line: String = text.chars().map(|c| if c.is_whitespace() || c.is_control() { ' ' } else { c }).collect();
    let line = adagent_domain::text::without_hidden(&line).split_whitespace().collect::<Vec<_>>().join(" ");
    // Do this before cutting the text, because a secret that is cut is not found.
    let line = hushed(&line, secret);
    let short: String = line.chars().take(most).collect();
    if short.len() < line.len() { format!("{}…", short.trim_end()) } else { short }
}

/// Returns a text without control characters and invisible ones. Keeps its line breaks and tabs.
pub fn plain(text: &str) -> String {
    let shown = adagent_domain::text::without_hidden(text);
    shown.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// Removes our secret from a text, because a server may repeat what we sent it.
pub fn hushed(text: &str, secret: Option<&str>) -> String {
    match secret.filter(|secret| secret.len() >= 4) {
        Some(secret) => text.replace(secret, "[secret]"),
        None => text.to_owned(),
    }
}

fn hushed_json(value: &Json, secret: Option<&str>) -> Json {
    match value {
        Json::String(text) => Json::String(hushed(&plain(text), secret)),
        Json::Array(items) => items.iter().map(|item| hushed_json(item, secret)).collect(),
        Json::Object(fields) => Json::Object(
            fields.iter().map(|(name, item)| (hushed(&plain(name), secret), hushed_json(item, secret))).collect(),
        ),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_bounded_and_does_not_tell_our_secret() {
        let long = "x".repeat(MOST_TEXT + 5);
        let mut result = CallToolResult::success(vec![ContentBlock::text("token-1234 seen"), ContentBlock::text(long)]);
        result.structured_content = Some(json!({"token-1234": ["Bearer token-1234"]}));
        let (kept, text) = kept("Docs", "echo", &result, Some("token-1234"));
        assert_eq!(kept["kind"], "outside");
        assert_eq!(kept["truncated"], true);
        assert_eq!(kept["structured"], json!({"[secret]": ["Bearer [secret]"]}));
        assert!(text.starts_with("[secret] seen\nxxx") && text.chars().count() <= MOST_TEXT);
        assert!(!kept.to_string().contains("token-1234"));
    }

    #[test]
    fn what_is_too_long_or_no_text_is_left_out_and_said() {
        let mut result = CallToolResult::success(vec![ContentBlock::image("aGk=", "image/png")]);
        result.structured_content = Some(json!("y".repeat(MOST_STRUCTURED)));
        let (kept, text) = kept("Docs", "picture", &result, None);
        assert_eq!((text.as_str(), &kept["left_out"], &kept["truncated"]), ("", &json!(1), &json!(true)));
        assert!(kept.get("structured").is_none());
        // A run that contained this could never be read again.
        result.structured_content = Some((0..120).fold(json!(1), |inner, _| json!([inner])));
        let (kept, _) = super::kept("Docs", "picture", &result, None);
        assert!(kept.get("structured").is_none() && kept["truncated"] == true);
    }

    #[test]
    fn words_for_people_are_one_short_line() {
        assert_eq!(said("a\n b\u{202E}\u{7}c", 10, None), "a b c");
        assert_eq!(said("abcdef", 3, None), "abc…");
    }

    #[test]
    fn no_half_of_a_secret_is_left_where_a_text_is_cut() {
        assert_eq!(said("key token-1234", 9, Some("token-1234")), "key [secr…");
        let text = format!("{}token-1234", "x".repeat(MOST_TEXT - 5));
        let blocks = vec![ContentBlock::text(text), ContentBlock::text("token-\u{200B}1234")];
        let (kept, text) = kept("Docs", "echo", &CallToolResult::success(blocks), Some("token-1234"));
        assert!(text.ends_with("x[secr") && kept["truncated"] == true, "{}", &text[MOST_TEXT - 20..]);
    }
}
