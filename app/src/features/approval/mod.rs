//! The approval card: what will happen, the form to change it, and the record of the answer.
//!
//! The card proposes and hands over an `AnswerRequest`; whether it is valid and who was first is the server's decision.

mod answered;
mod args;
mod begin;
mod card;
mod draft;
mod fields;
mod keys;
mod line_lists;
mod lines;
mod lists;
mod objects;
mod plain;
#[cfg(any(feature = "ssr", test))]
mod posted;
mod record;
mod rules;
mod undo;
mod wording;

pub use begin::{Begin, Choices, Open};
pub use card::ApprovalCard;
pub use keys::{act_on_card, card_id, is_shortcut};
#[cfg(feature = "ssr")]
pub use plain::{APPROVAL, Act, BACK, CONFIRM, REASON};
#[cfg(feature = "ssr")]
pub use posted::{Posted, edited, fill, first_error};
pub use undo::{MadeChanges, ReadChatAgain, UndoneChanges};
