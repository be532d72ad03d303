//! Reads one text without its history: networks, things, actions and slots.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;
use jiff::civil::Date;

use super::about::{about, settled};
use super::assign::assignment;
use super::mediated::{self, Mediated};
use super::supposed::supposed;
use super::things::{mentions, noun_mentions, unit_by_format};
use super::trial::{decided, ended, joined, trial};
use super::wish::write_verb;
use crate::slots::{self, RawSlots, Scope};
pub(crate) use crate::text::is_id;
use crate::text::{self, Kind, Token};
use crate::types::Capability;
use crate::vocab::languages;
use crate::vocab::nouns;
use crate::vocab::phrases::Found;
use crate::vocab::spelling;
use crate::vocab::verbs::{ANALYSIS, READS, WRITES, Write};

/// A network that the text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    pub network: Network,
    pub at: usize,
    pub end: usize,
}

/// A thing that the text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NounMention {
    pub noun: &'static str,
    pub at: usize,
    pub end: usize,
    /// An ID or a name follows, so the text means this one thing.
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
    /// The networks that the text asks, sorted by ID.
    pub services: Vec<Network>,
    /// Networks that the text names as demand sources.
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
    /// The text is about the person's own things.
    pub mine: bool,
    /// The text names a mediation group only by its name. The networks next to it are demand sources.
    pub implied: bool,
    /// The verb of a change opens the text, so it is an order and not a report of a change.
    pub orders: bool,
    /// The text is a question.
    pub asks: bool,
    /// The text asks whether numbers are unusual.
    pub odd: bool,
    /// The text asks for the state of a thing.
    pub state: bool,
    /// The text wants to try a change with a part of the users or the traffic.
    pub trial: bool,
    /// A demand source that should change, named only by its network.
    pub mediated: Option<Mediated>,
    /// Token ranges of known entities' names that have two words or more.
    pub named: Vec<(usize, usize)>,
    /// What the text names, as the person wrote it: known things, IDs, names in quotes.
    pub things: Vec<String>,
    /// Networks that have an ad unit whose full name is in the text.
    pub holders: Vec<Network>,
    /// The known things whose IDs are in the text.
    pub by_id: Vec<(Network, EntityKind)>,
    /// The text names a known app, whatever its name says.
    pub names_app: bool,
    /// The order in the person's words, from its verb on, if the text only asks about the change.
    pub supposed: Option<String>,
}

impl Reading {
    pub fn has(&self, words: &[&str]) -> bool {
        self.tokens.iter().any(|t| t.any(words))
    }

    /// Reads a text.
    pub fn new(raw: &str, today: Date, entities: &[EntityItem]) -> Self {
        let text = languages::to_english(raw).replace("->", "→");
        let mut tokens = super::called::with_names(&text, &text::tokens(&text));
        spelling::repair(&mut tokens);
        let mentions = mentions(&text, &tokens);
        let nouns = noun_mentions(&tokens, &mentions);
        let ids = tokens.iter().filter(|t| is_id(t)).map(|t| t.norm.clone()).collect();
        let mut nouns = settled(&tokens, nouns);
        nouns.extend(unit_by_format(&tokens, &nouns, &mentions));
        let linked = crate::link::link_tokens(&text, &tokens, entities);
        // The words may be changed for reading, IDs never are.
        let spoken_ids = crate::link::spoken_ids(raw);
        // A verb inside the name of a known thing orders nothing.
        let spoken = super::called::without_linked(&tokens, &linked);
        let analysis = ANALYSIS.all(&spoken).iter().any(|f| analysis_counts(&spoken, *f));
        let write = write_verb(&spoken, &mentions, &nouns)
            .or_else(|| joined(&spoken, &nouns))
            .or_else(|| ended(&spoken, &nouns));
        let assigned = assignment(&spoken, &nouns);
        let assigns = assigned.is_some();
        let mut noun = about(&tokens, &nouns, &mentions, write);
        let put = super::about::put_into(&tokens, &nouns, write).is_some();
        let write = write.map(|(kind, at)| (if put { Write::Update } else { decided(&tokens, noun, kind) }, at));
        let verb_at = write.map(|(_, at)| at);
        let implied = super::implied::group(
            &text,
            &tokens,
            &mentions,
            &nouns,
            (entities, &linked),
            write.map(|w| w.0).or(assigned),
        );
        let order = write.map(|w| w.0).or(assigned);
        let mediated = mediated::source(&tokens, &mentions, &nouns, order);
        // A line of a waterfall stays a line, whatever the waterfall belongs to. A known group counts more, because it has a network.
        let implied = implied.filter(|found| found.network.is_some() || !mediated.is_some_and(|found| found.line));
        let mediated = mediated.filter(|_| implied.is_none());
        // A forecast of the network is a value like any other. It needs an analysis only if the text asks why.
        let told = |n: NounMention| {
            matches!(n.noun, "ad_unit_mapping" | "availability_forecast" | "delivery_forecast" | "traffic_data")
        };
        let analysis = analysis && noun.is_none_or(|n| !told(n) || reads_why(&tokens));
        if let Some(found) = implied {
            noun = Some(found.mention());
        }
        if let Some(found) = mediated {
            noun = Some(found.mention());
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
            trial: trial.is_some(),
            orders: verb_at.is_some() && verb_at == opening(&spoken),
            asks: asks(&spoken),
            odd: odd(&spoken),
            state: asks_state(&spoken),
            mediated: mediated.filter(|_| trial.is_none()),
            named: linked.iter().map(|l| (l.first, l.last)).filter(|(a, b)| b - a > 1).collect(),
            things: Vec::new(),
            holders: holders(&linked, entities),
            by_id: crate::link::by_id(&spoken_ids, entities),
            names_app: linked.iter().any(|l| l.kind == EntityKind::App),
            supposed: None,
        };
        reading.things = reading.spelled(&linked);
        reading.suppose(verb_at);
        super::services::assign(&mut reading);
        if let Some(network) = implied.and_then(|found| found.network)
            && reading.services.is_empty()
        {
            reading.services.push(network);
        }
        reading.slots = reading.read_slots(today, &linked);
        if trial.is_none() && reading.leaves_out() {
            reading.write = None;
        }
        reading.ask_state();
        reading
    }

    /// Returns what a text names, as the person wrote it. A network is not a thing.
    fn spelled(&self, linked: &[crate::link::Linked]) -> Vec<String> {
        let network = |at: usize| self.mentions.iter().any(|mention| (mention.at..mention.end).contains(&at));
        let known = |at: usize| linked.iter().find(|own| own.first == at && own.kind != EntityKind::AdSource);
        let mut out: Vec<String> = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let token = &self.tokens[at];
            let end = match known(at).filter(|own| own.last - own.first > 1 || !network(at)) {
                Some(own) => own.last,
                None if token.kind == Kind::Literal || is_id(token) => at + 1,
                None => {
                    at += 1;
                    continue;
                }
            };
            let text = self.text.get(token.start..self.tokens[end - 1].end).unwrap_or_default().to_owned();
            if !text.is_empty() && !out.contains(&text) {
                out.push(text);
            }
            at = end.max(at + 1);
        }
        out
    }

    fn read_slots(&self, today: Date, linked: &[crate::link::Linked]) -> RawSlots {
        let network_tokens: Vec<(usize, usize)> = self.mentions.iter().map(|m| (m.at, m.end)).collect();
        slots::read(&Scope {
            text: &self.text,
            tokens: &self.tokens,
            today,
            linked,
            services: &self.services,
            network_tokens: &network_tokens,
            sources: &self.sources,
            named: self.services.len(),
        })
    }

    /// Clears the changes and metrics of a question about a state: it changes nothing and asks for no number.
    fn ask_state(&mut self) {
        if !self.state {
            return;
        }
        self.write = None;
        self.assigns = false;
        // In "is Network fill paused", a metric's word is a part of the name.
        if self.slots.period.is_none() {
            self.slots.metrics.clear();
            self.slots.money_verb = false;
        }
    }

    /// Keeps a change only as words if the text just asks about it, so that it changes nothing.
    fn suppose(&mut self, verb: Option<usize>) {
        if !(self.write.is_some() || self.assigns) || !supposed(&self.tokens) {
            return;
        }
        // "what would happen if I drop …": the verb comes after the person who would do it.
        let who = self.tokens.iter().position(|t| t.any(&["i", "we", "one", "if", "to"])).unwrap_or(0);
        let behind = || (who..self.tokens.len()).find(|at| WRITES.at(&self.tokens, *at).is_some());
        let verb = verb.or_else(behind);
        let order = verb.and_then(|at| self.text.get(self.tokens[at].start..)).unwrap_or_default();
        self.supposed = Some(order.trim_end_matches(['?', ' ', '.', '!']).to_owned());
        self.write = None;
        self.assigns = false;
    }

    /// Checks whether the text leaves a part out of the numbers and changes nothing: "remove Germany from last week's revenue", "hide
    /// banners, revenue by format".
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

    /// Checks whether the text asks for numbers.
    pub fn figures(&self) -> bool {
        // "floor price of 12 up to 10 EUR" sets a value; it does not limit a metric.
        if self.assigns && self.has(&["floor", "price"]) && self.slots.period.is_none() {
            return false;
        }
        !self.slots.metrics.is_empty() || self.slots.money_verb
    }

    pub fn capability(&self) -> Option<Capability> {
        self.noun.map(|n| nouns::capability(n.noun))
    }
}

/// Returns the networks that have an ad unit whose name has two words or more and is in the text.
fn holders(linked: &[crate::link::Linked], entities: &[EntityItem]) -> Vec<Network> {
    let units = linked.iter().filter(|link| link.kind == EntityKind::AdUnit && link.last - link.first > 1);
    let items = units.flat_map(|link| &link.candidates).filter_map(|at| entities.get(*at));
    let mut out: Vec<Network> = items.map(|item| item.network).collect();
    out.sort_by_key(|network| network.id());
    out.dedup();
    out
}

/// Checks for a letter and a number, as in "ad break b17". "Q2" and "D7" are periods.
pub(crate) fn is_short_code(token: &Token) -> bool {
    let mut letters = token.norm.chars();
    token.kind == Kind::Word
        && token.norm.len() <= 5
        && letters.next().is_some_and(|c| c.is_ascii_alphabetic() && !matches!(c, 'q' | 'd' | 'h' | 'w' | 'v'))
        && letters.as_str().bytes().all(|b| b.is_ascii_digit())
        && !letters.as_str().is_empty()
}

/// Returns where the text begins after greetings and polite words.
fn opening(tokens: &[Token]) -> Option<usize> {
    let kindness = [
        "please", "pls", "plz", "hey", "hi", "hello", "ok", "okay", "now", "then", "and", "so", "also", "just", "go",
        "ahead", "can", "could", "would", "will", "you", "let", "us", "lets", "we",
    ];
    tokens.iter().position(|t| !matches!(t.kind, Kind::Punct(_)) && !t.any(&kindness))
}

fn asks(tokens: &[Token]) -> bool {
    let words = [
        "what", "which", "how", "who", "whose", "when", "where", "why", "is", "are", "do", "does", "did", "was",
        "were", "whats", "show", "list", "any",
    ];
    tokens.iter().any(|t| t.is_punct('?')) || opening(tokens).is_some_and(|at| tokens[at].any(&words))
}

/// Checks whether the text asks for a state and changes nothing: "is Network fill paused now?", "are the banners on".
pub(crate) fn asks_state(tokens: &[Token]) -> bool {
    let states = [
        "paused",
        "enabled",
        "disabled",
        "active",
        "inactive",
        "live",
        "running",
        "archived",
        "on",
        "off",
        "stopped",
        "deactivated",
        "activated",
        "delivering",
    ];
    let filler = ["now", "yet", "still", "currently", "today", "there", "again", "already", "or", "not", "at", "all"];
    let Some(first) = opening(tokens).filter(|at| tokens[*at].any(&["is", "are", "isnt", "arent"])) else {
        return false;
    };
    // The state must end the question, apart from small words after it.
    let last = tokens.iter().rposition(|t| !matches!(t.kind, Kind::Punct(_)) && !t.any(&filler));
    last.is_some_and(|at| at > first + 1 && tokens[at].any(&states))
}

/// Checks whether the text asks what is unusual, without naming a metric: "anything weird yesterday".
fn odd(tokens: &[Token]) -> bool {
    let open = ["anything", "something", "any", "what", "which", "whats", "is", "are", "was", "were"];
    let strange = tokens.iter().position(|t| t.any(&ODD));
    strange.is_some_and(|at| tokens[..at].iter().any(|t| t.any(&open)) || tokens[at].any(&ODD_THINGS))
}

/// Words for something unusual.
pub(crate) const ODD: [&str; 13] = [
    "weird",
    "strange",
    "unusual",
    "odd",
    "abnormal",
    "suspicious",
    "anomaly",
    "anomalies",
    "anomalous",
    "outlier",
    "outliers",
    "irregular",
    "unexpected",
];

/// Words of [`ODD`] that name the unusual thing itself.
const ODD_THINGS: [&str; 4] = ["anomaly", "anomalies", "outlier", "outliers"];

fn reads_why(tokens: &[Token]) -> bool {
    tokens.iter().any(|t| t.any(&["why", "reason", "explain", "analyse", "analyze", "recommend", "suggest"]))
}

fn analysis_counts(tokens: &[Token], found: Found<()>) -> bool {
    let word = tokens[found.at].norm.as_str();
    let before = found.at.checked_sub(1).map(|i| &tokens[i]);
    match word {
        "review" | "proposal" => !before.is_some_and(|t| t.any(&["ad", "for", "in"])),
        _ => true,
    }
}
