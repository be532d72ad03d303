//! The protection of every address: the headers of each answer, the origins that changes are accepted from, and the limits on
//! size and rate.

use adagent_config::{Config, RateLimits};
use serde_json::json;

use crate::{
    harness::{Caller, EVIL, TestApp, per_minute},
    matrix::rows,
    mcp::Client,
    tokens::token,
};

const UNKNOWN: &str = "019aa000-0000-7000-8000-0000000000aa";

fn filled(template: &str) -> String {
    let part = |part: &str| if part.starts_with('{') { UNKNOWN.to_owned() } else { part.to_owned() };
    template.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn no_change_is_taken_from_another_site_whatever_door_it_comes_to() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let (_, program) = token(&ada, &["api", "mcp"]).await;
    let changes = rows::all().into_iter().filter(|row| !row.reads()).map(|row| row.operation.to_owned());
    let besides = [
        "POST /settings/tokens",
        "POST /settings/account",
        "POST /settings/tool-servers",
        "POST /agents/new",
        "POST /mcp",
        "DELETE /mcp",
        "POST /nowhere",
        "POST /chat",
    ]
    .map(str::to_owned);
    let mut seen = 0;
    for operation in changes.chain(besides) {
        let (method, template) = operation.split_once(' ').unwrap();
        let path = filled(template);
        for (name, value) in [
            ("origin", EVIL),
            ("origin", "null"),
            ("origin", "http://evil.example:80"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            let request = ada.request(method, &path).header(name, value);
            let request = if path == "/mcp" { request.bearer_auth(&program) } else { request };
            // Send it as a form on a foreign page would.
            let answer =
                request.header("content-type", "application/x-www-form-urlencoded").body("a=b").send().await.unwrap();
            assert_eq!(answer.status(), 403, "{operation} with {name}: {value}");
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen}");
    assert!(app.writes().await.is_empty());
}

/// Returns an answer of every address that has its own kind of answer.
async fn everything(ada: &Caller<'_>) -> Vec<(String, reqwest::Response)> {
    let pages = adagent_server::page_paths().into_iter().map(|path| filled(&path));
    let files =
        ["/favicon.svg", "/pkg/nothing.js", "/nowhere", "/fonts/none.woff2", "/%00", "/chat/"].map(str::to_owned);
    let operations = rows::all().into_iter().filter(rows::Row::reads).map(|row| filled(row.path()));
    let mut all = Vec::new();
    for path in pages.chain(files).chain(operations).chain(["/mcp".to_owned(), "/api/nowhere".to_owned()]) {
        let request = ada.request("GET", &path).header("accept", "text/html");
        all.push((path, request.send().await.unwrap()));
    }
    // Include requests that the server refuses early.
    let refused = [
        ("of another site", ada.request("POST", "/api/chat/sessions").header("origin", EVIL)),
        ("of another name", ada.request("GET", "/chat").header("host", "evil.example")),
        ("no method", ada.request("PUT", "/api/me")),
        ("too large", ada.request("POST", "/api/auth/sign-in").json(&"x".repeat(20_000))),
    ];
    for (what, request) in refused {
        all.push((what.to_owned(), request.send().await.unwrap()));
    }
    all
}

#[tokio::test]
async fn every_answer_says_what_browsers_may_do_with_it() {
    let app = TestApp::with(|config| config.public_url = Some("https://desk.example.com".parse().unwrap())).await;
    let ada = app.person("ada").await;
    for (what, answer) in everything(&ada).await {
        let header = |name: &str| {
            let value = answer.headers().get(name).unwrap_or_else(|| panic!("{what} has no {name}"));
            value.to_str().unwrap().to_owned()
        };
        assert_eq!(header("x-content-type-options"), "nosniff", "{what}");
        assert_eq!(header("x-frame-options"), "DENY", "{what}");
        assert_eq!(header("referrer-policy"), "same-origin", "{what}");
        assert_eq!(header("cross-origin-opener-policy"), "same-origin", "{what}");
        assert_eq!(header("cross-origin-resource-policy"), "same-origin", "{what}");
        assert_eq!(header("strict-transport-security"), "max-age=31536000; includeSubDomains", "{what}");
        for device in ["camera", "microphone", "geolocation", "payment", "usb"] {
            assert!(header("permissions-policy").contains(&format!("{device}=()")), "{what}");
        }
        let policy = header("content-security-policy");
        for rule in ["frame-ancestors 'none'", "default-src '"] {
            assert!(policy.contains(rule), "{what}: {policy}");
        }
        assert!((8..=100).contains(&header("x-request-id").len()), "{what}");
        assert!(!answer.headers().contains_key("access-control-allow-origin"), "{what}");
        assert!(!answer.headers().contains_key("server"), "{what}");
        if answer.headers().contains_key("set-cookie") {
            assert!(header("set-cookie").contains("Secure"), "{what}");
        }
    }
}

#[tokio::test]
async fn pages_run_our_scripts_only_and_none_that_stands_in_an_attribute() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let mut pages = 0;
    for (path, answer) in everything(&ada).await {
        assert!(!answer.headers().contains_key("strict-transport-security"), "{path}: not over plain HTTP");
        let is_page =
            answer.headers().get("content-type").is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
        if !is_page {
            continue;
        }
        pages += 1;
        let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
        let page = answer.text().await.unwrap();
        let scripts = policy.split(';').find_map(|rule| rule.trim().strip_prefix("script-src ")).unwrap_or_default();
        assert!(!scripts.contains("'unsafe-inline'") && !scripts.contains("'unsafe-eval'"), "{path}: {scripts}");
        assert!(
            !policy.contains("http:") || policy.contains("form-action 'self' http://127.0.0.1"),
            "{path}: {policy}"
        );
        for rule in ["object-src 'none'", "base-uri 'none'"] {
            assert!(policy.contains(rule), "{path}: {policy}");
        }
        let nonce = scripts.split('\'').find_map(|word| word.strip_prefix("nonce-"));
        for tag in page.split("<script").skip(1).map(|rest| rest.split('>').next().unwrap()) {
            let nonce = nonce.unwrap_or_else(|| panic!("{path} has a script and a policy without a nonce"));
            assert!(tag.contains(&format!("nonce=\"{nonce}\"")), "{path}: <script{tag}>");
        }
        for tag in page.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
            let handler = tag.split_whitespace().skip(1).find(|word| word.starts_with("on") && word.contains('='));
            assert!(handler.is_none(), "{path}: <{tag}>");
            assert!(!tag.to_lowercase().contains("javascript:"), "{path}: <{tag}>");
            // A page loads nothing from elsewhere.
            let outside = ["src=\"http", "src=\"//", "srcset=\"http"].into_iter().find(|from| tag.contains(from));
            assert!(outside.is_none(), "{path}: <{tag}>");
        }
    }
    assert!(pages > 10, "{pages}");
    let nonce = async || {
        let answer = ada.request("GET", "/sign-in").send().await.unwrap();
        answer.headers()["content-security-policy"].to_str().unwrap().split("nonce-").nth(1).unwrap()[..16].to_owned()
    };
    assert_ne!(nonce().await, nonce().await, "a nonce is used once");
}

/// Returns what the server answers to a request line that none of our clients would write.
async fn raw(app: &TestApp, target: &str) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let base = app.running.base_url();
    let place = base.strip_prefix("http://").unwrap().trim_end_matches('/');
    let mut line = tokio::net::TcpStream::connect(place).await.unwrap();
    let request = format!("GET {target} HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n");
    line.write_all(request.as_bytes()).await.unwrap();
    let mut told = Vec::new();
    line.read_to_end(&mut told).await.unwrap();
    String::from_utf8_lossy(&told).into_owned()
}

#[tokio::test]
async fn no_file_is_served_but_those_of_the_site() {
    let app = TestApp::sqlite().await;
    // Everybody on the machine can read the list of its users; only this server can read the database.
    let file = match &app.database {
        adagent_testkit::RawDatabase::Sqlite(path) => path.display().to_string(),
        adagent_testkit::RawDatabase::Postgres(_) => unreachable!("it was started on SQLite"),
    };
    for place in ["/etc/passwd", file.as_str()] {
        for up in
            ["../", "%2e%2e/", "..%2f", "%2e%2e%2f", "..%5c", "..\\", "....//", "%252e%252e%252f", "..;/", "..%00/"]
        {
            for from in ["/", "/pkg/", "/fonts/", "/pkg/%2e/"] {
                let target = format!("{from}{}{}", up.repeat(12), place.trim_start_matches('/'));
                let told = raw(&app, &target).await;
                assert!(!told.starts_with("HTTP/1.1 200"), "{target}: {}", &told[..told.len().min(200)]);
                assert!(!told.contains("root:x:0:0") && !told.contains("SQLite format 3"), "{target}");
            }
        }
        for target in [place.to_owned(), format!("/{place}"), format!("//{place}"), format!("/pkg/{place}")] {
            let told = raw(&app, &target).await;
            assert!(!told.contains("root:x:0:0") && !told.contains("SQLite format 3"), "{target}");
        }
    }
    for target in ["/Cargo.toml", "/pkg/../Cargo.toml", "/.env", "/.git/config", "/pkg", "/pkg/", "/fonts/"] {
        let told = raw(&app, target).await;
        assert!(!told.starts_with("HTTP/1.1 200"), "{target}: {}", &told[..told.len().min(200)]);
    }
}

#[tokio::test]
async fn what_only_its_reader_may_see_is_kept_by_no_cache() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let mut private = 0;
    let mut all = everything(&ada).await;
    for path in ["/chat/a.b", "/settings/x.js", "/fonts/no.woff2", "/pkg/no.css", "/a.html"] {
        all.push((path.to_owned(), ada.request("GET", path).header("accept", "text/html").send().await.unwrap()));
    }
    for (what, answer) in all {
        let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let kept = header("cache-control");
        let kind = header("content-type").split(';').next().unwrap().to_owned();
        if what == "/api/openapi.json" || matches!(kind.as_str(), "image/svg+xml" | "text/javascript" | "text/css") {
            continue;
        }
        assert!(kept.contains("no-store"), "{what} ({kind}, {}) may be kept: {kept:?}", answer.status());
        private += 1;
    }
    assert!(private > 40, "{private}");
}

#[tokio::test]
async fn nobody_is_sent_to_another_site() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let cookie = ada.cookie.lock().unwrap().clone().unwrap();
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let base = app.running.base_url();
    let place = async |request: reqwest::RequestBuilder| {
        let answer = request.header("cookie", &cookie).header("accept", "text/html").send().await.unwrap();
        let place = answer.headers().get("location").map(|place| place.to_str().unwrap().to_owned());
        (answer.status().as_u16(), place)
    };
    let stays = |place: &str| place.starts_with('/') && !place.starts_with("//") && !place.contains('\\');
    // Send each request with a forged referrer.
    for from in [
        EVIL,
        "https://evil.example/chat",
        "//evil.example",
        "http://127.0.0.1//evil.example/",
        "javascript:x",
        "\u{ff}",
    ] {
        for request in [
            http.get(format!("{base}/desk/viewer")),
            http.get(format!("{base}/desk/sessions?search=[")),
            http.post(format!("{base}/desk/keep")).form(&[("id", UNKNOWN), ("kept", "true")]),
            http.post(format!("{base}/desk/put-context")).body("no"),
        ] {
            let (status, place) = place(request.header("referer", from)).await;
            assert!(place.as_deref().is_none_or(&stays), "{from}: {status} {place:?}");
        }
    }
    let (_, back) = place(http.get(format!("{base}/desk/viewer")).header("referer", format!("{base}/runs?x=1"))).await;
    assert_eq!(back.as_deref(), Some("/runs?x=1"), "but back to where they were");
    for to in [
        EVIL,
        "//evil.example",
        "/\\evil.example",
        "/..//evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "javascript:x",
    ] {
        let fields = [("email", "ada@example.com"), ("password", "correct horse"), ("return", to), ("redirect", to)];
        let (status, went) = place(http.post(format!("{base}/api/auth/sign-in")).form(&fields)).await;
        assert!(status == 303 && went.as_deref().is_some_and(stays), "{to}: {status} {went:?}");
        for page in ["/sign-in", "/sign-up", "/settings/networks", "/chat"] {
            let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("return", to).finish();
            let answer =
                ada.request("GET", &format!("{page}?{query}")).header("accept", "text/html").send().await.unwrap();
            let page_text = answer.text().await.unwrap();
            assert!(!page_text.contains("href=\"//evil") && !page_text.contains("href=\"https://evil"), "{page} {to}");
        }
        let (status, went) =
            place(http.post(format!("{base}/desk/switch-workspace")).form(&[("to", "personal"), ("return_to", to)]))
                .await;
        assert!(went.as_deref().is_none_or(stays), "{to}: {status} {went:?}");
    }
}

#[tokio::test]
async fn no_name_becomes_a_header_of_a_mail_or_an_answer() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let acme = ada.post("/api/organizations", json!({"name": "Acme"})).await.json()["id"].as_str().unwrap().to_owned();
    for end in ["\r\nBcc: eve@evil.example", "\nSubject: x", "\rx", "\u{0}", "\u{85}x", "\u{2028}x"] {
        let (name, email) = (format!("A{end}x"), format!("bob@example.com{end}"));
        let sign_up = json!({"email": "cy@example.com", "password": "correct horse", "name": name});
        let invite = json!({"email": email, "role": "member"});
        for (method, path, body, pointer) in [
            ("POST", "/api/auth/sign-up".to_owned(), sign_up, "/name"),
            ("PATCH", "/api/account/profile".to_owned(), json!({"name": name}), "/name"),
            ("POST", "/api/organizations".to_owned(), json!({"name": name}), "/name"),
            ("PATCH", format!("/api/organizations/{acme}"), json!({"name": name}), "/name"),
            ("POST", format!("/api/organizations/{acme}/invitations"), invite, "/email"),
            ("POST", "/api/chat/sessions".to_owned(), json!({"title": name}), "/title"),
        ] {
            let request = ada.request(method, &path).header("x-organization-id", &acme).json(&body);
            let told = request.send().await.unwrap();
            let status = told.status().as_u16();
            let problem: serde_json::Value = told.json().await.unwrap();
            let at = problem["errors"][0]["pointer"].as_str().unwrap_or("-").to_owned();
            assert_eq!((status, at.as_str()), (422, pointer), "{method} {path} {end:?}: {problem}");
        }
    }
}

#[tokio::test]
async fn no_link_is_made_of_what_a_request_says_about_the_server() {
    let app = TestApp::with(|config| {
        config.public_url = Some("https://desk.example.com".parse().unwrap());
        config.trusted_proxies = adagent_config::IpNetworks(Config::nearby_networks());
    })
    .await;
    let ada = app.person("ada").await;
    let forged = [
        ("x-forwarded-host", "evil.example"),
        ("x-forwarded-proto", "gopher"),
        ("x-forwarded-server", "evil.example"),
        ("x-original-url", "/evil.example"),
        ("x-rewrite-url", "/evil.example"),
        ("forwarded", "host=evil.example;proto=gopher"),
    ];
    for path in adagent_server::page_paths().into_iter().map(|path| filled(&path)).chain(["/api/me".into()]) {
        let request =
            forged.iter().fold(ada.request("GET", &path), |request, (name, value)| request.header(*name, *value));
        let answer = request.send().await.unwrap();
        let headers = format!("{:?}", answer.headers());
        let text = answer.text().await.unwrap();
        for word in ["evil.example", "gopher:"] {
            assert!(!headers.contains(word) && !text.contains(word), "{path}: {word}");
        }
    }
    let body = json!({"provider": "admob"});
    let connect =
        forged.iter().fold(ada.request("POST", "/api/providers/connect"), |r, (name, value)| r.header(*name, *value));
    let answer = connect.json(&body).send().await.unwrap().text().await.unwrap();
    assert!(answer.contains("desk.example.com") && !answer.contains("evil.example"), "{answer}");
    // A request with another host name is not for this server.
    for host in ["evil.example", "desk.example.com.evil.example", "127.0.0.1.evil.example"] {
        let answer = ada.request("GET", "/api/me").header("host", host).send().await.unwrap();
        assert_eq!(answer.status(), 421, "{host}");
    }
    let answer = ada.request("GET", "/api/me").header("host", "desk.example.com").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(ada.request("GET", "/healthz").header("host", "backend-7").send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn ids_of_requests_are_ours_unless_they_are_plain() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let id = async |given: &str| {
        let answer = ada.request("GET", "/api/nowhere").header("x-request-id", given).send().await.unwrap();
        let header = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
        let problem: serde_json::Value = answer.json().await.unwrap();
        assert_eq!(problem["request_id"], header.as_str());
        header
    };
    assert_eq!(id("trace-0123.4567_ab").await, "trace-0123.4567_ab");
    for hostile in ["short", "a b c d e f g h", "<script>alert(1)</script>", "x\"y\\z,w;v=uuu", &"x".repeat(101)] {
        assert_ne!(id(hostile).await, hostile);
    }
}

#[tokio::test]
async fn whoever_asks_too_much_waits_by_person_and_by_address() {
    let site = tempfile::tempdir().unwrap();
    std::fs::write(site.path().join("favicon.svg"), "<svg/>").unwrap();
    let limited = |config: &mut Config| {
        config.rate_limits = RateLimits::Standard;
        config.limits.requests_per_user = per_minute(5);
        config.limits.program_sessions_per_user = per_minute(2);
        config.trusted_proxies = adagent_config::IpNetworks(Config::nearby_networks());
        config.site_dir = site.path().to_owned();
    };
    let app = TestApp::with(limited).await;
    let (ada, bob) = (app.person("ada").await, app.person("bob").await);
    let me = async |who: &Caller<'_>| who.get("/api/me").await;
    for _ in 0..5 {
        assert_eq!(me(&ada).await.status, 200);
    }
    let refused = me(&ada).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate_limited"));
    assert!(refused.headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
    // Pages and server functions count alike. Files and health checks do not count.
    assert_eq!(ada.request("GET", "/desk/viewer").send().await.unwrap().status(), 429);
    assert_eq!(ada.request("GET", "/healthz").send().await.unwrap().status(), 200);
    assert_eq!(ada.request("GET", "/favicon.svg").send().await.unwrap().status(), 200);
    // An address that only looks like a file is a page.
    for path in ["/chat/x.1", "/nope.js", "/invite/x.2"] {
        assert_eq!(ada.request("GET", path).send().await.unwrap().status(), 429, "{path}");
    }
    assert_eq!(me(&bob).await.status, 200, "nobody uses up somebody else's");
    // A person's programs count as that person.
    let (_, tools) = token(&bob, &["mcp"]).await;
    let client = Client::new(&app, &tools);
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "older", "version": "1"}
    }});
    let mut told = Vec::new();
    for _ in 0..4 {
        let answer = client.post(&begin).bearer_auth(&tools).send().await.unwrap();
        told.push((answer.status().as_u16(), answer.headers().contains_key("retry-after")));
    }
    assert_eq!(told, [(200, false), (200, false), (429, true), (429, true)]);

    let app = TestApp::with(|config| {
        limited(config);
        config.limits.requests_per_address = per_minute(3);
    })
    .await;
    let nobody = app.caller();
    let from = async |address: &str| {
        let request = nobody.request("GET", "/api/sandbox").header("x-forwarded-for", address);
        request.send().await.unwrap().status().as_u16()
    };
    for _ in 0..3 {
        assert_eq!(from("198.51.100.7").await, 200);
    }
    assert_eq!(from("198.51.100.7").await, 429);
    // What the caller claims is to the left of what the proxy saw, so the claim does not make them somebody else.
    assert_eq!(from("203.0.113.50, 198.51.100.7").await, 429);
    assert_eq!(from("203.0.113.50").await, 200);
}

#[tokio::test]
async fn bodies_are_bounded_by_what_a_door_needs() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let (_, tools) = token(&ada, &["mcp"]).await;
    for (path, size) in [
        ("/api/auth/sign-in", 17 << 10),
        ("/api/auth/sign-up", 17 << 10),
        ("/api/chat/sessions", (2 << 20) + 1),
        ("/chat/stream", (2 << 20) + 1),
        ("/desk/rename-session", (2 << 20) + 1),
        ("/desk/put-context", (2 << 20) + 1),
        ("/settings/tokens", (2 << 20) + 1),
        ("/settings/account", (2 << 20) + 1),
        ("/settings/tool-servers", (2 << 20) + 1),
        ("/mcp", (256 << 10) + 1),
    ] {
        let request = ada.request("POST", path).header("accept", "application/json, text/event-stream");
        let request = if path == "/mcp" { request.bearer_auth(&tools) } else { request };
        let kind = if path.starts_with("/desk") || path.starts_with("/settings") {
            "application/x-www-form-urlencoded"
        } else {
            "application/json"
        };
        let body = format!("\"{}\"", "x".repeat(size));
        let answer = request.header("content-type", kind).body(body).send().await.unwrap();
        assert_eq!(answer.status(), 413, "{path}");
    }
}

#[tokio::test]
async fn what_no_page_can_be_made_of_is_refused_and_programs_are_answered_as_programs() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let app = TestApp::sqlite().await;
    let base = app.running.base_url();
    let address = base.trim_start_matches("http://").to_owned();
    for line in ["CONNECT 127.0.0.1:3001", "TRACE /", "BREW /coffee"] {
        let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
        let head = format!("{line} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 405"), "{line}: {answer}");
        assert!(answer.to_lowercase().contains("allow: get"), "{line}: {answer}");
    }
    for path in [
        "oauth-protected-resource",
        "oauth-protected-resource/mcp",
        "oauth-authorization-server",
        "openid-configuration",
    ] {
        let answer = reqwest::get(format!("{base}/.well-known/{path}")).await.unwrap();
        assert_eq!(answer.status(), 404);
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
        let problem: serde_json::Value = answer.json().await.unwrap();
        assert_eq!(problem["code"], "not_found", "{problem}");
    }
}

/// Returns the answers to two requests on one connection. The body of the first one comes late, with the second right behind it.
async fn two_on_a_line(address: &str, first: &str, body: &[u8]) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let (mut answers, mut sender) = tokio::net::TcpStream::connect(address).await.unwrap().into_split();
    let head = format!("{first}content-length: {}\r\n\r\n", body.len());
    sender.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    let next = format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    let rest = [body, next.as_bytes()].concat();
    // A server that announced a close may close while this sends. This side keeps the connection open until everything is read.
    let sending = tokio::spawn(async move { (sender.write_all(&rest).await.is_ok(), sender) });
    let mut told = Vec::new();
    let _ = answers.read_to_end(&mut told).await;
    let (_sent_it_all, _sender) = sending.await.unwrap();
    String::from_utf8_lossy(&told).into_owned()
}

#[tokio::test]
async fn a_refusal_leaves_the_connection_usable() {
    let app = TestApp::with(|config| {
        config.rate_limits = RateLimits::Standard;
        config.limits.requests_per_user = per_minute(5);
    })
    .await;
    let address = app.running.base_url().trim_start_matches("http://").to_owned();
    let ada = app.person("ada").await;
    let (_, tools) = token(&ada, &["mcp"]).await;
    let busy = app.person("busy").await;
    while busy.get("/api/me").await.status == 200 {}
    let cookie = busy.cookie.lock().unwrap().clone().unwrap();
    let json = "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n";
    let (ours, evil) = (format!("host: {address}\r\n{json}"), format!("host: evil.example\r\n{json}"));
    let bearer = format!("authorization: Bearer {tools}\r\n");
    let small = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_vec();
    let too_large = vec![b'x'; 300 << 10];
    for (line, headers, body, status) in [
        ("POST /api/chat/sessions", format!("{ours}cookie: {cookie}\r\n"), &small, 429),
        ("POST /api/chat/sessions", format!("{ours}origin: {EVIL}\r\n"), &small, 403),
        ("POST /mcp", format!("{ours}{bearer}origin: {EVIL}\r\n"), &small, 403),
        ("POST /api/chat/sessions", ours.clone(), &small, 401),
        ("POST /mcp", ours.clone(), &small, 401),
        ("POST /mcp", format!("{ours}{bearer}"), &too_large, 413),
        ("POST /api/chat/sessions", evil, &small, 421),
        ("PUT /api/me", ours.clone(), &small, 405),
        ("BREW /api/me", ours.clone(), &small, 405),
    ] {
        let told = two_on_a_line(&address, &format!("{line} HTTP/1.1\r\n{headers}"), body).await;
        assert!(told.starts_with(&format!("HTTP/1.1 {status}")), "{line} {status}: {told}");
        assert!(told.contains("HTTP/1.1 200"), "{line} {status}: the second is answered too: {told}");
    }
    // The server does not drain a very long body. It ends the connection and says so in the answer, so the client sends its next
    // request on another one.
    let head = format!("POST /api/chat/sessions HTTP/1.1\r\n{ours}");
    let told = two_on_a_line(&address, &head, &vec![b'x'; 1 << 20]).await.to_lowercase();
    assert!(told.is_empty() || told.contains("connection: close"), "{told}");
}
