//! The state of an entity select: the offered options, the active one, and what a key does. Pure.

use adagent_contract::EntityOption;

/// A key that an open or closed listbox handles; other keys are left to the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Down,
    Up,
    Home,
    End,
    Enter,
    Escape,
    Tab,
}

impl Key {
    pub fn parse(key: &str) -> Option<Self> {
        Some(match key {
            "ArrowDown" => Self::Down,
            "ArrowUp" => Self::Up,
            "Home" => Self::Home,
            "End" => Self::End,
            "Enter" => Self::Enter,
            "Escape" => Self::Escape,
            "Tab" => Self::Tab,
            _ => return None,
        })
    }
}

/// The effect of a key in an open list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// Make this row active.
    To(usize),
    /// Choose the active row and close.
    Choose(usize),
    /// Close; with `true`, return the focus to the button.
    Close(bool),
    Nothing,
}

/// Returns the effect of a key when row `active` of `count` rows is active.
pub fn step(key: Key, active: usize, count: usize) -> Move {
    if count == 0 {
        return match key {
            Key::Escape => Move::Close(true),
            Key::Tab => Move::Close(false),
            _ => Move::Nothing,
        };
    }
    let last = count - 1;
    match key {
        Key::Down => Move::To(if active >= last { 0 } else { active + 1 }),
        Key::Up => Move::To(if active == 0 { last } else { active - 1 }),
        Key::Home => Move::To(0),
        Key::End => Move::To(last),
        Key::Enter => Move::Choose(active.min(last)),
        Key::Escape => Move::Close(true),
        Key::Tab => Move::Close(false),
    }
}

/// Returns the options that belong to the chosen parent. An option without a parent fits every one.
pub fn of_parent<'a>(options: &'a [EntityOption], parent: Option<&str>) -> Vec<&'a EntityOption> {
    options.iter().filter(|option| fits(option, parent)).collect()
}

fn fits(option: &EntityOption, parent: Option<&str>) -> bool {
    match (parent, option.parent.as_deref()) {
        (Some(parent), Some(own)) => own == parent,
        _ => true,
    }
}

/// Returns the options whose name, ID or detail contains every typed word. Names that start with the text come first.
pub fn found<'a>(options: &[&'a EntityOption], typed: &str) -> Vec<&'a EntityOption> {
    let typed = typed.trim().to_lowercase();
    if typed.is_empty() {
        return options.to_vec();
    }
    let mut hits: Vec<(bool, &EntityOption)> = options
        .iter()
        .filter_map(|option| {
            let name = option.name.to_lowercase();
            let all = format!(
                "{name} {} {}",
                option.id.to_lowercase(),
                option.detail.as_deref().unwrap_or("").to_lowercase()
            );
            typed.split_whitespace().all(|word| all.contains(word)).then(|| (!name.starts_with(&typed), *option))
        })
        .collect();
    hits.sort_by_key(|(later, _)| *later);
    hits.into_iter().map(|(_, option)| option).collect()
}

/// Finds an option by type-ahead on the closed button: the next one after the chosen one whose name starts with the letters.
pub fn ahead(options: &[&EntityOption], chosen: Option<usize>, letters: &str) -> Option<usize> {
    let letters = letters.to_lowercase();
    if letters.is_empty() || options.is_empty() {
        return None;
    }
    let from = chosen.map_or(0, |at| at + 1);
    (0..options.len())
        .map(|i| (from + i) % options.len())
        .find(|at| options.get(*at).is_some_and(|option| option.name.to_lowercase().starts_with(&letters)))
}

/// Returns the part of an ID that distinguishes siblings: `~183` for `ca-app-pub-1~183`, `pub-9` for `accounts/pub-9`.
pub fn short_id(id: &str) -> &str {
    id.rfind(['~', '/']).map_or(id, |at| {
        let rest = id.get(at..).unwrap_or(id);
        if rest.starts_with("/pub-") || id.starts_with("accounts/") { rest.trim_start_matches('/') } else { rest }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(id: &str, name: &str, parent: Option<&str>) -> EntityOption {
        EntityOption { id: id.into(), name: name.into(), parent: parent.map(Into::into), detail: None, network: None }
    }

    fn names(options: &[&EntityOption]) -> Vec<String> {
        options.iter().map(|option| option.name.clone()).collect()
    }

    #[test]
    fn arrows_go_round_and_escape_gives_focus_back() {
        assert_eq!(step(Key::Down, 2, 3), Move::To(0));
        assert_eq!(step(Key::Up, 0, 3), Move::To(2));
        assert_eq!(step(Key::End, 0, 3), Move::To(2));
        assert_eq!(step(Key::Enter, 9, 3), Move::Choose(2), "the list shrank while typing");
        assert_eq!(step(Key::Enter, 0, 0), Move::Nothing);
        assert_eq!(step(Key::Escape, 0, 0), Move::Close(true));
        assert_eq!(Key::parse("a"), None);
    }

    #[test]
    fn a_chosen_parent_narrows_and_typing_finds_by_name_and_id() {
        let all = [
            option("~1", "Word Quest iOS", Some("acme")),
            option("~2", "Puzzle Game iOS", Some("acme")),
            option("~3", "Puzzle Game Android", Some("north")),
            option("~4", "My iOS Puzzle", None),
        ];
        let of_acme = of_parent(&all, Some("acme"));
        assert_eq!(names(&of_acme), ["Word Quest iOS", "Puzzle Game iOS", "My iOS Puzzle"]);
        assert_eq!(names(&found(&of_acme, "puz ios")), ["Puzzle Game iOS", "My iOS Puzzle"]);
        assert_eq!(names(&found(&of_parent(&all, None), "~3")), ["Puzzle Game Android"]);
        assert_eq!(names(&found(&of_acme, "puzzle")), ["Puzzle Game iOS", "My iOS Puzzle"]);
        assert!(found(&of_acme, "puzl").is_empty());
    }

    #[test]
    fn letters_on_the_closed_button_walk_through_the_names() {
        let all = [option("1", "Puzzle", None), option("2", "Word", None), option("3", "Pets", None)];
        let all: Vec<&EntityOption> = all.iter().collect();
        assert_eq!(ahead(&all, Some(0), "p"), Some(2));
        assert_eq!(ahead(&all, Some(2), "p"), Some(0));
        assert_eq!(ahead(&all, None, "x"), None);
    }

    #[test]
    fn ids_are_shortened_to_what_tells_them_apart() {
        assert_eq!(short_id("ca-app-pub-4482019375518826~1830496627"), "~1830496627");
        assert_eq!(short_id("ca-app-pub-4482019375518826/9921570344"), "/9921570344");
        assert_eq!(short_id("accounts/pub-4482019375518826"), "pub-4482019375518826");
        assert_eq!(short_id("pub-1"), "pub-1");
    }
}
