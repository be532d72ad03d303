//! One text, read without its history: networks, things, actions, slots.

use adagent_contract::EntityItem;
use adagent_domain::Network;
use jiff::civil::Date;

use crate::slots::{self, RawSlots, Scope};
use crate::text::{self, Kind, Token};
use crate::types::Capability;
use crate::vocab::languages;
use crate::vocab::metrics::METRICS;
use crate::vocab::networks::NETWORKS;
use crate::vocab::nouns::{self, NOUNS};
use crate::vocab::phrases::Found;
use crate::vocab::spelling;
use crate::vocab::verbs::{ANALYSIS, NEGATIONS, READS, WRITES, Write};

/// A network named in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    pub network: Network,
    pub at: usize,
    pub end: usize,
}

/// A thing named in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NounMention {
    pub noun: &'static str,
    pub at: usize,
    pub end: usize,
    /// An id or a name follows: this one thing is meant.
    pub has_id: bool,
    pub plural: bool,
}

/// What a text says by itself.
#[expect(clippy::struct_excessive_bools, reason = "independent signals of one text")]
#[derive(Debug, Clone)]
pub struct Reading {
    pub text: String,
    pub tokens: Vec<Token>,
    pub mentions: Vec<Mention>,
    /// Networks asked, in the order named.
    pub services: Vec<Network>,
    /// Networks named as a demand source.
    pub sources: Vec<&'static str>,
    pub nouns: Vec<NounMention>,
    /// What the text is about.
    pub noun: Option<NounMention>,
    pub write: Option<Write>,
    pub reads: bool,
    pub analysis: bool,
    pub assigns: bool,
    pub slots: RawSlots,
    pub ids: Vec<String>,
    /// Speaks of the user's own things.
    pub mine: bool,
    /// A mediation group is named by its name alone: the networks beside it are demand sources.
    pub implied: bool,
    /// Token ranges of names of known entities, of two words and more.
    pub named: Vec<(usize, usize)>,
    /// A known app is named, whatever its name says.
    pub names_app: bool,
}

impl Reading {
    pub fn has(&self, words: &[&str]) -> bool {
        self.tokens.iter().any(|t| t.any(words))
    }

    /// Reads a text.
    pub fn new(raw: &str, today: Date, entities: &[EntityItem]) -> Self {
        let text = languages::to_english(raw);
        let mut tokens = text::tokens(&text);
        spelling::repair(&mut tokens);
        let mentions = mentions(&text, &tokens);
        let nouns = noun_mentions(&tokens, &mentions);
        let ids = tokens.iter().filter(|t| is_id(t)).map(|t| t.norm.clone()).collect();
        let nouns = settled(&tokens, nouns);
        let analysis = ANALYSIS.all(&tokens).iter().any(|f| analysis_counts(&tokens, *f));
        let write = write_verb(&tokens, &mentions);
        let assigned = assignment(&tokens, &nouns);
        let assigns = assigned.is_some();
        let mut noun = about(&tokens, &nouns, &mentions, write);
        let implied =
            super::implied::group(&text, &tokens, &mentions, &nouns, entities, write.map(|w| w.0).or(assigned));
        if let Some(found) = implied {
            noun = Some(NounMention {
                noun: "mediation_group",
                at: found.at,
                end: found.end,
                has_id: true,
                plural: false,
            });
        }
        let linked = crate::link::link_tokens(&text, &tokens, entities);
        let reads = (0..tokens.len()).any(|i| READS.at(&tokens, i).is_some());
        let mine = tokens.iter().any(|t| t.any(&["my", "our", "we", "us", "mine", "ours"]));
        let mut reading = Self {
            text,
            tokens,
            mentions,
            services: Vec::new(),
            sources: Vec::new(),
            nouns,
            noun,
            write: implied.map_or_else(|| write.map(|w| w.0).or(assigned), |found| found.write),
            reads,
            analysis,
            assigns,
            slots: RawSlots::default(),
            ids,
            mine,
            implied: implied.is_some(),
            named: linked.iter().map(|l| (l.first, l.last)).filter(|(a, b)| b - a > 1).collect(),
            names_app: linked.iter().any(|l| l.kind == adagent_contract::EntityKind::App),
        };
        super::services::assign(&mut reading);
        if let Some(network) = implied.and_then(|found| found.network)
            && reading.services.is_empty()
        {
            reading.services.push(network);
        }
        let network_tokens: Vec<(usize, usize)> = reading.mentions.iter().map(|m| (m.at, m.end)).collect();
        let scope = Scope {
            text: &reading.text,
            tokens: &reading.tokens,
            today,
            entities,
            services: &reading.services,
            network_tokens: &network_tokens,
            sources: &reading.sources,
            named: reading.services.len(),
        };
        reading.slots = slots::read(&scope);
        reading
    }

    /// Whether figures are asked for.
    pub fn figures(&self) -> bool {
        !self.slots.metrics.is_empty() || self.slots.money_verb
    }

    pub fn capability(&self) -> Option<Capability> {
        self.noun.map(|n| nouns::capability(n.noun))
    }
}

/// `app-ads.txt` is a file people ask about, no id.
pub(crate) fn is_text_file(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(_, extension)| extension == "txt")
}

pub(crate) fn is_id(token: &Token) -> bool {
    match token.kind {
        Kind::Id => !is_text_file(&token.norm),
        Kind::Number(_) => {
            token.norm.len() >= 3
                && token.norm.bytes().all(|b| b.is_ascii_digit())
                && !matches!(token.norm.as_str(), "2023" | "2024" | "2025" | "2026" | "2027")
        }
        _ => false,
    }
}

fn mentions(text: &str, tokens: &[Token]) -> Vec<Mention> {
    let mut out = Vec::new();
    for Found { what, at, len } in NETWORKS.all(tokens) {
        let token = &tokens[at];
        let after = tokens.get(at + len);
        let raw = text.get(token.start..token.end).unwrap_or("");
        let before = at.checked_sub(1).map(|i| &tokens[i]);
        let wrong = match token.norm.as_str() {
            // "five at max", "max 10 rows"
            "max" if len == 1 && raw != "MAX" => {
                before.is_some_and(|t| t.number().is_some() || t.any(&["at", "the", "of"]))
                    || after.is_some_and(|t| t.number().is_some() && t.norm.len() < 5)
            }
            "unity" => after.is_some_and(|t| t.any(&["engine", "editor", "project files", "stock"])),
            "fill" => true,
            _ => false,
        };
        if !wrong {
            out.push(Mention { network: what, at, end: at + len });
        }
    }
    out
}

fn noun_mentions(tokens: &[Token], mentions: &[Mention]) -> Vec<NounMention> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some(m) = mentions.iter().find(|m| m.at == at) {
            at = m.end;
            continue;
        }
        if let Some((_, len)) = METRICS.at(tokens, at)
            && len > 1
            && NOUNS.at(tokens, at).is_none()
        {
            at += len;
            continue;
        }
        let Some((noun, len)) = NOUNS.at(tokens, at) else {
            at += 1;
            continue;
        };
        let end = at + len;
        let last = &tokens[end - 1];
        let mut next = end;
        while tokens
            .get(next)
            .is_some_and(|t| t.any(&["id", "ids", "named", "called", "event"]) || t.is_punct('(') || t.is_punct('#'))
        {
            next += 1;
        }
        let follower = tokens.get(next);
        let has_id = follower.is_some_and(|t| {
            is_id(t)
                || t.kind == Kind::Literal
                || (matches!(t.kind, Kind::Number(_))
                    && t.norm.len() <= 3
                    && !tokens
                        .get(next + 1)
                        .is_some_and(|u| u.any(&["day", "month", "week", "percent"]) || u.is_punct('%')))
        });
        if !wrong_noun(tokens, at, end, noun) {
            out.push(NounMention { noun, at, end, has_id, plural: last.norm != last.stem });
        }
        at = end;
    }
    out
}

/// Words of a noun that mean something else where they stand.
fn wrong_noun(tokens: &[Token], at: usize, end: usize, noun: &str) -> bool {
    let before = at.checked_sub(1).map(|i| &tokens[i]);
    let after = tokens.get(end);
    let one = end == at + 1;
    let word = tokens[at].norm.as_str();
    match (noun, word) {
        ("app", _) => {
            after.is_some_and(|t| t.any(&["open", "store", "version", "bidding"]))
                || (before.is_some_and(|t| t.is("in")) && after.is_some_and(|t| t.is_punct('-') || t.is("bidding")))
        }
        ("experiment", "test") if one => {
            after.is_some_and(|t| t.any(&["device", "ad", "ads", "mode", "phone"]))
                || before.is_some_and(|t| t.is("to"))
        }
        ("order", "order") => {
            before.is_some_and(|t| t.any(&["in", "alphabetical", "the", "waterfall", "ascending", "descending"]))
                && !after.is_some_and(|t| is_id(t) || t.kind == Kind::Literal || t.capital)
                && tokens.get(end).is_some_and(|t| t.any(&["to", "of"]))
        }
        ("custom_targeting_key", "key" | "keys") if one => {
            before.is_some_and(|t| t.any(&["api", "secret", "security", "app", "asset", "metadata", "config"]))
        }
        ("mediation_group", "group" | "groups") if one => {
            before.is_some_and(|t| t.any(&["test", "control", "age", "user"]))
        }
        ("test_device", "device" | "devices") if one => after.is_some_and(|t| t.any(&["category", "type", "os"])),
        ("audience_segment", "segment") => after.is_some_and(|t| t.any(&["waterfall"])),
        ("report", "report") => {
            after.is_some_and(|t| t.any(&["in", "to"]))
                && before.is_some_and(|t| t.kind == Kind::Id || t.any(&["it", "we", "account", "that"]))
                && tokens.get(end + 1).is_none_or(Token::is_stop)
        }
        ("content", "video" | "videos") if one => {
            before.is_some_and(|t| t.any(&["rewarded", "reward", "+"])) || before.is_some_and(|t| t.is_punct('+'))
        }
        ("live_stream", "event") if one => before.is_some_and(|t| t.any(&["impression", "install"])),
        _ => false,
    }
}

/// The verb that changes something, and where it stands.
fn write_verb(tokens: &[Token], mentions: &[Mention]) -> Option<(Write, usize)> {
    let mut best: Option<(Write, usize)> = None;
    for Found { what, at, len } in WRITES.all(tokens) {
        if mentions.iter().any(|m| (m.at..m.end).contains(&at)) {
            continue;
        }
        let negated = tokens[at.saturating_sub(3)..at].iter().any(|t| t.any(NEGATIONS))
            && !tokens[at.saturating_sub(3)..at].iter().any(Token::is_stop);
        // "starts", "views", "caps" are things here, not orders.
        let thing = tokens[at].norm != tokens[at].stem && len == 1;
        if thing || negated || reads_before(tokens, at) || !verb_like(tokens, at, len, what) {
            continue;
        }
        let word = tokens[at].norm.as_str();
        // "bring them back", "turn X on", "switch X off", "put X into the archive", "take X out of use"
        let particle = |words: &[&str]| tokens[at + len..].iter().any(|t| t.any(words));
        let kind = match (what, word) {
            (Write::Update, "turn" | "switch") if particle(&["off", "inactive"]) => Write::Deactivate,
            (Write::Update, "turn" | "switch") if particle(&["on", "active"]) => Write::Activate,
            (Write::Create | Write::Update, "put") if particle(&["archive"]) => Write::Archive,
            (Write::Update, "put") if tokens.iter().any(|t| t.any(&["new", "under"])) && !particle(&["floor"]) => {
                Write::Create
            }
            (Write::Update, "take") if particle(&["use"]) => Write::Deactivate,
            (Write::Update | Write::Create, "push") => Write::Update,
            (Write::Update, _) if tokens.iter().any(|t| t.any(&["switched", "turned"])) && particle(&["off"]) => {
                Write::Deactivate
            }
            (Write::Create, "new") if attribute_follows(tokens, at) => Write::Update,
            (kind, _) => kind,
        };
        if best.is_none()
            || matches!(best, Some((Write::Activate | Write::Deactivate | Write::Submit, _)))
                && matches!(kind, Write::Archive)
        {
            best = Some((kind, at));
        }
    }
    best
}

/// Whether a reading verb opens the clause this verb stands in.
fn reads_before(tokens: &[Token], at: usize) -> bool {
    let mut i = at;
    while i > 0 {
        let t = &tokens[i - 1];
        if matches!(t.kind, Kind::Punct(',' | ';' | ':' | '.' | '?' | '!' | '–'))
            || t.any(&["then", "but"])
            || (t.is("and") && i + 1 < tokens.len() && i == at)
        {
            break;
        }
        i -= 1;
    }
    let mut j = i;
    while j < at {
        if let Some(((), len)) = READS.at(tokens, j) {
            // "can you", "could you please" aren't in the table; "do not" was handled before.
            let polite = tokens[j].any(&["can", "could", "do"]) && tokens.get(j + 1).is_some_and(|t| t.is("you"));
            let split = tokens[j].any(&["split", "run", "open", "report", "has", "have", "is", "are"]) && j > i;
            if !polite && !split {
                return true;
            }
            j += len;
        } else {
            j += 1;
        }
    }
    false
}

/// Verbs that are also nouns or adjectives must stand where a verb stands.
fn attribute_follows(tokens: &[Token], at: usize) -> bool {
    tokens[at + 1..].iter().take(3).any(|t| {
        t.any(&[
            "description",
            "name",
            "title",
            "category",
            "floor",
            "url",
            "price",
            "cap",
            "mail",
            "phone",
            "icon",
            "link",
            "refresh",
            "status",
        ])
    }) && !tokens[at + 1..].iter().take(2).any(|t| NOUNS.words().any(|w| t.is(w) && !t.any(&["title", "link"])))
}

fn verb_like(tokens: &[Token], at: usize, len: usize, what: Write) -> bool {
    let word = tokens[at].norm.as_str();
    if len > 1 {
        return true;
    }
    let before = at.checked_sub(1).map(|i| &tokens[i]);
    let after = tokens.get(at + 1);
    let article = before.is_some_and(|t| {
        t.any(&["the", "a", "an", "of", "in", "my", "our", "this", "that", "which", "per", "by", "no"])
    });
    match word {
        "new" => !article || before.is_some_and(|t| t.any(&["a", "the"])) && at <= 3,
        "set" | "cap" | "limit" | "link" | "map" | "start" | "end" | "build" | "offer" | "cut" | "switch" | "test"
        | "point" | "change" | "increase" | "decrease" | "move" | "stop" | "finish" | "launch" | "schedule"
        | "block" | "drop" | "fix" | "hide" | "update" | "make" | "mark" | "flag" | "register" | "import"
        | "export" | "save" | "lower" | "archive" | "allow" | "put" | "take" | "force" | "push" | "cancel" | "pair"
        | "tie" | "submit" | "kill" | "clear" | "double" | "promote" => {
            let noun_before = before
                .is_some_and(|t| t.any(&["since", "download", "ad", "store", "frequency", "price", "review", "until"]));
            let follows = |words: &[&str]| after.is_some_and(|t| t.any(words));
            let led = |words: &[&str]| before.is_some_and(|t| t.any(words));
            // "start date", "end of", "put X next to Y", "revenue drop", "change in": nouns and comparisons.
            let noun_here = match word {
                "lower" => follows(&["than"]),
                "start" => follows(&["date", "of", "today", "yesterday"]),
                "end" => follows(&["date", "of"]),
                "put" => after.is_some() && tokens.iter().any(|t| t.is("next")),
                "drop" if what == Write::Delete && led(&["revenue", "ecpm", "earning"]) => true,
                "change" | "drop" | "increase" | "decrease" => {
                    led(&["earning", "wow", "revenue", "did", "the", "big", "ecpm", "yoy", "percent", "how", "much"])
                        || follows(&["in", "per", "since"])
                }
                _ => false,
            };
            !article && !noun_before && !noun_here
        }
        "give" => {
            tokens.iter().any(|t| t.any(&["deal", "access", "instead"]))
                || tokens.get(at + 1).is_some_and(|t| t.any(&["it", "them"]))
        }
        _ => true,
    }
}

/// What is wanted to be seen, not made: "I want a list of …".
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

/// "floor → 1.80", "price to 6.40", "title is now X", "needs a native placement".
fn assignment(tokens: &[Token], nouns: &[NounMention]) -> Option<Write> {
    let needs = tokens.iter().enumerate().any(|(at, t)| {
        t.any(&["needs", "need", "deserves", "deserve", "wants", "want", "gets"])
            && at > 0
            && tokens.get(at + 1).is_some_and(|t| t.any(&["a", "an", "another", "its", "their"]))
            && nouns.iter().any(|n| n.at > at && n.noun != "report")
            && !tokens[at..].iter().take(4).any(|t| t.any(SHOWN))
            && !tokens[..at].iter().any(|t| t.any(&["does", "which", "what", "do", "who"]))
    });
    if needs {
        return Some(Write::Create);
    }
    let reads = (0..tokens.len()).any(|i| READS.at(tokens, i).is_some()) || tokens.iter().any(|t| t.is_punct('?'));
    let named = nouns.iter().any(|n| {
        tokens.get(n.end).is_some_and(|t| {
            t.kind == Kind::Literal
                || (t.any(&["named", "called"])
                    && tokens.get(n.end + 1).is_some_and(|t| matches!(t.kind, Kind::Literal | Kind::Id | Kind::Word)))
        })
    });
    let placed = nouns.iter().filter(|n| n.has_id).count() >= 2;
    if named && placed && !reads {
        return Some(Write::Create);
    }
    assigns_value(tokens, nouns).then_some(Write::Update)
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
        if t.is("should")
            && tokens.get(at + 1).is_some_and(|t| t.any(&["be", "point", "have", "get", "read", "become"]))
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

fn analysis_counts(tokens: &[Token], found: Found<()>) -> bool {
    let word = tokens[found.at].norm.as_str();
    let before = found.at.checked_sub(1).map(|i| &tokens[i]);
    match word {
        "review" | "proposal" => !before.is_some_and(|t| t.any(&["ad", "for", "in"])),
        _ => true,
    }
}

/// Drops words that only describe another noun: "bidding" of "bidding placement", "Game" of "Puzzle Game".
fn settled(tokens: &[Token], nouns: Vec<NounMention>) -> Vec<NounMention> {
    let others = nouns.iter().any(|n| !(n.noun == "bidder" && tokens[n.at].norm == "bidding"));
    nouns
        .into_iter()
        .filter(|n| {
            let bidding = n.noun == "bidder" && tokens[n.at].norm == "bidding" && others;
            let name = n.noun == "app"
                && n.end == n.at + 1
                && tokens[n.at].capital
                && n.at > 0
                && tokens[n.at - 1].capital
                && tokens[n.at - 1].kind == Kind::Word
                && tokens[n.at].is("game");
            !bidding && !name
        })
        .collect()
}

/// What the text is about, with what the verb adds: linking two things makes a mapping.
fn about(
    tokens: &[Token],
    nouns: &[NounMention],
    mentions: &[Mention],
    write: Option<(Write, usize)>,
) -> Option<NounMention> {
    let any = |noun: &str| nouns.iter().find(|n| n.noun == noun);
    let renamed = |n: &NounMention, noun: &'static str| Some(NounMention { noun, has_id: false, ..*n });
    let link = matches!(write, Some((Write::Link, _)));
    let linked = link || tokens.iter().any(|t| t.any(&["linked", "mapped", "mapping"]));
    if linked && let Some(n) = any("taxonomy_category") {
        let ids = any("entity_signals_mapping").or_else(|| any("ad_unit_mapping"));
        return Some(NounMention { noun: "entity_signals_mapping", has_id: ids.is_some_and(|m| m.has_id), ..*n });
    }
    if linked && any("entity_signals_mapping").is_some() {
        return any("entity_signals_mapping").copied();
    }
    if (link || any("ad_unit_mapping").is_some() && write.is_none())
        && let Some(n) = any("ad_unit_mapping").or_else(|| any("ad_unit")).or_else(|| any("placement"))
    {
        return renamed(n, "ad_unit_mapping");
    }
    if write.is_some()
        && let Some(n) = any("report").filter(|n| n.has_id || any("report_run").is_none())
    {
        return Some(*n);
    }
    // "Ad Manager networks", "GAM user 330012"
    let ad_manager = mentions
        .iter()
        .find(|m| m.network == Network::AdManager && tokens.get(m.end).is_some_and(|t| t.any(&["network", "user"])));
    if let Some(m) = ad_manager
        && METRICS.all(tokens).is_empty()
    {
        let noun = if tokens[m.end].is("user") { "user" } else { "network" };
        let has_id = tokens.get(m.end + 1).is_some_and(is_id);
        if nouns.iter().all(|n| n.at > m.end || n.noun == "account") {
            return Some(NounMention { noun, at: m.end, end: m.end + 1, has_id, plural: !has_id });
        }
    }
    if let Some(found) = pick_noun(tokens, nouns, write.map(|w| w.1)) {
        return Some(found);
    }
    // "Add 'Snake Loop' to Unity": a name alone is an app; an id alone a unit of MAX.
    let (kind, at) = write?;
    let name =
        tokens.iter().skip(at).position(|t| t.kind == Kind::Literal || (t.kind == Kind::Id && t.norm.contains('.')));
    if kind == Write::Create
        && let Some(offset) = name
    {
        return Some(NounMention { noun: "app", at: at + offset, end: at + offset + 1, has_id: false, plural: false });
    }
    let id = tokens.iter().position(is_id)?;
    mentions.iter().any(|m| m.network == Network::AppLovin).then_some(NounMention {
        noun: "ad_unit",
        at: id,
        end: id + 1,
        has_id: true,
        plural: false,
    })
}

/// Of all things named, the object of the verb, else the first that is no place, else the deepest.
fn pick_noun(tokens: &[Token], nouns: &[NounMention], verb: Option<usize>) -> Option<NounMention> {
    // The object of the verb.
    if let Some(at) = verb {
        let after: Vec<&NounMention> = nouns.iter().filter(|n| n.at >= at && n.at - at <= 8).collect();
        if let Some(first) = after.iter().find(|n| !container(tokens, n) && n.at - at <= 5) {
            return Some(**first);
        }
        if let Some(first) = after.first() {
            return Some(**first);
        }
    }
    let free: Vec<&NounMention> = nouns.iter().filter(|n| !n.has_id).collect();
    if let Some(first) = free.iter().find(|n| !container(tokens, n)) {
        return Some(**first);
    }
    nouns.iter().max_by_key(|n| (nouns::depth(n.noun), std::cmp::Reverse(n.at))).copied()
}

/// "in app X", "of company Y", "for account Z": where the thing lies, not the thing.
fn container(tokens: &[Token], noun: &NounMention) -> bool {
    let mut i = noun.at;
    while i > 0
        && tokens[i - 1].any(&[
            "the",
            "a",
            "our",
            "my",
            "this",
            "that",
            "live",
            "levelplay",
            "admob",
            "unity",
            "liftoff",
            "pangle",
            "applovin",
            "gam",
            "max",
            "dt",
            "exchange",
            "inmobi",
            "mintegral",
            "new",
            "ad",
            "rewarded",
            "interstitial",
            "banner",
        ])
    {
        i -= 1;
    }
    i > 0
        && tokens[i - 1].any(&[
            "in", "of", "for", "on", "under", "inside", "from", "at", "into", "within", "to", "by", "with", "per",
            "out",
        ])
        && i > 1
}
