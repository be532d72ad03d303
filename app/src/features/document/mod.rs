//! One document: read it, edit it, compare it with an earlier version, restore a version.

mod compare;
mod editor;
mod page;
mod versions;

pub use page::DocumentPage;
