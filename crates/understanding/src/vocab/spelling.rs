//! Repairs typing errors in words the vocabulary knows, and leaves all other words alone.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::phrases::Words;
use super::{dimensions, metrics, networks, nouns, verbs};
use crate::text::{Kind, Token, stem};

/// Frequent words that must never be taken for a misspelt term.
const COMMON: &str = "a about above across active actually add after again against ago all also always am an and another any anything apparently are around as ask at away back bad be because been before behind being below best better between big bit both boss brand bring brought but buy by call called came can cant card care case cause change check clear close color come comes could count cover cut data day days dead deep did different do does doing done dont down drag drive drop due each early either else end enough even ever every everything exactly example except fact fair far fast feel few file fill find fine first fix floor folks follow for forget found four free from full game gave get getting give given go goes going gone good got great group had half hand happen happened hard has have he hear hello help her here hey hi high him his hold home hope hour house how however i idea if in info inside instead into is isnt it its itself job just keep kind know large last late later least leave left less let lets level like line list little live long look looking lot low made main make makes making many matter may maybe me mean means meet might mine mode moment monday more morning most move much must my myself name named near need needs never new next nice night no nobody none normal not note nothing now number numbers of off often oh ok okay old on once one only open or order other others our out outside over own page paid part past pay people per perhaps person phone pick place plan plans play please point post pretty print prior problem pull push put question quick quickly quite ran rate rather read ready real really reason recent remove rest right role row rows run running said sale same saw say says see seem seen sell send sent set settings several shall share she sheet ship short should side since single site so some somebody someone something soon sorry sort source space spend spot stand start state stay step still stop store stream such sure take taken talk team tell ten term test text than thank thanks that the their them then there these they thing things think this those though thought three through till time times to today together tomorrow tonight too took top total touch try turn two type under until up upon us use used user users using value very via view want was watch way we web week weekend well went were what when where whether which while who whole why will win wish with within without word words work works world would write wrong year years yes yesterday yet you your plus less else client clients cost costs money price prices value values show shown story style sun sunday map maps light rush sport sports news tower trail bubble snake loop puzzle quest blast acme run story hero banana bread recipe intern meeting office finance friend friends guys buddy colleague manager director launch launched holiday holidays budget deck slide email mail chat note notes sheet excel graph chart bar pie trend trends overview summary brief short detailed deeper deep insight insights context actual estimated confirmed paid unpaid gross net tax fee fees share shares percent percentage ratio growth decline declining rising falling increase increased decreased dropped sinking grew growing grow stable flat spike peak dip trough normal unusual strange weird odd suspicious wrong broken missing wonder wondering believe guess hear heard told asked asking answer answers question questions curious interested important urgent asap tomorrow evening afternoon night noon midnight central eastern western northern southern north south east west europe asia africa latin emea apac world global worldwide international local regional mobile tablet phone phones desktop web site sites page pages link links lines rate rates level levels stage step steps action actions black carries chuck clock compiled computed consent contract crash creation ease error errors issue issues manage manages negative proportion protect pure reactive readable registry replayed robot serve serves snapshot snapshots stuck suite survives table tables tracing weak weaker weakest loose charge charges charged chance chances horse clean sweep shave slash currently banned shops intro inner";

static COMMON_SET: LazyLock<HashSet<&'static str, Words>> = LazyLock::new(|| COMMON.split_whitespace().collect());

/// Words of time and grammar that are worth repairing though no table lists them.
const EXTRA: &str = "yesterday today monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december week weeks month months quarter year weekend previous versus compare compared between since daily weekly monthly country countries rewarded interstitial banner native android platform format weekday total average account accounts placement application revenue earnings impressions network networks campaign mediation experiment adapter explain increase decrease highest lowest biggest smallest difference documentation credentials the show what does with how much which please";

/// By first letter and length.
type Buckets = HashMap<(char, usize), Vec<&'static str>>;

static KNOWN: LazyLock<(HashSet<&'static str, Words>, Buckets)> = LazyLock::new(|| {
    let mut set: HashSet<&'static str, Words> = HashSet::default();
    let mut add = |words: &mut dyn Iterator<Item = &'static str>| {
        for w in words {
            set.insert(w);
        }
    };
    add(&mut networks::NETWORKS.words());
    add(&mut networks::OTHER_SOURCES.words());
    add(&mut metrics::METRICS.words());
    add(&mut dimensions::DIMENSIONS.words());
    add(&mut dimensions::TIME_WORDS.words());
    add(&mut dimensions::FORMATS.words());
    add(&mut dimensions::PLATFORMS.words());
    add(&mut nouns::NOUNS.words());
    add(&mut verbs::WRITES.words());
    add(&mut verbs::READS.words());
    add(&mut verbs::ANALYSIS.words());
    add(&mut EXTRA.split_whitespace());
    let mut buckets = Buckets::new();
    for w in &set {
        if w.is_ascii()
            && w.len() >= 4
            && let Some(first) = w.chars().next()
        {
            buckets.entry((first, w.len())).or_default().push(w);
        }
    }
    for list in buckets.values_mut() {
        list.sort_unstable();
    }
    (set, buckets)
});

pub fn is_common(word: &str) -> bool {
    COMMON_SET.contains(word) || KNOWN.0.contains(word)
}

/// A word of the trade, which no app is named by alone.
pub fn is_domain_word(token: &Token) -> bool {
    matches!(
        token.norm.as_str(),
        "show"
            | "what"
            | "which"
            | "how"
            | "why"
            | "give"
            | "list"
            | "compare"
            | "please"
            | "and"
            | "the"
            | "i"
            | "my"
            | "total"
            | "top"
            | "bottom"
            | "worst"
            | "best"
            | "only"
            | "revenue"
            | "mediation"
            | "all"
            | "for"
            | "by"
            | "is"
            | "did"
            | "does"
            | "in"
            | "on"
            | "per"
            | "a"
            | "an"
            | "of"
            | "from"
            | "to"
            | "report"
            | "csv"
            | "us"
            | "eu"
            | "sdk"
            | "id"
            | "no"
            | "yes"
            | "ok"
            | "hi"
            | "hello"
            | "cfo"
            | "mcm"
            | "kpi"
    ) && !matches!(token.norm.as_str(), "my")
        || token.norm == "my" && !token.capital
}

/// The known word that is meant, when the token is a likely misspelling of one.
fn repaired(token: &Token) -> Option<&'static str> {
    let word = token.norm.as_str();
    let len = word.len();
    if !word.is_ascii()
        || len < 3
        || word.bytes().any(|b| b.is_ascii_digit())
        || is_common(word)
        || is_common(&stem(word))
    {
        return None;
    }
    let inflected = ["d", "ed", "ing", "er", "ly", "r", "n", "es"].iter().any(|s| {
        word.strip_suffix(s).is_some_and(|base| {
            base.len() >= 3
                && (KNOWN.0.contains(base)
                    || COMMON_SET.contains(base)
                    || KNOWN.0.contains(format!("{base}e").as_str()))
        })
    });
    if inflected || crate::route::signals::knows(word) {
        return None;
    }
    match word {
        "fil" => return Some("fill"),
        "teh" | "hte" => return Some("the"),
        "shwo" | "hsow" => return Some("show"),
        "waht" | "wat" | "whta" => return Some("what"),
        "wich" | "whcih" | "whihc" => return Some("which"),
        "eCMP" | "ecmp" | "epcm" => return Some("ecpm"),
        "pls" | "plz" => return None,
        "wek" => return Some("week"),
        "wknd" | "wkend" | "wknds" => return Some("weekend"),
        _ => {}
    }
    if len < 4 {
        return None;
    }
    let first = word.chars().next()?;
    let allowed = if len >= 8 { 2 } else { 1 };
    let mut best: Option<(usize, &'static str)> = None;
    for n in len.saturating_sub(allowed)..=len + allowed {
        for candidate in KNOWN.1.get(&(first, n)).into_iter().flatten() {
            // Short words allow only a swap, a doubled or a lost letter, not another one.
            if len == 4 && candidate.len() == 4 && !is_swap(word, candidate) {
                continue;
            }
            let distance = strsim::osa_distance(word, candidate);
            if distance <= allowed && best.is_none_or(|(d, _)| distance < d) {
                best = Some((distance, candidate));
            }
        }
    }
    best.map(|(_, w)| w)
}

fn is_swap(a: &str, b: &str) -> bool {
    let (mut x, mut y): (Vec<u8>, Vec<u8>) = (a.bytes().collect(), b.bytes().collect());
    x.sort_unstable();
    y.sort_unstable();
    x == y
}

/// Repairs tokens in place; names written with a capital inside a sentence stay, unless a network is meant.
pub fn repair(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        if tokens[at].kind != Kind::Word {
            continue;
        }
        let first = at == 0 || tokens[at - 1].is_stop();
        if let Some(word) = repaired(&tokens[at]) {
            let network = networks::NETWORKS.words().any(|w| w == word);
            let time = crate::dates::is_time_word(word);
            if !tokens[at].capital || first || network || time {
                word.clone_into(&mut tokens[at].norm);
                tokens[at].stem = stem(word);
            }
        }
    }
}
