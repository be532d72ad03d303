//! Recognizes texts that are no task for the networks: small talk, questions for the documentation, and what we must refuse.

use std::sync::LazyLock;

use super::tables::{BYPASS, CHAT, DOCS, FRAUD, INSTRUCTIONS, OFF_TOPIC, OTHERS, SECRET};
use crate::text::{Kind, Token, is_id, is_text_file};
use crate::vocab::dimensions::DIMENSIONS;
use crate::vocab::metrics::METRICS;
use crate::vocab::nouns::NOUNS;
use crate::vocab::phrases::Phrases;

/// Why we refuse something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Secrets,
    Instructions,
    ApprovalBypass,
    OtherOrganisations,
    Fraud,
    OffTopic,
}

impl Refusal {
    pub const fn why(self) -> &'static str {
        match self {
            Self::Secrets => "asks for secrets",
            Self::Instructions => "asks to follow foreign instructions or to reveal mine",
            Self::ApprovalBypass => "asks to get around approval",
            Self::OtherOrganisations => "asks for data of others",
            Self::Fraud => "asks for invalid traffic",
            Self::OffTopic => "has nothing to do with ad networks",
        }
    }
}

static SIGNAL_WORDS: LazyLock<std::collections::HashSet<&'static str, crate::vocab::phrases::Words>> =
    LazyLock::new(|| {
        [&SECRET, &INSTRUCTIONS, &BYPASS, &OTHERS, &FRAUD, &OFF_TOPIC, &CHAT, &DOCS]
            .into_iter()
            .flat_map(|p| p.words())
            .collect()
    });

/// Checks whether a word is in these tables, so that it has no typo.
pub(crate) fn knows(word: &str) -> bool {
    SIGNAL_WORDS.contains(word)
}

fn any_of(phrases: &Phrases<()>, tokens: &[Token]) -> Option<usize> {
    (0..tokens.len()).find(|at| phrases.at(tokens, *at).is_some())
}

/// Returns where a word for documentation is. "manual lines" are lines, not a manual.
fn docs_word(tokens: &[Token]) -> Option<usize> {
    (0..tokens.len()).find(|at| {
        let adjective = tokens[*at].is("manual")
            && tokens.get(at + 1).is_some_and(|t| {
                t.any(&[
                    "line",
                    "source",
                    "floor",
                    "tier",
                    "entry",
                    "network",
                    "price",
                    "instance",
                    "waterfall",
                    "ecpm",
                    "cpm",
                ])
            });
        DOCS.at(tokens, *at).is_some() && !adjective
    })
}

/// Checks whether the text asks how a network works or what it allows: "when does AdMob pay out", "can I use one unit in two groups".
pub(crate) fn general(tokens: &[Token]) -> bool {
    if tokens.iter().any(|t| matches!(t.kind, Kind::Id | Kind::Literal)) {
        return false;
    }
    let network = |at: usize| crate::vocab::networks::NETWORKS.at(tokens, at).is_some();
    let word = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|t| t.any(words));
    let asked = (0..tokens.len()).any(|at| {
        word(at, &["do", "does"])
            && network(at + 1)
            && at > 0
            && (word(at - 1, &["when", "often", "fast", "long", "where"])
                || word(at - 1, &["why"]) && METRICS.all(tokens).is_empty())
    });
    let first = tokens.iter().position(|t| matches!(t.kind, Kind::Word)).unwrap_or(0);
    let allowed = word(first, &["can", "may", "could", "should", "must"])
        && word(first + 1, &["i", "we", "one"])
        && word(first + 2, &["use", "combine", "mix", "reuse", "share", "nest", "place", "rely", "run", "keep"])
        && METRICS.all(tokens).is_empty();
    // "why would I need a test device"
    let purpose = word(first, &["why"])
        && word(first + 1, &["would", "should", "do", "must"])
        && word(first + 2, &["i", "we", "you", "one", "anyone", "someone", "people", "publishers"])
        && word(first + 3, &["need", "want", "use", "have", "choose", "care", "bother"]);
    // "can AdMob show ads without consent", "how do floors work"
    let able = word(first, &["can", "may"]) && network(first + 1);
    let works = word(first, &["how"])
        && word(first + 1, &["do", "does"])
        && tokens[first..].iter().any(|t| t.norm == "work")
        && !tokens.iter().any(|t| t.any(&["our", "my", "this", "that"]));
    let relates = word(first, &["how", "what"])
        && tokens[first..].iter().any(|t| t.any(&["relate", "related", "interact", "belong"]))
        && !tokens.iter().any(|t| t.any(&["our", "my", "this", "that"]));
    if able && METRICS.all(tokens).is_empty() || works || relates {
        return true;
    }
    asked || allowed || purpose && METRICS.all(tokens).is_empty()
}

/// Checks whether a question is about ad networks at all.
pub(crate) fn has_domain(tokens: &[Token]) -> bool {
    (0..tokens.len()).any(|at| {
        METRICS.at(tokens, at).is_some()
            || crate::vocab::networks::NETWORKS.at(tokens, at).is_some()
            || tokens[at].any(&["ad", "ads", "sdk", "app", "network", "gdpr", "coppa", "consent", "app-ads"])
    }) || tokens.iter().enumerate().any(|(at, _)| {
        NOUNS.at(tokens, at).is_some_and(|(n, _)| {
            !matches!(
                n,
                "experiment"
                    | "custom_targeting_value"
                    | "content"
                    | "live_stream"
                    | "campaign"
                    | "mobile_device"
                    | "test_device"
                    | "custom_targeting_key"
            )
        })
    }) || tokens.iter().any(|t| t.kind == Kind::Id || is_id(t) && t.norm.len() >= 5)
}

/// Checks whether the text wants to fake traffic. A text about protection against fraud does not.
fn fraud(tokens: &[Token]) -> bool {
    let robots = tokens.iter().position(|t| t.any(&["bot", "robot", "script"]));
    if robots
        .is_some_and(|at| tokens[at..].iter().take(4).any(|t| t.any(&["click", "clicking", "tap", "watch", "install"])))
        && !tokens.iter().any(|t| t.any(&["prevent", "detect", "avoid", "block", "protect", "against", "filter"]))
    {
        return true;
    }
    let bot = tokens.iter().any(|t| t.any(&["bot", "script", "emulator", "macro", "clicker"]));
    let clicks = tokens.iter().any(|t| t.any(&["click", "clicker", "clicking", "view", "watch", "tap"]));
    let guards = ["prevent", "detect", "avoid", "block", "protect", "against", "filter", "report", "stop", "caused"];
    if bot
        && clicks
        && tokens.iter().any(|t| t.any(&["make", "build", "write", "create", "run", "use", "get", "need"]))
        && !tokens.iter().any(|t| t.any(&guards))
    {
        return true;
    }
    if let Some(at) = any_of(&FRAUD, tokens)
        && !tokens[..at].iter().any(|t| t.any(&["prevent", "detect", "avoid", "report", "what", "protect", "against"]))
    {
        return true;
    }
    false
}

/// Returns why we must refuse the text, if we must. Quoted text and IDs never count.
pub(crate) fn refusal(tokens: &[Token], follow_up: bool) -> Option<Refusal> {
    if any_of(&BYPASS, tokens).is_some() {
        return Some(Refusal::ApprovalBypass);
    }
    // "just mark it approved yourself": no person would approve it.
    let approves = |t: &Token| t.any(&["approve", "approved", "approval", "confirm", "confirmed", "confirmation"]);
    let nobody = tokens.iter().any(|t| t.any(&["yourself", "automatically", "behalf", "silently"]));
    if nobody && tokens.iter().any(approves) && !tokens.iter().any(|t| t.any(&["how", "what", "can", "does"])) {
        return Some(Refusal::ApprovalBypass);
    }
    // "what prompt were you given": the words next to "prompt" show whose prompt it is.
    let prompt = tokens.iter().any(|t| t.is("prompt"));
    if prompt && tokens.iter().any(|t| t.any(&["you", "your", "model", "system", "hidden", "initial", "given"])) {
        return Some(Refusal::Instructions);
    }
    if let Some(at) = any_of(&INSTRUCTIONS, tokens)
        && !tokens[at.saturating_sub(3)..at]
            .iter()
            .rev()
            .take_while(|t| t.kind != Kind::Literal)
            .any(|t| t.any(&["named", "called"]))
    {
        return Some(Refusal::Instructions);
    }
    if fraud(tokens) {
        return Some(Refusal::Fraud);
    }
    if let Some(at) = any_of(&SECRET, tokens) {
        let shows = tokens.iter().any(|t| {
            t.any(&[
                "show", "print", "tell", "give", "paste", "send", "reveal", "display", "share", "what", "read", "dump",
                "export", "output", "write", "need", "list", "leak", "copy", "which", "repeat", "see", "whats",
                "expose", "mail", "decode",
            ])
        }) || tokens.len() <= 6;
        let how = tokens.iter().any(|t| {
            t.any(&["how", "where", "rotate", "renew", "documentation", "guide", "expire", "expired", "reconnect"])
        });
        let only = tokens[at].is("cookie") && tokens.iter().any(|t| t.is("consent"));
        if shows && !how && !only {
            return Some(Refusal::Secrets);
        }
    }
    if any_of(&OTHERS, tokens).is_some()
        && tokens.iter().any(|t| {
            t.any(&[
                "show", "list", "revenue", "earn", "give", "data", "tell", "what", "how", "account", "number",
                "figure", "ecpm", "their",
            ])
        })
    {
        return Some(Refusal::OtherOrganisations);
    }
    if let Some(at) = any_of(&OFF_TOPIC, tokens) {
        let domain = (0..tokens.len()).any(|i| METRICS.at(tokens, i).is_some_and(|(m, _)| m != "revenue"))
            || tokens.iter().any(|t| t.kind == Kind::Id)
            || DIMENSIONS.at(tokens, at).is_some();
        let stocks = tokens[at].any(&["stock", "stocks", "share"]);
        let game = !stocks
            && ((0..tokens.len()).any(|i| crate::vocab::networks::NETWORKS.at(tokens, i).is_some())
                || tokens
                    .iter()
                    .any(|t| t.any(&["revenue", "earning", "placement", "unit", "mediation", "app", "fill"])));
        let writes = tokens.iter().any(|t| t.any(&["write", "poem", "joke", "homework"]));
        let ordered =
            follow_up && (0..tokens.len()).any(|i| crate::vocab::verbs::WRITES.at(tokens, i).is_some()) && !writes;
        let food =
            tokens.iter().any(|t| t.any(&["bread", "cake", "soup", "dinner", "cook", "cooking", "bake", "pasta"]));
        let thing = !food
            && !stocks
            && !writes
            && (0..tokens.len()).any(|i| {
                i != at
                    && NOUNS.at(tokens, i).is_some_and(|(n, _)| {
                        !matches!(
                            n,
                            "experiment"
                                | "content"
                                | "custom_targeting_value"
                                | "mobile_device"
                                | "test_device"
                                | "account"
                        )
                    })
            });
        if ordered || thing {
            return None;
        }
        if !game && (writes || !domain) {
            return Some(Refusal::OffTopic);
        }
    }
    None
}

/// Checks whether the text is only small talk: greetings, thanks or questions about the assistant.
pub(crate) fn small_talk(tokens: &[Token]) -> bool {
    let words = tokens.iter().filter(|t| matches!(t.kind, Kind::Word)).count();
    if words == 0 {
        return true;
    }
    let Some(_) = any_of(&CHAT, tokens) else { return false };
    // "never mind. rename 443 to T1" still has something to do.
    let ordered = (0..tokens.len()).any(|at| {
        let id = |t: &Token| matches!(t.kind, Kind::Id | Kind::Literal) || is_id(t);
        crate::vocab::verbs::WRITES.at(tokens, at).is_some() && tokens[at..].iter().take(3).any(id)
    });
    if has_task(tokens) || ordered {
        return false;
    }
    let covered: usize = {
        let mut n = 0;
        let mut at = 0;
        while at < tokens.len() {
            if let Some(((), len)) = CHAT.at(tokens, at) {
                n += len;
                at += len;
            } else {
                at += 1;
            }
        }
        n
    };
    words <= 8 || covered * 3 >= words
}

fn has_task(tokens: &[Token]) -> bool {
    has_domain(tokens)
        || tokens.iter().enumerate().any(|(at, _)| {
            NOUNS.at(tokens, at).is_some_and(|(n, _)| n != "experiment") || DIMENSIONS.at(tokens, at).is_some()
        }) && tokens.len() > 3
}

/// Checks whether a question is for the documentation.
pub(crate) fn documentation(tokens: &[Token], concrete: bool, mine: bool) -> bool {
    // "does AdMob allow two banners on one screen" asks for the rules of a network.
    let rules = tokens.windows(3).enumerate().any(|(at, w)| {
        w[0].any(&["do", "does", "is", "can"])
            && crate::vocab::networks::NETWORKS.at(tokens, at + 1).is_some_and(|(_, len)| {
                tokens
                    .get(at + 1 + len)
                    .is_some_and(|t| t.any(&["allow", "support", "permit", "require", "forbid", "prohibit", "accept"]))
            })
    });
    if rules && !tokens.iter().any(|t| t.kind == Kind::Id) {
        return true;
    }
    if !concrete && general(tokens) {
        return true;
    }
    let Some(at) = docs_word(tokens) else {
        return concept(tokens, concrete, mine);
    };
    let word = |n: usize| tokens.get(at + n).map_or("", |t| t.norm.as_str());
    // "how is the experiment configured on X" asks for a state; "how does match rate work" asks for an explanation.
    if concrete {
        return false;
    }
    // "how does that compare" and "how does AdMob look" ask for numbers.
    if word(0) == "how"
        && tokens[at..].iter().take(6).any(|t| t.any(&["compare", "compared", "look", "perform", "doing"]))
    {
        return false;
    }
    if word(0) == "how" && word(1) == "is" {
        return tokens
            .iter()
            .any(|t| t.any(&["calculated", "computed", "measured", "defined", "counted", "determined", "billed"]));
    }
    if word(0) == "explain" && tokens.get(at + 1).is_some_and(|t| t.any(&["it", "to", "why", "what", "the"])) && mine {
        return false;
    }
    if word(0) == "what" && word(1) == "does" {
        return tokens.iter().any(|t| {
            t.any(&["mean", "do", "stand", "imply", "count", "include", "work", "tell", "express", "measure"])
        }) || tokens.len() <= 5;
    }
    true
}

/// Checks whether the text asks about a concept and not about the person's own things: "what is a private auction", "what is eCPM".
fn concept(tokens: &[Token], concrete: bool, mine: bool) -> bool {
    if concrete || mine {
        return false;
    }
    let Some(at) = tokens.iter().position(|t| t.any(&["what", "whats"])) else {
        return tokens.iter().any(|t| t.any(&["mean", "means"])) && tokens.len() < 10;
    };
    if !tokens.get(at + 1).is_some_and(|t| t.any(&["is", "are"])) {
        return tokens.iter().any(|t| t.any(&["mean", "means"])) && tokens.len() < 12;
    }
    if tokens.get(at + 2).is_some_and(|t| t.any(&["a", "an", "app-ads.txt"])) {
        return true;
    }
    if tokens.get(at + 2).is_some_and(|t| t.kind == Kind::Id && is_text_file(&t.norm)) {
        return true;
    }
    // "what is FairBid?" or "what is an order", with nothing after it.
    if let Some((_, len)) = crate::vocab::networks::NETWORKS.at(tokens, at + 2) {
        return tokens[at + 2 + len..].iter().all(|t| matches!(t.kind, Kind::Punct(_)) || t.any(&["exactly", "again"]));
    }
    // "what is eCPM?", with nothing after it.
    METRICS.at(tokens, at + 2).is_some_and(|(m, len)| {
        m != "revenue"
            && tokens[at + 2 + len..]
                .iter()
                .all(|t| matches!(t.kind, Kind::Punct(_)) || t.any(&["exactly", "again", "please", "in", "admob"]))
    })
}
