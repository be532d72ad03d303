//! One document: read, written, compared with what it was, put back.

mod compare;
mod editor;
mod page;
mod versions;

pub use page::DocumentPage;
