//! Calls to networks that take keys, signed as each of them asks.

use adagent_sandbox::{Credential, Standing, credentials};
use md5::{Digest as _, Md5};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;

use crate::support::Fixture;

pub const NETWORKS: [&str; 4] = ["applovin", "unity", "mintegral", "liftoff"];

/// The set of keys with this standing.
pub fn keys(network: &str, standing: Standing) -> &'static Credential {
    credentials::of(network, standing).unwrap()
}

pub fn key(network: &str, standing: Standing, field: &str) -> &'static str {
    keys(network, standing).field(field).unwrap()
}

fn md5(text: &str) -> String {
    hex::encode(Md5::digest(text))
}

/// Pairs of a query or form.
pub type Pairs<'a> = &'a [(&'a str, &'a str)];

/// `skey`, `time` and `sign` for a moment.
pub fn mintegral_pairs(standing: Standing, at: i64) -> [(&'static str, String); 3] {
    let time = at.to_string();
    let sign = md5(&format!("{}{}", key("mintegral", standing, "secret"), md5(&time)));
    [("skey", key("mintegral", standing, "skey").to_owned()), ("time", time), ("sign", sign)]
}

impl Fixture {
    pub fn seconds(&self) -> i64 {
        self.clock.load(std::sync::atomic::Ordering::SeqCst)
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base))
    }

    /// Status and body; a body that is no JSON is its text.
    pub async fn done(&self, request: RequestBuilder) -> (u16, Value) {
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    pub async fn good(&self, request: RequestBuilder) -> Value {
        let (status, body) = self.done(request).await;
        assert!((200..300).contains(&status), "{status} {body}");
        body
    }

    pub fn applovin(&self, method: Method, path: &str, body: Option<Value>) -> RequestBuilder {
        let request = self.request(method, &format!("/applovin/mediation/v1{path}"));
        let request = request.header("Api-Key", key("applovin", Standing::Valid, "management_key"));
        match body {
            Some(body) => request.json(&body),
            None => request,
        }
    }

    pub fn applovin_report(&self, path: &str, query: Pairs<'_>) -> RequestBuilder {
        let request = self.request(Method::GET, &format!("/applovin/@r.applovin.com{path}"));
        request.query(&[("api_key", key("applovin", Standing::Valid, "report_key"))]).query(query)
    }

    /// A `LevelPlay` token, as the sandbox answers it.
    pub async fn levelplay_token(&self, standing: Standing) -> (u16, Value) {
        let request = self.request(Method::GET, "/unity/partners/publisher/auth");
        let request = request.header("secretkey", key("unity", standing, "secret_key"));
        self.done(request.header("refreshToken", key("unity", standing, "refresh_token"))).await
    }

    pub async fn levelplay(&self, method: Method, path: &str, body: Option<Value>) -> RequestBuilder {
        let (_, token) = self.levelplay_token(Standing::Valid).await;
        let request = self.request(method, &format!("/unity{path}")).bearer_auth(token.as_str().unwrap());
        match body {
            Some(body) => request.json(&body),
            None => request,
        }
    }

    pub fn unity_services(&self, method: Method, path: &str) -> RequestBuilder {
        let (id, secret) = ("key_id", "service_secret_key");
        let request = self.request(method, &format!("/unity/@services.api.unity.com/monetize/v1{path}"));
        request.basic_auth(key("unity", Standing::Valid, id), Some(key("unity", Standing::Valid, secret)))
    }

    pub fn unity_stats(&self, query: Pairs<'_>) -> RequestBuilder {
        let organization = key("unity", Standing::Valid, "organization_id");
        let path = format!("/unity/@monetization.api.unity.com/stats/v1/operate/organizations/{organization}");
        let token = format!("Token {}", key("unity", Standing::Valid, "stats_api_key"));
        self.request(Method::GET, &path).header("authorization", token).query(query)
    }

    pub fn mintegral_get(&self, path: &str, query: Pairs<'_>) -> RequestBuilder {
        let signed = mintegral_pairs(Standing::Valid, self.seconds());
        self.request(Method::GET, &format!("/mintegral{path}")).query(&signed).query(query)
    }

    pub fn mintegral_post(&self, path: &str, form: Pairs<'_>) -> RequestBuilder {
        let mut pairs: Vec<(&str, String)> = mintegral_pairs(Standing::Valid, self.seconds()).to_vec();
        pairs.extend(form.iter().map(|(name, value)| (*name, (*value).to_owned())));
        self.request(Method::POST, &format!("/mintegral{path}")).form(&pairs)
    }

    pub async fn liftoff_token(&self, standing: Standing) -> (u16, Value) {
        let request = self.request(Method::GET, "/liftoff/@auth-api.vungle.com/v2/auth");
        self.done(request.header("x-api-key", key("liftoff", standing, "secret_token"))).await
    }

    pub async fn liftoff(&self, method: Method, path: &str, body: Option<Value>) -> RequestBuilder {
        let (_, token) = self.liftoff_token(Standing::Valid).await;
        let request = self.request(method, &format!("/liftoff/api/v1{path}"));
        let request = request.bearer_auth(token["token"].as_str().unwrap());
        match body {
            Some(body) => request.json(&body),
            None => request,
        }
    }

    pub fn liftoff_report(&self, query: Pairs<'_>) -> RequestBuilder {
        let request = self.request(Method::GET, "/liftoff/@report.api.vungle.com/ext/pub/reports/performance");
        let request = request.bearer_auth(key("liftoff", Standing::Valid, "reporting_api_key"));
        request.header("Vungle-Version", "1").header("Accept", "application/json").query(query)
    }

    /// Any read that needs keys, with the set of that standing.
    pub async fn with_standing(&self, network: &str, standing: Standing) -> Vec<(u16, Value)> {
        let get = |path: &str| self.request(Method::GET, path);
        match network {
            "applovin" => {
                let management = get("/applovin/mediation/v1/ad_units");
                let report = get("/applovin/@r.applovin.com/maxReport?start=2026-11-20&end=2026-11-20&columns=day");
                vec![
                    self.done(management.header("Api-Key", key(network, standing, "management_key"))).await,
                    self.done(report.query(&[("api_key", key(network, standing, "report_key"))])).await,
                ]
            }
            "unity" => {
                let organization = key(network, standing, "organization_id");
                let stats = get(&format!(
                    "/unity/@monetization.api.unity.com/stats/v1/operate/organizations/{organization}\
                     ?fields=view_count&scale=day&start=2026-11-20&end=2026-11-20"
                ));
                let stats = stats.header("authorization", format!("Token {}", key(network, standing, "stats_api_key")));
                let projects =
                    get(&format!("/unity/@services.api.unity.com/monetize/v1/organizations/{organization}/projects"));
                let secret = key(network, standing, "service_secret_key");
                vec![
                    self.levelplay_token(standing).await,
                    self.done(stats).await,
                    self.done(projects.basic_auth(key(network, standing, "key_id"), Some(secret))).await,
                ]
            }
            "mintegral" => {
                let signed = mintegral_pairs(standing, self.seconds());
                let (status, body) = self.done(get("/mintegral/v2/app/open_api_list").query(&signed)).await;
                assert_eq!(status, 200, "Mintegral refuses with a code");
                let status = match body["code"].as_i64() {
                    Some(200) => 200,
                    Some(-2004) => 403,
                    Some(-2003) => 401,
                    _ => 0,
                };
                vec![(status, body)]
            }
            _ => {
                let report = get("/liftoff/@report.api.vungle.com/ext/pub/reports/performance");
                let report =
                    report.bearer_auth(key(network, standing, "reporting_api_key")).header("Vungle-Version", "1");
                let report = report.query(&[("start", "2026-11-20"), ("end", "2026-11-20"), ("aggregates", "views")]);
                vec![self.liftoff_token(standing).await, self.done(report).await]
            }
        }
    }

    pub async fn operations_seen(&self, network: &str) -> Vec<String> {
        let seen = self.get(&format!("/__sandbox/requests?network={network}")).await;
        let mut names: Vec<String> = seen["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["status"].as_u64().is_some_and(|status| status < 300))
            .map(|it| it["operation"].as_str().unwrap().to_owned())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    pub async fn micros(&self, network: &str, query: &str) -> u64 {
        let truth = self.get(&format!("/__sandbox/truth?network={network}&{query}")).await;
        truth["micros"].as_u64().unwrap()
    }

    pub async fn writes_of(&self, network: &str) -> Vec<Value> {
        self.get(&format!("/__sandbox/writes?network={network}")).await["items"].as_array().unwrap().clone()
    }
}

/// Micros of an amount written in units, as a number or as text.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "amounts of a test")]
pub fn micros(value: &Value) -> u64 {
    let number = value.as_f64().or_else(|| value.as_str()?.parse().ok()).unwrap();
    (number * 1e6).round() as u64
}

pub fn sum(rows: &Value, name: &str) -> u64 {
    rows.as_array().unwrap().iter().map(|row| micros(&row[name])).sum()
}

pub fn count(rows: &Value, name: &str) -> u64 {
    let read = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok()).unwrap();
    rows.as_array().unwrap().iter().map(|row| read(&row[name])).sum()
}

pub fn texts(rows: &Value, name: &str) -> Vec<String> {
    rows.as_array().unwrap().iter().map(|row| row[name].as_str().unwrap_or_default().to_owned()).collect()
}
