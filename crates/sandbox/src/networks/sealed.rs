//! Tokens and links that contain their own data, so that they survive a restart without being stored.
//!
//! The seal only catches mistakes in tests; its key is in this file.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const KEY: &str = "adagent-sandbox-seal";

fn seal_of(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(format!("{KEY}|{text}")))
}

/// Returns a JSON web token with these claims.
pub fn jwt(claims: &Value) -> String {
    let head = URL_SAFE_NO_PAD.encode(json!({ "alg": "HS256", "typ": "JWT" }).to_string());
    let body = format!("{head}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
    let seal = seal_of(&body);
    format!("{body}.{seal}")
}

/// Returns the claims of a token made by [`jwt`]. The caller checks whether it has expired.
pub fn claims(token: &str) -> Option<Value> {
    let (body, seal) = token.rsplit_once('.')?;
    if seal_of(body) != seal {
        return None;
    }
    let (_, claims) = body.split_once('.')?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
}

/// Returns the text for a link, with its seal.
pub fn link(text: &str) -> String {
    format!("{}-{}", hex::encode(text), &hex::encode(Sha256::digest(format!("{KEY}|{text}")))[..16])
}

/// Returns the text of a link made by [`link`].
pub fn opened(link: &str) -> Option<String> {
    let (text, _) = link.split_once('-')?;
    let text = String::from_utf8(hex::decode(text).ok()?).ok()?;
    (self::link(&text) == link).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_sealed_here_does_not_open() {
        let token = jwt(&json!({ "exp": 5 }));
        assert_eq!(claims(&token).unwrap()["exp"], 5);
        assert!(claims(&format!("{token}x")).is_none());
        assert!(claims("a.b.c").is_none());
        assert_eq!(opened(&link("a|b")).as_deref(), Some("a|b"));
        assert!(opened("6162-0000000000000000").is_none());
    }
}
