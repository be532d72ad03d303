//! Approvals: exactly what will be sent, and the form to change it.

use adagent_domain::{
    ApprovalId, ChatSessionId, ConnectionId, Currency, Network, RunId, Source, Timestamp, ToolCallId,
};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    Write,
    Destructive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStatus {
    Pending,
    Approved,
    Denied,
    /// The run went on without it: a stop, a removed connection, a deleted session.
    Cancelled,
    Expired,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreviewKind {
    Create,
    Update,
    Delete,
    /// Stops or starts something without being one of the three.
    Action,
}

/// The reason of an approval that was canceled because another change had set its values before it was approved.
pub const NOTHING_TO_SEND: &str = "Nothing sent: the values are already there.";

/// The code of a change that was not asked, because its card is waiting already.
pub const ALREADY_WAITING: &str = "ALREADY_WAITING";

/// Whether an approval ended because there was nothing left to send.
pub fn came_too_late(status: ApprovalStatus, reason: Option<&str>) -> bool {
    status == ApprovalStatus::Cancelled && reason == Some(NOTHING_TO_SEND)
}

/// What became of a change that can be put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeState {
    /// The network didn't make it.
    NotMade,
    Made,
    /// It was made, and put back since.
    Undone,
}

/// One line of what changes; texts are made for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeRow {
    pub label: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// What will change: before and after for an update, the new object for a create, what goes for a delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    pub kind: PreviewKind,
    pub changes: Vec<ChangeRow>,
    /// The arguments with which the same operation puts back what it changes; nothing where it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back: Option<Box<Json>>,
    /// The operation that takes away what this makes; nothing where there is none, or where it makes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmade_by: Option<Box<str>>,
}

impl Preview {
    pub const fn new(kind: PreviewKind, changes: Vec<ChangeRow>) -> Self {
        Self { kind, changes, back: None, unmade_by: None }
    }

    /// Whether everything an update would set is set already.
    pub fn changes_nothing(&self) -> bool {
        self.kind == PreviewKind::Update && self.changes.iter().all(|row| row.before == row.after)
    }

    /// Whether there is a way back once the change was made.
    pub const fn can_go_back(&self) -> bool {
        self.back.is_some() || self.unmade_by.is_some()
    }
}

/// How a field of the form is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Widget {
    #[default]
    Text,
    Select,
    MultiSelect,
    Checkbox,
    Number,
    /// An amount in micros, edited as currency units.
    MoneyMicros,
    /// An id of a network, chosen by name.
    Entity,
    EntityList,
    /// The two lists of a mediation group, Bidding and Waterfall, over `mediationGroupLines`.
    MediationLines,
    /// Rows to add and remove.
    Rows,
    /// A list of objects: rows to add, remove and reorder, each with the fields of [`FieldHint::fields`].
    Objects,
    /// A map whose keys people write: rows of a key and the fields of [`FieldHint::fields`].
    Entries,
    /// Shown, not editable: the update mask, an id in the path.
    ReadOnly,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityOption {
    pub id: String,
    pub name: String,
    /// Id of the option of the parent field this one belongs to (app → account, ad unit → app).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Platform, format …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
}

/// A hint for one field, addressed by JSON pointer into `tool_input`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldHint {
    pub pointer: String,
    pub label: String,
    pub widget: Widget,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// For `Entity`, `EntityList`, `MediationLines`: key into `UiHints::options`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// Pointer of the field whose choice narrows this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Choices of `Select` and `MultiSelect`: wire value and label.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<(String, String)>,
    #[serde(default)]
    pub required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// Of `Objects` and `Entries`: what a row is made of, addressed from the row on; an empty pointer is the row itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldHint>,
    /// Of `Objects`: each row is about something that was asked for, so that rows may go and none may come.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// Of a price that is written in units of a currency: which one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// Drawn only while another field has one of these values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_if: Option<OnlyIf>,
}

/// On what a field depends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnlyIf {
    pub pointer: String,
    pub values: Vec<String>,
}

impl FieldHint {
    /// Whether it is drawn, with these arguments.
    pub fn applies(&self, args: &Json) -> bool {
        self.only_if.as_ref().is_none_or(|only_if| {
            let value = args.pointer(&only_if.pointer).and_then(Json::as_str);
            value.is_some_and(|value| only_if.values.iter().any(|other| other == value))
        })
    }

    /// The fields of one row, with their places in the arguments. `key` is the number of the row, or its key.
    pub fn of_row(&self, key: &str) -> Vec<Self> {
        let row = format!("{}/{}", self.pointer, key.replace('~', "~0").replace('/', "~1"));
        let place = |field: &Self| Self { pointer: format!("{row}{}", field.pointer), ..field.clone() };
        self.fields.iter().map(place).collect()
    }
}

/// Key into [`UiHints::options`]: the lines that a mediation group has now. The detail is how they are priced, as AdMob writes it.
pub const LINES: &str = "line";

/// Everything the form needs besides the JSON Schema.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct UiHints {
    /// In the order in which they are drawn.
    pub fields: Vec<FieldHint>,
    /// Entity choices by kind (`account`, `app`, `ad_unit`, `ad_source` …).
    pub options: std::collections::BTreeMap<String, Vec<EntityOption>>,
    /// Destructive: what to type to confirm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm_text: Option<String>,
    /// The connection it was asked for: it is sent through this one and no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goes_to: Option<ConnectionId>,
    /// Where it goes, as the source told it when the card was drawn: what goes elsewhere by then is not sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// An approval as the inbox lists it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApprovalView {
    pub id: ApprovalId,
    pub approval_id: ApprovalId,
    pub run_id: RunId,
    /// The conversation it belongs to; none for the change of another kind of run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<ChatSessionId>,
    /// Whose run asks, for somebody who answers for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
    pub status: ApprovalStatus,
    pub tool_call_id: ToolCallId,
    pub tool_name: String,
    #[serde(flatten)]
    pub source: Source,
    pub title: String,
    pub tool_input: Json,
    pub parameter_schema: Json,
    pub ui_hints: UiHints,
    pub risk: Risk,
    pub warnings: Vec<String>,
    pub preview: Preview,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    /// Set once it was answered.
    pub answered_at: Option<Timestamp>,
    pub answered_by: Option<String>,
    /// The arguments that were sent, when they were edited.
    pub edited_args: Option<Json>,
    /// What the edited arguments do, in words: `title` and `preview` stay as they were asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<SentChange>,
    pub reason: Option<String>,
    /// The change was made, and put back since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
    /// It was approved, and a newer card asks for the same call again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked_again: bool,
}

impl ApprovalView {
    /// What it is called: once it was edited, by what was sent.
    pub fn title_now(&self) -> &str {
        self.sent.as_ref().map_or(&self.title, |sent| &sent.title)
    }
}

/// A change as somebody edited it, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentChange {
    pub title: String,
    pub preview: Preview,
}

/// POST `/chat/approve-tool`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerRequest {
    pub approval_id: ApprovalId,
    pub approved: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_args: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Taken, because the contract lists it, and without effect: each change needs its own approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<bool>,
}
