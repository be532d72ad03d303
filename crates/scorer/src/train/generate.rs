//! Generated questions, by grammar from the catalog and the word tables, so that the training data asks for every operation.

use std::collections::BTreeMap;

use adagent_contract::Path;
use adagent_domain::Network;

use crate::facts::{Facts, Operation};
use crate::lexicon::Lexicon;
use crate::tables::{metrics, networks, nouns};
use crate::train::random::Random;
use crate::train::records::{Expect, Record};
use crate::types::{Capability, Outcome};

/// How many questions each operation gets.
const EACH: usize = 5;

const SAY: &[(&str, &str)] = &[
    ("get", "show|get|details of|look up|what is|check|open|status of"),
    ("list", "list|show all|which|what are|all|how many|overview of"),
    ("create", "create|add|make|set up|new|register"),
    ("update", "update|change|set|edit|rename|modify|adjust"),
    ("delete", "delete|remove|get rid of|drop"),
    ("activate", "activate|turn on|enable"),
    ("deactivate", "deactivate|turn off|disable"),
    ("archive", "archive|put away"),
    ("approve", "approve|sign off|green light"),
    ("pause", "pause|put on hold"),
    ("resume", "resume|unpause|continue"),
    ("stop", "stop|end|finish"),
    ("submit", "submit|send for approval"),
    ("block", "block|ban"),
    ("run", "run|start"),
];
const DIMENSIONS: &str = "country|app|ad unit|format|day|platform|placement|network";
const PERIODS: &str = "yesterday|today|last week|last 7 days|this month|ytd|in october|on friday";
const BEFORE: &[&str] = &["", "", "", "can you ", "pls ", "i need to ", "hey, ", "por favor "];
const AFTER: &[&str] = &["", "", "", " please", " thx", "?", " asap"];

pub(super) struct Maker {
    pub(super) random: Random,
    pub(super) out: Vec<Record>,
    alias: Vec<Vec<String>>,
    pub(super) metrics: Vec<&'static str>,
    nouns: BTreeMap<String, Vec<&'static str>>,
    foreign: BTreeMap<String, Vec<String>>,
}

fn split(text: &str) -> Vec<&str> {
    text.split('|').collect()
}

impl Maker {
    fn new() -> Self {
        let alias = |network: &Network| {
            let rows = networks::NETWORKS.iter().filter(|(other, _)| other == network);
            rows.flat_map(|(_, names)| names.split('|')).filter(|name| name.is_ascii()).map(str::to_owned).collect()
        };
        let mut others: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
        for (noun, words) in nouns::NOUNS {
            others.entry((*noun).to_owned()).or_default().extend(words.split('|'));
        }
        Self {
            random: Random::new(1),
            out: Vec::new(),
            alias: Network::ALL.iter().map(alias).collect(),
            metrics: metrics::METRICS.iter().flat_map(|(_, words)| words.split('|')).collect(),
            nouns: others,
            foreign: Lexicon::foreign(),
        }
    }

    pub(super) fn dimension(&mut self) -> &'static str {
        let list = split(DIMENSIONS);
        list[self.random.below(list.len())]
    }

    pub(super) fn period(&mut self) -> &'static str {
        let list = split(PERIODS);
        list[self.random.below(list.len())]
    }

    pub(super) fn name(&mut self, network: Network) -> String {
        let at = crate::facts::place(network);
        let pick = self.random.below(self.alias[at].len());
        self.alias[at][pick].clone()
    }

    /// Adds a typing error to about every eighth question.
    fn slip(&mut self, text: &str) -> String {
        let mut letters: Vec<char> = text.chars().collect();
        if letters.len() > 8 && self.random.chance(12) {
            let at = 2 + self.random.below(letters.len() - 4);
            if self.random.chance(50) {
                letters.remove(at);
            } else {
                letters.swap(at, at + 1);
            }
        }
        let text: String = letters.into_iter().collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn put(
        &mut self,
        text: &str,
        networks: &[Network],
        expect: (Capability, Outcome, Path),
        tools: &[String],
    ) {
        let text = self.slip(text);
        self.out.push(Record {
            text,
            history: Vec::new(),
            connected: networks.to_vec(),
            disabled: Vec::new(),
            expect: Expect {
                services: networks.to_vec(),
                capability: expect.0,
                path: expect.2,
                outcome: expect.1,
                tools_any: tools.to_vec(),
                services_also: Vec::new(),
                capability_also: Vec::new(),
                path_also: Vec::new(),
                outcome_also: Vec::new(),
            },
            writer: "made".to_owned(),
            hidden: false,
        });
    }

    /// Returns a word in another language, if the tables have one.
    fn abroad(&mut self, word: String) -> String {
        match self.foreign.get(&word) {
            Some(list) => self.random.of(list).clone(),
            None => word,
        }
    }

    pub(super) fn report(&mut self, operation: &Operation, net: &str) -> String {
        let frame = *self.random.of(&[
            "{m} {x} {net} by {d} {p}",
            "{net} {m} {p} {x}",
            "{x} {m} per {d} {p} on {net}",
            "how much {m} on {net} {p} {x}",
        ]);
        let skipped = ["get", "report", "a", "the", "of"];
        let title: Vec<String> =
            crate::facts::words_of(&operation.title).filter(|word| !skipped.contains(&word.as_str())).collect();
        let extra = if self.random.chance(50) { title.join(" ") } else { String::new() };
        let metric = *self.random.of(&self.metrics);
        let (dimension, period) = (*self.random.of(&split(DIMENSIONS)), *self.random.of(&split(PERIODS)));
        frame
            .replace("{m}", metric)
            .replace("{x}", &extra)
            .replace("{net}", net)
            .replace("{d}", dimension)
            .replace("{p}", period)
    }

    pub(super) fn order(&mut self, operation: &Operation, net: &str, noun: String) -> String {
        let verb = operation.plain_verb();
        let says = SAY.iter().find(|(known, _)| *known == verb).map_or(verb, |(_, words)| *words);
        let mut verb = (*self.random.of(&split(says))).to_owned();
        let mut noun = noun;
        let several = operation.is_batch() || operation.verb == "list";
        if several && !noun.ends_with('s') {
            noun.push('s');
        }
        let ids = if operation.is_batch() {
            3
        } else {
            usize::from(self.random.chance(if matches!(operation.plain_verb(), "list" | "create") { 30 } else { 60 }))
        };
        let ids: Vec<String> = (0..ids).map(|_| (100_000 + self.random.below(999_900_000)).to_string()).collect();
        if self.random.chance(12) {
            verb = self.abroad(verb);
            noun = self.abroad(noun);
        }
        let frame = *self.random.of(&[
            "{v} {n} {i} on {net}",
            "{v} the {n} {i} in {net}",
            "{net}: {v} {n} {i}",
            "{v} {net} {n} {i}",
            "{n} {i} {net} {v}",
        ]);
        frame.replace("{v}", &verb).replace("{n}", &noun).replace("{i}", &ids.join(" ")).replace("{net}", net)
    }

    fn operation(&mut self, facts: &Facts, operation: &Operation) {
        let tools = [operation.name.clone()];
        let on = [operation.network];
        let reads = operation.read_only;
        let labels = (
            operation.capability,
            if reads { Outcome::Answer } else { Outcome::Approval },
            if reads { Path::Reactive } else { Path::Workflow },
        );
        let own = operation.noun.replace('_', " ");
        for _ in 0..EACH {
            let net = self.name(operation.network);
            let others = self.nouns.get(&operation.noun).cloned().unwrap_or_default();
            let pick = self.random.below(3 + others.len());
            let noun = if pick < 3 { own.clone() } else { others[pick - 3].to_owned() };
            let (before, after) = (*self.random.of(BEFORE), *self.random.of(AFTER));
            let text = if operation.capability == Capability::Reporting && reads && self.random.chance(60) {
                self.report(operation, &net)
            } else {
                self.order(operation, &net, noun)
            };
            self.put(&format!("{before}{text}{after}"), &on, labels, &tools);
        }
        if self.random.chance(35) {
            let frame = *self.random.of(&[
                "how do i {v} a {n} in {net}",
                "what does {n} mean in {net}",
                "where in the {net} docs is {v} {n}",
                "is it possible to {v} a {n} in {net}",
            ]);
            let net = self.name(operation.network);
            let text = frame.replace("{v}", operation.plain_verb()).replace("{n}", &own).replace("{net}", &net);
            self.put(&text, &on, (Capability::Docs, Outcome::Answer, Path::Reactive), &[]);
        }
        // If several networks have such a thing, the question means all of them.
        if operation.noun != "report" {
            let text = self.order(operation, "", own.clone());
            let owners: Vec<Network> = facts.owners(&operation.noun).to_vec();
            let several = owners.len() > 1 && !reads;
            self.put(&text, &owners, (labels.0, if several { Outcome::Clarify } else { labels.1 }, labels.2), &tools);
            if let Some(record) = self.out.last_mut() {
                record.connected = Network::ALL.to_vec();
            }
        }
        let spoken = format!("{} {own}", operation.verb.replace('_', " "));
        for text in [spoken, operation.title.clone(), operation.description.clone()] {
            self.put(&text, &on, labels, &tools);
        }
    }

    fn analyses(&mut self) {
        for _ in 0..150 {
            let frame = *self.random.of(&[
                "why did {n} {m} drop {p}",
                "find out what is wrong with {n} {m} {p}",
                "analyse {n} {m} by {d} {p} and propose changes",
            ]);
            let network = *self.random.of(&Network::ALL);
            let (net, metric) = (self.name(network), *self.random.of(&self.metrics));
            let (dimension, period) = (*self.random.of(&split(DIMENSIONS)), *self.random.of(&split(PERIODS)));
            let text =
                frame.replace("{n}", &net).replace("{m}", metric).replace("{d}", dimension).replace("{p}", period);
            self.put(&text, &[network], (Capability::Reporting, Outcome::Answer, Path::Workflow), &[]);
        }
    }
}

pub fn questions(facts: &Facts) -> Vec<Record> {
    let mut maker = Maker::new();
    for operation in &facts.operations {
        maker.operation(facts, operation);
    }
    maker.analyses();
    maker.talk(facts);
    maker.out
}
