//! Code and JSON as text; a tree of native `details`, so that it opens without script.

use leptos::prelude::*;
use serde_json::Value as Json;

/// Levels that are open at first.
const OPEN_DEPTH: usize = 2;
/// Children drawn per level; the rest is counted.
const MOST: usize = 100;
/// Characters of a string before it is cut.
const LONGEST: usize = 400;

/// A block of code. It scrolls, so it takes focus.
#[component]
pub fn Code(#[prop(into)] text: String, #[prop(into)] label: String) -> impl IntoView {
    view! { <pre class="code" tabindex="0" role="group" aria-label=label><code>{text}</code></pre> }
}

/// A JSON value as a tree.
#[component]
pub fn JsonTree(value: Json, #[prop(into)] label: String) -> impl IntoView {
    view! {
        <div class="code json" tabindex="0" role="group" aria-label=label>
            {node(None, &value, 0)}
        </div>
    }
}

fn node(key: Option<&str>, value: &Json, depth: usize) -> AnyView {
    let name = key.map(|key| view! { <span class="k">{format!("\"{key}\"")}</span> ": " });
    let (count, what, children) = match value {
        Json::Object(map) if !map.is_empty() => {
            let children = map.iter().take(MOST).map(|(key, value)| node(Some(key), value, depth + 1)).collect_view();
            (map.len(), "{…}", children)
        }
        Json::Array(list) if !list.is_empty() => {
            let children = list.iter().take(MOST).map(|value| node(None, value, depth + 1)).collect_view();
            (list.len(), "[…]", children)
        }
        leaf => {
            let (class, text) = leaf_text(leaf);
            return view! { <div>{name}<span class=class>{text}</span></div> }.into_any();
        }
    };
    view! {
        <details open=depth < OPEN_DEPTH>
            <summary>{name}<span class="c">{format!("{what} {count}")}</span></summary>
            <div class="json-in">
                {children}
                {(count > MOST).then(|| view! { <div class="c">{format!("… {} more", count - MOST)}</div> })}
            </div>
        </details>
    }
    .into_any()
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
    fn long_strings_are_cut_at_a_character() {
        let (_, text) = leaf_text(&Json::String("ü".repeat(LONGEST + 1)));
        assert!(text.ends_with("\"…"), "{text}");
        assert_eq!(leaf_text(&Json::String("a\"b".into())).1, "\"a\\\"b\"");
        assert_eq!(leaf_text(&serde_json::json!([])).1, "[]");
        assert_eq!(leaf_text(&serde_json::json!(1_234_560_000_i64)), ("v", "1234560000".to_owned()));
    }
}
