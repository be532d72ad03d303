//! Calls to networks that use keys, signed as each network requires.

use adagent_sandbox::{Credential, Standing, credentials};
use md5::{Digest as _, Md5};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use sha1::Sha1;

use crate::support::Fixture;

pub const NETWORKS: [&str; 7] = ["applovin", "unity", "mintegral", "liftoff", "inmobi", "pangle", "dtexchange"];

/// Returns the set of keys with this standing.
pub fn keys(network: &str, standing: Standing) -> &'static Credential {
    credentials::of(network, standing).unwrap()
}

pub fn key(network: &str, standing: Standing, field: &str) -> &'static str {
    keys(network, standing).field(field).unwrap()
}

fn md5(text: &str) -> String {
    hex::encode(Md5::digest(text))
}

/// The pairs of a query or a form.
pub type Pairs<'a> = &'a [(&'a str, &'a str)];

/// Returns `skey`, `time` and `sign` for a moment.
pub fn mintegral_pairs(standing: Standing, at: i64) -> [(&'static str, String); 3] {
    let time = at.to_string();
    let sign = md5(&format!("{}{}", key("mintegral", standing, "secret"), md5(&time)));
    [("skey", key("mintegral", standing, "skey").to_owned()), ("time", time), ("sign", sign)]
}

/// Returns a Pangle body with its signature.
pub fn pangle_body(standing: Standing, at: i64, body: &Value) -> Value {
    let (time, nonce) = (at.to_string(), "1629896970");
    let mut parts = [key("pangle", standing, "security_key"), time.as_str(), nonce];
    parts.sort_unstable();
    let mut signed = body.clone();
    signed["user_id"] = json!(key("pangle", standing, "user_id").parse::<u64>().unwrap());
    signed["role_id"] = json!(key("pangle", standing, "role_id").parse::<u64>().unwrap());
    signed["timestamp"] = json!(at);
    signed["nonce"] = json!(1_629_896_970);
    signed["sign"] = json!(hex::encode(Sha1::digest(parts.concat())));
    signed["version"] = json!("1.0");
    signed
}

/// Returns a Pangle report query with its signature.
pub fn pangle_query(standing: Standing, at: i64, query: Pairs<'_>) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = query.iter().map(|(name, value)| pair(name, value)).collect();
    pairs.push(pair("user_id", key("pangle", standing, "user_id")));
    pairs.push(pair("role_id", key("pangle", standing, "role_id")));
    pairs.push(pair("timestamp", &at.to_string()));
    pairs.push(pair("version", "2.0"));
    pairs.push(pair("sign_type", "MD5"));
    let mut texts: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    texts.sort();
    let sign = md5(&format!("{}{}", texts.join("&"), key("pangle", standing, "security_key")));
    pairs.push(pair("sign", &sign));
    pairs
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

impl Fixture {
    pub fn pangle(&self, path: &str, body: &Value) -> RequestBuilder {
        let body = pangle_body(Standing::Valid, self.seconds(), body);
        self.request(Method::POST, &format!("/pangle{path}")).json(&body)
    }

    pub fn pangle_report(&self, query: Pairs<'_>) -> RequestBuilder {
        let query = pangle_query(Standing::Valid, self.seconds(), query);
        self.request(Method::GET, "/pangle/union_pangle/open/api/rt/income").query(&query)
    }

    /// Requests one of the older reports.
    pub fn pangle_older(&self, which: &str, query: Pairs<'_>) -> RequestBuilder {
        let signed = pangle_body(Standing::Valid, self.seconds(), &json!({}));
        let text = |name: &str| signed[name].as_str().map_or_else(|| signed[name].to_string(), str::to_owned);
        let names = ["user_id", "timestamp", "nonce", "sign"];
        let pairs: Vec<(&str, String)> = names.iter().map(|name| (*name, text(name))).collect();
        let request = self.request(Method::GET, &format!("/pangle/union/media/open_api/report/{which}"));
        request.query(&pairs).query(query)
    }

    pub fn inmobi(&self, method: Method, path: &str, body: Option<Value>) -> RequestBuilder {
        let request = self.request(method, &format!("/inmobi/rest/api{path}"));
        let request = request.header("x-client-id", key("inmobi", Standing::Valid, "user_name"));
        let request = request.header("x-account-id", key("inmobi", Standing::Valid, "account_id"));
        let request = request.header("x-client-secret", key("inmobi", Standing::Valid, "secret_key"));
        match body {
            Some(body) => request.json(&body),
            None => request,
        }
    }

    pub async fn inmobi_session(&self, standing: Standing) -> Value {
        let request = self.request(Method::GET, "/inmobi/@api.inmobi.com/v1.0/generatesession/generate");
        let request = request.header("userName", key("inmobi", standing, "user_name"));
        self.good(request.header("secretKey", key("inmobi", standing, "secret_key"))).await
    }

    pub fn inmobi_report(&self, session: &Value, asked: &Value) -> RequestBuilder {
        let granted = &session["respList"][0];
        let request = self.request(Method::POST, "/inmobi/@api.inmobi.com/v3.0/reporting/publisher");
        let request = request.header("accountId", granted["accountId"].as_str().unwrap_or_default());
        let request = request.header("secretKey", key("inmobi", Standing::Valid, "secret_key"));
        let request = request.header("sessionId", granted["sessionId"].as_str().unwrap_or_default());
        request.json(&json!({ "reportRequest": asked }))
    }

    /// Requests a token for management (`""`) or reports (`"reporting_"`).
    pub async fn dtexchange_token(&self, standing: Standing, which: &str) -> (u16, Value) {
        let (path, grant) = if which.is_empty() {
            ("/dtexchange/api/v2/management/auth", "management_client_credentials")
        } else {
            ("/dtexchange/@reporting.fyber.com/auth/v1/token", "client_credentials")
        };
        let field = |name: &str| key("dtexchange", standing, &format!("{which}{name}"));
        let body =
            json!({"grant_type": grant, "client_id": field("client_id"), "client_secret": field("client_secret")});
        self.done(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn dtexchange(&self, method: Method, path: &str, body: Option<Value>) -> RequestBuilder {
        let (_, token) = self.dtexchange_token(Standing::Valid, "").await;
        let request = self.request(method, &format!("/dtexchange/api/management/v1{path}"));
        let request = request.bearer_auth(token["accessToken"].as_str().unwrap());
        match body {
            Some(body) => request.json(&body),
            None => request,
        }
    }

    pub async fn dtexchange_report(&self, body: &Value) -> RequestBuilder {
        let (_, token) = self.dtexchange_token(Standing::Valid, "reporting_").await;
        let request = self.request(Method::POST, "/dtexchange/@reporting.fyber.com/api/v1/report?format=csv");
        request.bearer_auth(token["accessToken"].as_str().unwrap()).json(body)
    }

    pub fn seconds(&self) -> i64 {
        self.clock.load(std::sync::atomic::Ordering::SeqCst)
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base))
    }

    /// Returns status and body; a body that is not JSON becomes a string.
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

    /// Requests a `LevelPlay` token; returns the answer of the sandbox.
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

    /// Sends reads that need keys, with the keys of this standing.
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
            "inmobi" => {
                let apps = get("/inmobi/rest/api/v2/apps").header("x-client-id", key(network, standing, "user_name"));
                let apps = apps.header("x-account-id", key(network, standing, "account_id"));
                let apps = apps.header("x-client-secret", key(network, standing, "secret_key"));
                let session = self.inmobi_session(standing).await;
                let status = match session["errorList"][0]["code"].as_u64() {
                    None => 200,
                    Some(5001) => 401,
                    Some(5003) => 403,
                    _ => 0,
                };
                vec![self.done(apps).await, (status, session)]
            }
            "pangle" => {
                let body = pangle_body(standing, self.seconds(), &json!({"page": 1, "page_size": 10}));
                let apps = self.request(Method::POST, "/pangle/union/media/open_api/site/query").json(&body);
                let query = pangle_query(standing, self.seconds(), &[("date", "2026-11-20")]);
                let report = get("/pangle/union_pangle/open/api/rt/income").query(&query);
                let (apps, report) = (self.good(apps).await, self.good(report).await);
                let status = |code: Option<&str>| match code {
                    Some("0" | "100") => 200,
                    Some("21003" | "PD0003") => 401,
                    Some("21004" | "PD0005") => 403,
                    _ => 0,
                };
                let code = apps["code"].to_string();
                vec![(status(Some(code.as_str())), apps), (status(report["Code"].as_str()), report)]
            }
            "dtexchange" => {
                let mut answers = Vec::new();
                for which in ["", "reporting_"] {
                    answers.push(self.dtexchange_token(standing, which).await);
                }
                answers
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

/// Returns an amount in micros; the amount is in units, as a number or text.
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
