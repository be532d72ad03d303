//! Messages that this program answers itself. No network is asked.

use adagent_contract::Path;

use crate::{
    accounts::Named,
    types::{Capability, Outcome, Understood},
};

pub(crate) fn understood(text: &str) -> Understood {
    Understood {
        services: Vec::new(),
        capability: Capability::Assistant,
        path: Path::Reactive,
        outcome: Outcome::Chat,
        confidence: 0.95,
        thinking: String::new(),
        slots: None,
        standalone: text.to_owned(),
        verb: String::new(),
        noun: None,
        fits: Vec::new(),
        doubt: None,
        accounts: Named::new(),
        supposed: None,
        parts: Vec::new(),
        tasks: Vec::new(),
        order: None,
        fresh: false,
    }
}
