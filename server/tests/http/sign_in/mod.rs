//! Signing in, as people and attackers try it: links by mail, two-factor authentication, sessions, Google.

mod codes;
mod confirm;
mod failures;
mod google;
mod letters;
mod limits;
mod names;
mod peer;
mod provider;
mod sessions;

use std::time::Duration;

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};

use crate::harness::{Answer, Caller, TestApp};

pub const PASSWORD: &str = "correct horse";

/// Returns the mails to an address, newest first, once there are `count` of them.
pub async fn mails(app: &TestApp, to: &str, count: usize) -> Vec<Value> {
    let read = async {
        loop {
            let url = format!("{}/dev/outbox.json", app.running.base_url());
            let all: Value = reqwest::get(url).await.unwrap().json().await.unwrap();
            let theirs: Vec<Value> =
                all["items"].as_array().unwrap().iter().filter(|mail| mail["to"] == to).cloned().collect();
            if theirs.len() >= count {
                return theirs;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), read).await.expect("the mails come")
}

/// Returns the secret of the link in a mail.
pub fn link(app: &TestApp, mail: &Value, page: &str) -> String {
    let url = mail["url"].as_str().unwrap();
    let start = format!("{}{page}/", app.running.base_url());
    url.strip_prefix(&start).unwrap_or_else(|| panic!("{url} does not begin with {start}")).to_owned()
}

/// Signs a person in with another browser.
pub async fn sign_in<'a>(app: &'a TestApp, email: &str, password: &str) -> (Caller<'a>, Answer) {
    let caller = app.caller();
    let answer = caller.post("/api/auth/sign-in", json!({"email": email, "password": password})).await;
    (caller, answer)
}

pub async fn is_in(caller: &Caller<'_>) -> bool {
    match caller.get("/api/me").await.status {
        200 => true,
        401 => false,
        other => panic!("{other}"),
    }
}

/// Returns the code some steps from now, computed independently of our own code.
pub fn code(secret: &str, steps: i64) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut bits = 0_u128;
    let mut key = Vec::new();
    for chunk in secret.as_bytes().chunks(8) {
        for letter in chunk {
            bits = bits << 5 | ALPHABET.iter().position(|known| known == letter).unwrap() as u128;
        }
        key.extend_from_slice(&bits.to_be_bytes()[11..]);
        bits = 0;
    }
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let step = i64::try_from(now / 30).unwrap() + steps;
    let mut mac = Hmac::<sha1::Sha1>::new_from_slice(&key).unwrap();
    mac.update(&step.to_be_bytes());
    let digest = mac.finalize().into_bytes();
    let offset = usize::from(digest[19] & 15);
    let number = u32::from_be_bytes(digest[offset..offset + 4].try_into().unwrap()) & 0x7fff_ffff;
    format!("{:06}", number % 1_000_000)
}

/// Turns two-factor authentication on; returns its secret and the recovery codes. This uses up the code of the previous step.
pub async fn enrol(caller: &Caller<'_>) -> (String, Vec<String>) {
    let (secret, codes, _) = enrol_with(caller).await;
    (secret, codes)
}

/// Works like [`enrol`], and returns the used code too: a moment later, the code for that step would be a different one.
pub async fn enrol_with(caller: &Caller<'_>) -> (String, Vec<String>, String) {
    let begun = caller.post("/api/account/second-factor", json!({"password": PASSWORD})).await;
    assert_eq!(begun.status, 201, "{}", begun.text);
    let begun = begun.json();
    let secret = begun["secret"].as_str().unwrap().to_owned();
    let codes = begun["recovery_codes"].as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_owned());
    let codes = codes.collect();
    let used = code(&secret, -1);
    let confirmed = caller.post("/api/account/second-factor/confirm", json!({"code": used})).await;
    assert_eq!(confirmed.status, 204, "{}", confirmed.text);
    (secret, codes, used)
}
