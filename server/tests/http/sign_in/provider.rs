//! An OpenID Connect provider that issues whatever a test wants: correct tokens, and every wrong one.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use axum::{
    Json, Router,
    extract::{Form, State},
    http::{HeaderMap, StatusCode},
    routing::{get, post},
};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD as B64},
};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

pub const CLIENT: &str = "desk";
pub const SECRET: &str = "client secret/with %";

struct Grant {
    challenge: String,
    redirect: String,
    id_token: String,
}

struct Book {
    base: String,
    pair: EcdsaKeyPair,
    kid: String,
    codes: HashMap<String, Grant>,
    issued: u32,
    /// How often the keys were read.
    key_reads: u32,
    discovered_issuer: Option<String>,
}

#[derive(Clone)]
pub struct Provider(Arc<Mutex<Book>>);

/// The address that a browser was sent to, as the provider reads it.
pub struct Asked {
    pub query: HashMap<String, String>,
}

impl Asked {
    pub fn of(location: &str) -> Self {
        let url = url::Url::parse(location).unwrap();
        Self { query: url.query_pairs().into_owned().collect() }
    }

    pub fn state(&self) -> &str {
        &self.query["state"]
    }
}

fn pair() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap()
}

impl Provider {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let book = Book {
            base,
            pair: pair(),
            kid: "k1".into(),
            codes: HashMap::new(),
            issued: 0,
            key_reads: 0,
            discovered_issuer: None,
        };
        let provider = Self(Arc::new(Mutex::new(book)));
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .with_state(provider.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        provider
    }

    pub fn base(&self) -> String {
        self.0.lock().unwrap().base.clone()
    }

    pub fn key_reads(&self) -> u32 {
        self.0.lock().unwrap().key_reads
    }

    /// Signs with another key from now on.
    pub fn rotate(&self) {
        let mut book = self.0.lock().unwrap();
        (book.pair, book.kid) = (pair(), "k2".into());
    }

    pub fn claims_to_be(&self, issuer: &str) {
        self.0.lock().unwrap().discovered_issuer = Some(issuer.into());
    }

    /// Consents as a person.
    pub fn consent(&self, asked: &Asked, subject: &str, email: &str) -> String {
        self.consent_with(asked, &json!({"sub": subject, "email": email, "email_verified": true, "name": "Ada L"}))
    }

    /// Consents with these claims in place of the correct ones.
    pub fn consent_with(&self, asked: &Asked, claims: &Value) -> String {
        let header = json!({"alg": "ES256", "kid": self.0.lock().unwrap().kid});
        self.consent_signed(asked, &header, claims)
    }

    pub fn consent_signed(&self, asked: &Asked, header: &Value, claims: &Value) -> String {
        let mut book = self.0.lock().unwrap();
        let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
        let mut payload = json!({
            "iss": book.base, "aud": CLIENT, "exp": now + 300, "iat": now, "nonce": asked.query["nonce"],
            "at_hash": B64.encode(&Sha256::digest("access")[..16])
        });
        for (name, value) in claims.as_object().unwrap() {
            payload[name] = value.clone();
        }
        let message = format!("{}.{}", B64.encode(header.to_string()), B64.encode(payload.to_string()));
        let signature = if header["alg"] == "none" {
            Vec::new()
        } else {
            book.pair.sign(&SystemRandom::new(), message.as_bytes()).unwrap().as_ref().to_vec()
        };
        book.issued += 1;
        let code = format!("code-{}", book.issued);
        let grant = Grant {
            challenge: asked.query["code_challenge"].clone(),
            redirect: asked.query["redirect_uri"].clone(),
            id_token: format!("{message}.{}", B64.encode(signature)),
        };
        book.codes.insert(code.clone(), grant);
        code
    }
}

async fn discovery(State(provider): State<Provider>) -> Json<Value> {
    let book = provider.0.lock().unwrap();
    let base = &book.base;
    Json(json!({
        "issuer": book.discovered_issuer.as_ref().unwrap_or(base), "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"), "jwks_uri": format!("{base}/keys"),
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"]
    }))
}

async fn keys(State(provider): State<Provider>) -> Json<Value> {
    let mut book = provider.0.lock().unwrap();
    book.key_reads += 1;
    let point = book.pair.public_key().as_ref();
    Json(json!({"keys": [
        {"kty": "OKP", "crv": "Ed25519", "kid": "other", "x": "AAAA"},
        {"kty": "EC", "crv": "P-256", "kid": book.kid, "use": "sig", "x": B64.encode(&point[1..33]), "y": B64.encode(&point[33..])}
    ]}))
}

/// Issues tokens as strictly as a real provider: checks the client's secret, the verifier and the redirect, and accepts each code
/// once.
async fn token(
    State(provider): State<Provider>,
    headers: HeaderMap,
    Form(form): Form<HashMap<String, String>>,
) -> (StatusCode, Json<Value>) {
    let refused = |error: &str| (StatusCode::BAD_REQUEST, Json(json!({"error": error})));
    let encoded: String = url::form_urlencoded::byte_serialize(SECRET.as_bytes()).collect();
    let basic = format!("Basic {}", STANDARD.encode(format!("{CLIENT}:{encoded}")));
    if headers.get("authorization").is_none_or(|given| *given != *basic) {
        return (StatusCode::UNAUTHORIZED, Json(json!({"error": "invalid_client"})));
    }
    let Some(grant) = provider.0.lock().unwrap().codes.remove(&form["code"]) else { return refused("invalid_grant") };
    let challenge = B64.encode(Sha256::digest(&form["code_verifier"]));
    if challenge != grant.challenge || form["redirect_uri"] != grant.redirect {
        return refused("invalid_grant");
    }
    (
        StatusCode::OK,
        Json(json!({"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": grant.id_token})),
    )
}
