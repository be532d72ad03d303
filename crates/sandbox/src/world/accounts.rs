//! Publisher accounts, and the identities that may see them.

use serde_json::{Value, json};

/// Publisher IDs: Acme Games, Lexicon Works, Studio Étoile. The API has no account names.
pub const ACCOUNTS: [&str; 3] = ["pub-3940256099942544", "pub-7682510348291046", "pub-5028174639501827"];
pub const CURRENCY: &str = "USD";
pub const TIME_ZONE: &str = "Etc/UTC";

/// A Google identity on the consent page.
#[derive(Debug)]
pub struct Identity {
    pub email: &'static str,
    pub label: &'static str,
    pub accounts: &'static [&'static str],
}

/// The identities; the first one is the default.
pub const IDENTITIES: [Identity; 4] = [
    Identity { email: "demo@sandbox.example", label: "Demo (three publisher accounts)", accounts: &ACCOUNTS },
    Identity {
        email: "single@sandbox.example",
        label: "Single (one publisher account)",
        accounts: &["pub-3940256099942544"],
    },
    Identity {
        email: "lexicon@sandbox.example",
        label: "Lexicon (one other publisher account)",
        accounts: &["pub-7682510348291046"],
    },
    Identity { email: "empty@sandbox.example", label: "Empty (no publisher account)", accounts: &[] },
];

pub fn identity(email: &str) -> Option<&'static Identity> {
    IDENTITIES.iter().find(|identity| identity.email == email)
}

pub fn account(id: &str) -> Value {
    json!({
        "name": format!("accounts/{id}"),
        "publisherId": id,
        "reportingTimeZone": TIME_ZONE,
        "currencyCode": CURRENCY,
    })
}
