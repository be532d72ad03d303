//! Code and JSON as text. JSON is a tree of native `details`, so that it opens without JavaScript.

use leptos::prelude::*;
use serde_json::Value as Json;

/// How many levels are open at first.
const OPEN_DEPTH: usize = 2;
/// How many values of a tree are drawn; the rest is only counted. A report of a thousand rows would be larger than the page
/// around it.
const MOST: usize = 160;
/// How many characters of a string are shown.
const LONGEST: usize = 400;

/// Draws a block of code. It scrolls, so it can take the focus.
#[component]
pub fn Code(#[prop(into)] text: String, #[prop(into)] label: String) -> impl IntoView {
    view! { <pre class="code" tabindex="0" role="group" aria-label=label><code>{text}</code></pre> }
}

/// Draws a JSON value as a tree.
#[component]
pub fn JsonTree(value: Json, #[prop(into)] label: String) -> impl IntoView {
    let mut left = MOST;
    let whole = node(None, &value, 0, &mut left);
    view! {
        <div class="code json" tabindex="0" role="group" aria-label=label>
            {whole}
        </div>
    }
}

/// Draws one value. `left` is how many more values may be drawn, not counting this one.
fn node(key: Option<&str>, value: &Json, depth: usize, left: &mut usize) -> AnyView {
    let name = key.map(|key| view! { <span class="k">{format!("\"{key}\"")}</span> ": " });
    let (count, what, children) = match value {
        Json::Object(map) if !map.is_empty() => {
            let inside = map.iter().map(|(key, value)| (Some(key.as_str()), value));
            (map.len(), "{…}", nodes(inside, depth + 1, left))
        }
        Json::Array(list) if !list.is_empty() => {
            (list.len(), "[…]", nodes(list.iter().map(|value| (None, value)), depth + 1, left))
        }
        leaf => {
            let (class, text) = leaf_text(leaf);
            return view! { <div>{name}<span class=class>{text}</span></div> }.into_any();
        }
    };
    let hidden = count - children.len();
    view! {
        <details open=depth < OPEN_DEPTH>
            <summary>{name}<span class="c">{format!("{what} {count}")}</span></summary>
            <div class="json-in">
                {children}
                {(hidden > 0).then(|| view! { <div class="c">{format!("… {hidden} more")}</div> })}
            </div>
        </details>
    }
    .into_any()
}

fn nodes<'a>(
    inside: impl Iterator<Item = (Option<&'a str>, &'a Json)>,
    depth: usize,
    left: &mut usize,
) -> Vec<AnyView> {
    let mut drawn = Vec::new();
    for (key, value) in inside {
        let Some(rest) = left.checked_sub(1) else { break };
        *left = rest;
        drawn.push(node(key, value, depth, left));
    }
    drawn
}

fn leaf_text(value: &Json) -> (&'static str, String) {
    match value {
        Json::String(text) => {
            let cut: String = text.chars().take(LONGEST).collect();
            let more = if cut.len() < text.len() { "…" } else { "" };
            ("s", format!("{cut:?}{more}"))
        }
        Json::Object(_) => ("c", "{}".into()),
        Json::Array(_) => ("c", "[]".into()),
        other => ("v", other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_of_any_size_draws_a_bounded_part_of_it() {
        let rows =
            Json::Array((0..1_000).map(|n| serde_json::json!({"clicks": n, "revenue": {"micros": n}})).collect());
        let mut left = MOST;
        let _whole = node(None, &rows, 0, &mut left);
        assert_eq!(left, 0);
        let mut left = MOST;
        let _whole = node(None, &serde_json::json!({"a": [1, 2]}), 0, &mut left);
        assert_eq!(left, MOST - 3);
    }

    #[test]
    fn long_strings_are_cut_at_a_character() {
        let (_, text) = leaf_text(&Json::String("ü".repeat(LONGEST + 1)));
        assert!(text.ends_with("\"…"), "{text}");
        assert_eq!(leaf_text(&Json::String("a\"b".into())).1, "\"a\\\"b\"");
        assert_eq!(leaf_text(&serde_json::json!([])).1, "[]");
        assert_eq!(leaf_text(&serde_json::json!(1_234_560_000_i64)), ("v", "1234560000".to_owned()));
    }
}
