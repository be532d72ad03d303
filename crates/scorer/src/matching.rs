//! How an operation's own words fit a question. The features know nothing about single operations, so a new one needs no
//! training.

use std::collections::BTreeSet;

use crate::Capability;
use crate::facts::Facts;
use crate::lexicon::{Reading, stem};
use crate::scene::Scene;

pub const OWN: usize = 15;
/// The number of features, including those of the previous turn.
pub const WIDTH: usize = OWN + 3;

/// The features of each operation, one operation after the other.
pub type Matches = Vec<[f32; WIDTH]>;

struct Said<'a> {
    words: BTreeSet<&'a str>,
    nouns: BTreeSet<String>,
    known: BTreeSet<String>,
    did: BTreeSet<String>,
    metric: bool,
    ids: usize,
}

fn said(reading: &Reading) -> Said<'_> {
    let words: BTreeSet<&str> = reading.words.iter().map(String::as_str).collect();
    let nouns: BTreeSet<String> =
        reading.nouns().map(|noun| noun.split('_').map(stem).collect::<Vec<_>>().join("_")).collect();
    let mut known: BTreeSet<String> = words.iter().map(|word| (*word).to_owned()).collect();
    known.extend(nouns.iter().flat_map(|noun| noun.split('_').map(str::to_owned)));
    let writes = ["ANALYSIS", "READS"];
    Said {
        nouns,
        known,
        did: reading
            .concepts
            .iter()
            .filter_map(|concept| concept.strip_prefix("v:"))
            .filter(|verb| !writes.contains(verb))
            .map(str::to_lowercase)
            .collect(),
        metric: reading.has("m:"),
        ids: reading.words.iter().filter(|word| word.starts_with("id")).count(),
        words,
    }
}

fn number(fact: bool) -> f32 {
    f32::from(u8::from(fact))
}

fn own(facts: &Facts, reading: &Reading) -> Vec<[f32; OWN]> {
    let said = said(reading);
    let counted = |word: &&&str| !["num", "id", "net", "qname"].iter().any(|kind| word.starts_with(kind));
    let worth = |word: &str, other: f32| facts.words.get(word).map_or(other, |word| word.worth);
    let total: f32 = said.words.iter().filter(counted).map(|word| worth(word, 1.5)).sum::<f32>() + 1e-6;
    let mut covered = vec![0.0; facts.operations.len()];
    for word in &said.words {
        if let Some(word) = facts.words.get(*word) {
            for at in &word.operations {
                covered[usize::from(*at)] += word.worth;
            }
        }
    }
    let rows = facts.operations.iter().zip(covered).map(|(operation, covered)| {
        let all: f32 = operation.noun_words.iter().map(|word| worth(word, 3.0)).sum::<f32>() + 1e-6;
        let size: f32 =
            operation.noun_words.iter().filter(|word| said.known.contains(*word)).map(|word| worth(word, 3.0)).sum();
        let part = size / all;
        let whole = if part > 0.999 { size / 10.0 } else { 0.0 };
        let verb = operation.plain_verb();
        let report = operation.capability == Capability::Reporting;
        let (list, get) = (operation.verb == "list", operation.verb == "get");
        let spoken = number(said.words.contains(verb));
        [
            covered / total,
            part,
            number(said.nouns.contains(&operation.noun)),
            whole,
            number(said.did.contains(verb)),
            spoken,
            spoken * whole,
            number(said.metric && report),
            number(!said.metric && report),
            number(said.ids > 1 && operation.is_batch()),
            number(said.ids == 0 && operation.needs_id && get),
            number(said.ids == 1 && get),
            number(said.ids > 0 && list),
            number(said.did.is_empty() && operation.read_only),
            number(!said.did.is_empty() && operation.read_only),
        ]
    });
    rows.collect()
}

/// Returns the features of every operation.
pub fn all(facts: &Facts, scene: &Scene<'_>) -> Matches {
    let now = own(facts, &scene.now);
    let before = scene.before().filter(|_| scene.follow > 0.0).map(|before| own(facts, before));
    now.into_iter()
        .enumerate()
        .map(|(at, now)| {
            let mut row = [0.0; WIDTH];
            row[..OWN].copy_from_slice(&now);
            if let Some(before) = &before {
                for (to, from) in [0, 1, 3].into_iter().enumerate() {
                    row[OWN + to] = scene.follow * before[at][from];
                }
            }
            row
        })
        .collect()
}

/// The names by which operations share weights: verbs, nouns, words of nouns, capabilities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Heads {
    /// Such as `v:get`, `n:ad_unit`, `w:unit` and `c:3`; sorted.
    pub names: Vec<String>,
}

impl Heads {
    #[cfg(feature = "train")]
    pub fn of(facts: &Facts) -> Self {
        let names: BTreeSet<String> =
            facts.operations.iter().flat_map(|operation| names(operation).into_iter().map(|(name, _)| name)).collect();
        Self { names: names.into_iter().collect() }
    }

    /// Returns, for each operation, the heads whose sum is its score, with their weights. A name without a head adds nothing.
    pub fn wiring(&self, facts: &Facts) -> Vec<Vec<(u16, f32)>> {
        facts
            .operations
            .iter()
            .map(|operation| {
                names(operation)
                    .into_iter()
                    .filter_map(|(name, weight)| {
                        let at = self.names.binary_search(&name).ok()?;
                        Some((u16::try_from(at).ok()?, weight))
                    })
                    .collect()
            })
            .collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a handful of words")]
fn names(operation: &crate::facts::Operation) -> Vec<(String, f32)> {
    let each = 1.0 / (operation.noun_words.len().max(1) as f32).sqrt();
    let capability = Capability::ALL.iter().position(|c| *c == operation.capability).unwrap_or_default();
    let mut out = vec![
        (format!("v:{}", operation.verb), 1.0),
        (format!("n:{}", operation.noun), 1.0),
        (format!("c:{capability}"), 1.0),
    ];
    out.extend(operation.noun_words.iter().map(|word| (format!("w:{word}"), each)));
    out
}
