//! Approvals: exactly what we will send, and the form to change it.

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
    /// The run continued without the change: the run was stopped, the connection was removed or the chat was deleted.
    Cancelled,
    Expired,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreviewKind {
    Create,
    Update,
    Delete,
    /// Stops or starts something, and is none of the other three.
    Action,
}

/// The reason of an approval that we canceled because another change had set its values before the person approved it.
pub const NOTHING_TO_SEND: &str = "Nothing sent: the values are already there.";

/// The code of a change that we did not ask about, because a card for it is already waiting.
pub const ALREADY_WAITING: &str = "ALREADY_WAITING";

/// Checks whether an approval ended because nothing was left to send.
pub fn came_too_late(status: ApprovalStatus, reason: Option<&str>) -> bool {
    status == ApprovalStatus::Cancelled && reason == Some(NOTHING_TO_SEND)
}

/// The state of a change that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeState {
    /// The network did not make the change.
    NotMade,
    Made,
    /// The network made the change, and it was undone later.
    Undone,
}

/// One line of what changes, as text for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeRow {
    pub label: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// What will change: the values before and after an update, the new object of a create, or what a delete removes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    pub kind: PreviewKind,
    pub changes: Vec<ChangeRow>,
    /// The arguments with which the same operation undoes the change. `None` if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back: Option<Box<Json>>,
    /// The operation that deletes what this change creates. `None` if no such operation exists or the change creates nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmade_by: Option<Box<str>>,
}

impl Preview {
    pub const fn new(kind: PreviewKind, changes: Vec<ChangeRow>) -> Self {
        Self { kind, changes, back: None, unmade_by: None }
    }

    /// Checks whether every value that an update would set is already set.
    pub fn changes_nothing(&self) -> bool {
        self.kind == PreviewKind::Update && self.changes.iter().all(|row| row.before == row.after)
    }

    /// Checks whether the change can be undone after it was made.
    pub const fn can_go_back(&self) -> bool {
        self.back.is_some() || self.unmade_by.is_some()
    }
}

/// How the form shows a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Widget {
    #[default]
    Text,
    Select,
    MultiSelect,
    Checkbox,
    Number,
    /// An amount in micros, which the person edits in currency units.
    MoneyMicros,
    /// An ID at a network, which the person chooses by name.
    Entity,
    EntityList,
    /// The two lists of a mediation group, Bidding and Waterfall, for `mediationGroupLines`.
    MediationLines,
    /// Rows that the person can add and remove.
    Rows,
    /// A list of objects: rows to add, remove and reorder. Each row has the fields of [`FieldHint::fields`].
    Objects,
    /// A map with keys that people type: each row has a key and the fields of [`FieldHint::fields`].
    Entries,
    /// The form shows the value but nobody can edit it: the update mask, an ID in the path.
    ReadOnly,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityOption {
    pub id: String,
    pub name: String,
    /// The ID of the parent's option that this option belongs to (app → account, ad unit → app).
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
    /// For `Entity`, `EntityList` and `MediationLines`: the key into `UiHints::options`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// The pointer to the field whose choice narrows this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The choices of `Select` and `MultiSelect`: wire value and label.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<(String, String)>,
    #[serde(default)]
    pub required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// The fields of a row of `Objects` and `Entries`. Their pointers start at the row; an empty pointer means the row itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldHint>,
    /// For `Objects`: each row is about something that the person asked for, so the person can remove rows but not add any.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// The currency of a price that is written in currency units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// The form shows the field only while another field has one of these values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_if: Option<OnlyIf>,
}

/// The field and the values that another field depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnlyIf {
    pub pointer: String,
    pub values: Vec<String>,
}

impl FieldHint {
    /// Checks whether the form shows the field with these arguments.
    pub fn applies(&self, args: &Json) -> bool {
        self.only_if.as_ref().is_none_or(|only_if| {
            let value = args.pointer(&only_if.pointer).and_then(Json::as_str);
            value.is_some_and(|value| only_if.values.iter().any(|other| other == value))
        })
    }

    /// Returns the fields of one row, with their pointers into the arguments. `key` is the number of the row or its key.
    pub fn of_row(&self, key: &str) -> Vec<Self> {
        let row = format!("{}/{}", self.pointer, key.replace('~', "~0").replace('/', "~1"));
        let place = |field: &Self| Self { pointer: format!("{row}{}", field.pointer), ..field.clone() };
        self.fields.iter().map(place).collect()
    }
}

/// Key into [`UiHints::options`] for the current lines of a mediation group. `detail` says how a line is priced, in AdMob's words.
pub const LINES: &str = "line";

/// Everything the form needs besides the JSON Schema.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct UiHints {
    /// The fields in the order in which the form shows them.
    pub fields: Vec<FieldHint>,
    /// Entity choices by kind (`account`, `app`, `ad_unit`, `ad_source` …).
    pub options: std::collections::BTreeMap<String, Vec<EntityOption>>,
    /// The text that a person must type to confirm a destructive change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm_text: Option<String>,
    /// The connection that the change was asked for. We send the change through this one and no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goes_to: Option<ConnectionId>,
    /// Where the change goes, as the source said when we made the card. If it would go elsewhere later, we do not send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// An approval as the Approvals page lists it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApprovalView {
    pub id: ApprovalId,
    pub approval_id: ApprovalId,
    pub run_id: RunId,
    /// The chat of the approval. `None` if the run is not a turn of a chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<ChatSessionId>,
    /// The person whose run asks, shown to a person who answers for others.
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
    /// When the approval was answered. `None` if nobody has answered yet.
    pub answered_at: Option<Timestamp>,
    pub answered_by: Option<String>,
    /// The arguments that we sent, if the person edited them.
    pub edited_args: Option<Json>,
    /// What the edited arguments do, in words. `title` and `preview` stay as we asked them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<SentChange>,
    pub reason: Option<String>,
    /// The network made the change, and it was undone later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
    /// The change was approved, and a newer card asks for the same call again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked_again: bool,
}

impl ApprovalView {
    /// Returns the title of what we sent if the person edited the change, otherwise the title of the card.
    pub fn title_now(&self) -> &str {
        self.sent.as_ref().map_or(&self.title, |sent| &sent.title)
    }
}

/// An edited change, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentChange {
    pub title: String,
    pub preview: Preview,
}

/// The body of POST `/chat/approve-tool`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerRequest {
    pub approval_id: ApprovalId,
    pub approved: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_args: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// We accept this because the contract lists it, but it has no effect: each change needs its own approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<bool>,
}
