//! Answers of models with network names in them: no link opens a script, and nothing is drawn endlessly deep.

use adagent_app::markdown::{Kind, Node, parse};

/// Deeper than any answer needs; drawing is recursive up to this depth.
const DEEPEST: usize = 64;

pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for node in &parse(text) {
        look(node, 0);
    }
}

fn look(node: &Node, depth: usize) {
    assert!(depth < DEEPEST, "too deep");
    let Node::Element(kind, children) = node else { return };
    if let Kind::Link { href, outside } = kind {
        assert!(!href.chars().any(char::is_control), "{href:?}");
        let base = url::Url::parse("https://desk.example.com/chat").expect("a URL");
        let target = base.join(href);
        let scheme = target.as_ref().map_or("", url::Url::scheme);
        // An address that no browser can read leads nowhere.
        if target.is_ok() {
            assert!(matches!(scheme, "http" | "https"), "{href:?}");
            let stays = target.is_ok_and(|target| target.origin() == base.origin());
            assert!(stays || *outside, "{href:?} leads outside and is not marked");
        }
    }
    for child in children {
        look(child, depth + 1);
    }
}
