//! Reports: a client saves a definition, starts a run, polls it and reads its rows in pages. All numbers come from the book.

pub mod dates;
pub mod fields;
mod filters;
pub mod rows;
pub mod runs;
mod spec;
mod values;

pub use values::inventory_format;
