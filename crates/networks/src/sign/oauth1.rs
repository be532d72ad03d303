//! OAuth 1.0 with HMAC-SHA1 and no token (RFC 5849), for the one old service that still requires it.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use url::Url;

use super::{Moment, digests::hmac_sha1};

/// The client that signs.
pub struct Consumer<'a> {
    pub key: &'a str,
    pub secret: &'a str,
}

/// Adds the `oauth_*` parameters to the query.
pub fn sign(method: &str, url: &Url, query: &mut Vec<(String, String)>, consumer: &Consumer<'_>, moment: Moment) {
    query.retain(|(name, _)| !name.starts_with("oauth_"));
    let own = [
        ("oauth_consumer_key", consumer.key.to_owned()),
        ("oauth_nonce", moment.nonce.to_string()),
        ("oauth_signature_method", "HMAC-SHA1".to_owned()),
        ("oauth_timestamp", moment.now.as_seconds().to_string()),
        ("oauth_version", "1.0".to_owned()),
    ];
    query.extend(own.map(|(name, value)| (name.to_owned(), value)));
    let signature = signature(method, url, query, consumer.secret, "");
    query.push(("oauth_signature".to_owned(), signature));
}

fn signature(method: &str, url: &Url, query: &[(String, String)], secret: &str, token_secret: &str) -> String {
    let mut pairs: Vec<(String, String)> = query.iter().map(|(name, value)| (encode(name), encode(value))).collect();
    pairs.sort_unstable();
    let parameters: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut address = url.clone();
    address.set_query(None);
    address.set_fragment(None);
    let base = format!("{method}&{}&{}", encode(address.as_str()), encode(&parameters.join("&")));
    BASE64_STANDARD.encode(hmac_sha1(&format!("{}&{}", encode(secret), encode(token_secret)), &base))
}

/// Encodes everything except letters, digits, `-`, `.`, `_` and `~` (RFC 5849, 3.6).
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push_str(&hex::encode_upper([byte]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign::testing::{NOW, at, get};

    fn pairs(raw: &[(&str, &str)]) -> Vec<(String, String)> {
        raw.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn it_makes_the_signature_of_the_specifications_own_example() {
        // OAuth Core 1.0, appendix A.5.
        let url = "http://photos.example.net/photos".parse().expect("valid");
        let query = pairs(&[
            ("file", "vacation.jpg"),
            ("size", "original"),
            ("oauth_consumer_key", "dpf43f3p2l4k3l03"),
            ("oauth_token", "nnch734d00sl2jdk"),
            ("oauth_timestamp", "1191242096"),
            ("oauth_nonce", "kllo9940pd9333jh"),
            ("oauth_signature_method", "HMAC-SHA1"),
            ("oauth_version", "1.0"),
        ]);
        assert_eq!(
            signature("GET", &url, &query, "kd94hf93k423kf44", "pfkkdhi9sl3r4s00"),
            "tR3+Ty81lMeYAr/Fid0kMTYa/WM="
        );
    }

    #[test]
    fn without_a_token_the_key_ends_with_an_ampersand_and_forged_parameters_go() {
        // Computed with Python's hmac.
        let url = "https://revenuedesk.fyber.com/iamp/services/performance/1234/vamp/1794700800/1794787200";
        let mut query = pairs(&[("oauth_signature", "forged")]);
        let consumer = Consumer { key: "ck 1", secret: "cs&1" };
        sign("GET", &url.parse().expect("valid"), &mut query, &consumer, at(NOW));
        assert_eq!(get(&query, "oauth_signature"), Some("VqnTn/I6CkY1Ri6GgtlbKV4vzaw="));
        assert_eq!(query.len(), 6);
    }
}
