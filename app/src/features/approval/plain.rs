//! The form of a card as browsers post it without script: the names of its fields and buttons, and how what was posted becomes a draft
//! again. Pure. Decides nothing about what may be sent: that is checked where every answer is.

use serde_json::Value as Json;

/// Names of the fields beside those of the arguments.
pub const APPROVAL: &str = "approval_id";
pub const ARGS: &str = "args";
pub const BACK: &str = "return";
pub const CONFIRM: &str = "confirm";
pub const REASON: &str = "reason";
/// What a button does; the first value counts.
pub const ACT: &str = "act";
/// Says that a field was drawn which sends nothing when it is empty.
pub const DRAWN: &str = "drawn";

/// The name of the field at a place of the arguments.
pub fn field(pointer: &str) -> String {
    format!("f:{pointer}")
}

/// The name of one box of several at a place.
pub fn one_of(pointer: &str, value: &str) -> String {
    format!("f:{pointer}={value}")
}

/// The name of the field that says the key of a new entry, or the source of a new line.
pub fn fresh(pointer: &str) -> String {
    format!("new:{pointer}")
}

/// What a button of the form asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    Approve,
    Deny,
    /// Opens the form that edits.
    Edit,
    /// Opens the question why not.
    AskWhy,
    /// Closes what is open.
    Close,
    /// Shows the form again with choices that fit what was chosen.
    Show,
    /// Back to what was proposed.
    Revert,
    Add(String),
    Remove(String),
    Up(String),
    Down(String),
}

impl Act {
    /// The value of its button.
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

    /// What cannot be read only shows the form again: nothing is ever sent by a misunderstanding.
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

/// The arguments as the hidden field carries them from page to page.
pub fn carried(args: &Json) -> String {
    args.to_string()
}
