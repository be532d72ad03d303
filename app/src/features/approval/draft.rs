//! What a person has typed into a card so far: the arguments, text that is not a valid argument yet, and the errors of both.

use std::collections::BTreeMap;

use adagent_contract::{ChangeRow, EntityOption, FieldError, FieldHint, Problem, TurnApproval, UiHints};
use adagent_domain::{ApprovalId, Source};
use leptos::{prelude::*, task::spawn_local};
use serde_json::Value as Json;

use super::{
    args,
    begin::{Begin, Choices},
    fields,
    plain::{self, Act},
    rules,
};
use crate::{features::api, ui::Parent};

/// Whether choices for another parent are loading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reload {
    #[default]
    Idle,
    Loading,
    Failed,
}

/// Remembers the names of entities when the choices change, because the list of edits shows names.
fn learn_names(hints: &mut UiHints, options: &Choices) {
    for (kind, found) in options {
        let known = hints.options.entry(kind.clone()).or_default();
        for option in found {
            if !known.iter().any(|other| other.id == option.id) {
                known.push(option.clone());
            }
        }
    }
}

/// The state of a card's form. Everything on the card is derived from these fields.
#[derive(Clone, Copy)]
pub struct Draft {
    pub args: RwSignal<Json>,
    pub typed: RwSignal<rules::Typed>,
    pub original: StoredValue<Json>,
    pub schema: StoredValue<Json>,
    pub hints: StoredValue<UiHints>,
    /// The prefix of every element ID on this card.
    pub prefix: StoredValue<String>,
    pub source: Source,
    pub locked: Signal<bool>,
    /// Whether the form was posted without JavaScript: its buttons and lists must keep working that way.
    pub plain: bool,
    /// Choices of entities by kind. They depend on the account or app that is chosen.
    options: RwSignal<Choices>,
    proposed_options: StoredValue<Choices>,
    pub reload: RwSignal<Reload>,
    /// Counts the requests for choices. An answer that arrives after a newer request is dropped.
    turn: StoredValue<u32>,
    approval: ApprovalId,
    errors: Memo<Vec<FieldError>>,
}

impl Draft {
    pub fn new(
        approval: &TurnApproval,
        locked: Signal<bool>,
        problem: Signal<Option<Problem>>,
        begin: Option<&Begin>,
    ) -> Self {
        let args = RwSignal::new(begin.map_or_else(|| approval.tool_input.clone(), |begin| begin.args.clone()));
        let typed = RwSignal::new(begin.map(|begin| begin.typed.clone()).unwrap_or_default());
        let options = begin.and_then(|begin| begin.options.clone());
        let options = options.unwrap_or_else(|| approval.ui_hints.options.clone());
        let schema = StoredValue::new(approval.parameter_schema.clone());
        let mut hints = approval.ui_hints.clone();
        learn_names(&mut hints, &options);
        let hints = StoredValue::new(hints);
        let errors = Memo::new(move |_| {
            let own = schema.with_value(|schema| {
                hints.with_value(|hints| {
                    args.with(|args| {
                        typed.with(|typed| rules::check(schema, hints, args, typed, crate::platform::matches))
                    })
                })
            });
            let servers = problem.get().map(|problem| problem.errors).unwrap_or_default();
            own.into_iter().chain(servers).collect()
        });
        Self {
            args,
            typed,
            original: StoredValue::new(approval.tool_input.clone()),
            schema,
            hints,
            prefix: StoredValue::new(format!("ap-{}", approval.approval_id)),
            source: approval.source,
            locked,
            plain: begin.is_some(),
            options: RwSignal::new(options),
            proposed_options: StoredValue::new(approval.ui_hints.options.clone()),
            reload: RwSignal::new(Reload::Idle),
            turn: StoredValue::new(0),
            approval: approval.approval_id,
            errors,
        }
    }

    /// Returns the first error that the form itself finds. Errors of the server do not block a second try.
    pub fn first_error(self) -> Option<FieldError> {
        let found = self.schema.with_value(|schema| {
            self.hints.with_value(|hints| {
                self.args.with_untracked(|args| {
                    self.typed
                        .with_untracked(|typed| rules::check(schema, hints, args, typed, crate::platform::matches))
                })
            })
        });
        found.into_iter().next()
    }

    /// Returns the error of the field at a pointer. The server may prefix the pointer.
    pub fn error(self, pointer: &str) -> Signal<Option<String>> {
        let pointer = pointer.to_owned();
        Signal::derive(move || {
            self.errors.with(|errors| {
                errors.iter().find(|error| error.pointer.ends_with(&pointer)).map(|error| error.message.clone())
            })
        })
    }

    /// Returns the error of exactly this place, not of places inside it.
    pub fn error_at(self, pointer: &str) -> Signal<Option<String>> {
        let (own, sent) = (pointer.to_owned(), format!("/edited_args{pointer}"));
        Signal::derive(move || {
            self.errors.with(|errors| {
                errors
                    .iter()
                    .find(|error| error.pointer == own || error.pointer == sent)
                    .map(|error| error.message.clone())
            })
        })
    }

    /// Forgets the typed text below a place whose rows change, because the row numbers shift.
    pub fn forget_typed(self, pointer: &str) {
        let below = format!("{pointer}/");
        self.typed.update(|typed| typed.retain(|place, _| place != pointer && !place.starts_with(&below)));
    }

    pub fn typed_value(self, pointer: &str, text: String) -> Json {
        self.schema.with_value(|schema| args::typed_value(schema, pointer, text))
    }

    /// Returns the server's errors that match no field on the form.
    pub fn homeless_errors(self) -> Vec<String> {
        self.errors.with(|errors| {
            errors
                .iter()
                .filter(|error| {
                    !self
                        .hints
                        .with_value(|hints| hints.fields.iter().any(|hint| error.pointer.contains(&hint.pointer)))
                })
                .map(|error| error.message.clone())
                .collect()
        })
    }

    pub fn text(self, pointer: &str) -> Signal<String> {
        let pointer = pointer.to_owned();
        Signal::derive(move || self.args.with(|args| args::text(args, &pointer)))
    }

    pub fn put(self, pointer: &str, value: Option<Json>) {
        let gone = value.is_none();
        self.args.update(|args| {
            args::put(args, pointer, value);
            if gone {
                self.schema.with_value(|schema| args::prune(args, schema, pointer));
            }
        });
    }

    /// Writes the text of a field; empty text removes an optional one.
    pub fn put_text(self, pointer: &str, text: String) {
        let value = (!text.is_empty()).then_some(Json::String(text));
        self.put(pointer, value);
    }

    pub fn as_schema_types(self, pointer: &str, number: i64) -> Json {
        self.schema.with_value(|schema| args::as_schema_types(schema, pointer, number))
    }

    pub fn choices(self, hint: &FieldHint) -> Vec<(String, String)> {
        self.schema.with_value(|schema| fields::choices_of(schema, hint))
    }

    /// Returns the current choices of a field.
    pub fn options(self, hint: &FieldHint) -> Vec<EntityOption> {
        let Some(key) = &hint.options else { return Vec::new() };
        self.options.with_untracked(|options| options.get(key).cloned().unwrap_or_default())
    }

    /// Returns the choices of a field as a signal.
    pub fn live_options(self, hint: &FieldHint) -> Signal<Vec<EntityOption>> {
        let Some(key) = hint.options.clone() else { return Signal::stored(Vec::new()) };
        Signal::derive(move || self.options.with(|options| options.get(&key).cloned().unwrap_or_default()))
    }

    /// Returns an entity by its ID, even if the choices no longer offer it.
    pub fn known(self, hint: &FieldHint, id: &str) -> Option<EntityOption> {
        self.hints.with_value(|hints| {
            let options = hint.options.as_ref().and_then(|key| hints.options.get(key));
            options.into_iter().flatten().find(|option| option.id == id).cloned()
        })
    }

    /// Returns the name of an entity, for places that only show it.
    pub fn name_of(self, hint: &FieldHint, id: &str) -> Option<String> {
        self.known(hint, id).map(|option| option.name)
    }

    pub fn parent(self, hint: &FieldHint) -> Signal<Parent> {
        let Some(pointer) = hint.parent.clone() else { return Signal::stored(Parent::None) };
        Signal::derive(move || {
            let chosen = self.args.with(|args| args::text(args, &pointer));
            if chosen.is_empty() { Parent::Open } else { Parent::Chosen(chosen) }
        })
    }

    pub fn parent_label(self, hint: &FieldHint) -> String {
        let Some(pointer) = &hint.parent else { return String::new() };
        let label = self.hints.with_value(|hints| {
            hints.fields.iter().find(|field| field.pointer == *pointer).map(|field| field.label.to_lowercase())
        });
        fields::with_article(&label.unwrap_or_else(|| "parent".into()))
    }

    /// Chooses an entity, and removes dependent values that do not fit the new choice.
    pub fn choose(self, pointer: &str, id: String) {
        self.put(pointer, Some(self.typed_value(pointer, id.clone())));
        let below: Vec<FieldHint> = self.hints.with_value(|hints| {
            hints.fields.iter().filter(|field| field.parent.as_deref() == Some(pointer)).cloned().collect()
        });
        if below.is_empty() {
            return;
        }
        for field in below {
            let fits = |chosen: &str| {
                let option = self.options(&field).into_iter().find(|option| option.id == chosen);
                option.is_some_and(|option| option.parent.is_none_or(|parent| parent == id))
            };
            let list = self.args.with_untracked(|args| args::strings(args, &field.pointer));
            if list.is_empty() {
                let chosen = self.args.with_untracked(|args| args::text(args, &field.pointer));
                if !chosen.is_empty() && !fits(&chosen) {
                    self.put(&field.pointer, None);
                }
            } else {
                let kept: Vec<Json> = list.into_iter().filter(|chosen| fits(chosen)).map(Json::String).collect();
                self.put(&field.pointer, Some(Json::Array(kept)));
            }
        }
        self.load_choices();
    }

    /// Loads the choices that fit the current values.
    fn load_choices(self) {
        let args = self.args.get_untracked();
        self.reload.set(Reload::Loading);
        let turn = self.next_turn();
        spawn_local(async move {
            let found = api::approval_choices(self.approval, args).await;
            if self.turn.try_get_value() != Some(turn) {
                return;
            }
            match found {
                Ok(options) => {
                    self.hints.try_update_value(|hints| learn_names(hints, &options));
                    self.options.try_set(options);
                    self.reload.try_set(Reload::Idle);
                }
                Err(_) => {
                    self.reload.try_set(Reload::Failed);
                }
            }
        });
    }

    /// Starts a new request number, so that answers still on their way are dropped.
    fn next_turn(self) -> u32 {
        self.turn.try_update_value(|turn| *turn += 1);
        self.turn.get_value()
    }

    /// Returns what a button of the form sends; `None` if a script does the button's work.
    pub fn sends(self, act: &Act) -> Option<(&'static str, String)> {
        self.plain.then(|| (plain::ACT, act.value()))
    }

    /// Loads the choices again.
    pub fn try_again(self) {
        self.load_choices();
    }

    /// Describes in words how the arguments differ from the proposal.
    pub fn edits(self) -> Vec<ChangeRow> {
        self.args.with(|now| {
            self.original.with_value(|was| self.hints.with_value(|hints| adagent_contract::edits(was, now, hints)))
        })
    }

    /// Counts the fields that differ from the proposal.
    pub fn edited(self) -> usize {
        self.edits().len()
    }

    /// Returns the arguments if they differ from the proposal.
    pub fn edited_args(self) -> Option<Json> {
        let now = self.args.get_untracked();
        self.original.with_value(|was| (now != *was).then_some(now))
    }

    /// Restores the proposed arguments and their choices.
    pub fn undo(self) {
        self.next_turn();
        self.options.set(self.proposed_options.get_value());
        self.reload.set(Reload::Idle);
        self.args.set(self.original.get_value());
        self.typed.set(BTreeMap::new());
    }

    /// Returns the ID of the control at a pointer.
    pub fn id(self, pointer: &str) -> String {
        let tail: String = pointer.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        self.prefix.with_value(|prefix| format!("{prefix}{tail}"))
    }
}
