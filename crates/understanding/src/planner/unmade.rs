//! Says why a change was not made, in the words that all changes of this program share.

use super::{Answer, format::plain, read::Done};

/// Says that the same change already waits on a card.
pub(super) fn waiting(done: &Done<'_>) -> Answer {
    let problem = plain(&done.problem());
    Answer::text(format!("{problem}. Its card is under [Approvals](/approvals)."))
}

pub(super) fn failed(done: &Done<'_>) -> Answer {
    Answer::text(format!("I couldn't do that: {}.", plain(&done.problem())))
}

/// Says why a change was not made: it waits on a card, a person denied it (`denied` says that nothing changed), or it failed. `None` if
/// it was made.
pub(super) fn why(done: &Done<'_>, denied: &str) -> Option<Answer> {
    match () {
        () if done.waits_already() => Some(waiting(done)),
        () if done.denied() => Some(Answer::text(denied)),
        () if !done.ok => Some(failed(done)),
        () => None,
    }
}
