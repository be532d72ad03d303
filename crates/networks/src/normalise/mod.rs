//! Turns a network's reply into the one form that the rest of the service uses: reports, lists, objects. It must never add a number.

pub mod csv;
mod list;
mod report;
mod rows;
pub mod shapes;
mod words;

pub use list::{counted, list, object, table as list_table};
pub use report::{ReportContext, report, table as report_table};
pub use rows::{micros, report as rows_report};
pub use words::{human, platform_name, region_name};
