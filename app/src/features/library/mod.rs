//! The library: what a workspace keeps beside its chats. Now its to-dos.

mod groups;
mod page;
mod row;

pub use page::LibraryPage;
