//! Prices by country, in a list that replaces the network's list: countries that the message doesn't name keep their price.
//!
//! This must never drop the price of such a country. If a message gives a price without countries, this must never guess the countries.

use serde_json::{Map, Value as Json, json};

use super::tool::snake;
use crate::planner::{Answer, clarify, format::and, names};

/// Words that say that a price is for every country.
pub(super) const EVERYWHERE: [&str; 6] =
    ["in all countries", "for all countries", "everywhere", "worldwide", "in every country", "for every country"];

/// An entry of the list, with its countries read.
struct Entry<'j> {
    fields: &'j Map<String, Json>,
    /// The countries that it is for, in capitals. Empty for all other countries.
    codes: Vec<String>,
    /// Whether the entry names the countries that it leaves out.
    excludes: bool,
}

fn entries(now: &Json) -> Option<Vec<Entry<'_>>> {
    let one = |item| -> Option<Entry<'_>> {
        let fields: &Map<String, Json> = Json::as_object(item)?;
        let rule = &fields.get("countries").unwrap_or(&Json::Null);
        let single = fields.iter().find(|(name, _)| matches!(snake(name).as_str(), "country" | "country_code"));
        let codes = match (rule["values"].as_array(), single) {
            (Some(values), _) => values.iter().filter_map(Json::as_str).map(str::to_uppercase).collect(),
            (None, Some((_, code))) => {
                code.as_str().filter(|code| *code != "WW").map(str::to_uppercase).into_iter().collect()
            }
            (None, None) => Vec::new(),
        };
        let excludes = rule["type"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("exclude"));
        Some(Entry { fields, codes, excludes })
    };
    now.as_array()?.iter().map(one).collect()
}

impl Entry<'_> {
    fn is_for_some(&self) -> bool {
        !self.codes.is_empty() && !self.excludes
    }

    /// Returns the same entry at another price.
    fn at(&self, new: &Json) -> Json {
        let mut fields = self.fields.clone();
        for (name, value) in new.as_object().into_iter().flatten() {
            if matches!(snake(name).as_str(), "price" | "cpm" | "rate") {
                fields.insert(name.clone(), value.clone());
            }
        }
        fields.into()
    }

    /// Returns the same entry without these countries.
    fn without(&self, codes: &[String]) -> Json {
        let mut fields = self.fields.clone();
        if let Some(values) = fields.get_mut("countries").and_then(|rule| rule["values"].as_array_mut()) {
            values.retain(|value| !value.as_str().is_some_and(|code| codes.contains(&code.to_uppercase())));
        }
        fields.into()
    }

    /// Returns "Tier 1 (US, GB, DE) at $1.50".
    fn words(&self) -> String {
        let text = |wanted: &[&str]| {
            let found = self.fields.iter().find(|(name, _)| wanted.contains(&snake(name).as_str()));
            found.map(|(_, value)| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        let codes = self.codes.join(", ");
        let place = match text(&["country_group_name"]) {
            Some(name) if codes.is_empty() => name,
            Some(name) => format!("{name} ({codes})"),
            None => codes,
        };
        let price = text(&["price", "cpm", "rate"]).unwrap_or_default();
        format!("{} at ${price}", crate::planner::format::plain(&place))
    }
}

/// Returns the new list. `new` are the entries for the countries that the message names, or the one entry for all.
pub(super) fn merged(now: &Json, new: Vec<Json>, codes: &[String]) -> Json {
    let Some(old) = entries(now).filter(|old| !old.is_empty()) else { return new.into() };
    if codes.is_empty() {
        // Only the entry for all other countries changes.
        let general = old.iter().position(|entry| !entry.is_for_some());
        let kept = old.iter().enumerate().filter(|(at, _)| Some(*at) != general);
        let kept = kept.map(|(_, entry)| Json::Object(entry.fields.clone()));
        let first = general
            .map(|at| &old[at])
            .map_or_else(|| new.first().cloned().unwrap_or_default(), |entry| entry.at(&new[0]));
        return std::iter::once(first).chain(kept).collect::<Vec<_>>().into();
    }
    // A group of exactly these countries keeps its name.
    let whole = old.iter().position(|entry| {
        entry.is_for_some() && entry.codes.len() == codes.len() && entry.codes.iter().all(|code| codes.contains(code))
    });
    let mut out: Vec<Json> = if whole.is_some() { Vec::new() } else { new.clone() };
    for (at, entry) in old.iter().enumerate() {
        if whole == Some(at) {
            out.push(entry.at(&new[0]));
        } else if entry.is_for_some() && entry.codes.iter().all(|code| codes.contains(code)) {
            // Every country of this entry gets the new price, so drop the entry.
        } else if entry.is_for_some() {
            out.push(entry.without(codes));
        } else {
            out.push(Json::Object(entry.fields.clone()));
        }
    }
    out.into()
}

/// Asks which countries a price is for, if the message names none, each entry has its own countries, and no entry is for the rest.
pub(super) fn which(now: &Json, name: &str, price: &str) -> Option<Answer> {
    let old = entries(now)?;
    if old.is_empty() || old.iter().any(|entry| !entry.is_for_some()) {
        return None;
    }
    let has: Vec<String> = old.iter().map(Entry::words).collect();
    let text = format!(
        "**{}** has its price by country: {}. For which countries should it be {price}?",
        crate::planner::format::plain(name),
        and(&has)
    );
    let label = |code: &String| names::country_label(code);
    let chips = old.iter().map(|entry| format!("In {}", and(&entry.codes.iter().map(label).collect::<Vec<_>>())));
    let all = "Everywhere".to_owned();
    let chips: Vec<String> = chips.take(clarify::MOST - 1).chain([all]).collect();
    Some(clarify::missing(&text, &[]).choosing(chips))
}

/// Returns "$6.50" for a price in micros.
pub(super) fn dollars(micros: i64) -> String {
    let text = super::amount::amount(micros, &json!({"type": "string"}));
    let text = text.as_str().unwrap_or_default();
    format!("${text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: &str, cpm: &str, codes: &[&str]) -> Json {
        json!({"country_group_name": name, "cpm": cpm, "countries": {"type": "INCLUDE", "values": codes}})
    }

    #[test]
    fn countries_nobody_spoke_of_keep_their_price() {
        let codes = |all: &[&str]| all.iter().map(|code| (*code).to_owned()).collect::<Vec<_>>();
        let all = json!({"country_group_name": "All countries", "cpm": "1.00"});
        let now = json!([group("Tier 1", "1.50", &["us", "gb", "de"]), all]);
        let us = group("US", "6.50", &["US"]);
        assert_eq!(
            merged(&now, vec![us.clone()], &codes(&["US"])),
            json!([us, group("Tier 1", "1.50", &["gb", "de"]), all])
        );
        let tier = group("US, GB, DE", "2.00", &["US", "GB", "DE"]);
        assert_eq!(
            merged(&now, vec![tier], &codes(&["US", "GB", "DE"])),
            json!([group("Tier 1", "2.00", &["us", "gb", "de"]), all])
        );
        // A price without countries is the price for the rest.
        let rest = json!({"country_group_name": "All countries", "cpm": "3.00"});
        assert_eq!(merged(&now, vec![rest.clone()], &[]), json!([rest, group("Tier 1", "1.50", &["us", "gb", "de"])]));
        let single = json!([{"country": "WW", "price": 0.3}, {"country": "US", "price": 4.0}]);
        assert_eq!(
            merged(&single, vec![json!({"country": "DE", "price": 2.0})], &codes(&["DE"])),
            json!([{"country": "DE", "price": 2.0}, {"country": "WW", "price": 0.3}, {"country": "US", "price": 4.0}])
        );
    }

    #[test]
    fn a_bare_price_is_asked_about_where_every_price_is_of_some_countries() {
        let now = json!([group("Tier 1", "1.50", &["us", "gb"])]);
        let asked = which(&now, "Level end", "$6.50").unwrap();
        assert!(asked.text.contains("Tier 1 (US, GB) at $1.50"), "{}", asked.text);
        assert!(which(&json!([{"country": "WW", "price": 0.3}]), "A", "$1").is_none());
        assert!(which(&json!([]), "A", "$1").is_none());
    }
}
