//! Makes titles from what people write.

/// The title of a chat without a name.
pub const NEW_TITLE: &str = "New chat";

/// Polite beginnings of a question, which say nothing about its subject. If one begins with another, the longer comes first.
const FILLER: [&str; 14] = [
    "could you please ",
    "can you please ",
    "could you ",
    "can you ",
    "would you ",
    "i would like to ",
    "i want to ",
    "please ",
    "show me ",
    "tell me ",
    "give me ",
    "hey ",
    "hi, ",
    "hello, ",
];

/// Words that only lead to the next word.
const LEADING: [&str; 18] = [
    "a", "an", "and", "at", "by", "called", "for", "from", "in", "my", "of", "on", "or", "our", "the", "to", "vs",
    "with",
];

/// Makes a title from the first message: its first line without a polite beginning, cut between words.
pub fn title_of(message: &str) -> String {
    const LENGTH: usize = 48;
    let line = message.lines().find(|line| !line.trim().is_empty()).unwrap_or(NEW_TITLE);
    let words: String = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = words.as_str();
    while let Some(shorter) = FILLER.iter().find_map(|filler| without(rest, filler)) {
        rest = shorter;
    }
    let rest = rest.trim_end_matches(['?', '.', '!', ' ']);
    let rest = if rest.is_empty() { words.as_str() } else { rest };
    let capital = capital(rest);
    if capital.chars().count() <= LENGTH {
        return capital;
    }
    let mut title = String::new();
    for word in capital.split(' ') {
        if title.chars().count() + word.chars().count() + usize::from(!title.is_empty()) > LENGTH {
            break;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(word);
    }
    // A title that is cut in the middle of a phrase promises more than the list shows.
    let leads = |word: &str| LEADING.contains(&word.to_lowercase().as_str());
    while let Some(end) = title.rsplit_once(' ').filter(|(_, last)| leads(last)).map(|(whole, _)| whole.len()) {
        title.truncate(end);
    }
    // If one word is longer than a title, there is no space to cut at.
    if title.is_empty() { capital.chars().take(LENGTH).collect() } else { title }
}

/// Capitalizes the first word if it has no capital: "eCPM" and "iOS" stay as they are.
pub fn capital(text: &str) -> String {
    let word = text.split_whitespace().next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !word.chars().any(char::is_uppercase) => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

/// Returns the text after `beginning`, whatever its case.
fn without<'a>(text: &'a str, beginning: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(beginning.len())?;
    (start.eq_ignore_ascii_case(beginning) && !rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_cut_at_a_word() {
        assert_eq!(title_of("\n  What was   my revenue yesterday?\nand more"), "What was my revenue yesterday");
        let long =
            title_of("Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding");
        assert_eq!(long, "Create a mediation group for Puzzle Game");
        assert_eq!(title_of(&"ü".repeat(100)), "Ü".to_owned() + &"ü".repeat(47));
    }

    #[test]
    fn a_title_says_what_a_chat_is_about_and_not_how_politely_it_was_asked() {
        assert_eq!(title_of("Can you please show me revenue by app?"), "Revenue by app");
        assert_eq!(title_of("please"), "Please");
        let long = "Create a mediation group for Puzzle Game on the Android banner with AppLovin";
        assert_eq!(title_of(long), "Create a mediation group for Puzzle Game");
        assert_eq!(title_of("???"), "???");
        assert_eq!(title_of("élan ésotérique"), "Élan ésotérique");
        assert_eq!(title_of("eCPM by format yesterday?"), "eCPM by format yesterday");
    }
}
