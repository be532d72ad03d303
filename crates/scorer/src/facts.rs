//! Facts about the operations from their descriptions: verb, noun, words, and which networks have what.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use adagent_domain::Network;
use serde::Deserialize;

use crate::Capability;
use crate::lexicon::stem;

/// One line of `data/operations.json`.
#[derive(Debug, Clone, Deserialize)]
pub struct Described {
    pub name: String,
    pub title: String,
    pub description: String,
    pub network: Network,
    pub capability: Capability,
    pub read_only: bool,
    #[serde(default)]
    pub params: String,
}

#[derive(Debug, Clone)]
pub struct Operation {
    pub name: String,
    #[cfg(feature = "train")]
    pub title: String,
    #[cfg(feature = "train")]
    pub description: String,
    pub network: Network,
    pub capability: Capability,
    pub read_only: bool,
    /// The verb, with `batch_` if the operation takes several things.
    pub verb: String,
    /// The noun in the singular, as in `ad_unit`.
    pub noun: String,
    /// The words of the noun, each once.
    pub noun_words: Vec<String>,
    /// Whether the operation reads one thing by its ID.
    pub needs_id: bool,
}

impl Operation {
    /// Returns the verb without `batch_`.
    pub fn plain_verb(&self) -> &str {
        self.verb.strip_prefix("batch_").unwrap_or(&self.verb)
    }

    pub fn is_batch(&self) -> bool {
        self.verb.starts_with("batch_")
    }
}

/// The operations that a word occurs in, and its weight.
#[derive(Debug, Clone, Default)]
pub struct Word {
    pub worth: f32,
    pub operations: Vec<u16>,
}

#[derive(Debug, Clone)]
pub struct Facts {
    pub operations: Vec<Operation>,
    /// The operations of each network, by the network's position in [`Network::ALL`].
    pub of: Vec<Vec<usize>>,
    pub words: HashMap<String, Word>,
    /// Whether a network has an operation of a capability, by the positions of both.
    pub owns: [[bool; 11]; Network::ALL.len()],
    /// Which networks have a noun.
    owners: HashMap<String, Vec<Network>>,
}

pub fn words_of(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| stem(&word.to_lowercase()).to_owned())
}

fn operation(described: Described) -> (Operation, BTreeSet<String>) {
    let rest = described.name.strip_prefix(described.network.id()).unwrap_or(&described.name).trim_start_matches('_');
    let batch = if rest.starts_with("batch_") { "batch_" } else { "" };
    let (verb, noun) = rest.trim_start_matches("batch_").split_once('_').unwrap_or((rest, ""));
    let noun: Vec<String> = words_of(noun).collect();
    let params = described.params.split(' ').filter(|p| !p.starts_with("account") && !p.starts_with("network"));
    let needs_id = params.clone().any(|p| ["_id", "Id", "_ids", "name"].iter().any(|end| p.ends_with(end)));
    let text = [rest, &described.title, &described.description, &described.params].join(" ");
    let text = words_of(&text).collect();
    let operation = Operation {
        verb: format!("{batch}{verb}"),
        noun_words: noun.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect(),
        noun: noun.join("_"),
        needs_id,
        network: described.network,
        capability: described.capability,
        read_only: described.read_only,
        #[cfg(feature = "train")]
        title: described.title,
        #[cfg(feature = "train")]
        description: described.description,
        name: described.name,
    };
    (operation, text)
}

/// Returns the position of a network in [`Network::ALL`].
pub fn place(network: Network) -> usize {
    Network::ALL.iter().position(|other| *other == network).unwrap_or_default()
}

impl Facts {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "hundreds of operations")]
    pub fn new(described: Vec<Described>) -> Self {
        let (operations, texts): (Vec<Operation>, Vec<BTreeSet<String>>) = described.into_iter().map(operation).unzip();
        let mut places: BTreeMap<&str, Vec<u16>> = BTreeMap::new();
        for (at, text) in texts.iter().enumerate() {
            for word in text {
                places.entry(word).or_default().push(at as u16);
            }
        }
        let total = operations.len() as f64;
        let words = places
            .into_iter()
            .map(|(word, operations)| {
                let worth = crate::math::ln(1.0 + total / (1.0 + operations.len() as f64)) as f32;
                (word.to_owned(), Word { worth, operations })
            })
            .collect();
        let mut of = vec![Vec::new(); Network::ALL.len()];
        let mut owns = [[false; 11]; Network::ALL.len()];
        let mut owners: HashMap<String, Vec<Network>> = HashMap::new();
        for (at, operation) in operations.iter().enumerate() {
            let network = place(operation.network);
            of[network].push(at);
            for (at, capability) in Capability::ALL.iter().enumerate() {
                owns[network][at] |= *capability == operation.capability
                    || matches!(capability, Capability::Docs | Capability::Assistant);
            }
            let list = owners.entry(operation.noun.clone()).or_default();
            if !list.contains(&operation.network) {
                list.push(operation.network);
            }
        }
        Self { operations, of, words, owns, owners }
    }

    /// Returns the operations that this crate knows, from all nine networks.
    pub fn bundled() -> Self {
        Self::new(serde_json::from_str(crate::OPERATIONS).expect("data/operations.json is checked by a test"))
    }

    /// Returns the networks that have a thing with this name.
    pub fn owners(&self, noun: &str) -> &[Network] {
        self.owners.get(noun).map_or(&[], Vec::as_slice)
    }
}
