//! Decides what a reply means: a result, or one of the ways to fail. This module is pure.
//!
//! It must never make up a success: if a network marks its successes, a reply without the mark is none, whatever its status.

use serde_json::Value as Json;
use url::Url;

use super::{refusal::Refusal, retry::Attempt, send::Received};
use crate::sign::{Conduct, Meaning};

/// What kinds of reply the operation may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    pub read_only: bool,
    /// CSV, or a link to it, may come instead of JSON.
    pub csv: bool,
}

/// A successful reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Json(Json),
    /// CSV that is not parsed yet.
    Text(String),
    /// The result is behind this link.
    Moved(Url),
}

pub fn read(conduct: &Conduct, expected: Expected, received: &Received) -> Result<Content, Attempt> {
    let status = received.status;
    if let Some(link) = moved(expected, received) {
        return Ok(Content::Moved(link));
    }
    if !(200..300).contains(&status) {
        return Err(refused(conduct, received));
    }
    if let Some(refusal) = by_headers(conduct, received) {
        return Err(meant(conduct, refusal, received));
    }
    if received.body.is_empty() && conduct.empty_lists_left_out {
        return Ok(Content::Json(Json::Object(serde_json::Map::new())));
    }
    let body = received.body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&received.body);
    if body.iter().all(u8::is_ascii_whitespace) {
        return empty(conduct, expected);
    }
    match serde_json::from_slice::<Json>(body) {
        Ok(json) => marked(conduct, json, received).map(Content::Json),
        // If the network marks its successes, text without the mark is no success.
        Err(error) => text(expected.csv && !conduct.marked, body, received, error.is_eof()),
    }
}

/// Decides about an empty reply. It is fine for a change if the network has no mark of success; otherwise it is an error.
fn empty(conduct: &Conduct, expected: Expected) -> Result<Content, Attempt> {
    if !(conduct.empty_lists_left_out || conduct.marked || expected.read_only) {
        return Ok(Content::Json(Json::Object(serde_json::Map::new())));
    }
    Err(Attempt::broken("EMPTY_REPLY", "it is empty"))
}

fn text(csv: bool, body: &[u8], received: &Received, cut_short: bool) -> Result<Content, Attempt> {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace()).copied().unwrap_or(b' ');
    let kind = received.header("content-type").unwrap_or_default().to_ascii_lowercase();
    if first == b'<' || kind.starts_with("text/html") {
        return Err(Attempt::broken("HTML_REPLY", "it is a web page instead of data"));
    }
    if matches!(first, b'{' | b'[' | b'"') && !(csv && first == b'"') {
        return Err(if cut_short {
            Attempt::broken("TRUNCATED_REPLY", "it breaks off in the middle")
        } else {
            Attempt::broken("BROKEN_REPLY", "it is no valid JSON")
        });
    }
    match std::str::from_utf8(body) {
        Ok(text) if csv && may_be_rows(&kind) => Ok(Content::Text(text.to_owned())),
        _ => Err(Attempt::broken("BROKEN_REPLY", "it is no JSON")),
    }
}

/// Checks whether CSV may have this content type. Some networks send none, or only say that it is text.
fn may_be_rows(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim();
    matches!(kind, "" | "text/csv" | "text/plain" | "application/csv" | "application/octet-stream")
        || kind == "text/comma-separated-values"
}

fn moved(expected: Expected, received: &Received) -> Option<Url> {
    let redirect = matches!(received.status, 301 | 302 | 303 | 307 | 308) && expected.read_only && expected.csv;
    redirect.then(|| received.header("location")?.parse().ok()).flatten()
}

fn by_headers(conduct: &Conduct, received: &Received) -> Option<Refusal> {
    let (code, words) = conduct.error_headers?;
    let code = received.header(code)?;
    Some(Refusal::own(received.status, code, received.header(words).unwrap_or_default()))
}

/// Checks the marks of success: every mark in the reply must say yes, and at least one must be present if the network always sends one.
fn marked(conduct: &Conduct, json: Json, received: &Received) -> Result<Json, Attempt> {
    let mut yes = 0;
    for mark in conduct.marks {
        let Some(value) = json.pointer(mark.at).and_then(plain) else { continue };
        if !mark.yes.contains(&value.as_str()) {
            let refusal = Refusal::told(conduct, received.status, &json);
            return Err(meant(conduct, refusal, received));
        }
        yes += 1;
    }
    if conduct.marked && yes == 0 {
        return Err(Attempt::broken("UNMARKED_REPLY", "it doesn't say that the request succeeded"));
    }
    Ok(json)
}

/// Reads a reply that says no although its status says yes.
fn meant(conduct: &Conduct, refusal: Refusal, received: &Received) -> Attempt {
    let meaning = conduct.meaning(refusal.own.as_deref().unwrap_or_default(), &refusal.message);
    by_meaning(meaning, refusal, received)
}

fn by_meaning(meaning: Option<Meaning>, refusal: Refusal, received: &Received) -> Attempt {
    let retry_after = received.retry_after();
    let refused = |code: &str| Attempt::Refused(refusal.clone().coded(code));
    match meaning {
        Some(Meaning::Credentials) => Attempt::Unauthorized(refusal),
        Some(Meaning::RateLimited) => Attempt::RateLimited { retry_after, refusal },
        Some(Meaning::Temporary) => Attempt::Server { retry_after, refusal },
        Some(Meaning::ClockSkew) => refused("CLOCK_SKEW"),
        Some(Meaning::NotAllowed) => refused("PERMISSION_DENIED"),
        Some(Meaning::NotFound) => refused("NOT_FOUND"),
        Some(Meaning::AlreadyExists) => refused("ALREADY_EXISTS"),
        None if (200..300).contains(&refusal.status) => refused("REFUSED"),
        None => Attempt::Refused(refusal),
    }
}

fn refused(conduct: &Conduct, received: &Received) -> Attempt {
    let status = received.status;
    let mut refusal = Refusal::read(conduct, status, &received.body);
    if let Some(told) = by_headers(conduct, received) {
        refusal.own = told.own;
        if !told.message.is_empty() {
            refusal.message = told.message;
        }
    }
    let meaning = conduct.meaning(refusal.own.as_deref().unwrap_or_default(), &refusal.message);
    let retry_after = received.retry_after();
    match (status, meaning) {
        (429, _) => Attempt::RateLimited { retry_after, refusal },
        (408, _) => Attempt::Timeout,
        (500.., _) => Attempt::Server { retry_after, refusal },
        // The message counts more than a status that many networks use for everything.
        (401, Some(Meaning::ClockSkew | Meaning::NotAllowed)) => by_meaning(meaning, refusal, received),
        (401, _) => Attempt::Unauthorized(refusal),
        (400 | 403, Some(Meaning::Credentials | Meaning::ClockSkew | Meaning::RateLimited))
        | (400, Some(Meaning::NotFound | Meaning::AlreadyExists | Meaning::NotAllowed)) => {
            by_meaning(meaning, refusal, received)
        }
        _ => Attempt::Refused(refusal),
    }
}

/// Reads the refusal of a file. The text does not come from the network's API, so only the status counts.
pub fn of_file(received: &Received) -> Attempt {
    let (status, retry_after) = (received.status, received.retry_after());
    match status {
        429 => Attempt::RateLimited { retry_after, refusal: Refusal::bare(status) },
        408 => Attempt::Timeout,
        500.. => Attempt::Server { retry_after, refusal: Refusal::bare(status) },
        // We signed nothing, so a 401 or 403 means that the link has expired.
        _ => Attempt::Refused(Refusal {
            message: "The link to the report file no longer works".into(),
            ..Refusal::bare(status)
        }),
    }
}

/// Returns a value without parts as text, in the form that marks are compared in.
pub fn plain(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::Network;
    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::*;
    use crate::sign::profile;

    const READ: Expected = Expected { read_only: true, csv: false };
    const WRITE: Expected = Expected { read_only: false, csv: false };

    fn received(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Received {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        Received { status, headers, body: body.as_bytes().to_vec() }
    }

    fn of(network: Network, expected: Expected, status: u16, body: &str) -> Result<Content, Attempt> {
        read(&profile(network).conduct, expected, &received(status, &[], body))
    }

    fn kind(result: &Result<Content, Attempt>) -> String {
        match result {
            Ok(_) => "ok".into(),
            Err(Attempt::Refused(refusal)) => format!("refused {}", refusal.code),
            Err(Attempt::Unauthorized(_)) => "unauthorized".into(),
            Err(Attempt::RateLimited { .. }) => "limited".into(),
            Err(Attempt::Server { .. }) => "server".into(),
            Err(Attempt::Broken { code, .. }) => (*code).to_owned(),
            Err(other) => format!("{other:?}"),
        }
    }

    #[test]
    fn a_200_is_a_success_only_with_the_networks_own_mark() {
        let cases = [
            (Network::Mintegral, r#"{"code":200,"msg":"success","data":{"lists":[]}}"#, "ok"),
            (Network::Mintegral, r#"{"code":"ok","data":{"lists":[]}}"#, "ok"),
            (Network::Mintegral, r#"{"code":-2004,"msg":"No Access"}"#, "refused PERMISSION_DENIED"),
            (Network::Mintegral, r#"{"code":-1,"msg":"sign error"}"#, "unauthorized"),
            (Network::Mintegral, r#"{"code":-1,"msg":"time error"}"#, "refused CLOCK_SKEW"),
            (Network::Mintegral, r#"{"code":-1,"msg":"Requests are too frequent"}"#, "limited"),
            (Network::Mintegral, r#"{"code":-1,"msg":"app_name too long"}"#, "refused REFUSED"),
            (Network::Mintegral, r#"{"data":{"lists":[]}}"#, "UNMARKED_REPLY"),
            (Network::Mintegral, "", "EMPTY_REPLY"),
            (Network::Pangle, r#"{"code":0,"message":"","data":{}}"#, "ok"),
            (Network::Pangle, r#"{"Code":"100","Data":{}}"#, "ok"),
            (Network::Pangle, r#"{"Code":"PD0004","Message":"no data"}"#, "ok"),
            (Network::Pangle, r#"{"code":21001,"message":"invalid signature"}"#, "unauthorized"),
            (Network::Pangle, r#"{"code":50007,"message":"app waits for review"}"#, "refused PERMISSION_DENIED"),
            (Network::Pangle, r#"{"code":1,"message":"system error"}"#, "server"),
            (Network::InMobi, r#"{"error":false,"respList":[]}"#, "ok"),
            (
                Network::InMobi,
                r#"{"error":true,"errorList":[{"code":5001,"message":"Invalid session"}]}"#,
                "unauthorized",
            ),
            (Network::InMobi, r#"{"success":true,"data":{}}"#, "ok"),
            (Network::InMobi, r#"{"success":false,"message":"App not found"}"#, "refused NOT_FOUND"),
            (Network::InMobi, r#"{"data":{}}"#, "UNMARKED_REPLY"),
            (Network::AppLovin, r#"{"code":200,"results":[]}"#, "ok"),
            (Network::AppLovin, r#"{"code":400,"message":"bad column"}"#, "refused REFUSED"),
            (Network::AppLovin, "[]", "ok"),
            (Network::Liftoff, "[]", "ok"),
        ];
        for (network, body, expected) in cases {
            assert_eq!(kind(&of(network, READ, 200, body)), expected, "{network} {body}");
        }
    }

    #[test]
    fn the_networks_code_and_words_are_kept() {
        let Err(Attempt::Refused(refusal)) =
            of(Network::Mintegral, WRITE, 200, r#"{"code":-2006,"msg":"app_name too long"}"#)
        else {
            panic!("refused")
        };
        assert_eq!((refusal.own.as_deref(), refusal.message.as_str()), (Some("-2006"), "app_name too long"));
        let reply = received(200, &[("x-al-error-code", "104"), ("x-al-error-message", "Unknown package")], "{}");
        let Err(Attempt::Refused(refusal)) = read(&profile(Network::AppLovin).conduct, WRITE, &reply) else {
            panic!("refused")
        };
        assert_eq!((refusal.own.as_deref(), refusal.message.as_str()), (Some("104"), "Unknown package"));
    }

    #[test]
    fn what_is_no_json_is_told_apart() {
        let page = "<!DOCTYPE html><html>Sign in</html>";
        assert_eq!(kind(&of(Network::Unity, READ, 200, page)), "HTML_REPLY");
        assert_eq!(kind(&of(Network::Unity, READ, 200, r#"[{"a":1},"#)), "TRUNCATED_REPLY");
        assert_eq!(kind(&of(Network::Unity, READ, 200, r#"{"a":nul}"#)), "BROKEN_REPLY");
        assert_eq!(kind(&of(Network::Unity, READ, 200, "a,b\n1,2")), "BROKEN_REPLY");
        assert_eq!(kind(&of(Network::Unity, READ, 200, "  ")), "EMPTY_REPLY");
        assert_eq!(kind(&of(Network::Unity, WRITE, 204, "")), "ok");
        assert_eq!(kind(&of(Network::AdMob, READ, 200, "")), "ok");
        let csv = Expected { read_only: true, csv: true };
        assert_eq!(of(Network::Unity, csv, 200, "a,b\n1,2").expect("rows"), Content::Text("a,b\n1,2".into()));
        assert_eq!(kind(&of(Network::Unity, csv, 200, page)), "HTML_REPLY");
        assert_eq!(kind(&of(Network::AdMob, READ, 200, "  ")), "EMPTY_REPLY");
        let json = received(200, &[("content-type", "application/json")], "a,b\n1,2");
        assert_eq!(kind(&read(&profile(Network::Unity).conduct, csv, &json)), "BROKEN_REPLY", "it said JSON");
        for marked in [Network::Mintegral, Network::InMobi, Network::Pangle] {
            assert_eq!(kind(&of(marked, csv, 200, "a,b\n1,2")), "BROKEN_REPLY", "{marked}: without its mark");
        }
    }

    #[test]
    fn statuses_and_words_together_decide() {
        let cases = [
            (401, r#"{"message":"Expired token"}"#, "unauthorized"),
            (401, r#"{"message":"Request timestamp is too old"}"#, "refused CLOCK_SKEW"),
            (403, r#"{"message":"Invalid API key"}"#, "unauthorized"),
            (403, r#"{"message":"Account is not on the allow-list"}"#, "refused PERMISSION_DENIED"),
            (403, "<html>", "refused PERMISSION_DENIED"),
            (404, r#"{"message":"no such app"}"#, "refused NOT_FOUND"),
            (400, r#"{"message":"Application does not exist"}"#, "refused NOT_FOUND"),
            (400, r#"{"message":"bad name"}"#, "refused INVALID_ARGUMENT"),
            (429, "", "limited"),
            (503, "<html>", "server"),
        ];
        for (status, body, expected) in cases {
            assert_eq!(kind(&of(Network::Liftoff, READ, status, body)), expected, "{status} {body}");
        }
    }
}
