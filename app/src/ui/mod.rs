//! Our component library: the basic parts of the app, in the markup that the style sheets expect.
//!
//! A component here knows nothing about runs, approvals or the server. State that can be wrong is plain Rust in its own modules
//! (`format`, `sorting`, `csv`, `scale`, `listbox`, `window`), with tests. The caller provides the IDs for ARIA.

mod agent_mark;
mod avatar;
mod badge;
mod button;
mod card;
mod chart;
mod checkbox;
mod choice;
mod code;
mod confirm;
pub mod csv;
mod dialog;
mod diff;
mod empty;
mod entity_select;
mod field;
pub mod format;
mod icon;
mod kpi;
mod line;
pub mod listbox;
mod menu;
pub mod moment;
mod progress;
mod raw;
pub mod roving;
mod scale;
pub mod sorting;
mod source_mark;
mod table;
mod tabs;
mod toast;
mod tooltip;
mod unread;
pub mod window;

pub use agent_mark::AgentMark;
pub use avatar::{Avatar, hue, initials};
pub use badge::{Badge, BadgeTone, Count, Dot, SandboxBadge, Stamp};
pub use button::{Button, ButtonKind, ButtonSize, CopyButton, IconButton};
pub use card::{Card, Note, NoteTone};
pub use chart::{BarChart, TimeChart};
pub use checkbox::{Checkbox, Switch, Tri};
pub use choice::Segmented;
pub use code::{Code, JsonTree};
pub use confirm::Confirm;
pub use dialog::Dialog;
pub use diff::Diff;
pub use empty::Empty;
pub use entity_select::{EntitySelect, Parent};
pub use field::{Choice, Field, MoneyField, SelectField, TextAreaField, TextField, described_by};
pub use icon::{Glyph, Icon};
pub use kpi::{Delta, Kpis};
pub use line::{ErrorLine, Line};
pub use menu::{Menu, MenuItem, MenuLabel};
pub use progress::{Progress, Skeleton, Spinner};
pub use raw::raw_text;
pub use source_mark::SourceMark;
pub use table::DataTable;
pub use tabs::{Tab, Tabs};
pub use toast::{Toast, ToastShelf, Toasts};
pub use tooltip::Tooltip;
pub use unread::{Loading, Unread};
