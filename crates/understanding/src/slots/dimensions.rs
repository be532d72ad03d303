//! Reads what the numbers are split by.

use super::Scope;
use crate::text::{Kind, Token};
use crate::vocab::dimensions::{DIMENSIONS, TIME_WORDS};
use crate::vocab::metrics::METRICS;

const SPLITTERS: &[&str] =
    &["by", "per", "each", "every", "across", "which", "what", "all", "grouped", "à", "group", "split", "single"];
const SUBJECT_FOLLOWERS: &[&str] = &[
    "with",
    "without",
    "that",
    "whose",
    "where",
    "having",
    "making",
    "earning",
    "over",
    "under",
    "above",
    "below",
    "had",
    "have",
    "bring",
    "earned",
    "earn",
    "made",
    "who",
    "perform",
    "performed",
    "ranked",
    "sorted",
    "performing",
    "generate",
    "generated",
    "get",
    "got",
    "did",
    "are",
    "were",
    "contributed",
    "which",
    "exceeding",
    "compare",
    "differ",
    "rank",
    "stack",
];

/// Participles that come between a superlative and the things it ranks.
pub(super) const RANKING: &[&str] =
    &["performing", "earning", "paying", "grossing", "converting", "monetizing", "monetising", "selling", "filling"];

fn skippable(token: &Token) -> bool {
    token.any(&[
        "the",
        "a",
        "an",
        "my",
        "our",
        "ad",
        "different",
        "individual",
        "of",
        "single",
        "mobile",
        "device",
        "user",
        "all",
    ]) || token.number().is_some()
}

pub(super) fn read(scope: &Scope<'_>, taken: &dyn Fn(usize) -> bool, limit_tokens: &[usize]) -> Vec<&'static str> {
    let tokens = scope.tokens;
    let mut out: Vec<&'static str> = Vec::new();
    let mut previous_end: Option<usize> = None;
    let mut at = 0;
    while at < tokens.len() {
        if taken(at) || tokens[at].kind != Kind::Word {
            at += 1;
            continue;
        }
        if let Some((_, len)) = METRICS.at(tokens, at)
            && len > 1
        {
            at += len;
            continue;
        }
        if let Some((dim, len)) = TIME_WORDS.at(tokens, at) {
            if !negated(tokens, at) && !out.contains(&dim) {
                out.push(dim);
            }
            at += len;
            previous_end = Some(at);
            continue;
        }
        // In "Puzzle Game split by …", "Game" is a part of the name.
        if tokens[at].capital && tokens[at].is("game") && at > 0 && tokens[at - 1].capital {
            at += 1;
            continue;
        }
        let Some((dim, len)) = DIMENSIONS.at(tokens, at) else {
            at += 1;
            continue;
        };
        let end = at + len;
        if is_split(tokens, at, end, previous_end, limit_tokens)
            && !negated(tokens, at)
            && !scope.in_network(at)
            && !has_id(tokens, end)
        {
            let dim = match dim {
                "network" if scope.named == 1 && !all_networks(tokens) => "ad_source",
                "placement" if scope.services == [adagent_domain::Network::AdMob] => "ad_unit",
                other => other,
            };
            let summed = dim == "network" && total(tokens, at);
            if !summed && !out.contains(&dim) {
                out.push(dim);
            }
            previous_end = Some(end);
        }
        at = end;
    }
    if scope.named >= 2 && !out.contains(&"network") && !out.contains(&"ad_source") {
        out.push("network");
    }
    out
}

fn all_networks(tokens: &[Token]) -> bool {
    tokens.windows(2).any(|w| w[0].any(&["all", "every", "each"]) && w[1].is("network"))
}

/// Checks whether the numbers of all networks are added up: "total across all networks". "for every network" splits them.
fn total(tokens: &[Token], at: usize) -> bool {
    let summed = tokens.iter().any(|t| t.any(&["total", "together", "combined", "altogether", "overall", "sum"]));
    let listed = at >= 1 && tokens[at - 1].any(&["all"]) && !summed && !tokens.iter().any(|t| t.is("across"));
    if listed {
        return false;
    }
    at >= 1 && tokens[at - 1].any(&["all", "my", "our"])
        || at >= 2 && tokens[at - 1].any(&["the", "our", "my"]) && tokens[at - 2].any(&["all", "across"])
        || at >= 1 && tokens[at - 1].is("across")
        || (at >= 2
            && tokens[at - 1].any(&["every"])
            && tokens[at - 2].is("across")
            && tokens.iter().any(|t| t.is("total"))
            && !tokens.iter().any(|t| t.any(&["each", "per"])))
}

fn negated(tokens: &[Token], at: usize) -> bool {
    super::split_taken_out(tokens, at)
        || tokens[at..].iter().take(6).any(|t| t.is("needed") || t.is("necessary"))
            && tokens[at..].iter().take(5).any(|t| t.is("not"))
}

fn has_id(tokens: &[Token], end: usize) -> bool {
    let mut next = end;
    if tokens.get(next).is_some_and(|t| t.any(&["id", "named", "called"])) {
        next += 1;
    }
    tokens.get(next).is_some_and(|t| {
        matches!(t.kind, Kind::Id | Kind::Literal) || (matches!(t.kind, Kind::Number(_)) && t.norm.len() >= 5)
    })
}

fn is_split(tokens: &[Token], at: usize, end: usize, previous_end: Option<usize>, limit_tokens: &[usize]) -> bool {
    // "the per user file", "by ad format": skip articles and adjectives before the word.
    let mut i = at;
    while i > 0 && (skippable(&tokens[i - 1]) || limit_tokens.contains(&(i - 1))) {
        if limit_tokens.contains(&(i - 1)) {
            return true;
        }
        i -= 1;
    }
    if i > 0 && tokens[i - 1].any(SPLITTERS) {
        return true;
    }
    // "the best performing ad unit", "our lowest earning apps"
    if i >= 2 && tokens[i - 1].any(RANKING) && super::limits::is_superlative(&tokens[i - 2]) {
        return true;
    }
    // "one line per network", "for each app"
    if i < at && i > 0 && tokens[i].any(&["each", "every"]) {
        return true;
    }
    if i >= 3 && tokens[i - 1].is("best") && tokens[i - 2].number().is_some() {
        return true;
    }
    // "by country and format", "countries, formats"
    if let Some(prev) = previous_end
        && prev <= at
        && at - prev <= 3
        && tokens[prev..at].iter().all(|t| {
            t.any(&["and", "the", "then", "by", "per", "ad", "also", "x", "plus", "as", "well"])
                || matches!(t.kind, Kind::Punct(',' | '/' | '&' | '+' | '-' | '*'))
        })
        && prev < at
    {
        return true;
    }
    // "app revenue ranking": the things to rank come before the metric.
    let figure = METRICS.at(tokens, end).map_or(0, |(_, len)| len);
    if figure > 0 && tokens.get(end + figure).is_some_and(|t| t.any(&["breakdown", "split", "ranking", "comparison"])) {
        return true;
    }
    // "country breakdown", "country wise", "country split"
    if tokens.get(end).is_some_and(|t| t.any(&["breakdown", "split", "wise", "level", "ranking", "comparison"])) {
        return true;
    }
    let last = &tokens[end - 1];
    let plural = last.norm != last.stem;
    // "revenue of my apps" needs one row for each app.
    let owned = i > 0
        && tokens[i..at].iter().any(|t| t.any(&["of", "for", "from"]))
        && tokens[i..at].iter().any(|t| t.any(&["my", "our"]))
        && METRICS.all(&tokens[..i]).len() == 1
        && !tokens[at].is("network");
    // "…? countries, last 7 days": the dimension stands alone, like a heading.
    let bar = |t: &Token| matches!(t.kind, Kind::Punct('/' | '|'));
    let heading = (at == 0 || tokens[at - 1].is_stop()) && tokens.get(end).is_none_or(Token::is_stop);
    // "rev / country / last 3 days": the text looks like a filled-in form.
    if at > 0 && bar(&tokens[at - 1]) && tokens.get(end).is_none_or(bar) {
        return true;
    }
    // "lowest eCPM countries"
    let by_figure = (1..i).any(|start| {
        super::limits::is_superlative(&tokens[start - 1])
            && METRICS.at(tokens, start).is_some_and(|(_, len)| start + len == i)
    });
    if plural && (owned || heading || by_figure) {
        return true;
    }
    // "line items by clicks" lists things in the order of a metric.
    let by = |at: usize| tokens.get(at).is_some_and(|t| t.is("by")) && METRICS.at(tokens, at + 1).is_some();
    // "rank the ad sources on AdMob by match rate"
    let place = tokens.get(end).is_some_and(|t| t.any(&["on", "in", "of", "for", "from", "at", "across"]));
    let in_order = by(end) || place && (end + 2..end + 5).any(by);
    let ranked = i > 0 && tokens[i - 1].any(&["rank", "sort"]);
    plural
        && (in_order
            || ranked
            || tokens.get(end).is_some_and(|t| t.any(SUBJECT_FOLLOWERS))
            || (i > 0 && tokens[i - 1].any(&["top", "best", "worst", "bottom", "biggest", "into"])))
}
