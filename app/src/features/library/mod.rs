//! The library: what a workspace keeps besides its chats, which is to-dos and documents.

mod documents;
mod groups;
mod page;
mod row;
mod sections;
mod shelf;

pub use documents::{DocumentsPage, Written};
pub use page::LibraryPage;
#[cfg(feature = "ssr")]
pub use shelf::shelf;
pub use shelf::{address, way};
