//! One text, read without its history: networks, things, actions, slots.

use adagent_contract::EntityItem;
use adagent_domain::Network;
use jiff::civil::Date;

use super::about::{about, settled};
use super::assign::assignment;
use super::wish::write_verb;
use crate::slots::{self, RawSlots, Scope};
use crate::text::{self, Kind, Token};
use crate::types::Capability;
use crate::vocab::languages;
use crate::vocab::metrics::METRICS;
use crate::vocab::networks::NETWORKS;
use crate::vocab::nouns::{self, NOUNS};
use crate::vocab::phrases::Found;
use crate::vocab::spelling;
use crate::vocab::verbs::{ANALYSIS, READS, WRITES, Write};

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
        let text = languages::to_english(raw).replace("->", "→");
        let mut tokens = text::tokens(&text);
        spelling::repair(&mut tokens);
        let mentions = mentions(&text, &tokens);
        let nouns = noun_mentions(&tokens, &mentions);
        let ids = tokens.iter().filter(|t| is_id(t)).map(|t| t.norm.clone()).collect();
        let mut nouns = settled(&tokens, nouns);
        nouns.extend(unit_by_format(&tokens, &nouns, &mentions));
        let analysis = ANALYSIS.all(&tokens).iter().any(|f| analysis_counts(&tokens, *f));
        let write = write_verb(&tokens, &mentions, &nouns)
            .or_else(|| joined(&tokens, &nouns))
            .or_else(|| ended(&tokens, &nouns));
        let assigned = assignment(&tokens, &nouns);
        let assigns = assigned.is_some();
        let mut noun = about(&tokens, &nouns, &mentions, write);
        let put = super::about::put_into(&tokens, &nouns, write).is_some();
        let write = write.map(|(kind, at)| (if put { Write::Update } else { decided(&tokens, noun, kind) }, at));
        let linked = crate::link::link_tokens(&text, &tokens, entities);
        let implied = super::implied::group(
            &text,
            &tokens,
            &mentions,
            &nouns,
            (entities, &linked),
            write.map(|w| w.0).or(assigned),
        );
        // A forecast of the network is a figure like others; only what is asked about it can be an analysis.
        let told = |n: NounMention| {
            matches!(n.noun, "ad_unit_mapping" | "availability_forecast" | "delivery_forecast" | "traffic_data")
        };
        let analysis = analysis && noun.is_none_or(|n| !told(n) || reads_why(&tokens));
        if let Some(found) = implied {
            noun = Some(NounMention {
                noun: "mediation_group",
                at: found.at,
                end: found.end,
                has_id: true,
                plural: false,
            });
        }
        let reads = (0..tokens.len()).any(|i| READS.at(&tokens, i).is_some());
        let trial = trial(&tokens, &nouns, noun, write.map(|w| w.1), assigned.is_some());
        if let Some(at) = trial {
            noun = Some(match noun.filter(|n| n.noun == "mediation_group") {
                Some(group) => NounMention { noun: "experiment", ..group },
                None => NounMention { noun: "experiment", at, end: at + 1, has_id: false, plural: false },
            });
        }
        let mine = tokens.iter().any(|t| t.any(&["my", "our", "we", "us", "mine", "ours"]));
        let mut reading = Self {
            text,
            tokens,
            mentions,
            services: Vec::new(),
            sources: Vec::new(),
            nouns,
            noun,
            write: match (trial, implied) {
                (Some(_), _) => Some(Write::Create),
                (None, Some(found)) => found.write,
                (None, None) => write.map(|w| w.0).or(assigned),
            },
            reads,
            analysis,
            assigns,
            slots: RawSlots::default(),
            ids,
            mine,
            implied: implied.is_some() && trial.is_none(),
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
            linked: &linked,
            services: &reading.services,
            network_tokens: &network_tokens,
            sources: &reading.sources,
            named: reading.services.len(),
        };
        reading.slots = slots::read(&scope);
        if trial.is_none() && reading.leaves_out() {
            reading.write = None;
        }
        reading
    }

    /// "remove Germany from last week's revenue", "hide banners, revenue by format": figures without a part, no change.
    fn leaves_out(&self) -> bool {
        let tokens = &self.tokens;
        let of_figures = self.noun.is_none_or(|n| {
            n.noun == "report" || n.noun == "ad_unit" && crate::vocab::dimensions::FORMATS.at(tokens, n.at).is_some()
        });
        let slots = &self.slots;
        let out = slots.filters.iter().any(|f| matches!(f.value, crate::types::FilterValue::Not { .. }));
        let figures = !slots.metrics.is_empty() && (slots.period.is_some() || !slots.dimensions.is_empty());
        let order = |at: usize| WRITES.at(tokens, at).is_some();
        let only = (0..tokens.len()).filter(|at| order(*at)).all(|at| {
            slots::takes_out(tokens, at) || tokens[at].is("report") || tokens.get(at + 1).is_some_and(|t| t.is("out"))
        });
        self.write.is_some() && !self.assigns && of_figures && out && figures && only
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

/// "ad break b17": a letter and a number; "Q2" and "D7" are times.
pub(crate) fn is_short_code(token: &Token) -> bool {
    let mut letters = token.norm.chars();
    token.kind == Kind::Word
        && token.norm.len() <= 5
        && letters.next().is_some_and(|c| c.is_ascii_alphabetic() && !matches!(c, 'q' | 'd' | 'h' | 'w' | 'v'))
        && letters.as_str().bytes().all(|b| b.is_ascii_digit())
        && !letters.as_str().is_empty()
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
            "max"
                if len == 1
                    && raw != "MAX"
                    && !after
                        .is_some_and(|t| t.any(&["ad", "unit", "app", "waterfall", "mediation", "sdk", "revenue"])) =>
            {
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
                || is_short_code(t)
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
        // "swap the order", "reverse the order of our lines": how things are sorted.
        ("order", "order") => {
            !after.is_some_and(|t| is_id(t) || t.kind == Kind::Literal || t.capital)
                && tokens[..at].iter().any(|t| t.any(&["swap", "reverse", "change", "sort", "switch"]))
                && tokens.iter().any(|t| t.any(&["waterfall", "line", "source", "bidder", "group", "tier"]))
                || before.is_some_and(|t| {
                    t.any(&["in", "alphabetical", "waterfall", "ascending", "descending"])
                        || t.is("the")
                            && tokens[end..].iter().any(|t| t.any(&["waterfall", "line", "source", "tier", "bidder"]))
                }) && !after.is_some_and(|t| is_id(t) || t.kind == Kind::Literal || t.capital)
                    && tokens.get(end).is_some_and(|t| t.any(&["to", "of"]))
        }
        // "my agency wants …": who asks, not what is asked for.
        ("company" | "user" | "team" | "contact" | "programmatic_buyer", _) => {
            after.is_some_and(|t| {
                t.any(&[
                    "want",
                    "wants",
                    "asks",
                    "ask",
                    "asked",
                    "asking",
                    "needs",
                    "need",
                    "says",
                    "say",
                    "said",
                    "claim",
                    "claims",
                    "complain",
                    "complains",
                    "complained",
                    "insists",
                    "wrote",
                    "called",
                    "thinks",
                    "swears",
                    "swear",
                    "told",
                    "writes",
                ])
            }) && !after.is_some_and(|t| {
                t.is("called") && tokens.get(end + 1).is_some_and(|n| n.kind == Kind::Literal || n.capital)
            })
        }
        ("custom_targeting_key", "key" | "keys") if one => {
            before.is_some_and(|t| t.any(&["api", "secret", "security", "app", "asset", "metadata", "config"]))
        }
        ("mediation_group", "group" | "groups") if one => {
            before.is_some_and(|t| t.any(&["test", "control", "age", "user"]))
        }
        ("test_device", "device" | "devices") if one => after.is_some_and(|t| t.any(&["category", "type", "os"])),
        // "break that down by app"
        ("ad_break", "break") if one => {
            after.is_some_and(|t| t.any(&["it", "that", "this", "them", "these", "down", "by", "out", "up", "into"]))
                || tokens[end..].iter().take(5).any(|t| t.is("down"))
        }
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

/// "variant B won, make it permanent" ends a test, whatever the verb.
fn decided(tokens: &[Token], noun: Option<NounMention>, kind: Write) -> Write {
    let over = tokens.iter().any(|t| t.any(&["won", "wins", "winner", "permanent", "final"]));
    let starts = tokens.iter().any(|t| t.any(&["start", "create", "run", "launch", "new"]));
    if noun.is_some_and(|n| n.noun == "experiment") && over && !starts { Write::Stop } else { kind }
}

/// "needs an extra interstitial": a unit, called by its format.
fn unit_by_format(tokens: &[Token], nouns: &[NounMention], mentions: &[Mention]) -> Option<NounMention> {
    let elsewhere = mentions.iter().any(|m| m.network != Network::AdMob);
    if elsewhere || nouns.iter().any(|n| n.noun != "app") || !METRICS.all(tokens).is_empty() {
        return None;
    }
    (1..tokens.len()).find_map(|at| {
        let (_, len) = crate::vocab::dimensions::FORMATS.at(tokens, at)?;
        let one = tokens[at - 1].any(&["a", "an", "another", "extra", "new", "additional", "second", "one"]);
        let ends = tokens.get(at + len).is_none_or(|t| {
            t.is_stop() || t.any(&["for", "in", "to", "on", "called", "named", "into", "please", "with", "at"])
        });
        (one && ends).then_some(NounMention { noun: "ad_unit", at, end: at + len, has_id: false, plural: false })
    })
}

/// "on half of the traffic", "for 20 % of the users": only a test serves a part of it.
fn part_of_traffic(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(at, t)| {
        t.any(&["traffic", "user", "audience", "player", "request", "session"])
            && tokens[at.saturating_sub(5)..at].iter().any(|p| {
                p.is_punct('%') || p.any(&["percent", "half", "quarter", "third", "fifth", "tenth", "part", "fraction"])
            })
    })
}

/// A change that is to be tried, not made: on a part of the traffic, or under the name of a test. Where it is said.
fn trial(
    tokens: &[Token],
    nouns: &[NounMention],
    noun: Option<NounMention>,
    verb: Option<usize>,
    assigned: bool,
) -> Option<usize> {
    let changes = verb.is_some() || assigned;
    let asked = tokens.iter().any(|t| t.is_punct('?') || t.any(&["what", "which", "how", "did", "was", "were", "why"]));
    if asked {
        return None;
    }
    if let Some(test) = noun.filter(|n| n.noun == "experiment") {
        // "let's test X for 20 % of the users", "split test on group 12: B without Unity": what is tried follows.
        let described = tokens[test.end..].iter().any(|t| t.is_punct(':'))
            && nouns.iter().any(|n| n.noun == "mediation_group" && n.has_id);
        let read = (0..tokens.len()).any(|i| !(test.at..test.end).contains(&i) && READS.at(tokens, i).is_some());
        return (verb.is_none() && !read && (part_of_traffic(tokens) || described)).then_some(test.at);
    }
    let tries =
        |t: &Token| t.any(&["try", "test", "trial", "give", "serve", "show", "run", "experiment", "send", "let"]);
    let spot = tokens.iter().position(tries);
    let group = noun.is_none_or(|n| matches!(n.noun, "mediation_group" | "bidder" | "waterfall" | "ad_source"));
    if !group || noun.is_none() && !tokens.iter().any(|t| t.kind == Kind::Literal) {
        return None;
    }
    if part_of_traffic(tokens) && METRICS.all(tokens).iter().all(|m| m.what == "ecpm") {
        return verb.or(spot).or_else(|| changes.then_some(0));
    }
    // "A/B test lower floors in group X": the test is the verb, the change its object.
    let test = nouns.iter().find(|n| n.noun == "experiment" && n.end > n.at + 1)?;
    verb.filter(|at| *at >= test.end && *at <= test.end + 2).map(|_| test.at)
}

/// "close the experiment of group 12": verbs that end a test, and mean other things elsewhere.
fn ended(tokens: &[Token], nouns: &[NounMention]) -> Option<(Write, usize)> {
    let polite = ["please", "pls", "can", "could", "you", "lets", "let", "us", "now", "ok"];
    let at = tokens.iter().position(|t| !t.any(&polite) && !matches!(t.kind, Kind::Punct(_)))?;
    let ends =
        tokens[at].any(&["close", "wind", "abandon", "declare", "pick", "choose", "crown", "conclude", "complete"]);
    (ends && nouns.iter().any(|n| n.noun == "experiment")).then_some((Write::Stop, at))
}

fn reads_why(tokens: &[Token]) -> bool {
    tokens.iter().any(|t| t.any(&["why", "reason", "explain", "analyse", "analyze", "recommend", "suggest"]))
}

/// "connect the unit 123 with the Mintegral placement 456": joining the two makes a mapping.
fn joined(tokens: &[Token], nouns: &[NounMention]) -> Option<(Write, usize)> {
    let named = |noun: &str| nouns.iter().any(|n| n.noun == noun);
    let both = named("ad_unit") && (named("placement") || named("ad_slot"));
    let at = tokens.iter().position(|t| t.any(&["connect", "join", "match", "bind"]))?;
    let order =
        !tokens.iter().any(|t| t.is_punct('?')) && !tokens[..at].iter().any(|t| t.any(&["which", "what", "is", "are"]));
    (both && order).then_some((Write::Link, at))
}

fn analysis_counts(tokens: &[Token], found: Found<()>) -> bool {
    let word = tokens[found.at].norm.as_str();
    let before = found.at.checked_sub(1).map(|i| &tokens[i]);
    match word {
        "review" | "proposal" => !before.is_some_and(|t| t.any(&["ad", "for", "in"])),
        _ => true,
    }
}
