//! People's rights over their own data: to see everything we hold, to change their name, and to be erased.

mod erase;
mod export;
mod profile;
mod retention;

pub use export::Export;
pub use retention::RetentionBounds;
