//! The word tables, prepared for lookups, and the reading of texts with them.

use std::collections::{HashMap, HashSet};

use adagent_domain::Network;

use crate::phrases::Phrases;
use crate::scan::{is_unspaced, scan};
use crate::spelling::Spelling;
use crate::tables::{dictionary, dimensions, metrics, networks, nouns, trade, verbs};

/// The share of English words from which a text counts as English.
const ENGLISH_SHARE: f32 = 0.18;

/// A network that a text names: which of its names, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// `None` for a demand source that is not one of the nine networks.
    pub network: Option<Network>,
    /// The name as in the table: MAX is only a part of `AppLovin`.
    pub name: u16,
    /// Index of the word that replaces it.
    pub at: usize,
}

/// A text as the features see it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// In English and singular. IDs appear as their kinds, networks as `net`, other demand sources as `src`.
    pub words: Vec<String>,
    pub mentions: Vec<Mention>,
    /// Nouns (`n:app`), verbs (`v:Create`), metrics (`m:ecpm`), dimensions (`d:country`), in order.
    pub concepts: Vec<String>,
}

impl Reading {
    pub fn names(&self, network: Network) -> bool {
        self.mentions.iter().any(|mention| mention.network == Some(network))
    }

    /// Returns the networks that the text names, in order, each once.
    pub fn networks(&self) -> Vec<Network> {
        let mut out = Vec::new();
        for network in self.mentions.iter().filter_map(|mention| mention.network) {
            if !out.contains(&network) {
                out.push(network);
            }
        }
        out
    }

    pub fn nouns(&self) -> impl Iterator<Item = &str> {
        self.concepts.iter().filter_map(|concept| concept.strip_prefix("n:"))
    }

    pub fn has(&self, kind: &str) -> bool {
        self.concepts.iter().any(|concept| concept.starts_with(kind))
    }
}

/// Phrases by their first letter, with their English words.
type Unspaced = HashMap<char, Vec<(Vec<char>, Vec<String>)>>;

#[derive(Debug, Clone)]
pub struct Lexicon {
    networks: Phrases<(Option<Network>, u16)>,
    concepts: [(&'static str, Phrases<&'static str>); 4],
    /// Phrases of other languages, with their English words.
    spaced: Phrases<Vec<String>>,
    /// The same for languages without spaces: by first letter, longest first.
    unspaced: Unspaced,
    english: HashSet<&'static str>,
    spelling: Spelling,
}

/// Removes the plural "s", as in "apps"; keeps "ss".
pub fn stem(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(rest) if word.len() > 3 && !rest.ends_with('s') => rest,
        _ => word,
    }
}

fn stems(text: &str) -> Vec<String> {
    scan(text).iter().map(|word| stem(word).to_owned()).collect()
}

fn concepts<T: Copy>(into: &mut Phrases<&'static str>, rows: &[(T, &'static str)], name: impl Fn(T) -> &'static str) {
    for (meaning, spellings) in rows {
        for spelling in spellings.split('|') {
            into.add(stems(spelling), name(*meaning));
        }
    }
}

impl Lexicon {
    /// Builds the lexicon from the tables of this crate.
    pub fn new() -> Self {
        let mut mentions = Phrases::default();
        let mut name = 0;
        for (network, spellings) in networks::NETWORKS {
            for spelling in spellings.split('|') {
                mentions.add(stems(spelling), (Some(*network), name));
                name += 1;
            }
        }
        for (_, spellings) in networks::OTHER_SOURCES {
            for spelling in spellings.split('|') {
                mentions.add(stems(spelling), (None, name));
            }
            name += 1;
        }
        let [mut things, mut measures, mut splits, mut deeds] =
            [Phrases::default(), Phrases::default(), Phrases::default(), Phrases::default()];
        concepts(&mut things, nouns::NOUNS, |noun| noun);
        concepts(&mut measures, metrics::METRICS, |metric| metric);
        concepts(&mut measures, metrics::NOT_METRICS, |()| "none");
        concepts(&mut splits, dimensions::DIMENSIONS, |dimension| dimension);
        for rows in [dimensions::TIME_WORDS, dimensions::FORMATS, dimensions::PLATFORMS] {
            concepts(&mut splits, rows, |dimension| dimension);
        }
        concepts(&mut deeds, verbs::ANALYSIS, |()| "ANALYSIS");
        concepts(&mut deeds, verbs::WRITES, verbs::Write::name);
        concepts(&mut deeds, verbs::READS, |()| "READS");
        let mut spaced = Phrases::default();
        for row in dictionary::SPACED.iter().chain(trade::SPACED) {
            for (foreign, english) in pairs(row) {
                spaced.add(scan(foreign), scan(english));
            }
        }
        let mut unspaced = Unspaced::new();
        for (foreign, english) in pairs(dictionary::UNSPACED).chain(pairs(trade::UNSPACED)) {
            let letters = crate::scan::fold(foreign);
            if let Some(first) = letters.first() {
                unspaced.entry(*first).or_default().push((letters, scan(english)));
            }
        }
        for (network, spellings) in networks::NETWORKS {
            for spelling in spellings.split('|').filter(|spelling| spelling.contains(is_unspaced)) {
                let letters = crate::scan::fold(spelling);
                unspaced.entry(letters[0]).or_default().push((letters, vec![network.id().to_owned()]));
            }
        }
        for list in unspaced.values_mut() {
            list.sort_by_key(|(letters, _)| std::cmp::Reverse(letters.len()));
        }
        let mut known = mentions.words();
        for table in [&things, &measures, &splits, &deeds] {
            known.extend(table.words());
        }
        Self {
            spelling: Spelling::new(&known),
            networks: mentions,
            concepts: [("n:", things), ("m:", measures), ("d:", splits), ("v:", deeds)],
            spaced,
            unspaced,
            english: dictionary::ENGLISH.iter().copied().collect(),
        }
    }

    /// Splits words of a language without spaces into table words; keeps the rest.
    fn split_unspaced(&self, words: Vec<String>) -> Vec<String> {
        if !words.iter().any(|word| word.contains(is_unspaced)) {
            return words;
        }
        let mut out = Vec::with_capacity(words.len() * 2);
        for word in words {
            if !word.contains(is_unspaced) {
                out.push(word);
                continue;
            }
            let letters: Vec<char> = word.chars().collect();
            let (mut at, mut rest) = (0, String::new());
            while at < letters.len() {
                let known = self.unspaced.get(&letters[at]).into_iter().flatten();
                if let Some((key, english)) = known.clone().find(|(key, _)| letters[at..].starts_with(key)) {
                    if !rest.is_empty() {
                        out.push(std::mem::take(&mut rest));
                    }
                    out.extend(english.iter().cloned());
                    at += key.len();
                } else {
                    rest.push(letters[at]);
                    at += 1;
                }
            }
            if !rest.is_empty() {
                out.push(rest);
            }
        }
        out
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    fn is_english(&self, words: &[String]) -> bool {
        let known = words.iter().filter(|word| self.english.contains(word.as_str())).count();
        known as f32 >= (words.len() as f32 * ENGLISH_SHARE).max(1.0)
    }

    fn translated(&self, words: Vec<String>) -> Vec<String> {
        if self.is_english(&words) {
            return words;
        }
        let mut out = Vec::with_capacity(words.len());
        let mut next = 0;
        for (at, len, english) in self.spaced.all(&words) {
            out.extend_from_slice(&words[next..at]);
            out.extend_from_slice(english);
            next = at + len;
        }
        out.extend_from_slice(&words[next..]);
        out
    }

    pub fn read(&self, text: &str) -> Reading {
        let words = match crate::foreign::to_english(text) {
            Some(english) => scan(&english),
            None => self.translated(self.split_unspaced(scan(text))),
        };
        let plain = |word: String| {
            let word = self.spelling.repaired(&word).unwrap_or(word);
            if stem(&word).len() == word.len() { word } else { stem(&word).to_owned() }
        };
        let words: Vec<String> = words.into_iter().map(plain).collect();
        let (mut out, mut mentions, mut next) = (Vec::with_capacity(words.len()), Vec::new(), 0);
        for (at, len, (network, name)) in self.networks.all(&words) {
            out.extend_from_slice(&words[next..at]);
            mentions.push(Mention { network: *network, name: *name, at: out.len() });
            out.push(if network.is_some() { "net" } else { "src" }.to_owned());
            next = at + len;
        }
        out.extend_from_slice(&words[next..]);
        let mut found: Vec<(usize, String)> = Vec::new();
        for (kind, table) in &self.concepts {
            found.extend(table.all(&out).map(|(at, _, name)| (at, format!("{kind}{name}"))));
        }
        found.sort();
        Reading { words: out, mentions, concepts: found.into_iter().map(|(_, name)| name).collect() }
    }

    /// Returns English phrases with their foreign ones, to generate questions in other languages.
    #[cfg(feature = "train")]
    pub(crate) fn foreign() -> std::collections::BTreeMap<String, Vec<String>> {
        let mut out: std::collections::BTreeMap<String, Vec<String>> = std::collections::BTreeMap::new();
        for row in dictionary::SPACED.iter().chain(trade::SPACED) {
            for (foreign, english) in pairs(row) {
                out.entry(english.to_owned()).or_default().push(foreign.to_owned());
            }
        }
        for (foreign, english) in crate::foreign::pairs() {
            out.entry(english.to_owned()).or_default().push(foreign.to_owned());
        }
        out
    }
}

impl Default for Lexicon {
    fn default() -> Self {
        Self::new()
    }
}

/// Splits "a/b=c|…" into pairs: a with c, b with c.
fn pairs(row: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    row.split('|')
        .filter_map(|pair| pair.split_once('='))
        .flat_map(|(foreign, english)| foreign.split('/').map(move |word| (word, english)))
}

/// Checks whether a report can be split or sorted by what these English words name.
pub fn splits(english: &str) -> bool {
    static NAMES: std::sync::LazyLock<HashSet<&'static str>> = std::sync::LazyLock::new(|| {
        let rows = dimensions::DIMENSIONS.iter().chain(metrics::METRICS).chain(nouns::NOUNS);
        rows.flat_map(|(_, spellings)| spellings.split('|')).collect()
    });
    NAMES.contains(english) || NAMES.contains(stem(english))
}
