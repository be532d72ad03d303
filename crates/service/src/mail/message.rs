//! The content of an email, as plain text and as simple HTML. Only this module makes it, so that an email loads nothing, runs nothing, and
//! no name can add markup.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

/// The one thing that an email asks its reader to do.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Action {
    label: String,
    url: String,
}

/// An email before it is sent. `Debug` hides its content, because its link may be as good as a key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    to: String,
    subject: String,
    paragraphs: Vec<String>,
    action: Option<Action>,
}

impl fmt::Debug for Mail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mail").finish_non_exhaustive()
    }
}

impl Mail {
    /// Makes an email. `to` must be an address that [`adagent_identity::validate_email`] accepted.
    pub fn new(to: impl Into<String>, subject: impl Into<String>) -> Self {
        Self { to: to.into(), subject: subject.into(), paragraphs: Vec::new(), action: None }
    }

    #[must_use]
    pub fn says(mut self, paragraph: impl Into<String>) -> Self {
        self.paragraphs.push(paragraph.into());
        self
    }

    /// Adds a link to this server, as a button and as text.
    #[must_use]
    pub fn leads_to(mut self, label: impl Into<String>, url: impl Into<String>) -> Self {
        self.action = Some(Action { label: label.into(), url: url.into() });
        self
    }

    pub fn to(&self) -> &str {
        &self.to
    }

    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns the address of the link, for the outbox page and tests.
    pub fn url(&self) -> Option<&str> {
        self.action.as_ref().map(|action| action.url.as_str())
    }

    pub fn text(&self) -> String {
        let mut text = self.paragraphs.join("\n\n");
        if let Some(Action { label, url }) = &self.action {
            let _ = write!(text, "\n\n{label}:\n{url}");
        }
        text.push_str("\n\n-- \nADAgentAI\n");
        text
    }

    pub fn html(&self) -> String {
        let mut html = String::from(
            "<!doctype html><html lang=\"en\"><body style=\"font-family:sans-serif;line-height:1.5;max-width:34em\">",
        );
        for paragraph in &self.paragraphs {
            let _ = write!(html, "<p>{}</p>", escaped(paragraph));
        }
        if let Some(Action { label, url }) = &self.action {
            let (label, url) = (escaped(label), escaped(url));
            let _ = write!(html, "<p><a href=\"{url}\">{label}</a></p><p>{url}</p>");
        }
        html.push_str("<p>ADAgentAI</p></body></html>");
        html
    }
}

/// Escapes text for HTML text and for quoted attributes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_and_never_markup() {
        let mail = Mail::new("ada@example.com", "Hello")
            .says("\"Acme\" <script>alert(1)</script> & friends")
            .leads_to("Open", "https://desk.example/x?a=1&b=\"2\"");
        let html = mail.html();
        assert!(!html.contains("<script") && html.contains("&lt;script&gt;"), "{html}");
        assert!(html.contains("href=\"https://desk.example/x?a=1&amp;b=&quot;2&quot;\""), "{html}");
        assert!(mail.text().contains("<script>") && mail.text().contains("https://desk.example/x?a=1&b=\"2\""));
    }

    #[test]
    fn nothing_of_a_mail_is_printed() {
        let mail = Mail::new("ada@example.com", "s").leads_to("Open", "https://desk.example/reset/hunter2");
        assert_eq!(format!("{mail:?}"), "Mail { .. }");
    }
}
