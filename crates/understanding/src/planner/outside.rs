//! Answers a question that names something outside a strict selection: we say so and do nothing.
//!
//! This must never lead to a call, because we know nothing but the names of these things.

use adagent_contract::{ContextMode, EntityItem};

use super::{
    Answer,
    format::{and, plain},
    names::{holds, only_inside, platform_in, platform_label, simple},
    read::Turn,
};
use crate::{Capability, Outcome};

/// Shorter names are words that any sentence may contain.
const SHORTEST: usize = 3;

/// Answers a question about something outside the selection. `None` if the question names no such thing.
pub(super) fn blocked(turn: &Turn<'_>) -> Option<Answer> {
    let planner = &turn.request.planner;
    let asks = matches!(turn.understood.outcome, Outcome::Answer | Outcome::Approval | Outcome::Clarify)
        && !matches!(turn.understood.capability, Capability::Docs | Capability::Assistant);
    if !asks || planner.settings.mode != ContextMode::Strict || planner.outside.is_empty() {
        return None;
    }
    let text = simple(&turn.text);
    let platform = platform_in(&turn.lower);
    let mut named: Vec<&EntityItem> =
        planner.outside.iter().filter(|item| is_named(turn, item, &text, platform)).collect();
    named.dedup_by(|one, other| one.name == other.name && one.platform == other.platform);
    if named.is_empty() {
        return None;
    }
    let words: Vec<String> = named.iter().map(|item| in_words(item)).collect();
    let (is, it) = if words.len() == 1 { ("isn't", "it") } else { ("aren't", "them") };
    Some(Answer::text(format!(
        "{} {is} in your current selection (Selected only), so I didn't read or change {it}. Add {it} in the context, or switch \
         the scope to Flexible, and ask again.",
        and(&words)
    )))
}

fn is_named(turn: &Turn<'_>, item: &EntityItem, text: &str, platform: Option<&str>) -> bool {
    if !turn.view.contains(&item.network) {
        return false;
    }
    if turn.text.contains(&item.id) {
        return true;
    }
    let name = simple(&item.name);
    if name.len() < SHORTEST || !holds(text, &name) {
        return false;
    }
    let on = |other: &EntityItem| {
        platform.is_none_or(|wanted| other.platform.as_deref().is_none_or(|own| own.eq_ignore_ascii_case(wanted)))
    };
    // A selected thing may have the same name; then the person means that one. A longer name hides a shorter one inside it.
    let seen = turn.entities.iter().filter(|other| turn.view.contains(&other.network) && on(other));
    let hidden = |other: &EntityItem| {
        let other = simple(&other.name);
        other == name || (other.len() > name.len() && holds(text, &other) && only_inside(text, &name, &other))
    };
    on(item) && !seen.into_iter().any(hidden)
}

fn in_words(item: &EntityItem) -> String {
    let platform = item.platform.as_deref().map(|platform| format!(" ({})", platform_label(platform)));
    format!("{}{}", plain(&item.name), platform.unwrap_or_default())
}
