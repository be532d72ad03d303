//! Apps, placements and ad units: lists by page, writes from form bodies.

use serde_json::{Map, Value, json};

use super::{Code, ID, bad, gone, ok, put, refusal};
use crate::journal::Effect;
use crate::networks::{Answer, Done, Request, names};
use crate::state::Store;

/// The default number of items on a page, and the maximum.
const PAGE: usize = 20;
const LARGEST_PAGE: usize = 1000;

fn page_number(request: &Request, name: &str, default: usize, most: usize) -> Result<usize, Answer> {
    match request.query(name) {
        None => Ok(default),
        Some(text) => {
            let number = text.parse().ok().filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| bad(format!("params error: {name} must be a number from 1 to {most}")))
        }
    }
}

pub fn list(store: &Store, request: &Request, shelf: &str, filters: &[&str]) -> Result<Answer, Answer> {
    let page = page_number(request, "page", 1, usize::MAX)?;
    let size = page_number(request, "per_page", PAGE, LARGEST_PAGE)?;
    let fits = |item: &&Value| {
        filters.iter().all(|name| {
            request.query(name).is_none_or(|wanted| wanted.parse::<u64>().is_ok_and(|id| item[*name] == id))
        })
    };
    let items: Vec<&Value> = store.objects.shelves.list(ID, shelf).map(|(_, item)| item).filter(fits).collect();
    let lists: Vec<&Value> = items.iter().copied().skip((page - 1).saturating_mul(size)).take(size).collect();
    Ok(ok(&json!({ "lists": lists, "page": page, "per_page": size, "total": items.len() })))
}

/// The pairs of a form body.
pub struct Form {
    pairs: Vec<(String, String)>,
}

impl Form {
    pub fn of(pairs: Vec<(String, String)>) -> Self {
        Self { pairs }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()).filter(|it| !it.is_empty())
    }

    fn need(&self, name: &str) -> Result<&str, Answer> {
        self.get(name).ok_or_else(|| bad(format!("params error: {name} is required")))
    }

    fn choice(&self, name: &str, choices: &[&str]) -> Result<Option<&str>, Answer> {
        match self.get(name) {
            Some(text) if !choices.contains(&text) => {
                Err(bad(format!("params error: {name} must be one of {}", choices.join(", "))))
            }
            found => Ok(found),
        }
    }

    fn integer(&self, name: &str, low: i64, high: i64) -> Result<Option<i64>, Answer> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let number = text.parse().ok().filter(|number| (low..=high).contains(number));
        number.map(Some).ok_or_else(|| bad(format!("params error: {name} must be an integer from {low} to {high}")))
    }

    fn need_id(&self, name: &str) -> Result<u64, Answer> {
        let text = self.need(name)?;
        text.parse().map_err(|_| bad(format!("params error: {name} must be an integer")))
    }

    /// Returns IDs that are separated by commas.
    fn ids(&self, name: &str) -> Result<Vec<u64>, Answer> {
        let read =
            |part: &str| part.parse().map_err(|_| bad(format!("params error: {name} must be ids joined by commas")));
        self.need(name)?.split(',').map(read).collect()
    }

    /// Returns prices by country: from a JSON object, or from fields such as `target_ecpm[US]=1.5`.
    fn prices(&self, name: &str) -> Result<Option<Value>, Answer> {
        let wrong = || bad(format!("params error: {name} must hold prices in US dollars by country code or ALL"));
        let mut prices = match self.get(name) {
            None => Map::new(),
            Some(text) => serde_json::from_str::<Map<String, Value>>(text).map_err(|_| wrong())?,
        };
        for (key, value) in &self.pairs {
            if let Some(country) = key.strip_prefix(name).and_then(|it| it.strip_prefix('[')?.strip_suffix(']')) {
                prices.insert(country.to_owned(), json!(value.parse::<f64>().map_err(|_| wrong())?));
            }
        }
        let fine = |(country, price): (&String, &Value)| {
            (country.len() == 2 || country == "ALL") && price.as_f64().is_some_and(|it| (0.0..=10_000.0).contains(&it))
        };
        if !prices.iter().all(fine) {
            return Err(wrong());
        }
        Ok((!prices.is_empty()).then_some(prices.into()))
    }

    /// Copies these texts and numbers into an object.
    fn merge(&self, object: &mut Value, texts: &[&str], numbers: &[&str]) {
        for name in texts {
            if let Some(text) = self.get(name) {
                object[*name] = json!(text);
            }
        }
        for name in numbers {
            if let Some(number) = self.get(name).and_then(|text| text.parse::<i64>().ok()) {
                object[*name] = json!(number);
            }
        }
    }
}

fn find<'a>(store: &'a Store, shelf: &str, id: u64) -> Result<&'a Value, Answer> {
    let found = store.objects.shelves.get(ID, shelf, &id.to_string());
    found.ok_or_else(|| refusal(Code::NotFound, format!("{shelf} {id} not exist")))
}

const APP_TEXTS: [&str; 7] = [
    "app_name",
    "store_url",
    "black_category",
    "black_packagename",
    "mediation_platform",
    "video_orientation",
    "package",
];
const APP_NUMBERS: [&str; 4] = ["is_live_in_store", "coppa", "campaign_black_rule", "auto_storekit"];

fn check_app(form: &Form) -> Result<(), Answer> {
    form.integer("is_live_in_store", 0, 1)?;
    form.integer("coppa", 0, 1)?;
    form.integer("campaign_black_rule", 0, 2)?;
    form.integer("auto_storekit", 0, 1)?;
    form.choice("video_orientation", &["portrait", "landscape", "both"])?;
    if form.get("is_live_in_store") == Some("1") {
        form.need("store_url")?;
    }
    Ok(())
}

pub fn create_app(store: &Store, form: &Form) -> Done {
    form.need("app_name")?;
    form.need("os")?;
    let os = form.choice("os", &["ANDROID", "IOS"])?;
    let package = form.need("package")?;
    form.need("is_live_in_store")?;
    check_app(form)?;
    if os == Some("IOS")
        && package.strip_prefix("id").is_none_or(|id| id.is_empty() || !id.bytes().all(|b| b.is_ascii_digit()))
    {
        return Err(bad("params error: package must be id and the App Store number on IOS"));
    }
    if store.objects.shelves.list(ID, "app").any(|(_, app)| app["package"] == package && app["os"] == json!(os)) {
        return Err(bad("package already exists"));
    }
    let id = names::number_id(&[1305, store.next_seq()], 6);
    let mut app = json!({ "app_id": id, "os": os, "coppa": 0, "campaign_black_rule": 2, "video_orientation": "both" });
    form.merge(&mut app, &APP_TEXTS, &APP_NUMBERS);
    Ok((ok(&app), vec![put("app", id, &app)]))
}

pub fn update_app(store: &Store, form: &Form) -> Done {
    let id = form.need_id("app_id")?;
    let mut app = find(store, "app", id)?.clone();
    check_app(form)?;
    form.merge(&mut app, &APP_TEXTS[..6], &APP_NUMBERS);
    Ok((ok(&app), vec![put("app", id, &app)]))
}

const TYPES: [&str; 7] = [
    "rewarded_video",
    "new_interstitial",
    "native",
    "static_interstitial",
    "banner",
    "automatic_rendering_native",
    "splash_ad",
];
const PLACEMENT_TEXTS: [&str; 2] = ["placement_name", "content_type"];
const PLACEMENT_NUMBERS: [&str; 4] = ["ad_space_type", "show_close_button", "auto_fresh", "skip_time"];

fn check_placement(form: &Form) -> Result<(), Answer> {
    form.integer("ad_space_type", 1, 2)?;
    form.integer("show_close_button", 0, 1)?;
    form.integer("auto_fresh", 0, 3600)?;
    form.integer("skip_time", -1, 30)?;
    Ok(())
}

pub fn create_placement(store: &Store, form: &Form) -> Done {
    let app = form.need_id("app_id")?;
    find(store, "app", app)?;
    let name = form.need("placement_name")?;
    form.need("ad_type")?;
    let kind = form.choice("ad_type", &TYPES)?;
    form.need("integrate_type")?;
    form.choice("integrate_type", &["sdk"])?;
    check_placement(form)?;
    let waterfall = form.get("unit_names").unwrap_or_default().split(',').filter(|it| !it.trim().is_empty());
    let units: Vec<(&str, u8)> =
        waterfall.map(|it| (it, 0)).chain(form.get("hb_unit_name").map(|it| (it, 1))).collect();
    if units.is_empty() {
        return Err(bad("params error: unit_names or hb_unit_name is required"));
    }
    let twin = |it: &Value| it["app_id"] == json!(app) && it["placement_name"] == name;
    if store.objects.shelves.list(ID, "placement").any(|(_, it)| twin(it)) {
        return Err(bad("placement_name already exists"));
    }
    let id = names::number_id(&[1306, store.next_seq()], 7);
    let mut placement = json!({ "placement_id": id, "app_id": app, "ad_type": kind, "integrate_type": "sdk" });
    form.merge(&mut placement, &PLACEMENT_TEXTS, &PLACEMENT_NUMBERS);
    let mut effects = vec![put("placement", id, &placement)];
    let mut made = Vec::new();
    for (index, (name, bidding)) in units.into_iter().enumerate() {
        let unit_id = names::number_id(&[1307, store.next_seq(), index as u64], 7);
        let unit = json!({
            "unit_id": unit_id,
            "unit_name": name,
            "app_id": app,
            "placement_id": id,
            "ad_type": kind,
            "bidding_type": bidding,
            "target_ecpm": {},
        });
        effects.push(put("unit", unit_id, &unit));
        made.push(unit);
    }
    let mut shown = placement;
    shown["units"] = made.into();
    Ok((ok(&shown), effects))
}

pub fn update_placement(store: &Store, form: &Form) -> Done {
    let id = form.need_id("placement_id")?;
    let mut placement = find(store, "placement", id)?.clone();
    check_placement(form)?;
    form.merge(&mut placement, &PLACEMENT_TEXTS, &PLACEMENT_NUMBERS);
    Ok((ok(&placement), vec![put("placement", id, &placement)]))
}

pub fn delete_placements(store: &Store, form: &Form) -> Done {
    let ids = form.ids("placement_ids")?;
    let mut effects: Vec<Effect> = Vec::new();
    for id in &ids {
        find(store, "placement", *id)?;
        effects.push(gone("placement", *id));
        let units = store.objects.shelves.list(ID, "unit").filter(|(_, unit)| unit["placement_id"] == json!(id));
        effects.extend(units.filter_map(|(_, unit)| unit["unit_id"].as_u64()).map(|unit| gone("unit", unit)));
    }
    Ok((ok(&json!({ "placement_ids": ids })), effects))
}

pub fn create_unit(store: &Store, form: &Form) -> Done {
    let app = form.need_id("app_id")?;
    find(store, "app", app)?;
    let placement_id = form.need_id("placement_id")?;
    let placement = find(store, "placement", placement_id)?;
    if placement["app_id"] != json!(app) {
        return Err(refusal(Code::NotFound, format!("placement {placement_id} not exist in app {app}")));
    }
    let name = form.need("unit_name")?;
    let bidding = form.integer("bidding_type", 0, 1)?.unwrap_or(0);
    let prices = form.prices("target_ecpm")?;
    if bidding == 1 && prices.is_some() {
        return Err(bad("params error: a bidding unit has no target_ecpm"));
    }
    let twin = |it: &Value| it["placement_id"] == json!(placement_id) && it["unit_name"] == name;
    if store.objects.shelves.list(ID, "unit").any(|(_, it)| twin(it)) {
        return Err(bad("unit_name already exists"));
    }
    let id = names::number_id(&[1308, store.next_seq()], 7);
    let unit = json!({
        "unit_id": id,
        "unit_name": name,
        "app_id": app,
        "placement_id": placement_id,
        "ad_type": placement["ad_type"],
        "bidding_type": bidding,
        "target_ecpm": prices.unwrap_or_else(|| json!({})),
    });
    Ok((ok(&unit), vec![put("unit", id, &unit)]))
}

pub fn update_unit(store: &Store, form: &Form) -> Done {
    let id = form.need_id("unit_id")?;
    let mut unit = find(store, "unit", id)?.clone();
    if form.integer("clear_target_ecpm", 0, 1)? == Some(1) {
        unit["target_ecpm"] = json!({});
    }
    if let Some(prices) = form.prices("target_ecpm")? {
        if unit["bidding_type"] == 1 {
            return Err(bad("params error: a bidding unit has no target_ecpm"));
        }
        unit["target_ecpm"] = prices;
    }
    form.merge(&mut unit, &["unit_name"], &[]);
    Ok((ok(&unit), vec![put("unit", id, &unit)]))
}

pub fn delete_units(store: &Store, form: &Form) -> Done {
    let ids = form.ids("unit_ids")?;
    for id in &ids {
        find(store, "unit", *id)?;
    }
    let effects = ids.iter().map(|id| gone("unit", *id)).collect();
    Ok((ok(&json!({ "unit_ids": ids })), effects))
}
