//! Reads the filters of the numbers: countries, platforms, formats, apps, ad sources.

use super::{Scope, names, taken_out::Values};
use crate::text::{Kind, Token};
use crate::types::{Filter, FilterValue};
use crate::vocab::countries::{self, COUNTRIES, GROUPS};
use crate::vocab::dimensions::{FORMATS, PLATFORMS};
use crate::vocab::metrics::METRICS;
use crate::vocab::networks::{NETWORKS, OTHER_SOURCES};

fn is_code(token: &Token) -> bool {
    token.norm.len() == 2 && token.capital
}

/// Words that begin a period.
const TIMES: &[&str] = &["last", "past", "this", "yesterday", "today", "previous", "since", "month", "week", "day"];

/// Returns the country that starts at `at`, by its code, and how many tokens it takes.
#[expect(clippy::too_many_lines, reason = "lists of two-letter words that are no countries")]
pub fn country_at(text: &str, tokens: &[Token], at: usize) -> Option<(&'static str, usize)> {
    let token = tokens.get(at)?;
    if token.kind != Kind::Word {
        return None;
    }
    let raw = text.get(token.start..token.end).unwrap_or("");
    let before = at.checked_sub(1).map(|i| &tokens[i]);
    let after = tokens.get(at + 1);
    if token.norm == "us" && after.is_some_and(|t| t.any(&["style", "dollar"])) {
        return None;
    }
    if token.norm == "us" && raw != "US" {
        let about = before
            .is_some_and(|t| t.any(&["the", "in", "only", "excluding", "except", "keep", "just", "without"]))
            || after.is_some_and(|_| {
                FORMATS.at(tokens, at + 1).is_some()
                    || METRICS.at(tokens, at + 1).is_some()
                    || tokens[at + 1].any(&["only", "traffic", "user"])
            })
            // "puzzle game us last 7 days": a period comes after "us", and no verb that takes people comes before it.
            || before.is_some() && after.is_some_and(|t| t.any(TIMES));
        let object = before.is_some_and(|t| {
            t.any(&[
                "give", "let", "show", "pay", "paid", "made", "make", "earn", "tell", "get", "got", "to", "with", "of",
                "bring", "brought", "cost", "for", "by", "remind", "send", "lose", "lost", "help", "between", "among",
                "than",
            ])
        });
        return (about && !object).then_some(("US", 1));
    }
    if let Some((code, len)) = COUNTRIES.at(tokens, at) {
        // Names that are also words or first names need a capital letter or a preposition.
        let shaky = matches!(
            token.norm.as_str(),
            "chad" | "jordan" | "georgia" | "guinea" | "niger" | "turkey" | "oman" | "mali" | "man"
        ) && !token.capital
            && !before.is_some_and(|t| t.any(&["in", "for", "from"]));
        return (!shaky).then_some((code, len));
    }
    if raw.len() != 2 || !raw.is_ascii() {
        return None;
    }
    if raw.bytes().all(|b| b.is_ascii_uppercase()) {
        let code = countries::by_code(raw)?;
        let shaky = matches!(
            raw,
            "IN" | "IT"
                | "ID"
                | "NO"
                | "ME"
                | "SO"
                | "TO"
                | "AD"
                | "AM"
                | "AS"
                | "AT"
                | "BE"
                | "BY"
                | "DO"
                | "MY"
                | "PM"
                | "IS"
                | "LA"
                | "MA"
                | "AI"
                | "AF"
                | "GA"
                | "TV"
                | "IO"
                | "CC"
                | "SC"
                | "PA"
                | "UM"
                | "DJ"
                | "LI"
                | "KM"
                | "MS"
                | "PS"
                | "QA"
                | "ST"
                | "VC"
                | "WF"
        );
        let company = |t: Option<&Token>| {
            t.is_some_and(|t| {
                t.any(&["in", "for", "only", "country", "from", "and", "the", "excluding", "except", "with"])
                    || (is_code(t) && t.norm != token.norm)
                    || t.is_punct(',')
            })
        };
        return (!shaky || company(before) || after.is_some_and(is_code)).then_some((code, 1));
    }
    let led = before.is_some_and(|t| t.any(&["in", "only", "country", "excluding", "except"]));
    let common = matches!(
        token.norm.as_str(),
        "in" | "it"
            | "is"
            | "no"
            | "me"
            | "my"
            | "so"
            | "to"
            | "at"
            | "be"
            | "by"
            | "do"
            | "am"
            | "as"
            | "ad"
            | "id"
            | "la"
            | "ma"
            | "pm"
            | "al"
            | "es"
            | "de"
            | "se"
            | "ga"
            | "gt"
            | "dt"
            | "im"
            | "ai"
    );
    (led && !common).then(|| countries::by_code(&raw.to_ascii_uppercase())).flatten().map(|c| (c, 1))
}

/// Adds a value to a filter, or creates the filter.
pub fn set_filter(filters: &mut Vec<Filter>, field: &str, value: String, negative: bool) {
    let same = filters.iter_mut().find(|f| {
        f.field == field
            && matches!((&f.value, negative), (FilterValue::Not { .. }, true) | (FilterValue::In(_), false))
    });
    if let Some(Filter { value: FilterValue::In(list) | FilterValue::Not { not: list }, .. }) = same {
        if !list.contains(&value) {
            list.push(value);
            list.sort();
        }
        return;
    }
    let value = if negative { FilterValue::Not { not: vec![value] } } else { FilterValue::In(vec![value]) };
    filters.push(Filter { field: field.to_owned(), value });
}

/// Checks whether two values are compared, which makes them a split too: "iOS vs Android".
fn versus(tokens: &[Token], from: usize, to: usize) -> bool {
    tokens[from..to].iter().any(|t| t.any(&["vs", "versus", "against", "or", "than", "compared", "v"]))
        || tokens[..from].iter().any(|t| t.any(&["compare", "comparing", "between"]))
}

pub(super) fn read(
    scope: &Scope<'_>,
    taken: &dyn Fn(usize) -> bool,
    dimensions: &mut Vec<&'static str>,
) -> Vec<Filter> {
    let tokens = scope.tokens;
    let mut filters = Vec::new();
    let mut last: [Option<usize>; 3] = [None; 3];
    let names = names::read(scope, taken);
    let values = Values::of(scope.text, tokens, &names);
    let mut at = 0;
    while at < tokens.len() {
        if let Some(name) = names.iter().find(|n| n.at == at) {
            let field = name.field;
            // "Puzzle Game vs Word Quest" shows both next to each other.
            let rival = names.iter().find(|n| n.end <= at && n.field == field && at - n.end <= 2);
            if field == "app" && rival.is_some_and(|n| versus(tokens, n.end, at)) && !dimensions.contains(&field) {
                dimensions.push(field);
            }
            set_filter(&mut filters, name.field, name.value.clone(), values.taken_out(tokens, name.field, at));
            at = name.end;
            continue;
        }
        if taken(at) || scope.in_network(at) || tokens[at].kind != Kind::Word {
            at += 1;
            continue;
        }
        if let Some((codes, len)) = GROUPS.at(tokens, at) {
            for code in codes {
                set_filter(&mut filters, "country", (*code).to_owned(), values.taken_out(tokens, "country", at));
            }
            at += len;
            continue;
        }
        if let Some((code, len)) = country_at(scope.text, tokens, at) {
            add((scope, &values), &mut filters, dimensions, &mut last[0], ("country", code, at, len));
            at += len;
            continue;
        }
        if let Some((format, len)) = FORMATS.at(tokens, at) {
            // Only whole phrases match: "app open slot", "native language" and the verb "open" don't count by their single words.
            add((scope, &values), &mut filters, dimensions, &mut last[1], ("format", format, at, len));
            at += len;
            continue;
        }
        if let Some((platform, len)) = PLATFORMS.at(tokens, at)
            && !tokens.get(at + len).is_some_and(|t| t.is("version"))
        {
            add((scope, &values), &mut filters, dimensions, &mut last[2], ("platform", platform, at, len));
            at += len;
            continue;
        }
        let only =
            tokens.get(at + 1).is_some_and(|t| t.is("only")) || (at > 0 && tokens[at - 1].any(&["only", "just"]));
        if only && tokens[at].any(&["bidder", "bidding"]) {
            set_filter(&mut filters, "bidding", "true".into(), false);
            if tokens[at].norm == "bidders"
                && !dimensions.contains(&"ad_source")
                && tokens.iter().any(|t| t.any(&["source", "bidder"]))
                && tokens.iter().any(|t| t.is("by"))
            {
                dimensions.retain(|d| *d != "network");
            }
        } else if only && tokens[at].is("waterfall") {
            set_filter(&mut filters, "bidding", "false".into(), false);
        }
        at += 1;
    }
    let mut side_by_side = 0;
    for source in scope.sources {
        let at = (0..tokens.len()).find(|at| {
            NETWORKS.at(tokens, *at).is_some_and(|(network, _)| network.id() == *source)
                || OTHER_SOURCES.at(tokens, *at).is_some_and(|(other, _)| other == *source)
        });
        let out = at.is_some_and(|at| values.taken_out(tokens, "ad_source", at));
        side_by_side += usize::from(!out);
        set_filter(&mut filters, "ad_source", (*source).to_owned(), out);
    }
    if side_by_side > 1 && !dimensions.contains(&"ad_source") {
        dimensions.push("ad_source");
    }
    settle(&mut filters);
    filters
}

/// Drops what is taken out if the same field also says what to keep: "Germany, not Austria", "the Nordics without Sweden". The values to
/// keep say more.
fn settle(filters: &mut Vec<Filter>) {
    for at in (0..filters.len()).rev() {
        let FilterValue::Not { not } = filters[at].value.clone() else { continue };
        let field = filters[at].field.clone();
        let kept = filters.iter().position(|f| f.field == field && matches!(f.value, FilterValue::In(_)));
        let Some(kept) = kept else { continue };
        if let FilterValue::In(list) = &mut filters[kept].value {
            list.retain(|value| !not.contains(value));
            let gone = if list.is_empty() { kept } else { at };
            filters.remove(gone);
        }
    }
}

fn add(
    (scope, values): (&Scope<'_>, &Values),
    filters: &mut Vec<Filter>,
    dimensions: &mut Vec<&'static str>,
    last: &mut Option<usize>,
    found: (&'static str, &'static str, usize, usize),
) {
    let (field, value, at, len) = found;
    set_filter(filters, field, value.to_owned(), values.taken_out(scope.tokens, field, at));
    if let Some(previous) = *last
        && at.saturating_sub(previous) <= 3
        && versus(scope.tokens, previous, at)
        && !dimensions.contains(&field)
    {
        dimensions.push(field);
    }
    *last = Some(at + len);
}
