//! Reports: a definition is saved, a run is started and polled, its rows are read in pages. Figures come from the book alone.

pub mod dates;
pub mod fields;
mod filters;
pub mod rows;
pub mod runs;
mod spec;
mod values;

pub use values::inventory_format;
