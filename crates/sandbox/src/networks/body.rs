//! Reads JSON bodies and says what is wrong, and where. Each network words its own refusals.

use serde_json::{Map, Value};

/// An object of a body, with its path.
#[derive(Clone)]
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    path: String,
}

impl<'a> Fields<'a> {
    pub fn of(value: &'a Value, path: &str) -> Result<Self, String> {
        let map = value.as_object();
        let named = if path.is_empty() { "the body" } else { path };
        map.map(|map| Self { map, path: path.to_owned() }).ok_or_else(|| format!("{named} must be an object"))
    }

    fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    pub fn raw(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    pub fn need(&self, name: &str) -> Result<&'a Value, String> {
        self.raw(name).ok_or_else(|| format!("{} is required", self.at(name)))
    }

    pub fn text(&self, name: &str) -> Result<Option<&'a str>, String> {
        let read = |value: &'a Value| value.as_str().ok_or_else(|| format!("{} must be a string", self.at(name)));
        self.raw(name).map(read).transpose()
    }

    /// Returns a text that must not be blank.
    pub fn need_text(&self, name: &str) -> Result<&'a str, String> {
        self.need(name)?;
        let text = self.text(name)?.unwrap_or_default();
        if text.trim().is_empty() { Err(format!("{} must not be empty", self.at(name))) } else { Ok(text) }
    }

    pub fn choice(&self, name: &str, choices: &[&str]) -> Result<Option<&'a str>, String> {
        match self.text(name)? {
            Some(text) if !choices.contains(&text) => {
                Err(format!("{}: \"{text}\" is not one of {}", self.at(name), choices.join(", ")))
            }
            found => Ok(found),
        }
    }

    pub fn need_choice(&self, name: &str, choices: &[&str]) -> Result<&'a str, String> {
        self.need(name)?;
        Ok(self.choice(name, choices)?.unwrap_or_default())
    }

    pub fn flag(&self, name: &str) -> Result<Option<bool>, String> {
        let read = |value: &Value| value.as_bool().ok_or_else(|| format!("{} must be true or false", self.at(name)));
        self.raw(name).map(read).transpose()
    }

    pub fn integer(&self, name: &str, low: i64, high: i64) -> Result<Option<i64>, String> {
        let read = |value: &Value| {
            let number = value.as_i64().filter(|number| (low..=high).contains(number));
            number.ok_or_else(|| format!("{} must be an integer from {low} to {high}", self.at(name)))
        };
        self.raw(name).map(read).transpose()
    }

    pub fn need_integer(&self, name: &str, low: i64, high: i64) -> Result<i64, String> {
        self.need(name)?;
        Ok(self.integer(name, low, high)?.unwrap_or_default())
    }

    pub fn number(&self, name: &str, low: f64, high: f64) -> Result<Option<f64>, String> {
        let read = |value: &Value| {
            let number = value.as_f64().filter(|number| (low..=high).contains(number));
            number.ok_or_else(|| format!("{} must be a number from {low} to {high}", self.at(name)))
        };
        self.raw(name).map(read).transpose()
    }

    pub fn object(&self, name: &str) -> Result<Option<Fields<'a>>, String> {
        self.raw(name).map(|value| Fields::of(value, &self.at(name))).transpose()
    }

    /// Returns the items of a list, each with its path.
    pub fn list(&self, name: &str) -> Result<Option<Vec<(String, &'a Value)>>, String> {
        self.raw(name).map(|value| items(value, &self.at(name))).transpose()
    }

    /// Returns a list of texts.
    pub fn texts(&self, name: &str) -> Result<Option<Vec<String>>, String> {
        let Some(list) = self.list(name)? else { return Ok(None) };
        let read = |(path, value): (String, &Value)| {
            value.as_str().map(str::to_owned).ok_or_else(|| format!("{path} must be a string"))
        };
        list.into_iter().map(read).collect::<Result<_, _>>().map(Some)
    }

    /// Returns a list of whole numbers.
    pub fn integers(&self, name: &str) -> Result<Option<Vec<i64>>, String> {
        let Some(list) = self.list(name)? else { return Ok(None) };
        let read = |(path, value): (String, &Value)| value.as_i64().ok_or_else(|| format!("{path} must be an integer"));
        list.into_iter().map(read).collect::<Result<_, _>>().map(Some)
    }
}

/// Returns the items of an array, each with its path.
pub fn items<'a>(value: &'a Value, path: &str) -> Result<Vec<(String, &'a Value)>, String> {
    let named = if path.is_empty() { "the body" } else { path };
    let list = value.as_array().ok_or_else(|| format!("{named} must be an array"))?;
    Ok(list.iter().enumerate().map(|(index, item)| (format!("{path}[{index}]"), item)).collect())
}

/// Copies these fields of a change into an object.
pub fn merge(object: &mut Value, change: &Fields, names: &[&str]) {
    for name in names {
        if let Some(value) = change.raw(name) {
            object[*name] = value.clone();
        }
    }
}
