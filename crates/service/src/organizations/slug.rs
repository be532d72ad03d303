//! Makes an organization's slug, the part of an address that names it, once from its name: plain letters, digits and hyphens.

use adagent_domain::Cut as _;
use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};
use uuid::Uuid;

const LONGEST: usize = 40;

/// Turns `Größe & Söhne GmbH` into `grosse-sohne-gmbh`. `seed` makes another slug if the first is taken or nothing is left of the name.
pub fn of(name: &str, seed: Option<Uuid>) -> String {
    let mut slug = String::new();
    for c in name.to_lowercase().replace('ß', "ss").nfkd().filter(|c| !is_combining_mark(*c)) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(LONGEST);
    let slug = slug.trim_end_matches('-');
    let slug = if slug.is_empty() { "team" } else { slug };
    match seed {
        None => slug.to_owned(),
        // The end of an ID is its random part.
        Some(seed) => format!("{slug}-{}", seed.simple().to_string().cut(24..)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_plain_and_short() {
        assert_eq!(of("  Größe & Söhne GmbH ", None), "grosse-sohne-gmbh");
        assert_eq!(of("Acme", None), "acme");
        assert_eq!(of("../../etc", None), "etc");
        assert_eq!(of("日本", None), "team");
        assert!(of(&"a b".repeat(100), None).len() <= LONGEST);
        let seed = Uuid::from_u128(0x1234_5678_9abc_def0_1122_3344_5566_7788);
        assert_eq!(of("Acme", Some(seed)), "acme-55667788");
    }
}
