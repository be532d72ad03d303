//! Recognizes changes without a verb of change: "floor → 1.80", "price to 6.40", "we need a native placement".
//!
//! This module must never read a wish to see something as a wish to create it.

use super::reading::NounMention;
use crate::text::{Kind, Token};
use crate::vocab::metrics::METRICS;
use crate::vocab::networks::{NETWORKS, OTHER_SOURCES};
use crate::vocab::verbs::{READS, Write};

/// Things that a person wants to see, not to create: "I want a list of …".
const SHOWN: &[&str] = &[
    "list",
    "report",
    "breakdown",
    "table",
    "overview",
    "chart",
    "summary",
    "split",
    "comparison",
    "view",
    "export",
    "csv",
];

/// Returns the change in a text without a verb of change: "floor → 1.80", "price to 6.40", "title is now X", "needs a native placement".
pub(super) fn assignment(tokens: &[Token], nouns: &[NounMention]) -> Option<Write> {
    let needs = tokens.iter().enumerate().any(|(at, t)| {
        let wished = t.any(&["like", "love"]) && at > 0 && tokens[at - 1].any(&["would", "id", "wed", "d"]);
        (wished || t.any(&["needs", "need", "deserves", "deserve", "wants", "want", "gets"]))
            && (at > 0 || t.any(&["need", "needs", "want", "wanted"]))
            && (tokens.get(at + 1).is_some_and(|t| t.any(&["a", "an", "another", "its", "their"]))
                || tokens[at + 1..].iter().take(3).any(|t| t.any(&["more", "new", "extra", "additional"]))
                    && !tokens[at + 1..].iter().any(|t| t.any(&["than", "detail", "data"])))
            && nouns.iter().any(|n| n.at > at && n.noun != "report")
            && !tokens[at..].iter().take(4).any(|t| t.any(SHOWN))
            && !tokens[..at].iter().any(|t| t.any(&["does", "which", "what", "do", "who"]))
    });
    if needs {
        return Some(Write::Create);
    }
    if wishes_state(tokens, nouns) {
        return Some(Write::Update);
    }
    if let Some(write) = wanted_value(tokens, nouns).or_else(|| may_again(tokens, nouns)) {
        return Some(write);
    }
    // "app open slot" names a format; nothing should be opened.
    let format = |i: usize| i > 0 && tokens[i].is("open") && tokens[i - 1].is("app");
    let reads = (0..tokens.len()).any(|i| READS.at(tokens, i).is_some() && !format(i))
        || tokens.iter().any(|t| t.is_punct('?'));
    let named = nouns.iter().any(|n| {
        tokens.get(n.end).is_some_and(|t| {
            t.kind == Kind::Literal
                || (t.any(&["named", "called"])
                    && tokens.get(n.end + 1).is_some_and(|t| matches!(t.kind, Kind::Literal | Kind::Id | Kind::Word)))
        })
    });
    // "call EU Banner 'Europe Banner'"
    let calls = tokens
        .iter()
        .position(|t| t.is("call"))
        .is_some_and(|at| at <= 3 && tokens[at + 1..].iter().skip(1).any(|t| t.kind == Kind::Literal));
    if calls && !reads {
        return Some(Write::Update);
    }
    if let Some(write) = switched(tokens) {
        return Some(write);
    }
    let placed = nouns.iter().filter(|n| n.has_id).count() >= 2;
    if named && placed && !reads {
        return Some(Write::Create);
    }
    (assigns_value(tokens, nouns) || !reads && prices_line(tokens, nouns)).then_some(Write::Update)
}

/// Checks whether the text prices a line by the network of the line: "applovin to 4.20 in the Tower Blast waterfall".
fn prices_line(tokens: &[Token], nouns: &[NounMention]) -> bool {
    let mediation = ["waterfall", "mediation_group", "bidder", "ad_source", "instance"];
    let amount = |at: usize| {
        let sign = tokens.get(at).is_some_and(|t| matches!(t.kind, Kind::Punct('$' | '€' | '£')));
        let at = at + usize::from(sign);
        tokens.get(at).is_some_and(|t| t.number().is_some() && t.norm.len() < 6)
            && !tokens.get(at + 1).is_some_and(|t| t.is_punct('%') || t.is("percent"))
    };
    nouns.iter().any(|n| mediation.contains(&n.noun))
        && (0..tokens.len()).any(|at| {
            let network = NETWORKS.at(tokens, at).map(|(_, len)| len);
            let end = network.or_else(|| OTHER_SOURCES.at(tokens, at).map(|(_, len)| len)).map(|len| at + len);
            end.is_some_and(|end| tokens.get(end).is_some_and(|t| t.any(&["to", "at", "→"])) && amount(end + 1))
        })
}

/// Checks whether the text says how a group should be: "I'd like Meta to be in every group", "we want Pangle in the waterfall".
fn wishes_state(tokens: &[Token], nouns: &[NounMention]) -> bool {
    let group = nouns.iter().any(|n| matches!(n.noun, "mediation_group" | "waterfall" | "bidder"));
    let asks = tokens.iter().any(|t| t.is_punct('?') || t.any(&["see", "know", "list", "report", "figure"]));
    group
        && !asks
        && tokens.iter().enumerate().any(|(at, t)| {
            let mine = at > 0 && tokens[at - 1].any(&["i", "we", "id", "wed", "would", "d", "please"]);
            t.any(&["like", "want", "love", "prefer"])
                && mine
                && tokens[at + 1..].iter().enumerate().take(6).any(|(i, to)| {
                    i > 0
                        && (to.is("to")
                            && tokens
                                .get(at + 2 + i)
                                .is_some_and(|v| v.any(&["be", "bid", "serve", "run", "join", "get"]))
                            || to.any(&["in", "out", "off", "gone", "removed", "added", "included"]))
                })
        })
}

/// Reads a wish with a value for one thing: "I want the floor of slot 12 at $9.50".
fn wanted_value(tokens: &[Token], nouns: &[NounMention]) -> Option<Write> {
    let at = tokens.iter().position(|t| t.any(&["want", "need", "like"]))?;
    let thing = nouns.iter().find(|n| n.at > at && n.has_id)?;
    let value = tokens[thing.at..].windows(2).enumerate().any(|(i, w)| {
        let number = |t: &Token| t.number().is_some() && t.norm.len() < 6;
        w[0].any(&["at", "to"])
            && (number(&w[1])
                || matches!(w[1].kind, Kind::Punct('$' | '€' | '£'))
                    && tokens.get(thing.at + i + 2).is_some_and(number))
    });
    let shown = tokens.iter().any(|t| t.any(SHOWN) || t.any(&["see", "know"]) || t.is_punct('?'));
    (value && !shown).then_some(Write::Update)
}

/// Reads a permission, which is not a question: "line item 12 may run again", "unit 34 can go live".
fn may_again(tokens: &[Token], nouns: &[NounMention]) -> Option<Write> {
    if tokens.iter().any(|t| t.is_punct('?')) {
        return None;
    }
    let at = tokens.iter().position(|t| t.any(&["may", "can"]))?;
    let led = nouns.iter().any(|n| n.has_id && n.end <= at);
    let state =
        tokens[at + 1..].iter().take(3).any(|t| t.any(&["run", "serve", "deliver", "live", "active", "resume"]));
    (led && state).then_some(Write::Activate)
}

/// Reads a state after an arrow: "iOS Rewarded → off".
fn switched(tokens: &[Token]) -> Option<Write> {
    let at = tokens.iter().position(|t| t.is_punct('→'))?;
    let (state, rest) = tokens[at + 1..].split_first()?;
    if rest.iter().any(|t| !t.is_stop() && !t.any(&["please", "now", "again"])) {
        return None;
    }
    if state.any(&["off", "paused", "inactive", "disabled"]) {
        return Some(Write::Deactivate);
    }
    state.any(&["on", "active", "enabled", "live"]).then_some(Write::Activate)
}

fn assigns_value(tokens: &[Token], nouns: &[NounMention]) -> bool {
    const ATTRIBUTES: &[&str] = &[
        "floor",
        "price",
        "cpm",
        "ecpm",
        "name",
        "title",
        "category",
        "refresh",
        "capping",
        "cap",
        "description",
        "url",
        "coppa",
        "phone",
        "mail",
        "allocation",
        "share",
        "status",
        "budget",
        "goal",
        "date",
    ];
    let attribute = tokens.iter().any(|t| t.any(ATTRIBUTES));
    let value = |i: usize| {
        let mut i = i;
        while tokens.get(i).is_some_and(|t| matches!(t.kind, Kind::Punct('$' | '€' | '£')) || t.any(&["usd", "eur"]))
        {
            i += 1;
        }
        tokens.get(i).is_some_and(|t| {
            t.kind == Kind::Literal
                || (matches!(t.kind, Kind::Number(_))
                    && !tokens
                        .get(i + 1)
                        .is_some_and(|u| u.any(&["day", "november", "october", "december", "week", "month"])))
        })
    };
    for (at, t) in tokens.iter().enumerate() {
        if t.is_punct('→')
            && !nouns.is_empty()
            && !tokens.iter().any(|t| t.is("change"))
            && (attribute || value(at + 1) || tokens.iter().any(|t| t.any(&["mapping", "bulk", "category"])))
        {
            return !METRICS.all(tokens).iter().any(|m| m.what == "revenue");
        }
        if t.is("to") && attribute && value(at + 1) && tokens[..at].iter().any(|t| t.any(ATTRIBUTES)) {
            return true;
        }
        if matches!(t.kind, Kind::Punct(':' | ',')) && attribute && nouns.iter().any(|n| n.has_id && n.end <= at) {
            let rest = &tokens[at + 1..];
            let values = rest
                .iter()
                .enumerate()
                .any(|(i, t)| t.any(ATTRIBUTES) && (at + 2 + i..(at + 6 + i).min(tokens.len())).any(value));
            if values && !rest.iter().any(|t| t.is_punct('?')) {
                return true;
            }
        }
        if t.any(&["should", "shall", "must", "ought"])
            && tokens[at + 1..]
                .iter()
                .find(|t| !t.any(&["also", "now", "only", "not", "no", "longer", "just"]))
                .is_some_and(|t| {
                    nouns.iter().any(|n| n.noun == "mediation_group" && n.has_id && n.at < at)
                        && !t.any(&["i", "we", "you", "it"])
                        || t.any(&[
                            "be", "point", "have", "get", "read", "become", "run", "serve", "target", "bid", "include",
                            "use", "stop", "start", "cover",
                        ])
                })
            && !tokens.iter().any(|t| t.any(&["what", "which", "how", "why"]))
        {
            return true;
        }
        if t.any(&["now", "new", "another"])
            && attribute
            && nouns.iter().any(|n| n.has_id)
            && !tokens.iter().any(|t| t.any(&["what", "which", "how", "is", "show"]) && t.norm != "is")
            && tokens.iter().all(|t| !t.is_punct('?'))
        {
            return !tokens.iter().any(|t| t.any(&["show", "list", "what"]));
        }
        if t.is("another") && tokens.get(at + 1).is_some_and(|t| t.is("one")) {
            return true;
        }
    }
    false
}
