//! Which accounts figures of AdMob are of, and in which currency. Must convert nothing.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;

use crate::planner::{
    format::{and, plain},
    names,
    read::Turn,
};

/// Whose accounts these are, where AdMob is connected more than once.
pub(super) fn accounts_note(turn: &Turn<'_>, accounts: &[EntityItem]) -> Option<String> {
    let mut by: Vec<(&str, Vec<String>)> = Vec::new();
    for account in accounts {
        let way = account.connection.as_deref().filter(|_| !turn.ways(Network::AdMob).is_empty())?;
        match by.iter_mut().find(|(own, _)| *own == way) {
            Some((_, names)) => names.push(plain(&account.name)),
            None => by.push((way, vec![plain(&account.name)])),
        }
    }
    let parts: Vec<String> = by.iter().map(|(way, names)| format!("{} in {}", and(names), plain(way))).collect();
    (!parts.is_empty()).then(|| format!("Accounts: {}.", parts.join("; ")))
}

/// Other currencies than the account's are not computed; which one the figures are in is said.
pub(super) fn currency_note(turn: &Turn<'_>, accounts: &[EntityItem]) -> Option<String> {
    let account = accounts.first()?.raw.get("currencyCode").and_then(serde_json::Value::as_str).unwrap_or("USD");
    let asked = CURRENCIES.iter().find(|(code, words)| *code != account && turn.says(words))?;
    Some(format!("Numbers are in the account's currency, {account}; I don't convert them to {}.", asked.0))
}

const CURRENCIES: [(&str, &[&str]); 6] = [
    ("EUR", &["eur", "euro", "euros"]),
    ("GBP", &["gbp", "in pounds", "pound sterling"]),
    ("JPY", &["jpy", "in yen"]),
    ("INR", &["inr", "in rupees"]),
    ("CHF", &["chf", "in francs"]),
    ("USD", &["usd", "in dollars", "us dollars"]),
];

/// Accounts named in the question, else all in reach.
pub(super) fn accounts(turn: &Turn<'_>) -> Vec<EntityItem> {
    let all = turn.accounts();
    let named: Vec<String> =
        names::mentioned(turn, EntityKind::Account, turn.question()).into_iter().map(|a| a.id.clone()).collect();
    let chosen: Vec<EntityItem> = all.iter().filter(|a| named.contains(&a.id)).map(|a| (*a).clone()).collect();
    if chosen.is_empty() { all.into_iter().cloned().collect() } else { chosen }
}
