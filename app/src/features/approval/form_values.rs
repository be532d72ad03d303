//! Turns a posted form into a draft: the arguments that the page carried, with the values of its fields. Pure.

use adagent_contract::{ApprovalView, FieldHint, UiHints, Widget};
use serde_json::Value as Json;

use super::{
    args, fields,
    lines::{self, Lane},
    objects,
    plain::{self, Act},
    rules::{self, Typed},
};

/// The pairs of a posted form, in order.
pub struct Posted<'a>(pub &'a [(String, String)]);

impl<'a> Posted<'a> {
    /// Returns the first value of a field.
    pub fn one(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn has(&self, name: &str, value: &str) -> bool {
        self.all(name).any(|other| other == value)
    }

    pub fn act(&self) -> Act {
        self.one(plain::ACT).map_or(Act::Show, Act::parse)
    }

    fn carried(&self) -> Option<Json> {
        let text = self.one(plain::ARGS)?;
        serde_json::from_str::<Json>(text).ok().filter(Json::is_object)
    }

    /// Checks whether the posted edits cannot be read. If so, the original proposal must not be sent in their place.
    pub fn is_unreadable(&self) -> bool {
        self.was_open() && self.carried().is_none()
    }

    /// Checks whether the edit form was open.
    pub fn was_open(&self) -> bool {
        self.one(plain::ARGS).is_some()
    }
}

/// Arguments, and typed text that is not a valid argument yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    pub args: Json,
    pub typed: Typed,
}

/// Builds the draft of a pending approval from the posted form, after the action of its button.
pub fn fill(view: &ApprovalView, posted: &Posted<'_>) -> Filled {
    let proposed = || Filled { args: view.tool_input.clone(), typed: Typed::new() };
    let act = posted.act();
    if act == Act::Revert {
        return proposed();
    }
    let Some(args) = posted.carried() else { return proposed() };
    let mut form = Form { schema: &view.parameter_schema, filled: Filled { args, typed: Typed::new() } };
    form.take(&view.ui_hints.fields, posted);
    form.drop_strangers(&view.ui_hints);
    form.act(&view.ui_hints, &act, posted);
    form.filled
}

struct Form<'a> {
    schema: &'a Json,
    filled: Filled,
}

impl Form<'_> {
    fn put(&mut self, pointer: &str, value: Option<Json>) {
        let gone = value.is_none();
        args::put(&mut self.filled.args, pointer, value);
        if gone {
            args::prune(&mut self.filled.args, self.schema, pointer);
        }
    }

    fn take(&mut self, hints: &[FieldHint], posted: &Posted<'_>) {
        for hint in hints {
            // A field that did not apply was not drawn and sent nothing.
            match hint.widget {
                Widget::ReadOnly => {}
                Widget::Objects | Widget::Entries => {
                    for key in objects::keys(self.filled.args.pointer(&hint.pointer)) {
                        self.take(&hint.of_row(&key), posted);
                    }
                }
                Widget::MediationLines => self.take_lines(hint, posted),
                Widget::Checkbox => {
                    if posted.has(plain::DRAWN, &hint.pointer) {
                        let on = posted.one(&plain::field(&hint.pointer)).is_some();
                        self.put(&hint.pointer, Some(Json::Bool(on)));
                    }
                }
                Widget::MultiSelect => {
                    if posted.has(plain::DRAWN, &hint.pointer) {
                        let chosen = fields::choices_of(self.schema, hint).into_iter().map(|(value, _)| value);
                        let chosen = chosen.filter(|value| posted.one(&plain::one_of(&hint.pointer, value)).is_some());
                        let list = chosen.map(Json::String).collect();
                        self.put_list(&hint.pointer, list);
                    }
                }
                Widget::EntityList | Widget::Rows => {
                    if posted.has(plain::DRAWN, &hint.pointer) {
                        let name = plain::field(&hint.pointer);
                        let mut list: Vec<Json> = Vec::new();
                        for text in posted.all(&name).filter(|text| !text.trim().is_empty()) {
                            let value = Json::String(text.to_owned());
                            if hint.widget == Widget::Rows || !list.contains(&value) {
                                list.push(value);
                            }
                        }
                        self.put_list(&hint.pointer, list);
                    }
                }
                Widget::Number | Widget::MoneyMicros => self.take_number(hint, posted),
                Widget::Text | Widget::Select | Widget::Entity => {
                    if let Some(text) = posted.one(&plain::field(&hint.pointer)) {
                        // Browsers send line ends as CRLF.
                        let text = text.replace("\r\n", "\n");
                        let text = if hint.widget == Widget::Text && hint.currency.is_some() {
                            // Keep an unchanged value exactly as the network wrote it.
                            if text != args::text(&self.filled.args, &hint.pointer) {
                                self.filled.typed.insert(hint.pointer.clone(), text.clone());
                            }
                            args::plain_digits(&text)
                        } else {
                            text
                        };
                        let value = match hint.widget {
                            _ if text.is_empty() => None,
                            Widget::Select | Widget::Entity => {
                                Some(args::typed_value(self.schema, &hint.pointer, text))
                            }
                            _ => Some(Json::String(text)),
                        };
                        self.put(&hint.pointer, value);
                    }
                }
            }
        }
    }

    /// Writes a list. If there was no list before, an empty one stays absent.
    fn put_list(&mut self, pointer: &str, list: Vec<Json>) {
        if !list.is_empty() || self.filled.args.pointer(pointer).is_some() {
            self.put(pointer, Some(Json::Array(list)));
        }
    }

    fn take_number(&mut self, hint: &FieldHint, posted: &Posted<'_>) {
        let Some(text) = posted.one(&plain::field(&hint.pointer)) else { return };
        let shown = args::text(&self.filled.args, &hint.pointer);
        let shown = if hint.widget == Widget::MoneyMicros { fields::amount(&shown) } else { shown };
        // Keep an unchanged value exactly as the network wrote it.
        if text == shown {
            return;
        }
        let value = if hint.widget == Widget::MoneyMicros {
            rules::micros(text).map(|micros| args::as_schema_types(self.schema, &hint.pointer, micros))
        } else {
            fields::number_of(self.schema, &hint.pointer, text)
        };
        if text.trim().is_empty() {
            self.put(&hint.pointer, None);
        } else if let Some(value) = value {
            self.put(&hint.pointer, Some(value));
        }
        self.filled.typed.insert(hint.pointer.clone(), text.to_owned());
    }

    fn take_lines(&mut self, hint: &FieldHint, posted: &Posted<'_>) {
        for line in lines::read(self.filled.args.pointer(&hint.pointer), |_| None) {
            if line.lane == Lane::Waterfall {
                let pointer = lines::floor_pointer(&hint.pointer, &line.key);
                let floor = FieldHint { pointer, widget: Widget::MoneyMicros, ..FieldHint::default() };
                self.take_number(&floor, posted);
            }
        }
    }

    /// Removes values that depended on a changed choice and no longer fit, as the page does with JavaScript.
    fn drop_strangers(&mut self, hints: &UiHints) {
        for field in &hints.fields {
            let Some(parent) = &field.parent else { continue };
            let above = args::text(&self.filled.args, parent);
            let options = field.options.as_ref().and_then(|key| hints.options.get(key));
            let Some(options) = options else { continue };
            // Remove only what we know belongs elsewhere; the server looks up the rest.
            let elsewhere = |id: &str| {
                let option = options.iter().find(|option| option.id == id);
                option.and_then(|option| option.parent.as_ref()).is_some_and(|parent| *parent != above)
            };
            if field.widget == Widget::EntityList {
                let list = args::strings(&self.filled.args, &field.pointer);
                if list.iter().any(|id| elsewhere(id)) {
                    let kept = list.into_iter().filter(|id| !elsewhere(id)).map(Json::String).collect();
                    self.put(&field.pointer, Some(Json::Array(kept)));
                }
            } else if field.widget == Widget::Entity && elsewhere(&args::text(&self.filled.args, &field.pointer)) {
                self.put(&field.pointer, None);
            }
        }
    }

    fn act(&mut self, hints: &UiHints, act: &Act, posted: &Posted<'_>) {
        match act {
            Act::Add(at) => self.add(hints, at, posted),
            Act::Remove(at) => self.remove(hints, at),
            Act::Up(at) => self.step(hints, at, true),
            Act::Down(at) => self.step(hints, at, false),
            Act::Approve | Act::Deny | Act::Edit | Act::AskWhy | Act::Close | Act::Show | Act::Revert => {}
        }
    }

    fn add(&mut self, hints: &UiHints, at: &str, posted: &Posted<'_>) {
        let new = posted.one(&plain::fresh(at)).unwrap_or_default().trim().to_owned();
        if let Some((hint, lane)) = lane_at(&hints.fields, at) {
            let sources = hint.options.as_ref().and_then(|key| hints.options.get(key));
            let source = sources.into_iter().flatten().find(|option| option.id == new);
            if let Some(source) = source {
                let now = self.filled.args.pointer(&hint.pointer);
                let (object, _) = lines::add(now, lane, &source.id, &source.name);
                self.put(&hint.pointer, Some(object));
            }
            return;
        }
        let Some(hint) = hint_at(&hints.fields, at) else { return };
        match hint.widget {
            Widget::Rows => {
                let mut list = args::strings(&self.filled.args, at);
                list.push(String::new());
                self.put(at, Some(list.into_iter().map(Json::String).collect()));
            }
            Widget::Objects if !hint.fixed => {
                let mut list = self.list(at);
                list.push(objects::fresh_row(&hint, list.first()));
                self.put(at, Some(Json::Array(list)));
            }
            Widget::Entries => {
                let place = format!("{at}/{}", args::escape(&new));
                if !new.is_empty() && self.filled.args.pointer(&place).is_none() {
                    self.put(&place, Some(objects::fresh_row(&hint, None)));
                }
            }
            _ => {}
        }
    }

    fn list(&self, at: &str) -> Vec<Json> {
        self.filled.args.pointer(at).and_then(Json::as_array).cloned().unwrap_or_default()
    }

    fn remove(&mut self, hints: &UiHints, at: &str) {
        let Some((list, key)) = at.rsplit_once('/') else { return };
        let Some(hint) = hint_at(&hints.fields, list) else { return };
        match hint.widget {
            Widget::MediationLines => {
                if let Some(now) = self.filled.args.pointer(list) {
                    let lines = lines::remove(now, &args::unescape(key));
                    self.put(list, Some(lines));
                }
            }
            Widget::Rows | Widget::Objects | Widget::Entries => {
                self.forget(list);
                args::put(&mut self.filled.args, at, None);
            }
            _ => {}
        }
    }

    fn step(&mut self, hints: &UiHints, at: &str, up: bool) {
        let Some((list, key)) = at.rsplit_once('/') else { return };
        let Some(hint) = hint_at(&hints.fields, list) else { return };
        if hint.widget == Widget::MediationLines {
            let Some(now) = self.filled.args.pointer(list) else { return };
            let key = args::unescape(key);
            if let Some(to) = lines::neighbour(&lines::read(Some(now), |_| None), &key, !up) {
                let moved = lines::move_to(now, &key, &to);
                self.put(list, Some(moved));
            }
        } else if let (Widget::Objects, Ok(row)) = (hint.widget, key.parse()) {
            let moved = objects::moved(&self.list(list), row, up);
            self.forget(list);
            self.put(list, Some(Json::Array(moved)));
        }
    }

    /// Forgets typed text in a list whose rows move or go, because it would show at the wrong row.
    fn forget(&mut self, list: &str) {
        let below = format!("{list}/");
        self.filled.typed.retain(|place, _| !place.starts_with(&below));
    }
}

/// Returns the field at a place, also inside rows.
fn hint_at(hints: &[FieldHint], at: &str) -> Option<FieldHint> {
    hints.iter().find_map(|hint| {
        if hint.pointer == at {
            return Some(hint.clone());
        }
        let inside = at.strip_prefix(&hint.pointer)?.strip_prefix('/')?;
        let key = inside.split('/').next()?;
        if hint.fields.is_empty() {
            return None;
        }
        hint_at(&hint.of_row(&args::unescape(key)), at)
    })
}

/// Returns the list of lines that a button adds to.
fn lane_at(hints: &[FieldHint], at: &str) -> Option<(FieldHint, Lane)> {
    let (list, lane) = at.rsplit_once('/')?;
    let lane = Lane::ALL.into_iter().find(|other| other.name() == lane)?;
    let hint = hint_at(hints, list).filter(|hint| hint.widget == Widget::MediationLines)?;
    Some((hint, lane))
}

/// Checks whether the form itself finds an error in a draft.
pub fn first_error(view: &ApprovalView, filled: &Filled) -> bool {
    let (schema, hints) = (&view.parameter_schema, &view.ui_hints);
    !rules::check(schema, hints, &filled.args, &filled.typed, crate::platform::matches).is_empty()
}

/// Returns the arguments to send if they differ from the proposal.
pub fn edited(view: &ApprovalView, filled: Filled) -> Option<Json> {
    (filled.args != view.tool_input).then_some(filled.args)
}

#[cfg(test)]
mod tests {
    use adagent_contract::{ApprovalStatus, EntityOption, Preview, PreviewKind, Risk};
    use adagent_domain::{Network, Timestamp};
    use serde_json::{Map, json};

    use super::*;

    const ID: &str = "019aa5c4-9a3e-7000-8000-00000000000a";

    fn hint(pointer: &str, widget: Widget) -> FieldHint {
        FieldHint { pointer: pointer.into(), label: pointer.into(), widget, ..FieldHint::default() }
    }

    fn view(input: Json, schema: Json, fields: Vec<FieldHint>) -> ApprovalView {
        let option = |id: &str, parent: &str| EntityOption {
            id: id.into(),
            name: format!("Name of {id}"),
            parent: Some(parent.into()),
            detail: None,
            network: None,
        };
        let options = [
            ("app".to_owned(), vec![option("a1", "pub-1"), option("a2", "pub-2")]),
            ("ad_source".to_owned(), vec![EntityOption { parent: None, ..option("s1", "") }]),
        ];
        ApprovalView {
            asked_by: None,
            id: ID.parse().unwrap(),
            approval_id: ID.parse().unwrap(),
            run_id: ID.parse().unwrap(),
            session_id: Some(ID.parse().unwrap()),
            status: ApprovalStatus::Pending,
            tool_call_id: ID.parse().unwrap(),
            tool_name: "admob_create_mediation_group".to_owned(),
            source: Network::AdMob.into(),
            title: "Change".to_owned(),
            tool_input: input,
            parameter_schema: schema,
            ui_hints: UiHints { fields, options: options.into(), ..UiHints::default() },
            risk: Risk::Write,
            warnings: Vec::new(),
            preview: Preview::new(PreviewKind::Create, Vec::new()),
            created_at: Timestamp::from_micros(0),
            expires_at: None,
            answered_at: None,
            answered_by: None,
            edited_args: None,
            sent: None,
            reason: None,
            undone: false,
            asked_again: false,
        }
    }

    fn post(view: &ApprovalView, pairs: &[(&str, &str)]) -> Filled {
        let carried = view.tool_input.to_string();
        let first = [(plain::ARGS.to_owned(), carried)];
        let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let pairs: Vec<_> = first.into_iter().chain(pairs).collect();
        fill(view, &Posted(&pairs))
    }

    #[test]
    fn a_price_is_sent_with_a_point_however_it_was_typed() {
        let price = FieldHint { currency: Some(adagent_domain::Currency::USD), ..hint("/cpm", Widget::Text) };
        let schema = json!({"properties": {"cpm": {"type": "string"}}});
        let view = view(json!({"cpm": "6.20"}), schema, vec![price]);
        for (typed, sent) in [("5,90", "5.90"), ("5.90", "5.90"), (" 7,5 ", "7.5"), ("1.234,50", "1234.50")] {
            let filled = post(&view, &[("f:/cpm", typed)]);
            assert_eq!(filled.args, json!({"cpm": sent}), "{typed}");
            assert!(!first_error(&view, &filled), "{typed}");
        }
        assert!(first_error(&view, &post(&view, &[("f:/cpm", "five")])));
        assert_eq!(edited(&view, post(&view, &[("f:/cpm", "6.20")])), None);
    }

    #[test]
    fn a_form_that_was_not_open_changes_nothing() {
        let view = view(json!({"name": "A"}), json!({}), vec![hint("/name", Widget::Text)]);
        let pairs = [("f:/name".to_owned(), "B".to_owned()), (plain::ACT.to_owned(), "approve".to_owned())];
        let filled = fill(&view, &Posted(&pairs));
        assert_eq!(filled, Filled { args: json!({"name": "A"}), typed: Typed::new() });
        assert_eq!(edited(&view, filled), None);
    }

    #[test]
    fn every_kind_of_field_is_read_back() {
        let schema =
            json!({"properties": {"n": {"type": "integer"}, "cpm": {"type": "string"}, "size": {"type": "integer"}}});
        let fields = vec![
            hint("/name", Widget::Text),
            hint("/n", Widget::Number),
            hint("/cpm", Widget::MoneyMicros),
            FieldHint {
                choices: vec![("1".into(), "One".into()), ("2".into(), "Two".into())],
                ..hint("/size", Widget::Select)
            },
            hint("/on", Widget::Checkbox),
            FieldHint {
                choices: vec![("A".into(), "a".into()), ("B".into(), "b".into())],
                ..hint("/types", Widget::MultiSelect)
            },
            hint("/ids", Widget::Rows),
        ];
        let input = json!({"name": "A", "n": 1, "cpm": "1000000", "size": 1, "on": true, "types": ["A"], "ids": ["x"]});
        let view = view(input, schema, fields);
        let filled = post(
            &view,
            &[
                ("f:/name", "Two\r\nlines"),
                ("f:/n", "7"),
                ("f:/cpm", "14.50"),
                ("f:/size", "2"),
                ("drawn", "/on"),
                ("drawn", "/types"),
                ("f:/types=B", "on"),
                ("drawn", "/ids"),
                ("f:/ids", "x"),
                ("f:/ids", "  "),
                ("f:/ids", "y"),
            ],
        );
        let expected = json!({
            "name": "Two\nlines", "n": 7, "cpm": "14500000", "size": 2, "on": false, "types": ["B"], "ids": ["x", "y"]
        });
        assert_eq!(filled.args, expected);
        assert!(edited(&view, filled).is_some());
        // Unchanged values stay exactly as the network wrote them, including the type.
        let same = post(&view, &[("f:/name", "A"), ("f:/n", "1"), ("f:/cpm", "1.00"), ("f:/size", "1")]);
        assert_eq!((&same.args, edited(&view, same.clone())), (&view.tool_input, None));
    }

    #[test]
    fn what_is_no_number_yet_stays_as_typed() {
        let schema = json!({"properties": {"cpm": {"type": "string", "minimum": 10_000}}});
        let view = view(json!({"cpm": "1000000"}), schema, vec![hint("/cpm", Widget::MoneyMicros)]);
        let filled = post(&view, &[("f:/cpm", "cheap")]);
        assert_eq!(filled.args, view.tool_input);
        assert_eq!(filled.typed.get("/cpm").map(String::as_str), Some("cheap"));
        assert!(first_error(&view, &filled));
    }

    #[test]
    fn rows_come_go_and_move_and_an_unknown_place_changes_nothing() {
        let rows = FieldHint { fields: vec![hint("/name", Widget::Text)], ..hint("/body", Widget::Objects) };
        let prices = FieldHint { fields: vec![hint("", Widget::Text)], ..hint("/prices", Widget::Entries) };
        let input = json!({"body": [{"name": "A"}, {"name": "B"}], "prices": {"US": "1"}});
        let view = view(input.clone(), json!({}), vec![rows, prices, hint("/ids", Widget::Rows)]);
        let act = |act: Act, more: &[(&str, &str)]| {
            let value = act.value();
            let mut pairs = vec![(plain::ACT, value.as_str())];
            pairs.extend_from_slice(more);
            post(&view, &pairs).args
        };
        let names =
            |args: &Json| args["body"].as_array().unwrap().iter().map(|row| row["name"].clone()).collect::<Vec<_>>();
        assert_eq!(act(Act::Add("/body".into()), &[])["body"].as_array().map(Vec::len), Some(3));
        assert_eq!(names(&act(Act::Remove("/body/0".into()), &[("f:/body/1/name", "C")])), [json!("C")]);
        assert_eq!(names(&act(Act::Down("/body/0".into()), &[])), [json!("B"), json!("A")]);
        assert_eq!(names(&act(Act::Up("/body/1".into()), &[])), [json!("B"), json!("A")]);
        assert_eq!(act(Act::Add("/prices".into()), &[("new:/prices", "D/E")])["prices"]["D/E"], Json::Null);
        assert_eq!(act(Act::Remove("/prices/US".into()), &[])["prices"], json!({}));
        assert_eq!(act(Act::Add("/ids".into()), &[])["ids"], json!([""]));
        for strange in ["", "/", "/nowhere/0", "/body/99", "/body/x", "body"] {
            for act_of in [Act::Remove as fn(String) -> Act, Act::Up, Act::Down] {
                assert_eq!(act(act_of(strange.into()), &[]), input, "{strange}");
            }
        }
    }

    #[test]
    fn lines_are_priced_added_and_taken_out() {
        let lines = FieldHint { options: Some("ad_source".into()), ..hint("/lines", Widget::MediationLines) };
        let input = json!({"lines": {"77": {"adSourceId": "2", "cpmMode": "MANUAL", "cpmMicros": "1000000", "state": "ENABLED"}}});
        let view = view(input, json!({}), vec![lines]);
        let priced = post(&view, &[("f:/lines/77/cpmMicros", "2.50")]);
        assert_eq!(priced.args["lines"]["77"]["cpmMicros"], 2_500_000);
        let added = post(&view, &[("act", "add /lines/bidding"), ("new:/lines/bidding", "s1")]);
        assert_eq!(added.args["lines"]["-1"]["displayName"], "Name of s1");
        let unknown = post(&view, &[("act", "add /lines/bidding"), ("new:/lines/bidding", "evil")]);
        assert_eq!(unknown.args, view.tool_input);
        let gone = post(&view, &[("act", "remove /lines/77")]);
        assert_eq!(gone.args["lines"]["77"]["state"], "REMOVED");
    }

    #[test]
    fn another_parent_takes_out_what_belongs_elsewhere() {
        let account = FieldHint { options: Some("account".into()), ..hint("/account", Widget::Entity) };
        let app =
            FieldHint { parent: Some("/account".into()), options: Some("app".into()), ..hint("/app", Widget::Entity) };
        let view = view(json!({"account": "pub-1", "app": "a1"}), json!({}), vec![account, app]);
        assert_eq!(post(&view, &[("f:/account", "pub-2"), ("f:/app", "a1")]).args, json!({"account": "pub-2"}));
        assert_eq!(
            post(&view, &[("f:/account", "pub-2"), ("f:/app", "a2")]).args,
            json!({"account": "pub-2", "app": "a2"})
        );
    }

    #[test]
    fn hostile_forms_change_only_what_the_form_shows() {
        let view = view(
            json!({"name": "A", "secret": 1}),
            json!({}),
            vec![hint("/name", Widget::Text), hint("/id", Widget::ReadOnly)],
        );
        let filled =
            post(&view, &[("f:/secret", "2"), ("f:/id", "x"), ("f:", "x"), ("f:/", "x"), ("act", "remove /name")]);
        assert_eq!(filled.args, view.tool_input);
        let pairs = [(plain::ARGS.to_owned(), "[1".to_owned())];
        assert_eq!(fill(&view, &Posted(&pairs)).args, view.tool_input);
        assert!(Posted(&pairs).is_unreadable());
        let empty = Map::new();
        let pairs = [(plain::ARGS.to_owned(), Json::Object(empty).to_string())];
        assert_eq!(fill(&view, &Posted(&pairs)).args, json!({}));
    }
}
