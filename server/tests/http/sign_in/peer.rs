//! The round trip of signing in, with an independent, certified provider: npm `oidc-provider`, as `cargo xtask test` installs it.

use std::{collections::BTreeMap, process::Stdio};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{Child, ChildStdout},
};

use super::google::Browser;
use crate::{
    harness::TestApp,
    mcp_clients::{end2end, module, node},
};

const CLIENT: &str = "desk";
const SECRET: &str = "secret/with %";

struct Peer {
    base: String,
    child: Child,
    /// The process ends if nobody reads its output.
    _output: Lines<BufReader<ChildStdout>>,
}

impl Peer {
    async fn start(address_in: &str) -> Self {
        module("oidc-provider/package.json");
        let mut command = node();
        command.arg(end2end().join("peers/oidc_provider.mjs")).args([CLIENT, SECRET, address_in]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("node starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let port = lines.next_line().await.unwrap().expect("it says its port");
        Self { base: format!("http://127.0.0.1:{port}"), child, _output: lines }
    }

    async fn knows(&mut self, redirect: &str) {
        let input = self.child.stdin.as_mut().expect("its input");
        input.write_all(format!("{redirect}\n").as_bytes()).await.unwrap();
        let ready = async {
            let url = format!("{}/.well-known/openid-configuration", self.base);
            while reqwest::get(&url).await.unwrap().status() != 200 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), ready).await.expect("it is ready");
    }
}

/// Goes through the provider's pages as a person would: signs in as `login` and consents. Returns the address back at the desk.
async fn consent(start: &str, base: &str, login: &str) -> String {
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let mut cookies: BTreeMap<String, String> = BTreeMap::new();
    let mut next = http.get(start);
    for _ in 0..12 {
        let header: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let response = next.header("cookie", header.join("; ")).send().await.unwrap();
        for cookie in response.headers().get_all("set-cookie") {
            let (name, value) = cookie.to_str().unwrap().split(';').next().unwrap().split_once('=').unwrap();
            cookies.insert(name.into(), value.into());
        }
        let here = response.url().clone();
        if let Some(location) = response.headers().get("location") {
            let location = here.join(location.to_str().unwrap()).unwrap();
            if !location.as_str().starts_with(base) {
                return location.into();
            }
            next = http.get(location);
            continue;
        }
        assert_eq!(response.status(), 200, "{here}");
        let page = response.text().await.unwrap();
        let form = if page.contains("value=\"login\"") {
            vec![("prompt", "login"), ("login", login), ("password", "any")]
        } else {
            assert!(page.contains("value=\"consent\""), "{page}");
            vec![("prompt", "consent")]
        };
        next = http.post(here).form(&form);
    }
    panic!("the provider sends the browser in a circle")
}

#[tokio::test]
async fn a_certified_provider_signs_people_in() {
    for address_in in ["token", "userinfo"] {
        let mut peer = Peer::start(address_in).await;
        let base = peer.base.clone();
        let app = TestApp::with(|config| {
            config.oidc.issuer = base.parse().unwrap();
            config.oidc.client_id = Some(CLIENT.into());
            config.oidc.client_secret = Some(SECRET.to_owned().into());
        })
        .await;
        peer.knows(&format!("{}/api/auth/google/callback", app.running.base_url())).await;
        let mut browser = Browser::new(&app);
        let response = browser.go("/api/auth/google?return=/approvals").await;
        let start = response.headers()["location"].to_str().unwrap().to_owned();
        let back = consent(&start, &base, "ada").await;
        let path = back.strip_prefix(&app.running.base_url()).expect("back at the desk").to_owned();
        let response = browser.go(&path).await;
        assert_eq!(response.headers()["location"], "/approvals", "{address_in}");
        let me = browser.me().await.expect("signed in");
        assert_eq!(
            (me["user"]["email"].as_str(), me["user"]["name"].as_str()),
            (Some("ada@example.com"), Some("ada at the provider"))
        );
        // Open the same address again: neither we nor the provider accept it twice.
        let mut again = Browser::new(&app);
        again.cookies = browser.cookies.clone();
        again.cookies.remove("adagent_session");
        let response = again.go(&path).await;
        assert_eq!(response.headers()["location"], "/sign-in?error=google_failed");
        app.stop().await;
    }
}
