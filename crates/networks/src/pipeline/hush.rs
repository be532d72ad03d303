//! Removes from a network's message the secrets that it repeats: the keys, tokens and signatures that we sent, in every spelling.
//!
//! [`Secrets`] is made for one failed attempt. The secrets must never be kept longer.

use secrecy::ExposeSecret as _;
use url::form_urlencoded::byte_serialize;
use zeroize::Zeroizing;

use crate::{
    SecretFields,
    sign::{Outgoing, Session},
};

/// A shorter field value would match inside ordinary words.
const SHORTEST_FIELD: usize = 4;
/// Signatures are long. Shorter values that signing adds (a version, a time) are no secrets.
const SHORTEST_ADDED: usize = 12;
const PUT_THERE: &str = "…";

pub struct Secrets(Vec<Zeroizing<String>>);

impl Secrets {
    /// Collects every secret that may come back: the fields of the connection, the values of its session, and what signing added.
    pub fn of(fields: &SecretFields, session: Option<&Session>, outgoing: Option<&Outgoing>) -> Self {
        let mut found = Vec::new();
        let kept = fields.values().chain(session.into_iter().flat_map(|session| session.values.values()));
        for value in kept.map(|value| value.expose_secret().trim()).filter(|value| value.len() >= SHORTEST_FIELD) {
            spell(&mut found, value);
        }
        let added = outgoing.into_iter().flat_map(Outgoing::added).flat_map(|value| value.split_whitespace());
        for value in added.filter(|value| value.len() >= SHORTEST_ADDED) {
            spell(&mut found, value);
        }
        // Replace longer secrets first, because one may contain another.
        found.sort_unstable_by_key(|value| std::cmp::Reverse(value.len()));
        found.dedup();
        Self(found)
    }

    pub fn hide(&self, words: &str) -> String {
        self.0.iter().fold(words.to_owned(), |words, secret| words.replace(secret.as_str(), PUT_THERE))
    }
}

/// Adds every way to write a text in an address, a form and JSON.
fn spell(found: &mut Vec<Zeroizing<String>>, value: &str) {
    let form: String = byte_serialize(value.as_bytes()).collect();
    let address = form.replace('+', "%20");
    let lower = lower_escapes(&address);
    let escaped = value.replace('/', "\\/");
    for way in [value.to_owned(), form, address, lower, escaped] {
        found.push(Zeroizing::new(way));
    }
}

/// Turns `%2F` into `%2f` and leaves everything else as it is.
fn lower_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut left = 0;
    for c in text.chars() {
        out.push(if left > 0 { c.to_ascii_lowercase() } else { c });
        left = if c == '%' { 2 } else { usize::saturating_sub(left, 1) };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_hidden_however_it_is_written() {
        let fields: SecretFields =
            [("key", "a/b+c= d".to_owned().into()), ("id", "7".to_owned().into())].into_iter().collect();
        let secrets = Secrets::of(&fields, None, None);
        for way in ["a/b+c= d", "a%2Fb%2Bc%3D+d", "a%2Fb%2Bc%3D%20d", "a%2fb%2bc%3d%20d", "a\\/b+c= d"] {
            assert_eq!(secrets.hide(&format!("no app 7 for <{way}>")), "no app 7 for <…>");
        }
    }

    #[test]
    fn the_longer_of_two_secrets_goes_first() {
        let fields: SecretFields =
            [("a", "secret".to_owned().into()), ("b", "secret-two".to_owned().into())].into_iter().collect();
        assert_eq!(Secrets::of(&fields, None, None).hide("secret-two, secret"), "…, …");
    }
}
