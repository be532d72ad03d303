//! Signs that a person made a key up instead of drawing it at random. They catch accidents; a key without them may still be weak.
//!
//! This module must never repeat the secret or a part of it.

const SHORTEST: usize = 32;
/// How many bits a secret must have, by the frequencies of its characters. 32 random hexadecimal digits have about 115.
const BITS: f64 = 90.0;
/// Words of examples and placeholders, which occur in secrets that nobody drew at random.
const KNOWN: [&str; 14] = [
    "changeme",
    "change-me",
    "change_me",
    "secret",
    "password",
    "passphrase",
    "example",
    "default",
    "replace",
    "insert",
    "yourkey",
    "your-",
    "your_",
    "encryption",
];

pub fn of_secret(secret: &str) -> Option<&'static str> {
    let secret = secret.trim();
    let characters: Vec<char> = secret.chars().collect();
    if characters.len() < SHORTEST {
        return Some("it is shorter than 32 characters");
    }
    let lower = secret.to_lowercase();
    // If a random secret contains such a word by chance, drawing again repairs it.
    if KNOWN.iter().any(|word| lower.contains(word)) {
        return Some("it contains a well-known word");
    }
    let codes: Vec<u32> = characters.iter().map(|character| u32::from(*character)).collect();
    if repeats(&codes) {
        return Some("it repeats itself");
    }
    if runs(&codes) {
        return Some("its characters follow one another as in an alphabet or a count");
    }
    if bits(&codes) < BITS {
        return Some("it has too few different characters");
    }
    None
}

pub fn of_key(key: &[u8; 32]) -> Option<&'static str> {
    let bytes: Vec<u32> = key.iter().map(|byte| u32::from(*byte)).collect();
    if repeats(&bytes) {
        return Some("it repeats itself");
    }
    if runs(&bytes) {
        return Some("its bytes follow one another as in a count");
    }
    // Of 32 random bytes about 30 differ; a random key with fewer than 16 is next to impossible.
    let mut different = bytes;
    different.sort_unstable();
    different.dedup();
    if different.len() < 16 {
        return Some("it has too few different bytes");
    }
    None
}

/// Checks whether the text repeats one piece that is at most half as long as the whole.
fn repeats(codes: &[u32]) -> bool {
    (1..=codes.len() / 2).any(|period| codes.iter().skip(period).zip(codes).all(|(later, earlier)| later == earlier))
}

/// Checks whether most characters are one more, one less or the same as the one before.
fn runs(codes: &[u32]) -> bool {
    let near = codes.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) <= 1).count();
    near * 2 > codes.len()
}

#[expect(clippy::cast_precision_loss, reason = "lengths of secrets are small")]
fn bits(codes: &[u32]) -> f64 {
    let length = codes.len() as f64;
    let mut counts = std::collections::BTreeMap::<u32, u32>::new();
    for code in codes {
        *counts.entry(*code).or_default() += 1;
    }
    let of_one: f64 = counts.values().map(|count| f64::from(*count) / length).map(|share| -share * share.log2()).sum();
    of_one * length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_make_up_is_weak_and_what_is_drawn_is_not() {
        for weak in [
            "",
            "short but full of !@#$ odd",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "abcabcabcabcabcabcabcabcabcabcabcabc",
            "abcdefghijklmnopqrstuvwxyz0123456789",
            "ChangeMe-8f2k3l4m5n6b7v8c9x0z1a2s3d4f5g",
            "my-very-long-password-that-nobody-knows",
            "aabbaabababbaabbababababbabaabbbaabbaaab",
            "                       12                             ",
        ] {
            assert!(of_secret(weak).is_some(), "{weak}");
        }
        for drawn in [
            "9f3b1c7de02a4856bb1d90e37fa2c46d",
            "Zk3v9QmT7xW1pLr8YbN4sHc6dGf2uJa5",
            "q7uR+0fV2n/xK8dPz3LwY1hBtC6sJ9eG4mAoI5vXyQk=",
            "orchid lantern gravel sixty mosaic plume tundra",
        ] {
            assert_eq!(of_secret(drawn), None, "{drawn}");
        }
    }

    #[test]
    fn keys_that_count_or_repeat_are_weak() {
        let counted: [u8; 32] = std::array::from_fn(|place| u8::try_from(place).unwrap());
        let halves: [u8; 32] = std::array::from_fn(|place| if place % 2 == 0 { 7 } else { 99 });
        let drawn: [u8; 32] =
            std::array::from_fn(|place| u8::try_from((place * 97 + place * place * 31 + 11) % 256).unwrap());
        assert!(of_key(&counted).is_some() && of_key(&[0; 32]).is_some() && of_key(&halves).is_some());
        assert_eq!(of_key(&drawn), None);
    }
}
