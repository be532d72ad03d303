//! A question with the earlier turns, read once for all parts that score it.

use std::collections::BTreeSet;

use adagent_domain::{Cut as _, Network};

use crate::Question;
use crate::facts::Facts;
use crate::lexicon::{Lexicon, Reading};

/// How many user turns are read.
const TURNS: usize = 6;
/// How many letters of a message are read.
const LONGEST: usize = 2000;

const PRONOUNS: &[&str] = &[
    "it", "its", "that", "this", "those", "these", "them", "they", "one", "same", "again", "also", "too", "instead",
    "there", "both", "he", "other", "rest", "first", "second", "third", "last",
];
const LEADS: &[&str] = &[
    "and", "also", "now", "then", "what", "how", "same", "but", "or", "ok", "okay", "only", "just", "instead", "plus",
    "for", "by", "no", "ye", "yes",
];

#[derive(Debug, Clone)]
pub struct Scene<'a> {
    pub question: Question<'a>,
    pub now: Reading,
    /// The person's earlier messages, oldest first.
    pub users: Vec<Reading>,
    /// The previous answer.
    pub reply: Option<Reading>,
    /// How much the question depends on the previous one, 0 to 1.
    pub follow: f32,
}

fn follow(now: &Reading) -> f32 {
    let words = &now.words;
    let mut score = 0.0;
    match words.len() {
        0..=4 => score += 0.5,
        5..=8 => score += 0.25,
        _ => {}
    }
    if words.first().is_some_and(|word| LEADS.contains(&word.as_str())) {
        score += 0.5;
    }
    if words.iter().any(|word| PRONOUNS.contains(&word.as_str())) {
        score += 0.4;
    }
    if now.concepts.is_empty() {
        score += 0.2;
    }
    if now.has("n:") {
        score -= 0.35;
    }
    if words.len() > 5 && now.has("m:") {
        score -= 0.3;
    }
    f32::clamp(score, 0.0, 1.0)
}

impl<'a> Scene<'a> {
    pub fn new(lexicon: &Lexicon, question: Question<'a>) -> Self {
        let read = |text: &'a str| lexicon.read(text.cut(..LONGEST));
        let now = read(question.text);
        let said: Vec<&str> =
            question.history.iter().filter(|entry| entry.role == "user").map(|entry| entry.content.as_str()).collect();
        let users: Vec<Reading> = said[said.len().saturating_sub(TURNS)..].iter().map(|text| read(text)).collect();
        let reply = question.history.iter().rfind(|entry| entry.role != "user").map(|entry| read(&entry.content));
        let follow = if users.is_empty() { 0.0 } else { follow(&now) };
        Self { question, now, users, reply, follow }
    }

    pub fn before(&self) -> Option<&Reading> {
        self.users.last()
    }

    pub fn usable(&self) -> Vec<Network> {
        let disabled = self.question.disabled;
        self.question.connected.iter().copied().filter(|network| !disabled.contains(network)).collect()
    }

    /// Returns networks that a text implies without naming them: by a thing that only they have.
    pub fn implied(facts: &Facts, reading: &Reading) -> BTreeSet<Network> {
        let mut out: BTreeSet<Network> = reading
            .nouns()
            .filter_map(|noun| match facts.owners(noun) {
                [only] => Some(*only),
                _ => None,
            })
            .collect();
        if reading.words.iter().any(|word| word == "idcapub") {
            out.insert(Network::AdMob);
        }
        out
    }

    /// Returns the networks that the chat was about before this question.
    pub fn carried(&self, facts: &Facts) -> BTreeSet<Network> {
        let mut state = BTreeSet::new();
        for reading in &self.users {
            let named: BTreeSet<Network> = reading.networks().into_iter().collect();
            if !named.is_empty() {
                state = named;
                continue;
            }
            let mut implied = Self::implied(facts, reading);
            implied.retain(|network| self.question.connected.contains(network));
            if !implied.is_empty() {
                state = implied;
            }
        }
        state
    }
}
