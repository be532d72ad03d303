//! What people may ask about themselves: everything that is held, another name, and to be forgotten.

mod erase;
mod export;
mod profile;
mod retention;

pub use export::Export;
pub use retention::RetentionBounds;
