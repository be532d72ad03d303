//! Example questions made from what is connected: names of the person's own apps and networks, and nothing that only some
//! workspaces have.

use adagent_contract::{EntityItem, EntityKind, ProviderView};
use adagent_domain::Network;

use crate::ui::Glyph;

/// A question, and what its answer shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    pub glyph: Glyph,
    pub question: String,
    pub shows: &'static str,
}

/// Returns questions that fit the working networks.
pub fn examples(items: &[ProviderView], entities: &[EntityItem]) -> Vec<Example> {
    let works: Vec<Network> = items.iter().filter(|item| item.works()).map(|item| item.network).collect();
    let Some(first) = works.first().copied() else { return Vec::new() };
    let new = |glyph, question: String, shows| Example { glyph, question, shows };
    let mut out = vec![
        new(Glyph::ChartLine, "What was my revenue yesterday?".to_owned(), "The total, with the report behind it"),
        new(
            Glyph::ChartColumn,
            "Revenue by country, last 30 days, top 5".to_owned(),
            "Bars and a table you can sort and export",
        ),
    ];
    if works.contains(&Network::AdMob) {
        out.push(new(
            Glyph::Layers,
            "AdMob eCPM by ad source this month vs last month".to_owned(),
            "Which demand sources pay best, and what changed",
        ));
    } else {
        let question = format!("{} revenue by day, last 7 days", first.display_name());
        out.push(new(Glyph::Layers, question, "A chart you can read day by day"));
    }
    out.extend(change(&works, entities));
    out
}

/// Returns the prompts that `/` offers.
pub fn prompts(items: &[ProviderView], entities: &[EntityItem]) -> Vec<String> {
    examples(items, entities).into_iter().map(|example| example.question).collect()
}

/// Returns a change to one of the person's apps; `None` if no app is known.
fn change(works: &[Network], entities: &[EntityItem]) -> Option<Example> {
    let of_admob = |item: &&EntityItem| item.kind == EntityKind::App && item.network == Network::AdMob;
    let app = entities.iter().filter(|_| works.contains(&Network::AdMob)).find(of_admob)?;
    let platform = match app.platform.as_deref() {
        Some("ios") => " on iOS",
        Some("android") => " on Android",
        _ => "",
    };
    Some(Example {
        glyph: Glyph::GitBranch,
        question: format!("Create a rewarded ad unit called \"Daily bonus\" for {}{platform} in AdMob", app.name),
        shows: "Drafted for you; you approve",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_names_an_app_of_the_person_or_is_not_offered() {
        let app = EntityItem {
            network: Network::AdMob,
            kind: EntityKind::App,
            id: "ca-app-pub-1~2".into(),
            name: "Kart Rivals".into(),
            parent: None,
            account: None,
            platform: Some("ios".into()),
            format: None,
            status: None,
            connection: None,
            raw: serde_json::Value::Null.into(),
        };
        let made = change(&[Network::AdMob], std::slice::from_ref(&app)).unwrap();
        assert!(made.question.contains("Kart Rivals on iOS"), "{}", made.question);
        assert_eq!(change(&[Network::Unity], std::slice::from_ref(&app)), None, "its network does not work here");
        assert_eq!(change(&[Network::AdMob], &[]), None);
        assert!(examples(&[], &[]).is_empty());
    }
}
