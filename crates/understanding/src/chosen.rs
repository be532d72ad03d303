//! A person's choice between two readings of a question: the chips that offer it begin with what was meant.

use std::borrow::Cow;

use crate::types::Question;

const CHANGE: &str = "Change it: ";
const SHOW: &str = "Show it: ";

/// The two chips for a question, what changes something first.
pub(crate) fn chips(question: &str) -> [String; 2] {
    [CHANGE, SHOW].map(|lead| format!("{lead}{}", question.trim()))
}

/// Whether a change was chosen, and the question it was chosen for.
fn chosen(text: &str) -> Option<(bool, &str)> {
    let text = text.trim_start();
    let change = text.strip_prefix(CHANGE).map(|rest| (true, rest));
    change.or_else(|| text.strip_prefix(SHOW).map(|rest| (false, rest)))
}

/// The question without the choice.
pub(crate) fn plain(text: &str) -> &str {
    chosen(text).map_or(text, |(_, rest)| rest)
}

/// A question whose text and history hold no choices any longer, and what was chosen for it.
pub(crate) fn settled(question: &Question) -> (Cow<'_, Question>, Option<bool>) {
    let choice = chosen(&question.text).map(|(change, _)| change);
    if choice.is_none() && !question.history.iter().any(|entry| chosen(&entry.content).is_some()) {
        return (Cow::Borrowed(question), None);
    }
    let mut settled = question.clone();
    plain(&question.text).clone_into(&mut settled.text);
    for entry in settled.history.iter_mut().filter(|entry| entry.role == "user") {
        entry.content = plain(&entry.content).to_owned();
    }
    (Cow::Owned(settled), choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chip_is_read_as_the_question_and_the_choice() {
        let [change, show] = chips(" banner refresh 20s ");
        assert_eq!(chosen(&change), Some((true, "banner refresh 20s")));
        assert_eq!(chosen(&show), Some((false, "banner refresh 20s")));
        assert_eq!(chosen("show it again"), None);
    }
}
