//! Tests that we accept the tokens that a provider signed for us, and refuse all others.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::id_token::{Claims, Expected, Key, Unproven, names_unknown_key, verify};

const NOW: i64 = 1_795_254_060;
const ISSUER: &str = "https://accounts.example";

struct Signer {
    pair: EcdsaKeyPair,
    kid: &'static str,
}

impl Signer {
    fn new(kid: &'static str) -> Self {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap();
        Self { pair, kid }
    }

    fn key(&self) -> Value {
        let point = self.pair.public_key().as_ref();
        json!({"kty": "EC", "crv": "P-256", "kid": self.kid, "alg": "ES256", "use": "sig",
               "x": B64.encode(&point[1..33]), "y": B64.encode(&point[33..])})
    }

    fn sign(&self, header: &Value, payload: &Value) -> String {
        let message = format!("{}.{}", B64.encode(header.to_string()), B64.encode(payload.to_string()));
        let signature = self.pair.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
        format!("{message}.{}", B64.encode(signature.as_ref()))
    }

    fn token(&self, payload: &Value) -> String {
        self.sign(&json!({"alg": "ES256", "kid": self.kid}), payload)
    }
}

fn keys(values: &[Value]) -> Vec<Key> {
    values.iter().map(|value| serde_json::from_value(value.clone()).unwrap()).collect()
}

fn good() -> Value {
    json!({"iss": ISSUER, "sub": "42", "aud": "desk", "exp": NOW + 300, "iat": NOW, "nonce": "n",
           "email": "ada@example.com", "email_verified": true, "name": "Ada"})
}

#[expect(clippy::needless_pass_by_value, reason = "written as literals")]
fn with(change: Value) -> Value {
    let mut payload = good();
    for (name, value) in change.as_object().unwrap() {
        payload[name] = value.clone();
    }
    payload
}

fn expected() -> Expected<'static> {
    Expected { issuer: ISSUER, client_id: "desk", nonce: "n", access_token: Some("access"), now_seconds: NOW }
}

#[test]
fn a_token_that_was_signed_for_this_sign_in_is_believed() {
    let signer = Signer::new("k1");
    let keys = keys(&[Signer::new("k0").key(), signer.key()]);
    let claims = verify(&signer.token(&good()), &keys, &expected()).unwrap();
    let ada = Claims {
        subject: "42".into(),
        email: Some("ada@example.com".into()),
        email_verified: true,
        name: Some("Ada".into()),
    };
    assert_eq!(claims, ada);
    let at_hash = B64.encode(&Sha256::digest("access")[..16]);
    for fine in [
        json!({"aud": ["desk"]}),
        json!({"aud": ["desk", "other"], "azp": "desk"}),
        json!({"at_hash": at_hash}),
        json!({"exp": NOW - 30, "iat": NOW - 400}),
        json!({"iat": NOW + 30, "nbf": NOW + 30}),
    ] {
        assert!(verify(&signer.token(&with(fine.clone())), &keys, &expected()).is_ok(), "{fine}");
    }
}

#[test]
fn what_was_said_to_or_about_somebody_else_is_not_believed() {
    let signer = Signer::new("k1");
    let keys = keys(&[signer.key()]);
    for (change, why) in [
        (json!({"iss": "https://evil.example"}), Unproven::Issuer),
        (json!({"iss": "https://accounts.example/"}), Unproven::Issuer),
        (json!({"aud": "other"}), Unproven::Audience),
        (json!({"aud": []}), Unproven::Audience),
        (json!({"aud": {"desk": true}}), Unproven::Audience),
        (json!({"aud": ["desk", "other"]}), Unproven::Audience),
        (json!({"aud": ["desk", "other"], "azp": "other"}), Unproven::Audience),
        (json!({"azp": "other"}), Unproven::Audience),
        (json!({"exp": NOW - 60}), Unproven::Time),
        (json!({"exp": i64::MIN}), Unproven::Time),
        (json!({"iat": NOW + 61}), Unproven::Time),
        (json!({"iat": NOW - 601}), Unproven::Time),
        (json!({"nbf": NOW + 61}), Unproven::Time),
        (json!({"nonce": "other"}), Unproven::Nonce),
        (json!({"nonce": null}), Unproven::Nonce),
        (json!({"at_hash": "AAAA"}), Unproven::AccessToken),
        (json!({"sub": ""}), Unproven::Subject),
        (json!({"sub": "x".repeat(256)}), Unproven::Subject),
        (json!({"exp": "soon"}), Unproven::Malformed),
        (json!({"sub": 42}), Unproven::Malformed),
    ] {
        assert_eq!(verify(&signer.token(&with(change.clone())), &keys, &expected()), Err(why), "{change}");
    }
}

#[test]
fn only_the_providers_own_signature_counts() {
    let (signer, other) = (Signer::new("k1"), Signer::new("k1"));
    let keys = keys(&[signer.key()]);
    assert_eq!(verify(&other.token(&good()), &keys, &expected()), Err(Unproven::Signature));
    let header = |alg: &str| json!({"alg": alg, "kid": "k1"});
    for alg in ["none", "None", "HS256", "RS384", "ES384", ""] {
        assert_eq!(verify(&signer.sign(&header(alg), &good()), &keys, &expected()), Err(Unproven::Algorithm), "{alg}");
    }
    // A key works only for its own algorithm.
    assert_eq!(verify(&signer.sign(&header("RS256"), &good()), &keys, &expected()), Err(Unproven::UnknownKey));
    let unknown = signer.sign(&json!({"alg": "ES256", "kid": "k9"}), &good());
    assert_eq!(verify(&unknown, &keys, &expected()), Err(Unproven::UnknownKey));
    assert!(names_unknown_key(&unknown, &keys) && !names_unknown_key(&signer.token(&good()), &keys));
    let critical = signer.sign(&json!({"alg": "ES256", "kid": "k1", "crit": ["exp"], "exp": 1}), &good());
    assert_eq!(verify(&critical, &keys, &expected()), Err(Unproven::Malformed));
    // A part of the token was changed after signing.
    let token = signer.token(&good());
    let parts: Vec<&str> = token.split('.').collect();
    let forged = B64.encode(with(json!({"email": "eve@example.com"})).to_string());
    assert_eq!(verify(&format!("{}.{forged}.{}", parts[0], parts[2]), &keys, &expected()), Err(Unproven::Signature));
    for broken in
        ["", "a.b", "a.b.c", &format!("{}.{}.", parts[0], parts[1]), &format!("{token}.x"), &"a".repeat(20_000)]
    {
        assert!(verify(broken, &keys, &expected()).is_err(), "{broken}");
    }
}

#[test]
fn without_a_key_id_there_must_be_one_key() {
    let signer = Signer::new("k1");
    let token = signer.sign(&json!({"alg": "ES256"}), &good());
    assert!(verify(&token, &keys(&[signer.key()]), &expected()).is_ok());
    let two = keys(&[signer.key(), Signer::new("k2").key()]);
    assert_eq!(verify(&token, &two, &expected()), Err(Unproven::UnknownKey));
    let mut for_secrets = signer.key();
    for_secrets["use"] = json!("enc");
    assert_eq!(verify(&token, &keys(&[for_secrets]), &expected()), Err(Unproven::UnknownKey));
}

/// Checks an RS256 signature like those of Google, which we made once with OpenSSL.
#[test]
fn rsa_signatures_are_checked_too() {
    let key = json!({"kty": "RSA", "kid": "r1", "e": "AQAB", "n": include_str!("rsa_modulus.txt").trim()});
    let token = include_str!("rsa_token.txt").trim();
    let expected = Expected { access_token: None, ..expected() };
    assert_eq!(
        verify(token, &keys(std::slice::from_ref(&key)), &expected).map(|claims| claims.subject),
        Ok("42".into())
    );
    let (message, signature) = token.rsplit_once('.').unwrap();
    let mut bytes = B64.decode(signature).unwrap();
    bytes[7] ^= 1;
    let forged = format!("{message}.{}", B64.encode(bytes));
    assert_eq!(verify(&forged, &keys(&[key]), &expected), Err(Unproven::Signature));
}
