//! Reads error bodies, so that a person or a model knows what to fix: in Google's own form, and in the places that other networks use.

use adagent_contract::FieldError;
use serde_json::Value as Json;

use super::{hush::Secrets, reply::plain, retry::Subject};
use crate::sign::Conduct;
use adagent_tools::{ToolError, ToolErrorClass};

const MAX_MESSAGE: usize = 400;

/// A reply that is not a success.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    pub status: u16,
    /// A code such as `INVALID_ARGUMENT` or `NOT_FOUND`; made from the status if the network sends none.
    pub code: String,
    /// The network's own code, if it has one besides the status.
    pub own: Option<String>,
    pub message: String,
    pub fields: Vec<(String, String)>,
}

impl Refusal {
    pub fn read(conduct: &Conduct, status: u16, body: &[u8]) -> Self {
        let json: Json = serde_json::from_slice(body).unwrap_or(Json::Null);
        if conduct.words.is_empty() { Self::google(status, &json) } else { Self::told(conduct, status, &json) }
    }

    /// Builds a refusal from the network's code and message, wherever they were found.
    pub fn own(status: u16, code: &str, words: &str) -> Self {
        let own = Some(clean(code)).filter(|code| !code.is_empty());
        Self { own, message: clean(words), ..Self::bare(status) }
    }

    /// Reads code and message at the places where the network keeps them.
    pub fn told(conduct: &Conduct, status: u16, json: &Json) -> Self {
        let first = |places: &[&str]| places.iter().find_map(|at| json.pointer(at).and_then(plain)).unwrap_or_default();
        let words = first(conduct.words);
        Self::own(
            status,
            &first(conduct.codes),
            if words.is_empty() { json.as_str().unwrap_or_default() } else { &words },
        )
    }

    #[must_use]
    pub fn coded(mut self, code: &str) -> Self {
        code.clone_into(&mut self.code);
        self
    }

    /// Reads `{"error":{"code","message","status","details"}}`. A stream of chunks wraps it in an array.
    fn google(status: u16, json: &Json) -> Self {
        let error = json.get("error").or_else(|| json.get(0).and_then(|first| first.get("error")));
        let Some(error) = error else { return Self::bare(status) };
        let fields = error["details"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|detail| detail["fieldViolations"].as_array())
            .flatten()
            .take(20)
            .map(|violation| {
                let text = |name: &str| clean(violation[name].as_str().unwrap_or_default());
                (text("field"), text("description"))
            })
            .collect();
        Self {
            status,
            code: error["status"].as_str().map_or_else(|| code_of(status).to_owned(), clean),
            own: None,
            message: clean(error["message"].as_str().unwrap_or_default()),
            fields,
        }
    }

    pub fn bare(status: u16) -> Self {
        Self { status, code: code_of(status).to_owned(), own: None, message: String::new(), fields: Vec::new() }
    }

    /// Removes secrets from the network's texts, and then shortens them.
    pub fn hide(&mut self, secrets: &Secrets) {
        let texts = self.fields.iter_mut().flat_map(|(field, what)| [field, what]);
        let own = self.own.iter_mut();
        for text in texts.chain(own).chain([&mut self.message, &mut self.code]) {
            *text = shown(secrets, text);
        }
    }

    /// Returns what the network said, or what the status means, as a sentence.
    pub fn sentence(&self) -> String {
        // A code that only repeats the status adds nothing.
        let own = self.own.as_ref().filter(|own| **own != self.status.to_string());
        if self.message.is_empty() {
            let own = own.map(|own| format!(", its code {own}")).unwrap_or_default();
            return format!("{} (status {}{own}).", self.code.to_lowercase().replace('_', " "), self.status);
        }
        let Some(own) = own else {
            let end = if self.message.ends_with(['.', '!', '?']) { "" } else { "." };
            return format!("{}{end}", self.message);
        };
        format!("{} (its code {own}).", self.message.trim_end_matches('.'))
    }

    pub fn to_error(&self, subject: &Subject<'_>) -> ToolError {
        let guidance = match self.code.as_str() {
            "NOT_FOUND" => "Look up the ID with the list operations; it may have been removed.",
            "CLOCK_SKEW" => "The clock of this server and the network's are too far apart; set the server's clock.",
            "PERMISSION_DENIED" if !subject.network.uses_oauth() => {
                "The connected account doesn't have access to this, because of its role, plan or the network's allowlist. Ask your account manager there."
            }
            "PERMISSION_DENIED" => {
                "The connected Google user doesn't have permission, or the network hasn't enabled this operation for the account."
            }
            "ALREADY_EXISTS" => "Something with this name or key already exists. Use it, or choose another.",
            "FAILED_PRECONDITION" => "The object's current state doesn't allow this. Check it first.",
            _ => "Correct the arguments; the same call will fail again.",
        };
        let errors =
            self.fields.iter().map(|(field, what)| FieldError::new(pointer(subject, field), what.clone())).collect();
        ToolError::new(
            ToolErrorClass::Deterministic,
            &self.code,
            format!("{} rejected it: {}", subject.network.display_name(), self.sentence()),
        )
        .guide(guidance)
        .with_errors(errors)
    }
}

/// Turns `targeting.ad_unit_ids[0]` into `/body/targeting/adUnitIds/0`. Google names the fields of a body in snake case or camel case.
fn pointer(subject: &Subject<'_>, field: &str) -> String {
    let mut out = String::new();
    for part in field.split(['.', '[', ']']).filter(|part| !part.is_empty()) {
        let mut camel = String::new();
        let mut upper = false;
        for c in part.trim_matches('"').chars() {
            if c == '_' {
                upper = true;
            } else {
                camel.push(if upper { c.to_ascii_uppercase() } else { c });
                upper = false;
            }
        }
        out.push('/');
        out.push_str(&camel.replace('~', "~0").replace('/', "~1"));
    }
    let first = out.split('/').nth(1).unwrap_or_default();
    let known = |at: &str| subject.schema.is_some_and(|schema| schema.pointer(at).is_some());
    if known(&format!("/properties/{first}")) || !known("/properties/body") { out } else { format!("/body{out}") }
}

fn code_of(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        409 => "ALREADY_EXISTS",
        429 => "RATE_LIMITED",
        500 => "INTERNAL",
        503 => "UNAVAILABLE",
        504 => "TIMEOUT",
        402 | 405..=408 | 410..=428 | 430..=499 => "REFUSED",
        400 => "INVALID_ARGUMENT",
        _ => "UNEXPECTED_STATUS",
    }
}

/// Prepares a network's text for people and models: one line, without control characters. The text is shortened only after secrets are
/// removed, because half a secret would not be found.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}

/// Returns a network's text as it may be shown.
pub fn shown(secrets: &Secrets, text: &str) -> String {
    secrets.hide(&clean(text)).chars().take(MAX_MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn a_google_error_keeps_code_message_and_fields() {
        let body = br#"{"error":{"code":400,"message":"Bad\nname","status":"INVALID_ARGUMENT","details":[{"@type":"x","fieldViolations":[{"field":"targeting.ad_unit_ids[0]","description":"unknown"}]}]}}"#;
        let refusal = Refusal::read(&Conduct::GOOGLE, 400, body);
        assert_eq!((refusal.code.as_str(), refusal.message.as_str()), ("INVALID_ARGUMENT", "Bad name"));
        let tool = Catalogue::built_in().expect("loads").get("admob_create_mediation_group").expect("known").clone();
        let error = refusal.to_error(&Subject::from(&*tool));
        assert_eq!(error.class, ToolErrorClass::Deterministic);
        assert_eq!(error.errors, vec![FieldError::new("/body/targeting/adUnitIds/0", "unknown")]);
        assert_eq!(error.message, "AdMob rejected it: Bad name.");
    }

    #[test]
    fn other_bodies_fall_back_to_the_status() {
        assert_eq!(Refusal::read(&Conduct::GOOGLE, 403, b"<html>").code, "PERMISSION_DENIED");
        assert_eq!(Refusal::read(&Conduct::GOOGLE, 404, b"").sentence(), "not found (status 404).");
        assert_eq!(
            Refusal::read(&Conduct::GOOGLE, 400, br#"[{"error":{"status":"INVALID_ARGUMENT","message":"no"}}]"#)
                .message,
            "no"
        );
    }

    #[test]
    fn a_networks_own_code_and_words_are_in_the_sentence() {
        let refusal = Refusal::read(&Conduct::PLAIN, 400, br#"{"code":1007,"message":"Bad app key"}"#);
        assert_eq!(refusal.sentence(), "Bad app key (its code 1007).");
        let repeated = Refusal::read(&Conduct::PLAIN, 403, br#"{"code":403,"message":"Not yours."}"#);
        assert_eq!(repeated.sentence(), "Not yours.");
        assert_eq!(Refusal::read(&Conduct::PLAIN, 502, b"<html>").sentence(), "unexpected status (status 502).");
        assert_eq!(Refusal::read(&Conduct::PLAIN, 400, b"\"plain words\"").message, "plain words");
    }
}
