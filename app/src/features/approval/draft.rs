//! What a person has typed into a card so far: the arguments, text that is not one yet, and what is wrong with both.

use std::collections::BTreeMap;

use adagent_contract::{ChangeRow, EntityOption, FieldError, FieldHint, Problem, TurnApproval, UiHints};
use adagent_domain::Network;
use leptos::prelude::*;
use serde_json::Value as Json;

use super::{args, rules};
use crate::ui::Parent;

/// The state of a card's form. Everything shown is derived from these.
#[derive(Clone, Copy)]
pub struct Draft {
    pub args: RwSignal<Json>,
    pub typed: RwSignal<rules::Typed>,
    pub original: StoredValue<Json>,
    pub schema: StoredValue<Json>,
    pub hints: StoredValue<UiHints>,
    /// Prefix of every id of this card.
    pub prefix: StoredValue<String>,
    pub network: Network,
    pub locked: Signal<bool>,
    errors: Memo<Vec<FieldError>>,
}

impl Draft {
    pub fn new(approval: &TurnApproval, locked: Signal<bool>, problem: Signal<Option<Problem>>) -> Self {
        let args = RwSignal::new(approval.tool_input.clone());
        let typed = RwSignal::new(BTreeMap::new());
        let schema = StoredValue::new(approval.parameter_schema.clone());
        let hints = StoredValue::new(approval.ui_hints.clone());
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
            network: approval.network,
            locked,
            errors,
        }
    }

    /// What the form itself finds wrong; the server's own words do not block a second try.
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

    /// The error of the field at a pointer. The server may put something before the pointer.
    pub fn error(self, pointer: &str) -> Signal<Option<String>> {
        let pointer = pointer.to_owned();
        Signal::derive(move || {
            self.errors.with(|errors| {
                errors.iter().find(|error| error.pointer.ends_with(&pointer)).map(|error| error.message.clone())
            })
        })
    }

    /// The error of exactly this place, not of what lies in it.
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

    /// Forgets what was typed below a place whose rows change: their numbers mean others now.
    pub fn forget_typed(self, pointer: &str) {
        let below = format!("{pointer}/");
        self.typed.update(|typed| typed.retain(|place, _| place != pointer && !place.starts_with(&below)));
    }

    /// A chosen text as the schema types it: some networks number their ids.
    pub fn typed_value(self, pointer: &str, text: String) -> Json {
        let number = self.schema.with_value(|schema| {
            let place = args::schema_at(schema, pointer)?;
            matches!(place.get("type")?.as_str()?, "integer" | "number").then_some(())
        });
        match number.and_then(|()| serde_json::from_str::<serde_json::Number>(&text).ok()) {
            Some(number) => Json::Number(number),
            None => Json::String(text),
        }
    }

    /// What the server found wrong with nothing the form shows.
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

    /// Text of a field: empty takes an optional one out.
    pub fn put_text(self, pointer: &str, text: String) {
        let value = (!text.is_empty()).then_some(Json::String(text));
        self.put(pointer, value);
    }

    /// The value at a pointer as the schema types it: networks write 64-bit integers as strings.
    pub fn as_schema_types(self, pointer: &str, number: i64) -> Json {
        let string = self.schema.with_value(|schema| {
            args::schema_at(schema, pointer).and_then(|place| place.get("type")).and_then(Json::as_str)
                == Some("string")
        });
        if string { Json::String(number.to_string()) } else { Json::from(number) }
    }

    /// The schema's default, when the hint offers no choice: the values of its enum.
    pub fn choices(self, hint: &FieldHint) -> Vec<(String, String)> {
        if !hint.choices.is_empty() {
            return hint.choices.clone();
        }
        self.schema.with_value(|schema| {
            args::schema_at(schema, &hint.pointer)
                .and_then(|place| place.get("enum"))
                .and_then(Json::as_array)
                .map(|values| {
                    values.iter().filter_map(Json::as_str).map(|value| (value.to_owned(), value.to_owned())).collect()
                })
                .unwrap_or_default()
        })
    }

    pub fn options(self, hint: &FieldHint) -> Vec<EntityOption> {
        self.hints.with_value(|hints| {
            hint.options.as_ref().and_then(|key| hints.options.get(key)).cloned().unwrap_or_default()
        })
    }

    /// The name of an entity, for places that only show it.
    pub fn name_of(self, hint: &FieldHint, id: &str) -> Option<String> {
        self.options(hint).into_iter().find(|option| option.id == id).map(|option| option.name)
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
        let label = label.unwrap_or_else(|| "parent".into());
        let article = if label.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        format!("{article} {label}")
    }

    /// Chooses an entity; what hung on the one chosen before and does not fit any more is taken out.
    pub fn choose(self, pointer: &str, id: String) {
        self.put(pointer, Some(self.typed_value(pointer, id.clone())));
        let below: Vec<FieldHint> = self.hints.with_value(|hints| {
            hints.fields.iter().filter(|field| field.parent.as_deref() == Some(pointer)).cloned().collect()
        });
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
    }

    /// What differs from what was proposed, in words.
    pub fn edits(self) -> Vec<ChangeRow> {
        self.args.with(|now| {
            self.original.with_value(|was| self.hints.with_value(|hints| adagent_contract::edits(was, now, hints)))
        })
    }

    /// How many fields differ from what was proposed.
    pub fn edited(self) -> usize {
        self.edits().len()
    }

    /// The arguments, when they differ from what was proposed.
    pub fn edited_args(self) -> Option<Json> {
        let now = self.args.get_untracked();
        self.original.with_value(|was| (now != *was).then_some(now))
    }

    pub fn undo(self) {
        self.args.set(self.original.get_value());
        self.typed.set(BTreeMap::new());
    }

    /// The id of the control at a pointer.
    pub fn id(self, pointer: &str) -> String {
        let tail: String = pointer.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        self.prefix.with_value(|prefix| format!("{prefix}{tail}"))
    }
}
