//! Names of places and values in a saved state, as people read them. A name without a translation stays as it is.

use serde_json::Value as Json;

/// Returns a pointer as people read it: if the seventh call of the state is `admob_list_apps`, `calls/6/state/is` becomes `Call
/// 7, admob list apps › status`.
pub fn place(pointer: &str, state: &Json) -> String {
    let parts: Vec<&str> = pointer.split('/').skip(1).collect();
    let mut words: Vec<String> = Vec::new();
    let mut rest = parts.as_slice();
    if let ["calls", at, after @ ..] = rest
        && let Ok(at) = at.parse::<usize>()
    {
        let named = state.pointer(&format!("/calls/{at}/name")).and_then(Json::as_str);
        let named = named.map(|name| format!(", {}", name.replace('_', " "))).unwrap_or_default();
        words.push(format!("Call {}{named}", at + 1));
        rest = after;
    }
    if rest == ["state", "is"] {
        words.push("status".to_owned());
        rest = &[];
    }
    words.extend(rest.iter().map(|part| part_in_words(part)));
    words.join(" › ")
}

/// Returns one part of a pointer as people read it. People count from one.
fn part_in_words(part: &str) -> String {
    match part.parse::<usize>() {
        Ok(at) => (at + 1).to_string(),
        Err(_) => part.replace("~1", "/").replace("~0", "~").replace('_', " "),
    }
}

/// Returns how far a call is.
pub fn call_status(is: &str) -> Option<&'static str> {
    Some(match is {
        "proposed" => "planned",
        "ready" => "checked, ready to run",
        "waiting" => "pending approval",
        "approved" => "approved",
        "sending" => "being sent",
        "probing" => "sent, being confirmed",
        "succeeded" => "done",
        "failed" => "failed",
        "denied" => "not sent",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_of_calls_say_which_call() {
        let mut calls = vec![json!({}); 6];
        calls.push(json!({"name": "admob_list_apps"}));
        let state = json!({"calls": calls});
        assert_eq!(place("/calls/6/state/is", &state), "Call 7, admob list apps › status");
        assert_eq!(place("/calls/0/state/is", &state), "Call 1 › status");
        assert_eq!(place("/calls/6", &state), "Call 7, admob list apps");
        assert_eq!(place("/known_entities/0/a~1b", &state), "known entities › 1 › a/b");
        assert_eq!(call_status("ready"), Some("checked, ready to run"));
        assert_eq!(call_status("else"), None);
    }
}
