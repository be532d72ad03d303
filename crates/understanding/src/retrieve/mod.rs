//! Ranks the tools of the catalog for a question: BM25 over their texts, raised by what the router understood.
//!
//! It never hides a tool because of its capability if its network is asked: the boosts only decide the order.

use std::collections::HashMap;

use adagent_domain::Network;
use serde::{Deserialize, Serialize};

mod cue;
mod reports;
/// Returns the tools of all nine catalogs, with the fields that ranking needs.
pub fn bundled_tools() -> Vec<RetrievableTool> {
    serde_json::from_str(adagent_scorer::OPERATIONS).expect("data/operations.json is checked by a test")
}

#[cfg(test)]
mod tests;

use self::cue::Cue;
use crate::text::stem;
use crate::types::{Capability, Understood};

/// What retrieval needs to know about a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrievableTool {
    pub name: String,
    pub title: String,
    pub description: String,
    pub network: Network,
    pub capability: Capability,
    pub read_only: bool,
    #[serde(default)]
    pub destructive: bool,
    /// Names of its parameters, and their descriptions if there are any.
    #[serde(default)]
    pub params: String,
}

/// The fields that the rules look at. Tools that agree in all of them are of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Shape {
    network: Network,
    capability: Capability,
    read_only: bool,
    /// The name, for tools that the rules know by name, without the number of a copy. Empty for all other tools.
    name: String,
    verb: String,
    noun: String,
    batch: bool,
    plural: bool,
}

#[derive(Debug, Clone)]
struct Entry {
    name: String,
    shape: u32,
}

/// The index of a tool that has a word, and the word's weight in it.
type Posting = (u32, f32);

/// The tools, prepared for ranking.
#[derive(Debug, Clone)]
pub struct ToolIndex {
    entries: Vec<Entry>,
    shapes: Vec<Shape>,
    postings: HashMap<String, Vec<Posting>>,
}

/// The most tools that we bind to a model.
const TOP: usize = 15;
/// The most tools that each network gets first if the question asks several networks.
const EACH: usize = 4;
/// The boost of the best operation by the learned scores. A higher one finds the right tool for strangers' questions a little more often
/// (24: 0.5 points), but then IDs and an operation's own verb no longer count.
const LEARNED: f64 = 16.0;
const K1: f64 = 1.2;
const B: f64 = 0.6;

fn singular(noun: &str) -> String {
    noun.split('_').map(|w| if w == "cms" || w == "os" { w.to_owned() } else { stem(w) }).collect::<Vec<_>>().join("_")
}

/// Returns the noun as the vocabulary calls it.
pub(crate) fn canonical(noun: &str) -> String {
    let plain = singular(noun.strip_suffix("_for_approval").unwrap_or(noun));
    match plain.as_str() {
        "application" => "app".into(),
        "project_ad_unit" => "ad_unit".into(),
        "entity_signal_mapping" => "entity_signals_mapping".into(),
        "ad_break_by_asset_key" | "ad_break_by_custom_asset_key" => "ad_break".into(),
        "custom_targeting_value_by_key" => "custom_targeting_value".into(),
        "mediation_ab_experiment" | "segment_experiment" => "experiment".into(),
        other => other.into(),
    }
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 1).map(|w| stem(&w.to_lowercase()))
}

/// Returns the name or noun without the number of a copy.
fn unnumbered(text: &str) -> &str {
    text.rsplit_once('_')
        .filter(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        .map_or(text, |(t, _)| t)
}

/// Returns the kind of a tool.
fn shape(tool: &RetrievableTool) -> Shape {
    let name = unnumbered(&tool.name);
    let rest = name.strip_prefix(tool.network.id()).unwrap_or(name).trim_start_matches('_');
    let batch = rest.starts_with("batch_");
    let (verb, noun) = rest.trim_start_matches("batch_").split_once('_').unwrap_or((rest, ""));
    // "approve_and_overbook_orders": the second verb says nothing about the thing.
    let noun = noun.strip_prefix("and_overbook_").unwrap_or(noun);
    let by_name = tool.capability == Capability::Reporting || cue::BY_NAME.iter().any(|part| name.contains(part));
    Shape {
        network: tool.network,
        capability: tool.capability,
        read_only: tool.read_only,
        name: if by_name { name.to_owned() } else { String::new() },
        verb: verb.to_owned(),
        noun: canonical(noun),
        batch,
        plural: noun.ends_with('s'),
    }
}

/// Keeps the best of the tools it sees, in order.
struct Best<'a> {
    entries: &'a [Entry],
    most: usize,
    kept: Vec<(usize, f64)>,
}

impl<'a> Best<'a> {
    fn new(entries: &'a [Entry], most: usize) -> Self {
        Self { entries, most, kept: Vec::with_capacity(most + 1) }
    }

    fn show(&mut self, item: (usize, f64)) {
        let better = |other: &(usize, f64)| {
            item.1
                .total_cmp(&other.1)
                .reverse()
                .then_with(|| self.entries[item.0].name.cmp(&self.entries[other.0].name))
                .is_lt()
        };
        if self.kept.len() == self.most && !self.kept.last().is_some_and(better) {
            return;
        }
        let at = self.kept.iter().position(better).unwrap_or(self.kept.len());
        self.kept.insert(at, item);
        self.kept.truncate(self.most);
    }
}

/// Returns what the learned order adds to each operation. The first one of each network gets the most.
fn fits(names: &[String]) -> HashMap<&str, f64> {
    let mut places: HashMap<&str, f64> = HashMap::new();
    let mut seen: HashMap<&str, f64> = HashMap::new();
    for name in names {
        let place = seen.entry(name.split('_').next().unwrap_or_default()).or_default();
        places.insert(name, LEARNED / (1.0 + *place / 2.0));
        *place += 1.0;
    }
    places
}

impl ToolIndex {
    /// Prepares tools for ranking.
    #[expect(clippy::cast_possible_truncation, reason = "fewer tools than four billion, weights of a few digits")]
    pub fn new(tools: &[RetrievableTool]) -> Self {
        let mut counts: HashMap<String, Vec<(u32, f64)>> = HashMap::new();
        let mut kinds: HashMap<Shape, u32> = HashMap::new();
        let mut shapes = Vec::new();
        let mut lengths = Vec::with_capacity(tools.len());
        let mut entries = Vec::with_capacity(tools.len());
        for (index, tool) in tools.iter().enumerate() {
            let index = index as u32;
            let rest = tool.name.strip_prefix(tool.network.id()).unwrap_or(&tool.name).trim_start_matches('_');
            let rest = rest.trim_start_matches("batch_");
            let mut length = 0.0;
            let mut add = |text: &str, weight: f64| {
                for word in words(text) {
                    length += weight;
                    let list = counts.entry(word).or_default();
                    match list.last_mut() {
                        Some((tool, count)) if *tool == index => *count += weight,
                        _ => list.push((index, weight)),
                    }
                }
            };
            add(&rest.replace('_', " "), 2.0);
            add(&tool.title, 1.5);
            add(&tool.description, 1.0);
            add(&tool.params.replace('_', " "), 0.3);
            lengths.push(length);
            let shape = shape(tool);
            let shape = *kinds.entry(shape).or_insert_with_key(|shape| {
                shapes.push(shape.clone());
                shapes.len() as u32 - 1
            });
            entries.push(Entry { name: tool.name.clone(), shape });
        }
        Self { postings: weigh(counts, &lengths), entries, shapes }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn bm25(&self, query: &[String]) -> Vec<f32> {
        let mut scores = vec![0.0; self.entries.len()];
        for list in query.iter().filter_map(|word| self.postings.get(word)) {
            for (index, worth) in list {
                scores[*index as usize] += worth;
            }
        }
        scores
    }

    /// Returns the best fifteen tools of the given networks, best first.
    pub fn rank(&self, understood: &Understood, text: &str, networks: &[Network]) -> Vec<(String, f64)> {
        if understood.capability == Capability::Docs || understood.capability == Capability::Assistant {
            return Vec::new();
        }
        let cue = Cue::new(understood, text);
        let asked = &understood.services;
        // The score of each kind by the rules. Tools of other networks than the given ones get none.
        let kinds: Vec<Option<f64>> = self
            .shapes
            .iter()
            .map(|shape| {
                let first = if asked.is_empty() || asked.contains(&shape.network) { 15.0 } else { 0.0 };
                networks.contains(&shape.network).then(|| first + cue.boost(shape))
            })
            .collect();
        let fits = fits(&understood.fits);
        let mut best = Best::new(&self.entries, TOP);
        // If the question asks several networks, each gets its best tools into the list.
        let each = if asked.len() > 1 { (TOP / asked.len()).clamp(1, EACH) } else { 0 };
        let mut of_each: Vec<(Network, Best<'_>)> =
            asked.iter().filter(|_| each > 0).map(|n| (*n, Best::new(&self.entries, each))).collect();
        for (index, (entry, words)) in self.entries.iter().zip(self.bm25(&cue.words)).enumerate() {
            let Some(kind) = kinds[entry.shape as usize] else { continue };
            let item = (index, kind + f64::from(words) + fits.get(entry.name.as_str()).copied().unwrap_or_default());
            best.show(item);
            if each > 0 {
                let network = self.shapes[entry.shape as usize].network;
                for (_, own) in of_each.iter_mut().filter(|(n, _)| *n == network) {
                    own.show(item);
                }
            }
        }
        let mut out: Vec<(usize, f64)> = of_each.into_iter().flat_map(|(_, own)| own.kept).collect();
        for item in best.kept {
            if out.len() < TOP && !out.iter().any(|(i, _)| *i == item.0) {
                out.push(item);
            }
        }
        out.sort_by(|a, b| b.1.total_cmp(&a.1));
        out.truncate(TOP);
        out.into_iter().map(|(i, score)| (self.entries[i].name.clone(), score)).collect()
    }
}

/// Returns the weight of each word in each tool, by BM25. Nothing here depends on the question, so we compute it before.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "counts of tools, weights of a few digits"
)]
fn weigh(counts: HashMap<String, Vec<(u32, f64)>>, lengths: &[f64]) -> HashMap<String, Vec<Posting>> {
    let total = lengths.len() as f64;
    let average = (lengths.iter().sum::<f64>() / total.max(1.0)).max(1.0);
    let worth = |list: Vec<(u32, f64)>| {
        let tools = list.len() as f64;
        let rarity = (1.0 + (total - tools + 0.5) / (tools + 0.5)).ln();
        list.into_iter()
            .map(|(index, count)| {
                let norm = K1 * (1.0 - B + B * lengths[index as usize] / average);
                (index, (rarity * count * (K1 + 1.0) / (count + norm)) as f32)
            })
            .collect()
    };
    counts.into_iter().map(|(word, list)| (word, worth(list))).collect()
}
