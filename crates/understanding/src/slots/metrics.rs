//! Reads the metrics that the text asks for.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::Scope;
use crate::text::Kind;
use crate::vocab::metrics::{METRICS, NOT_METRICS};
use crate::vocab::phrases::Phrases;

/// Verbs that ask for revenue without naming it.
static MONEY_VERBS: LazyLock<Phrases<()>> = LazyLock::new(|| {
    Phrases::new(&[(
        (),
        "earn|earned|earning|earns|make|made|makes|making|pay us|paid us|paid|pays|pay|booked|brought in|bring in|brings in|came|come in|comes in|came in|coming in|generate|generated|generates|monetize|monetise|monetized|monetised|made from|gain|cash in|perform|performed|performing|performance|do|did|yield|yielded|gross|underperform|underperforms|underperforming|underperformed|outperform",
    )])
});

pub(super) fn read(
    scope: &Scope<'_>,
    thresholds: &[(&'static str, BTreeMap<String, f64>)],
) -> (Vec<&'static str>, bool) {
    let tokens = scope.tokens;
    let mut out: Vec<&'static str> = Vec::new();
    let mut money = false;
    let mut at = 0;
    while at < tokens.len() {
        if let Some(((), len)) = NOT_METRICS.at(tokens, at) {
            at += len;
            continue;
        }
        if let Some((metric, len)) = METRICS.at(tokens, at) {
            if excluded(scope, at, len) {
                money |= metric == "revenue";
            } else if !out.contains(&metric) {
                out.push(metric);
            }
            at += len;
            continue;
        }
        if let Some(((), len)) = MONEY_VERBS.at(tokens, at) {
            let asked = money_context(scope, at);
            // "earned the most, and what was their eCPM": revenue is the first of the two metrics.
            if asked && most_of_it(scope, at + len) && !out.contains(&"revenue") {
                out.push("revenue");
            }
            money |= asked;
            at += len;
            continue;
        }
        at += 1;
    }
    // "the DAU … no, just revenue": the person took the first metric back.
    let corrected = tokens.windows(2).position(|w| {
        w[0].is("no") && (w[1].any(&["just", "sorry", "wait", "rather"]) || w[1].is_punct(','))
            || w[0].any(&["mean", "meant"]) && !w[1].is("by")
    });
    if let Some(from) = corrected {
        let later: Vec<_> = METRICS.all(&tokens[from..]).into_iter().map(|f| f.what).collect();
        if !later.is_empty() {
            out.retain(|metric| later.contains(metric));
        }
    }
    // "how often do our requests get matched", "share of requests filled": the person means the ratio of the two.
    let ratio = tokens.windows(2).any(|w| w[0].is("how") && w[1].is("often"))
        || tokens.iter().any(|t| t.any(&["share", "portion", "percentage", "percent", "proportion"]));
    if ratio && out.contains(&"requests") && out.contains(&"fills") {
        out.retain(|m| !matches!(*m, "requests" | "fills"));
        out.push("match_rate");
    }
    for (metric, _) in thresholds {
        if !out.contains(metric) {
            out.push(metric);
        }
    }
    (out, money)
}

/// Checks whether "the most" after a verb of money means money. "made the most impressions" means impressions.
fn most_of_it(scope: &Scope<'_>, at: usize) -> bool {
    let tokens = scope.tokens;
    let at = at + usize::from(tokens.get(at).is_some_and(|t| t.is("the")));
    tokens.get(at).is_some_and(|t| t.any(&["most", "least"])) && METRICS.at(tokens, at + 1).is_none()
}

/// Checks whether a metric's words mean something else here.
fn excluded(scope: &Scope<'_>, at: usize, len: usize) -> bool {
    let tokens = scope.tokens;
    let word = tokens[at].norm.as_str();
    let before = at.checked_sub(1).map(|i| &tokens[i]);
    let after = tokens.get(at + len);
    match word {
        // In "it shows that", "shows" is a verb.
        "shows" => {
            after.is_some_and(|t| t.any(&["that", "me", "us", "the", "a", "how"]))
                || before.is_some_and(|t| t.any(&["it", "this", "dashboard", "he", "she", "ui"]))
        }
        "views" | "starts" | "click" | "request" => {
            before.is_some_and(|t| t.any(&["my", "in", "it", "he", "please", "one", "saved", "to"])) && word != "click"
        }
        // In "US, CA, FR and Germany", "FR" is France.
        "fr" => at.checked_sub(2).is_some_and(|i| {
            let code = &tokens[i];
            (tokens[i + 1].is_punct(',') || tokens[i + 1].any(&["and", "or"]))
                && tokens[at].capital
                && code.capital
                && code.norm.len() == 2
        }),
        "fill" => before.is_some_and(|t| t.any(&["to", "please"])),
        // In "anything earning under 50 cents", "earning" is a verb.
        "earning" => after.is_some_and(|t| t.any(&["under", "over", "less", "more", "below", "above", "at"])),
        "rev" => after.is_some_and(|t| t.any(&["share"])),
        "cash" | "money" | "profit" | "sales" | "gross" => {
            before.is_some_and(|t| t.any(&["my", "sales"]))
                && after.is_some_and(|t| t.any(&["colleague", "team", "person", "people"]))
                || tokens.get(at + 1).is_some_and(|t| t.any(&["colleague", "team", "region"]))
        }
        "unfilled" => false,
        _ => matches!(tokens[at].kind, Kind::Literal),
    }
}

/// Checks whether a verb asks for revenue, as in "what did Unity make" or "how much did we earn", and is not an order to make something.
fn money_context(scope: &Scope<'_>, at: usize) -> bool {
    let tokens = scope.tokens;
    let word = tokens[at].norm.as_str();
    let before = &tokens[..at];
    let asks = before.iter().any(|t| t.any(&["what", "how", "which", "who", "why"]));
    if matches!(word, "do" | "did") {
        // "how did GAM do" has the verb at the end.
        return word == "do"
            && before.iter().any(|t| t.any(&["how"]))
            && before.iter().any(|t| t.any(&["did", "does", "is"]));
    }
    // "best performing ad unit" and "how did X perform" ask for numbers, whatever else they say.
    let ranked = at.checked_sub(1).is_some_and(|i| {
        tokens[i].any(&["best", "worst", "top", "least", "well", "better", "poorly", "poorest", "highest", "lowest"])
    });
    if at.checked_sub(1).is_some_and(|i| tokens[i].is("under"))
        || matches!(word, "underperform" | "underperforms" | "underperforming" | "underperformed" | "outperform")
        || matches!(word, "performing" | "perform" | "performed") && ranked
    {
        return true;
    }
    if word == "booked" {
        return asks;
    }
    if matches!(
        word,
        "earned"
            | "earn"
            | "earns"
            | "made"
            | "paid"
            | "pays"
            | "pay"
            | "generated"
            | "earning"
            | "making"
            | "brought"
            | "monetised"
            | "monetized"
            | "performance"
            | "performed"
            | "performing"
    ) {
        return asks || scope.services.len() == 1 || matches!(word, "earned" | "earn" | "performance");
    }
    asks && before.iter().any(|t| t.any(&["did", "does", "do", "much", "will", "have", "has"]))
}
