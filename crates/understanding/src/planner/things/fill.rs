//! Fills an operation's arguments from its JSON Schema. The value of a field comes from the message, from the name of the field, or from
//! the thing to change. This must never fill a field that the message doesn't mention, unless the schema allows only one value. If a
//! required field is missing, we ask for it.

use adagent_contract::{CONNECTION, EntityItem, EntityKind};
use adagent_domain::Network;
use serde_json::{Map, Value as Json, json};

use super::{
    amount::{amount, units},
    instance, label,
    list::{Stuck, id_value, known},
    per_country,
    said::{Said, answered_field, named, typed},
    steps,
    tool::{kind_of_param, reader, snake},
};
use crate::planner::{
    Call, clarify, desks,
    format::plain,
    names,
    read::{Turn, contains_word},
    talk,
    writes::wish::Move,
};

/// A required field that the message doesn't give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    pub label: String,
    pub options: Vec<String>,
}

pub(super) struct Filler<'t, 'a> {
    pub turn: &'t Turn<'a>,
    pub network: Network,
    pub said: &'t Said,
    /// The thing to change; `None` for a create.
    pub target: Option<&'t EntityItem>,
    /// The kind of thing that the operation is about.
    pub noun: &'t str,
    pub missing: Vec<Missing>,
    /// The field of the body that takes the price.
    price_field: Option<String>,
    price_inside: bool,
    /// The currencies that the body allows.
    currencies: Vec<String>,
    /// Whether the new thing has its own field for countries.
    own_countries: bool,
    /// The path of field names from the arguments to the field that is being filled.
    path: Vec<String>,
}

/// Fields that take a price, the plainest first.
const PRICES: [&str; 13] = [
    "floor_price",
    "cpm_floor",
    "floor_prices",
    "bid_floors",
    "cpm",
    "expected_cpm",
    "target_ecpm",
    "rate",
    "price",
    "group_rate",
    "cost_per_unit",
    "flat_cpm",
    "min_cpm",
];

/// Copies into the objects of the body what the thing has there now, if the body doesn't set it and the schema allows it.
fn keep_beside(body: &mut Json, now: &Json, schema: &Json) {
    let Some(fields) = body.as_object_mut() else { return };
    for (name, said) in fields {
        let (now, schema) = (&now[name.as_str()], &schema["properties"][name.as_str()]);
        fill_beside(said, now, schema);
    }
}

fn fill_beside(said: &mut Json, now: &Json, schema: &Json) {
    let (Some(said), Some(now)) = (said.as_object_mut(), now.as_object()) else { return };
    for (name, value) in now.iter().filter(|(_, value)| !value.is_null()) {
        let known = &schema["properties"][name.as_str()];
        let allowed = if known.is_object() { known } else { &schema["additionalProperties"] };
        match said.get_mut(name) {
            Some(said) => fill_beside(said, value, allowed),
            None if allowed.is_object() => {
                said.insert(name.clone(), value.clone());
            }
            None => {}
        }
    }
}

const STATES_ON: [&str; 4] = ["active", "enabled", "live", "on"];
const STATES_OFF: [&str; 5] = ["inactive", "paused", "disabled", "off", "archived"];

impl<'t, 'a> Filler<'t, 'a> {
    pub fn new(
        turn: &'t Turn<'a>,
        network: Network,
        said: &'t Said,
        target: Option<&'t EntityItem>,
        noun: &'t str,
    ) -> Self {
        Self {
            turn,
            network,
            said,
            target,
            noun,
            missing: Vec::new(),
            price_field: None,
            price_inside: false,
            currencies: Vec::new(),
            own_countries: false,
            path: Vec::new(),
        }
    }

    /// Returns the arguments. `self.missing` lists what is missing.
    pub fn arguments(&mut self, schema: &Json) -> Result<Json, Stuck> {
        let body = &schema["properties"]["body"];
        let fields = body.get("properties").or_else(|| body.pointer("/items/properties"));
        let names: Vec<String> =
            fields.and_then(Json::as_object).map(|map| map.keys().cloned().collect()).unwrap_or_default();
        let field = || PRICES.iter().find_map(|price| names.iter().find(|name| snake(name) == *price)).cloned();
        self.price_field = self.said.prices().then(field).flatten();
        let fields = fields.unwrap_or(&Json::Null);
        // "a rate of $10 for AppLovin" is the price of its instance, not of the group that holds the instance.
        if instance::fits(&fields["instances"])
            && self.said.source.is_some()
            && !contains_word(&self.turn.lower, "floor")
        {
            self.price_field = None;
        }
        self.own_countries = fields["countries"].is_object();
        self.currencies = fields["currency"]["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|code| code.as_str().map(str::to_owned))
            .collect();
        let mut args = self.object(schema, true)?.map_or_else(|| json!({}), Json::Object);
        // Without a mask, a field replaces the old one entirely, so we also send the other values in that field.
        if let Some(target) = self.target.filter(|_| schema["properties"]["updateMask"].is_null()) {
            keep_beside(&mut args["body"], &target.raw, body);
        }
        Ok(args)
    }

    /// Fills the fields of an object. Returns `None` if the object is optional and the message gives nothing for it.
    fn object(&mut self, schema: &Json, required: bool) -> Result<Option<Map<String, Json>>, Stuck> {
        let Some(fields) = schema["properties"].as_object() else { return Ok(required.then(Map::new)) };
        let needed: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        let before = self.missing.len();
        let mut out = Map::new();
        for (name, field) in fields {
            if let Some(value) = self.field(name, field, needed.contains(&name.as_str()))? {
                out.insert(name.clone(), value);
            }
        }
        self.alternatives(schema, fields, &out);
        if !required && out.is_empty() {
            self.missing.truncate(before);
            return Ok(None);
        }
        // IDs and words alone don't mean that the message wants an optional part.
        if !required && self.missing.len() > before {
            self.missing.truncate(before);
            return Ok(None);
        }
        Ok(Some(out))
    }

    /// If a network wants one of several sets of fields, asks for the set that lacks the fewest.
    fn alternatives(&mut self, schema: &Json, fields: &Map<String, Json>, out: &Map<String, Json>) {
        let sets = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()).into_iter().flatten();
        let lacks = sets.map(|set| -> Vec<&str> {
            let names = set["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
            names.filter(|name| !out.contains_key(*name)).collect()
        });
        let Some(fewest) = lacks.min_by_key(Vec::len) else { return };
        for name in fewest {
            self.ask(name, fields.get(name).unwrap_or(&Json::Null));
        }
    }

    fn field(&mut self, name: &str, schema: &Json, required: bool) -> Result<Option<Json>, Stuck> {
        // The things that the message names decide the connection, not the form.
        if self.path.is_empty() && name == CONNECTION {
            return Ok(None);
        }
        let key = snake(name);
        if self.price_field.as_deref() == Some(name) {
            self.price_inside = true;
            if let Some(step) = self.said.step {
                return self.stepped(name, step).map(Some);
            }
            let value = self.price(&key, schema);
            self.price_inside = false;
            return self.beside_others(name, schema, value?);
        }
        if PRICES.contains(&key.as_str()) && !required {
            return Ok(None);
        }
        if key == "update_mask" {
            // The mask follows from the body, once the body is complete.
            return Ok(None);
        }
        // A required object or list that the message doesn't mention stays as the network has it.
        let whole = matches!(schema["type"].as_str(), Some("object" | "array"));
        let kept = self.target.filter(|_| required && whole && self.path.as_slice() == ["body"]);
        let kept = kept.and_then(|target| target.raw.get(name)).filter(|now| now.is_object() || now.is_array());
        let said = self.said_of(name, &key, schema, required && kept.is_none())?;
        Ok(said.or_else(|| kept.cloned()))
    }

    fn said_of(&mut self, name: &str, key: &str, schema: &Json, required: bool) -> Result<Option<Json>, Stuck> {
        match schema["type"].as_str() {
            Some("object") if countries_rule(schema) => Ok(None),
            Some("object") if schema["properties"].is_object() => {
                self.path.push(name.to_owned());
                let object = self.object(schema, required);
                self.path.pop();
                Ok(object?.map(Json::Object))
            }
            Some("object") => Ok(required.then(|| json!({}))),
            Some("array") => self.array(name, schema, required),
            _ => self.leaf(name, key, schema, required),
        }
    }

    fn array(&mut self, name: &str, schema: &Json, required: bool) -> Result<Option<Json>, Stuck> {
        let items = &schema["items"];
        if snake(name) == "countries" {
            // For a new thing with a price, the countries belong to the thing. Otherwise the countries of a price belong to the price.
            let made = self.target.is_none() && self.said.micros.is_some() && self.at_top();
            let some = !self.said.countries.is_empty() && (self.said.serves || made);
            return Ok(some.then(|| self.said.countries.clone().into()));
        }
        if name == "instances" && self.target.is_none() && instance::fits(schema) && self.at_top() {
            let own = self.price_field.is_none();
            return instance::of_source(self.turn, self.network, self.said, own, items);
        }
        if items["type"] == "object" {
            // All settings of one thing go into one entry.
            self.path.push(if required { format!("{name}*") } else { name.to_owned() });
            let entry = self.object(items, required);
            self.path.pop();
            return Ok(match entry? {
                Some(entry) if !entry.is_empty() || required => Some(json!([entry])),
                _ => None,
            });
        }
        let kind = kind_of_param(name)
            .or_else(|| (snake(name) == "names" || snake(name) == "ids").then(|| self.kind()).flatten());
        if let Some(kind) = kind.filter(|kind| required || self.role_is_said(&snake(name), *kind)) {
            let own = self.target.filter(|target| target.kind == kind);
            let items_named: Vec<&EntityItem> = match own {
                Some(target) => vec![target],
                None => named(self.turn, self.network, kind),
            };
            if !items_named.is_empty() {
                let ids: Vec<Json> = items_named.iter().map(|item| self.reference(item, items)).collect();
                return Ok(Some(ids.into()));
            }
        }
        if required {
            self.ask(name, schema);
        }
        Ok(None)
    }

    /// Checks whether this level is the thing itself: the body, or the entry of a list that the body requires. Settings are deeper.
    fn at_top(&self) -> bool {
        match self.path.as_slice() {
            [] => true,
            [body] => body.trim_end_matches('*') == "body",
            [body, list] => body == "body" && list.ends_with('*'),
            [_, list, _] => list == "requests*",
            _ => false,
        }
    }

    /// Returns on or off for a field: at the top, the state of the thing itself; deeper, that of a part that the message names.
    fn switch(&self, key: &str) -> Option<bool> {
        let own = key.trim_start_matches("is_").strip_suffix("enabled").map(|part| part.trim_end_matches('_'));
        let parent = self.path.last().map(|name| snake(name.trim_end_matches('*')));
        let part = match own {
            Some("") => parent.filter(|_| !self.at_top()),
            other => other.map(str::to_owned),
        };
        match part {
            Some(part) => self.said.switched.iter().find(|(word, _)| part.contains(word)).map(|(_, on)| *on),
            None => self.said.active.filter(|_| self.at_top()),
        }
    }

    fn kind(&self) -> Option<EntityKind> {
        EntityKind::parse(self.noun)
    }

    fn leaf(&mut self, name: &str, key: &str, schema: &Json, required: bool) -> Result<Option<Json>, Stuck> {
        if let Some(value) = self.spoken(name, key, schema) {
            return Ok(Some(value));
        }
        let asked = self.missing.len();
        if let Some(value) = self.entity(name, key, schema, required)? {
            return Ok(Some(value));
        }
        if self.missing.len() > asked {
            return Ok(None);
        }
        if kind_of_param(name).is_none()
            && let Some(answer) = answered_field(self.turn, &label::label(name, self.noun))
            && let Some(value) = typed(&answer, schema)
        {
            return Ok(Some(value));
        }
        if let Some(options) = schema["enum"].as_array().filter(|options| options.len() == 1 && required) {
            return Ok(options.first().cloned());
        }
        // A field that should not change keeps the network's value.
        if required && let Some(now) = self.target.and_then(|target| target.raw.get(name)).filter(|now| !now.is_null())
        {
            return Ok(Some(now.clone()));
        }
        if required {
            self.ask(name, schema);
        }
        Ok(None)
    }

    /// Returns the value that the message gives for a field with this name.
    fn spoken(&self, name: &str, key: &str, schema: &Json) -> Option<Json> {
        let said = self.said;
        let options: Vec<&str> = schema["enum"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        let flag = |value: Option<bool>| match schema["type"].as_str() {
            Some("boolean") => value.map(Json::from),
            Some("integer") => value.map(|value| i64::from(value).into()),
            _ => None,
        };
        let option = |wanted: &[&str]| {
            options
                .iter()
                .find(|option| wanted.iter().any(|own| own.eq_ignore_ascii_case(option)))
                .map(|own| (*own).into())
        };
        let value = match key {
            _ if is_name(key) => said.name.clone().filter(|_| self.at_top()).map(Json::from),
            "package_name" | "package" | "bundle" | "bundle_id" => {
                said.package.clone().or_else(|| self.known_package()).map(Json::from)
            }
            "store_url" | "download_url" | "url" => said.url.clone().map(Json::from),
            "platform" | "os" => said.platform.and_then(|platform| option(&[platform])),
            "ad_format" | "placement_type" | "ad_type" | "ad_slot_type" | "type" | "ad_unit" => self.format(schema),
            "is_bidder"
            | "is_hbparticipation"
            | "is_hb_participation"
            | "is_audience_bidding_enabled"
            | "bidding_type" => flag(said.bidding),
            "unit_names" if said.bidding == Some(false) => said.name.clone().map(Json::from),
            "hb_unit_name" if said.bidding == Some(true) => said.name.clone().map(Json::from),
            "network_name" | "mediated_network_name" => said.source.clone().map(Json::from),
            "is_paused" | "disabled" => flag(said.active.filter(|_| self.at_top()).map(|active| !active)),
            "is_live" | "is_active" | "ad_delivery" => flag(said.active.filter(|_| self.at_top())),
            _ if key.ends_with("enabled") && self.switch(key).is_some() => flag(self.switch(key)),
            "status" | "state" => match said.active.filter(|_| self.at_top()) {
                Some(true) => option(&STATES_ON),
                Some(false) => option(&STATES_OFF),
                None => None,
            },
            "coppa" | "is_coppa" | "coppa_value" => flag(said.for_children),
            "child_directed" => said.for_children.map(|children| if children { 2.into() } else { 1.into() }),
            // A message gives a store address only for an app that is in the store.
            "is_live_in_store" => flag(said.in_store.or(said.url.is_some().then_some(true))),
            "currency" if self.price_field.is_some() => {
                let now = self.target.and_then(|target| target.raw.get(name)).and_then(Json::as_str);
                option(&[said.currency.as_deref().or(now).unwrap_or("usd")])
            }
            "country" if !self.price_inside && said.micros.is_none() => {
                said.countries.first().map(|code| code.clone().into())
            }
            _ => None,
        };
        value.or_else(|| {
            // IDs and names are filled elsewhere.
            if kind_of_param(name).is_some() || is_name(key) || key.len() < 4 {
                return None;
            }
            let label = key.trim_start_matches("is_").replace('_', " ");
            // Of several numbered fields, only the first one answers to the bare word.
            let label =
                label.strip_suffix('1').filter(|rest| !rest.ends_with(|c: char| c.is_ascii_digit())).unwrap_or(&label);
            // "an ad unit called …" says nothing about a field `adUnit`.
            if label == self.noun.replace('_', " ") {
                return None;
            }
            typed(&Said::after(self.turn, label)?, schema)
        })
    }

    /// Returns the package of the app that a new ad unit is for, if the message names the app. If it has a package on each of two
    /// platforms, returns neither.
    fn known_package(&self) -> Option<String> {
        if !matches!(self.noun, "ad_unit" | "placement") {
            return None;
        }
        let text = names::simple(&self.turn.text);
        let entities = &self.turn.entities;
        let app = entities
            .iter()
            .filter(|item| item.kind == EntityKind::App && item.name.len() > 2)
            .map(|item| names::simple(&item.name))
            .filter(|name| names::holds(&text, name))
            .max_by_key(String::len)?;
        let on = |item: &EntityItem| {
            let own = item.platform.as_deref().map(str::to_lowercase);
            self.said.platform.is_none_or(|platform| own.is_some_and(|own| own.contains(platform)))
        };
        let package = |item: &EntityItem| {
            let keys = ["/package_name", "/package", "/bundle_id", "/bundleId", "/linkedAppInfo/appStoreId"];
            let found = keys.iter().find_map(|key| item.raw.pointer(key)?.as_str().map(str::to_owned));
            found.filter(|package| package.contains('.'))
        };
        // The network's own data comes before that of other networks.
        for own in [true, false] {
            let mut found: Vec<String> = entities
                .iter()
                .filter(|item| (item.network == self.network) == own && on(item))
                .filter(|item| matches!(item.kind, EntityKind::App | EntityKind::AdUnit))
                .filter(|item| {
                    let name = names::simple(&item.name);
                    name == app || item.kind == EntityKind::AdUnit && name.starts_with(&format!("{app} "))
                })
                .filter_map(package)
                .collect();
            found.sort();
            found.dedup();
            match found.as_slice() {
                [one] => return Some(one.clone()),
                [] => {}
                _ => return None,
            }
        }
        None
    }

    fn format(&self, schema: &Json) -> Option<Json> {
        let ours = self.said.format.as_deref()?;
        let options = schema["enum"].as_array()?;
        let wires: Vec<&str> = desks::of(self.network).iter().flat_map(|desk| desk.format_wires(ours)).collect();
        let spelled = |option: &&Json| {
            let own = option.as_str().map_or_else(|| option.to_string(), str::to_owned);
            wires.iter().any(|wire| wire.eq_ignore_ascii_case(&own)) || own.eq_ignore_ascii_case(ours)
        };
        options.iter().find(spelled).cloned()
    }

    /// Returns the ID of the thing that a field refers to.
    fn entity(&mut self, name: &str, key: &str, schema: &Json, required: bool) -> Result<Option<Json>, Stuck> {
        let own = self.kind();
        if let Some(target) = self.target
            && (key == "id" && self.at_top()
                || kind_of_param(name) == Some(target.kind)
                || kind_of_param(name).is_some_and(|kind| Some(kind) == own))
        {
            return Ok(Some(self.reference(target, schema)));
        }
        if key == "parent" && schema["pattern"].as_str() == Some(r"^networks/\d+$") {
            let accounts = known(self.turn, self.network, EntityKind::Account)?;
            return Ok(accounts.first().map(|account| format!("networks/{}", account.id).into()));
        }
        let Some(kind) = kind_of_param(name) else { return Ok(None) };
        if !required && !self.role_is_said(key, kind) {
            return Ok(None);
        }
        if let Some(target) = self.target.filter(|target| kind == EntityKind::App && target.parent.is_some()) {
            return Ok(target.parent.as_deref().map(|parent| id_value(parent, schema)));
        }
        let found = named(self.turn, self.network, kind);
        let found = self.of_platform(found);
        match found.as_slice() {
            [one] => return Ok(Some(self.reference(one, schema))),
            [] => {}
            several => {
                let label = kind.as_str().replace('_', " ");
                let question =
                    crate::planner::clarify::several(self.turn, &format!("{label}s"), &several[0].name, several);
                return if required { Err(Stuck::from(question)) } else { Ok(None) };
            }
        }
        if !required {
            return Ok(None);
        }
        // If the message names no parent, the new ad unit goes to the top.
        if key == "parent_ad_unit" {
            let account = known(self.turn, self.network, EntityKind::Account)?;
            let root = account.first().and_then(|account| account.raw["effectiveRootAdUnit"].as_str());
            if let Some(root) = root {
                return Ok(Some(root.into()));
            }
        }
        let things = known(self.turn, self.network, kind)?;
        if let [one] = things.as_slice() {
            return Ok(Some(self.reference(one, schema)));
        }
        let options: Vec<String> = things.iter().take(6).map(|item| item.name.clone()).collect();
        let role = key.trim_end_matches("_id").trim_end_matches("_key").replace('_', " ");
        let role = if role.is_empty() { kind.label().to_owned() } else { role };
        self.missing.push(Missing { label: format!("the {role}"), options });
        Ok(None)
    }

    /// Checks whether the message names a role. A company may be an advertiser or an agency, so we don't fill a role with a company unless
    /// the message names that role.
    fn role_is_said(&self, key: &str, kind: EntityKind) -> bool {
        let role = key.trim_end_matches("_id").trim_end_matches("_key").replace('_', " ");
        kind.as_str().replace('_', " ").contains(&role)
            || role.contains(kind.label())
            || matches!(kind, EntityKind::App | EntityKind::AdUnit | EntityKind::Account)
            || contains_word(&self.turn.lower, role.trim_end_matches('s'))
    }

    /// If an app name exists on two platforms, keeps the app on the platform that the message names.
    fn of_platform<'e>(&self, found: Vec<&'e EntityItem>) -> Vec<&'e EntityItem> {
        let Some(platform) = self.said.platform.filter(|_| found.len() > 1) else { return found };
        let fits: Vec<&EntityItem> = found
            .iter()
            .copied()
            .filter(|item| item.platform.as_deref().is_some_and(|own| own.to_lowercase().contains(platform)))
            .collect();
        if fits.is_empty() { found } else { fits }
    }

    /// Returns how a field refers to a thing: Ad Manager's bodies take whole resource names, everything else takes an ID.
    fn reference(&self, item: &EntityItem, schema: &Json) -> Json {
        let whole = item.raw.get("name").and_then(Json::as_str).filter(|name| name.starts_with("networks/"));
        // Paths take the last part of a resource name.
        let path = schema["pattern"].as_str().is_some_and(|pattern| pattern.starts_with("^\\d"));
        match whole {
            Some(name) if self.network == Network::AdManager && !path => name.into(),
            _ => id_value(&item.id, schema),
        }
    }

    /// Returns a price in the form of its field: a number, a text, a value per country, or a list of floors.
    fn price(&self, key: &str, schema: &Json) -> Result<Option<Json>, Stuck> {
        let (Some(micros), Some(kind)) = (self.said.micros, schema["type"].as_str()) else { return Ok(None) };
        let countries = &self.said.countries;
        let fields = schema["properties"].as_object();
        let code = self.currency(schema)?;
        if !countries.is_empty() && self.one_for_all(schema) {
            return Err(back(&format!(
                "{} takes one price for all countries here, not one for {}. What should the price be everywhere?",
                self.network.display_name(),
                countries.join(", ")
            )));
        }
        Ok(Some(match kind {
            "array" => {
                let items = &schema["items"];
                let one = |codes: &[String]| {
                    let mut entry = Map::new();
                    for (name, field) in items["properties"].as_object().into_iter().flatten() {
                        let value = match snake(name).as_str() {
                            "price" | "cpm" | "rate" => amount(micros, field),
                            "country" | "country_code" => {
                                codes.first().cloned().unwrap_or_else(|| "WW".to_owned()).into()
                            }
                            "country_group_name" if codes.is_empty() => "All countries".into(),
                            "country_group_name" => codes.join(", ").into(),
                            "countries" if !codes.is_empty() => json!({"type": "INCLUDE", "values": codes}),
                            _ => continue,
                        };
                        entry.insert(name.clone(), value);
                    }
                    Json::Object(entry)
                };
                let single = items["properties"].as_object().is_some_and(|map| {
                    map.keys().any(|name| snake(name).starts_with("country") && !snake(name).contains("group"))
                });
                let grouped = items["properties"]["countries"].is_object();
                if single && !grouped && !countries.is_empty() {
                    countries.iter().map(|code| one(std::slice::from_ref(code))).collect::<Vec<_>>().into()
                } else {
                    json!([one(countries)])
                }
            }
            "object" if fields.is_some_and(|map| map.contains_key("geo")) && !countries.is_empty() => {
                json!({"geo": per_country(countries, micros)})
            }
            "object" if fields.is_some_and(|map| map.contains_key("default")) => json!({"default": units(micros)}),
            "object" if fields.is_some_and(|map| map.contains_key("units")) => json!({
                "currencyCode": code, "units": (micros / 1_000_000).to_string(), "nanos": micros % 1_000_000 * 1000,
            }),
            "object" if countries.is_empty() => json!({"ALL": units(micros)}),
            "object" => per_country(countries, micros),
            _ if key.contains("micros") => micros.into(),
            _ => amount(micros, schema),
        }))
    }

    /// Moves the current price up or down by a step: for every country, or for those that the message names.
    fn stepped(&self, name: &str, step: Move) -> Result<Json, Stuck> {
        let owner = self.network.display_name();
        let Some(target) = self.target else {
            return Err(back("By how much it changes says no price of something new. What should the price be?"));
        };
        let now = self.now(target, name)?.filter(|now| !now.is_null());
        now.and_then(|now| steps::moved(now, step, &self.said.countries)).ok_or_else(|| {
            let place = match self.said.countries.as_slice() {
                [] => String::new(),
                codes => format!(" for {}", codes.join(", ")),
            };
            let thing = plain(&target.name);
            back(&format!(
                "{owner} shows no price of **{thing}**{place} that I can start from. What should the new price be?"
            ))
        })
    }

    /// Returns a list of prices by country that also keeps the prices of countries that the message doesn't name.
    fn beside_others(&self, name: &str, schema: &Json, value: Option<Json>) -> Result<Option<Json>, Stuck> {
        let (Some(Json::Array(new)), Some(target)) = (&value, self.target.filter(|_| schema["type"] == "array")) else {
            return Ok(value);
        };
        let Some(now) = self.now(target, name)? else { return Ok(value) };
        let everywhere = per_country::EVERYWHERE.iter().any(|words| contains_word(&self.turn.lower, words));
        let codes = &self.said.countries;
        if codes.is_empty() && everywhere {
            return Ok(value);
        }
        if codes.is_empty()
            && let Some(micros) = self.said.micros
            && let Some(question) = per_country::which(now, &target.name, &per_country::dollars(micros))
        {
            return Err(Stuck::from(question));
        }
        Ok(Some(per_country::merged(now, new.clone(), codes)))
    }

    /// Returns the current value of a field: from the list, or from a separate read if lists leave it out.
    fn now(&self, target: &'t EntityItem, name: &str) -> Result<Option<&'t Json>, Stuck> {
        if let Some(now) = target.raw.get(name) {
            return Ok(Some(now));
        }
        let Some((tool, id, part)) = reader(self.network, target.kind) else { return Ok(None) };
        let mut read = Call { name: tool.into(), args: json!({ id: target.id, part: [name] }) };
        if let Some(connection) = &target.connection {
            read.args[CONNECTION] = connection.clone().into();
        }
        match self.turn.find(&read) {
            Some(done) if done.ok => Ok(done.content["item"].get(name)),
            Some(done) => {
                let name = self.network.display_name();
                Err(Stuck::Never(format!("I couldn't read what {name} has there now: {}.", done.problem())))
            }
            None => Err(Stuck::First(vec![read])),
        }
    }

    /// Checks whether a price field has no place for countries, and the thing already exists or has no countries of its own.
    fn one_for_all(&self, schema: &Json) -> bool {
        let plain = matches!(schema["type"].as_str(), Some("number" | "string" | "integer"))
            || schema["properties"]["units"].is_object();
        plain && (self.target.is_some() || !self.own_countries)
    }

    /// Returns the currency of a price: in Ad Manager the account's, otherwise one that the field allows, otherwise US dollars.
    fn currency(&self, schema: &Json) -> Result<String, Stuck> {
        let spoken = self.said.currency.as_deref();
        let refuse = |own: &str| {
            let name = self.network.display_name();
            Err(back(&format!("{name} takes prices in {own} here, and I don't convert. What is the price in {own}?")))
        };
        if schema["properties"]["currencyCode"].is_object() {
            let accounts = known(self.turn, self.network, EntityKind::Account)?;
            let own = accounts.first().and_then(|account| account.raw["currencyCode"].as_str());
            return match (own, spoken) {
                (Some(own), Some(spoken)) if !own.eq_ignore_ascii_case(spoken) => refuse(own),
                (Some(own), _) => Ok(own.to_owned()),
                (None, Some(spoken)) => Ok(spoken.to_owned()),
                (None, None) => Err(back("In which currency is that price?")),
            };
        }
        let fits = |code: &str| match self.currencies.as_slice() {
            [] => code == "USD",
            some => some.iter().any(|own| own.eq_ignore_ascii_case(code)),
        };
        match spoken {
            Some(spoken) if !fits(spoken) => {
                let own = if self.currencies.is_empty() {
                    "USD".to_owned()
                } else {
                    self.currencies.join(" or ").to_uppercase()
                };
                refuse(&own)
            }
            Some(spoken) => Ok(spoken.to_owned()),
            None => Ok("USD".to_owned()),
        }
    }

    fn ask(&mut self, name: &str, schema: &Json) {
        let (label, options) = (label::label(name, self.noun), label::options(schema));
        let missing = Missing { label, options };
        if !self.missing.contains(&missing) {
            self.missing.push(missing);
        }
    }
}

/// Checks whether a field holds the name of the thing that the operation is about.
fn is_name(key: &str) -> bool {
    matches!(
        key,
        "name"
            | "display_name"
            | "app_name"
            | "placement_name"
            | "unit_name"
            | "ad_slot_name"
            | "mediation_ad_unit_name"
            | "group_name"
            | "instance_name"
            | "experiment_name"
    )
}

fn back(question: &str) -> Stuck {
    Stuck::from(clarify::missing(question, &talk::EXAMPLES))
}

/// Checks for an object of the form `{type: INCLUDE|EXCLUDE, values: […]}`.
fn countries_rule(schema: &Json) -> bool {
    schema["properties"]["values"].is_object() && schema["properties"]["type"].is_object()
}

fn per_country(countries: &[String], micros: i64) -> Json {
    countries.iter().map(|code| (code.clone(), units(micros))).collect::<Map<String, Json>>().into()
}
