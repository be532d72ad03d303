//! The form of a card as browsers post it without JavaScript: the names of its fields and buttons, and the way back from the
//! posted form to a draft. Pure. It does not decide what may be sent; the check of every answer does.

use serde_json::Value as Json;

/// Names of the fields other than the arguments.
pub const APPROVAL: &str = "approval_id";
pub const ARGS: &str = "args";
pub const BACK: &str = "return";
pub const CONFIRM: &str = "confirm";
pub const REASON: &str = "reason";
/// The action of a button; the first value counts.
pub const ACT: &str = "act";
/// Marks a drawn field that sends nothing when it is empty.
pub const DRAWN: &str = "drawn";

/// Returns the name of the field for a place in the arguments.
pub fn field(pointer: &str) -> String {
    format!("f:{pointer}")
}

/// Returns the name of one of several checkboxes for a place.
pub fn one_of(pointer: &str, value: &str) -> String {
    format!("f:{pointer}={value}")
}

/// Returns the name of the field that holds the key of a new entry, or the source of a new line.
pub fn fresh(pointer: &str) -> String {
    format!("new:{pointer}")
}

/// The action of a button of the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    Approve,
    Deny,
    /// Opens the form that edits the change.
    Edit,
    /// Opens the question why the person denies the change.
    AskWhy,
    /// Closes the open part.
    Close,
    /// Shows the form again, with choices that fit the chosen values.
    Show,
    /// Restores the proposal.
    Revert,
    Add(String),
    Remove(String),
    Up(String),
    Down(String),
}

impl Act {
    /// Returns the value of the action's button.
    pub fn value(&self) -> String {
        match self {
            Self::Approve => "approve".to_owned(),
            Self::Deny => "deny".to_owned(),
            Self::Edit => "edit".to_owned(),
            Self::AskWhy => "ask-why".to_owned(),
            Self::Close => "close".to_owned(),
            Self::Show => "show".to_owned(),
            Self::Revert => "revert".to_owned(),
            Self::Add(at) => format!("add {at}"),
            Self::Remove(at) => format!("remove {at}"),
            Self::Up(at) => format!("up {at}"),
            Self::Down(at) => format!("down {at}"),
        }
    }

    /// Parses a button's value. An unknown value only shows the form again, so a malformed value never sends anything.
    #[cfg(any(feature = "ssr", test))]
    pub fn parse(text: &str) -> Self {
        let (word, at) = text.split_once(' ').unwrap_or((text, ""));
        match word {
            "approve" => Self::Approve,
            "deny" => Self::Deny,
            "edit" => Self::Edit,
            "ask-why" => Self::AskWhy,
            "close" => Self::Close,
            "revert" => Self::Revert,
            "add" => Self::Add(at.to_owned()),
            "remove" => Self::Remove(at.to_owned()),
            "up" => Self::Up(at.to_owned()),
            "down" => Self::Down(at.to_owned()),
            _ => Self::Show,
        }
    }
}

/// Returns the arguments as the hidden field carries them from page to page.
pub fn carried(args: &Json) -> String {
    args.to_string()
}
