//! A question as a sparse vector of hashed features: words, parts of words, concepts, earlier turns, connected networks.

use adagent_domain::Network;

use crate::facts::Facts;
use crate::hash::Hash;
use crate::lexicon::Reading;
use crate::scene::Scene;

/// Buckets with values, sorted by bucket, each bucket once.
pub type Sparse = Vec<(u16, f32)>;

/// Weight of the previous turn next to the question, if the question depends on it completely.
const BEFORE: f32 = 0.6;
const CONTEXT: f32 = 0.3;
/// Weights of the turn before that, and of the answer.
const EARLIER: f32 = 0.15;
const REPLY: f32 = 0.3;
/// Weight of the words combined with the network.
const WITH_NETWORK: f32 = 0.7;

struct Vector {
    values: Vec<(u16, f32)>,
    block: Vec<u64>,
    hashes: Vec<Hash>,
}

impl Vector {
    fn new() -> Self {
        Self { values: Vec::with_capacity(256), block: Vec::new(), hashes: Vec::new() }
    }

    fn put(&mut self, hash: Hash, value: f32) {
        self.values.push((hash.bucket(), value));
    }

    fn note(&mut self, hash: Hash) {
        self.hashes.push(hash);
    }

    /// Closes a block: keeps each of its features once. Together they weigh `weight`.
    #[expect(clippy::cast_precision_loss, reason = "hundreds of features")]
    fn close(&mut self, weight: f32) {
        if self.hashes.is_empty() {
            return;
        }
        self.hashes.sort_unstable_by_key(|hash| hash.digest());
        self.hashes.dedup_by_key(|hash| hash.digest());
        let each = weight / (self.hashes.len() as f32).sqrt();
        for hash in self.hashes.drain(..) {
            self.values.push((hash.bucket(), each));
        }
    }

    fn finish(mut self) -> Sparse {
        // The sort is stable, so the values of a bucket are added in the order in which they came.
        self.values.sort_by_key(|(bucket, _)| *bucket);
        self.block.clear();
        let mut out: Sparse = Vec::with_capacity(self.values.len());
        for (bucket, value) in self.values {
            match out.last_mut() {
                Some((last, sum)) if *last == bucket => *sum += value,
                _ => out.push((bucket, value)),
            }
        }
        out
    }
}

fn words(vector: &mut Vector, reading: &Reading, weight: f32) {
    let padded: Vec<&str> =
        std::iter::once("^").chain(reading.words.iter().map(String::as_str)).chain(std::iter::once("$")).collect();
    for n in 1..=3 {
        for window in padded.windows(n) {
            let hash = window.iter().fold(Hash::new().text("w"), |hash, word| hash.text(word).text(" "));
            vector.note(hash);
        }
    }
    vector.close(weight);
    let mut letters: Vec<char> = Vec::new();
    let mut buffer = [0; 4];
    for word in &reading.words {
        letters.clear();
        letters.push(' ');
        letters.extend(word.chars().take(40));
        letters.push(' ');
        for n in 3..=5 {
            for window in letters.windows(n) {
                let hash = window.iter().fold(Hash::new().text("c"), |hash, c| hash.text(c.encode_utf8(&mut buffer)));
                vector.note(hash);
            }
        }
    }
    vector.close(weight);
}

fn is_kind(word: &str) -> bool {
    matches!(
        word,
        "idcapub"
            | "idpub"
            | "idurl"
            | "idmail"
            | "idpkg"
            | "idhex"
            | "idnum"
            | "num"
            | "numdate"
            | "nummoney"
            | "numpct"
            | "qname"
    )
}

fn concepts(vector: &mut Vector, reading: &Reading, weight: f32) {
    let concepts = &reading.concepts;
    let named = |name: &str| Hash::new().text("l").text(name);
    for concept in concepts {
        vector.note(named(concept));
    }
    for pair in concepts.windows(2) {
        vector.note(named(&pair[0]).text(">").text(&pair[1]));
    }
    for verb in concepts.iter().filter(|concept| concept.starts_with("v:")) {
        for noun in concepts.iter().filter(|concept| concept.starts_with("n:")) {
            vector.note(named(verb).text("&").text(noun));
        }
    }
    if let Some(first) = concepts.first() {
        vector.note(named("^").text(first));
    }
    for (at, word) in reading.words.iter().enumerate().filter(|(_, word)| is_kind(word)) {
        vector.note(named(word));
        if matches!(word.as_str(), "idnum" | "idhex") && reading.words[..at].contains(word) {
            vector.note(Hash::new().text("l2").text(word));
        }
    }
    for mention in &reading.mentions {
        vector.note(Hash::new().text("p").with(&mention.name.to_le_bytes()));
    }
    vector.close(weight);
}

fn text(vector: &mut Vector, reading: &Reading, weight: f32) {
    words(vector, reading, weight);
    concepts(vector, reading, weight);
}

/// Adds the features of the earlier turns.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 4")]
fn history(vector: &mut Vector, scene: &Scene<'_>) {
    let Some(before) = scene.before() else { return };
    if scene.follow > 0.0 {
        text(vector, before, BEFORE * scene.follow);
    }
    vector.put(Hash::new().text("hF").with(&[(scene.follow * 4.0).round() as u8]), 0.5);
    for concept in &before.concepts {
        vector.put(Hash::new().text("hP").text(concept), 0.3);
    }
    if let [.., earlier, _] = scene.users.as_slice() {
        for concept in &earlier.concepts {
            vector.put(Hash::new().text("hQ").text(concept), EARLIER);
        }
    }
    if let Some(reply) = &scene.reply {
        for concept in &reply.concepts {
            vector.note(Hash::new().text("hR").text(concept));
        }
        for word in reply.words.iter().take(30) {
            vector.note(Hash::new().text("hW").text(word));
        }
        vector.close(REPLY);
    }
}

fn context(vector: &mut Vector, scene: &Scene<'_>) {
    let (connected, disabled) = (scene.question.connected, scene.question.disabled);
    let named: Vec<Network> = scene.now.networks();
    let buckets = [
        (b"c", connected.len().min(3)),
        (b"n", named.len().min(3)),
        (b"m", usize::from(named.iter().any(|network| !connected.contains(network)))),
        (b"d", usize::from(named.iter().any(|network| disabled.contains(network)))),
        (b"h", usize::from(!scene.users.is_empty())),
    ];
    for (name, value) in buckets {
        vector.put(Hash::new().text("x").with(name).with(&value.to_le_bytes()), CONTEXT);
    }
}

/// Adds the words combined with each network that the question means: a floor belongs to the inventory at one network and to
/// mediation at another.
fn with_network(vector: &mut Vector, facts: &Facts, scene: &Scene<'_>) {
    let mut networks = scene.now.networks();
    if networks.is_empty() {
        networks = Scene::implied(facts, &scene.now).into_iter().collect();
    }
    if networks.is_empty() {
        networks = scene.carried(facts).into_iter().collect();
    }
    if networks.is_empty() && scene.usable().len() == 1 {
        networks = scene.usable();
    }
    if networks.len() > 2 {
        return;
    }
    for network in networks {
        let name = Hash::new().text("k").text(network.id());
        vector.note(name);
        for word in &scene.now.words {
            vector.note(name.text("w").text(word));
        }
        for concept in &scene.now.concepts {
            vector.note(name.text(concept));
        }
    }
    vector.close(WITH_NETWORK);
}

/// Returns the features for the routing heads.
pub fn route(facts: &Facts, scene: &Scene<'_>) -> Sparse {
    let mut vector = Vector::new();
    text(&mut vector, &scene.now, 1.0);
    history(&mut vector, scene);
    context(&mut vector, scene);
    with_network(&mut vector, facts, scene);
    vector.finish()
}

/// Returns the features for choosing an operation. Which networks are connected does not matter for that.
pub fn operation(scene: &Scene<'_>) -> Sparse {
    let mut vector = Vector::new();
    text(&mut vector, &scene.now, 1.0);
    history(&mut vector, scene);
    vector.finish()
}
