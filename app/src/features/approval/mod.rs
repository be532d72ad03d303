//! The approval card: what will happen, the form to change it, and the record of the answer.
//!
//! The card hands over an `AnswerRequest`. The server decides whether the answer is valid and which answer came first.

mod args;
mod begin;
mod card;
mod draft;
mod edited;
mod fields;
#[cfg(any(feature = "ssr", test))]
mod form_values;
mod keys;
mod last_answer;
mod line_lists;
mod lines;
mod lists;
mod objects;
mod plain;
mod record;
mod rules;
mod undo;
mod wording;

pub use begin::{Begin, Choices, Open};
pub use card::ApprovalCard;
pub use edited::EditedCards;
#[cfg(feature = "ssr")]
pub use form_values::{Posted, edited, fill, first_error};
pub use keys::{act_on_card, card_id, is_shortcut};
#[cfg(feature = "ssr")]
pub use plain::{APPROVAL, Act, BACK, CONFIRM, REASON};
pub use undo::{MadeChanges, ReadChatAgain, UndoneChanges};
pub use wording::ASKED_AGAIN;
