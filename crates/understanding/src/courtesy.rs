//! Cuts polite words that people say before they ask: "thx! and the week before?". They are not a part of the question.

use std::borrow::Cow;

use crate::route::signals;
use crate::text::{Kind, tokens};
use crate::types::Question;
use adagent_domain::Cut as _;

const KIND: &[&str] = &[
    "thanks", "thank", "thx", "ty", "cheers", "great", "awesome", "perfect", "nice", "cool", "amazing", "super", "wow",
    "merci", "danke", "gracias", "bedankt",
];
/// Words that go on with thanks, as in "thank you very much".
const MORE: &[&str] = &["you", "so", "very", "much", "a", "lot", "one", "job", "work", "again"];
/// Words that begin the question if no punctuation mark does.
const GOES_ON: &[&str] = &["and", "but", "now", "what", "how"];

/// Returns the question without polite words, in its text and in the turns before it.
pub(crate) fn without(question: &Question) -> Cow<'_, Question> {
    let said = question.history.iter().filter(|entry| entry.role == "user").map(|entry| &entry.content);
    if said.chain([&question.text]).all(|text| cut(text).len() == text.len()) {
        return Cow::Borrowed(question);
    }
    let mut plain = question.clone();
    cut(&question.text).clone_into(&mut plain.text);
    for entry in plain.history.iter_mut().filter(|entry| entry.role == "user") {
        entry.content = cut(&entry.content).to_owned();
    }
    Cow::Owned(plain)
}

/// Cuts a text so that it begins where it asks something. A text that is only polite stays as it is.
fn cut(text: &str) -> &str {
    let words = tokens(text);
    let mut at = 0;
    while words.get(at).is_some_and(|word| word.any(KIND)) {
        at += 1;
        while words.get(at).is_some_and(|word| word.any(MORE)) {
            at += 1;
        }
        let marks = words[at..].iter().take_while(|word| matches!(word.kind, Kind::Punct(_))).count();
        if marks == 0 && !words.get(at).is_some_and(|word| word.any(GOES_ON)) {
            return text;
        }
        at += marks;
    }
    let Some(first) = words.get(at).filter(|_| at > 0) else { return text };
    let rest = &words[at..];
    // "thanks, that was quick!" asks for nothing.
    let asks = first.any(GOES_ON) || rest.iter().any(|word| word.is_punct('?')) || signals::has_domain(rest);
    if asks && !signals::small_talk(rest) { text.cut(first.start..) } else { text }
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_question_begins_where_it_asks() {
        for (text, asks) in [
            ("thx! and the week before?", "and the week before?"),
            ("Thanks a lot, now by country", "now by country"),
            ("great. thanks! what about iOS?", "what about iOS?"),
            ("thank you and by app?", "and by app?"),
            ("AdMob revenue yesterday, thanks", "AdMob revenue yesterday, thanks"),
            ("thanks a lot!", "thanks a lot!"),
            ("thanks, that was quick!", "thanks, that was quick!"),
            ("thx, that's it for today", "thx, that's it for today"),
            ("nice work", "nice work"),
            ("great apps by revenue", "great apps by revenue"),
        ] {
            assert_eq!(cut(text), asks);
        }
    }
}
