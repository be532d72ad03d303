//! Describes in a few words what an agent may use and what changed in it. Plain rules, without a page.

use adagent_contract::{Access, AgentBody, Grant, GrantTarget, JournalSharing, Sharing};
use adagent_domain::Source;

/// How many names one line holds; the rest is only counted.
const NAMED: usize = 3;

/// Returns one line per set of rights, such as `Everything: read, list` or `AppLovin, Unity: read`.
pub fn may_use(grants: &[Grant]) -> Vec<String> {
    // Group targets with the same rights.
    let mut together: Vec<(Vec<Access>, Vec<String>)> = Vec::new();
    for grant in grants.iter().filter(|grant| !grant.may.is_empty()) {
        let mut may = grant.may.clone();
        may.sort_unstable();
        may.dedup();
        match together.iter_mut().find(|(known, _)| *known == may) {
            Some((_, names)) => names.push(called(&grant.on)),
            None => together.push((may, vec![called(&grant.on)])),
        }
    }
    if together.is_empty() {
        return vec!["Nothing yet".to_owned()];
    }
    together.into_iter().map(|(may, names)| format!("{}: {}", joined(&names), rights(&may))).collect()
}

fn joined(names: &[String]) -> String {
    match names.len().checked_sub(NAMED) {
        Some(more) if more > 0 => format!("{} and {more} more", names[..NAMED].join(", ")),
        _ => names.join(", "),
    }
}

fn rights(may: &[Access]) -> String {
    if may.len() == Access::ALL.len() {
        return "full access".to_owned();
    }
    may.iter().map(|access| access.as_str()).collect::<Vec<_>>().join(", ")
}

/// Returns the name of what a grant is on.
pub fn called(on: &GrantTarget) -> String {
    match on {
        GrantTarget::Everything => "Everything".to_owned(),
        GrantTarget::Source(Source::Mcp) => "All tool servers".to_owned(),
        GrantTarget::Source(source) => source.display_name().to_owned(),
        GrantTarget::Server(handle) => handle.clone(),
        GrantTarget::Tool(name) => name.clone(),
    }
}

pub const fn shared_with(sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::Private => "Only you",
        Sharing::Use => "Everyone can use it",
        Sharing::Edit => "Everyone can use and edit it",
    }
}

pub const fn journal_seen(journal: JournalSharing) -> &'static str {
    match journal {
        JournalSharing::Own => "Only what they asked themselves",
        JournalSharing::OwnAndScheduled => "Also what it did on a schedule",
        JournalSharing::Full => "Everything",
    }
}

/// Names the fields that differ from the previous version.
pub fn changed(before: &AgentBody, after: &AgentBody) -> String {
    let pairs = [
        (before.name != after.name, "name"),
        (before.handle != after.handle, "handle"),
        (before.position != after.position, "position"),
        (before.description != after.description, "description"),
        (before.instructions != after.instructions, "instructions"),
        (before.color != after.color, "color"),
        (before.model != after.model, "model"),
        (before.grants != after.grants, "access"),
        (before.sharing != after.sharing, "sharing"),
        (before.journal != after.journal, "journal"),
    ];
    let mut words: Vec<&str> = pairs.into_iter().filter(|(differs, _)| *differs).map(|(_, word)| word).collect();
    if before.active != after.active {
        words.push(if after.active { "turned on" } else { "turned off" });
    }
    let text = words.join(", ");
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => "Saved without changes".to_owned(),
    }
}

/// Returns a handle that fits a name, as people would type it.
pub fn suggested_handle(name: &str) -> String {
    let mut handle = String::new();
    for letter in name.trim().chars() {
        match letter {
            'a'..='z' | '0'..='9' | '_' => handle.push(letter),
            'A'..='Z' => handle.push(letter.to_ascii_lowercase()),
            _ if !handle.is_empty() && !handle.ends_with('-') => handle.push('-'),
            _ => {}
        }
    }
    let begun = handle.trim_start_matches(|c: char| !c.is_ascii_lowercase());
    begun.chars().take(30).collect::<String>().trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(value: serde_json::Value) -> AgentBody {
        serde_json::from_value(value).expect("an agent")
    }

    #[test]
    fn grants_with_the_same_rights_stand_together() {
        let words = |grants| may_use(&serde_json::from_value::<Vec<Grant>>(grants).expect("grants"));
        assert_eq!(words(json!([])), ["Nothing yet"]);
        assert_eq!(words(json!([{"on": "admob", "may": []}])), ["Nothing yet"]);
        assert_eq!(words(json!([{"on": "everything", "may": ["list", "read"]}])), ["Everything: read, list"]);
        let all = json!(["read", "list", "create", "update", "delete"]);
        assert_eq!(
            words(json!([
                {"on": "applovin", "may": ["read"]}, {"on": "native", "may": all}, {"on": "unity", "may": ["read"]},
                {"on": "admob", "may": ["read"]}, {"on": "tool:pangle_list_apps", "may": ["read"]},
            ])),
            ["AppLovin, Unity, AdMob and 1 more: read", "ADAgentAI: full access"]
        );
    }

    #[test]
    fn a_version_says_what_was_changed() {
        let before = body(json!({"handle": "watch", "name": "Watch"}));
        assert_eq!(changed(&before, &before), "Saved without changes");
        let after = AgentBody { name: "Watcher".into(), active: false, ..before.clone() };
        assert_eq!(changed(&before, &after), "Name, turned off");
        let after = AgentBody {
            grants: vec![Grant { on: GrantTarget::Everything, may: vec![Access::Read], connections: vec![] }],
            ..before.clone()
        };
        assert_eq!(changed(&before, &after), "Access");
    }

    #[test]
    fn a_suggested_handle_is_one_that_may_be_used() {
        for (name, handle) in [
            ("Revenue watch", "revenue-watch"),
            ("  Floor  Keeper! ", "floor-keeper"),
            ("4 Eyes", "eyes"),
            ("Émile's", "mile-s"),
            ("日本", ""),
            ("A very long name that nobody would ever type", "a-very-long-name-that-nobody-w"),
        ] {
            assert_eq!(suggested_handle(name), handle);
        }
        assert_eq!(adagent_contract::handle_problem("revenue-watch"), None);
    }
}
