//! Reads request bodies as Google's JSON parser does: accepts both spellings of a name, refuses unknown names, checks types.

use serde_json::{Map, Value};

use crate::networks::admob::errors::ApiError;

/// An object of the body with its path, which errors name.
#[derive(Clone)]
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    pub path: String,
}

/// Turns `snake_case` names into `camelCase` everywhere. The keys of maps are IDs, which do not look like such names.
pub fn normalised(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, value)| (camel(&key), normalised(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(normalised).collect()),
        other => other,
    }
}

/// Turns `cpm_micros` into `cpmMicros`. Leaves everything that is not a plain field name as it is.
pub fn camel(name: &str) -> String {
    let plain =
        name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    if !plain {
        return name.to_owned();
    }
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for c in name.chars() {
        if c == '_' {
            upper = true;
        } else if upper {
            out.push(c.to_ascii_uppercase());
            upper = false;
        } else {
            out.push(c);
        }
    }
    out
}

impl<'a> Fields<'a> {
    pub fn root(value: &'a Value) -> Result<Self, ApiError> {
        let map = value
            .as_object()
            .ok_or_else(|| ApiError::malformed("Invalid JSON payload received. The body must be an object."))?;
        Ok(Self { map, path: String::new() })
    }

    pub fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    pub fn invalid(&self, name: &str, message: impl Into<String>) -> ApiError {
        ApiError::invalid(self.at(name), message)
    }

    pub fn raw(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// Refuses every name that is not in the list.
    pub fn known(&self, names: &[&str]) -> Result<(), ApiError> {
        match self.map.keys().find(|key| !names.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => Err(ApiError::invalid(
                self.at(key),
                format!("Invalid JSON payload received. Unknown name \"{key}\" at '{}': Cannot find field.", self.path),
            )),
        }
    }

    pub fn object(&self, name: &str) -> Result<Option<Fields<'a>>, ApiError> {
        match self.raw(name) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Fields { map, path: self.at(name) })),
            Some(_) => Err(self.invalid(name, "must be an object")),
        }
    }

    pub fn need_object(&self, name: &str) -> Result<Fields<'a>, ApiError> {
        self.object(name)?.ok_or_else(|| self.invalid(name, "is required"))
    }

    /// Returns the entries of a map whose values are objects.
    pub fn objects(&self) -> Result<Vec<(&'a str, Fields<'a>)>, ApiError> {
        self.map
            .iter()
            .map(|(key, value)| match value {
                Value::Object(map) => Ok((key.as_str(), Fields { map, path: format!("{}[\"{key}\"]", self.path) })),
                _ => Err(self.invalid(key, "must be an object")),
            })
            .collect()
    }

    /// Returns the entries of a map whose values are texts.
    pub fn texts(&self, max: usize) -> Result<Vec<(&'a str, String)>, ApiError> {
        self.map.keys().map(|key| Ok((key.as_str(), self.need_text(key, max)?))).collect()
    }

    pub fn items(&self, name: &str) -> Result<Vec<Fields<'a>>, ApiError> {
        let Some(value) = self.raw(name) else { return Ok(Vec::new()) };
        let items = value.as_array().ok_or_else(|| self.invalid(name, "must be a list"))?;
        items
            .iter()
            .enumerate()
            .map(|(index, item)| match item {
                Value::Object(map) => Ok(Fields { map, path: format!("{}[{index}]", self.at(name)) }),
                _ => Err(self.invalid(&format!("{name}[{index}]"), "must be an object")),
            })
            .collect()
    }

    pub fn strings(&self, name: &str) -> Result<Vec<String>, ApiError> {
        let Some(value) = self.raw(name) else { return Ok(Vec::new()) };
        let items = value.as_array().ok_or_else(|| self.invalid(name, "must be a list of texts"))?;
        items
            .iter()
            .enumerate()
            .map(|(index, item)| match item.as_str() {
                Some(text) => Ok(text.to_owned()),
                None => Err(self.invalid(&format!("{name}[{index}]"), "must be a text")),
            })
            .collect()
    }

    /// Returns a text; it must not be blank, contain control characters, or exceed `max` characters.
    pub fn text(&self, name: &str, max: usize) -> Result<Option<String>, ApiError> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| self.invalid(name, "must be a text"))?;
        if text.trim().is_empty() {
            return Err(self.invalid(name, "must not be empty"));
        }
        if text.chars().any(char::is_control) {
            return Err(self.invalid(name, "must not contain control characters"));
        }
        if text.chars().count() > max {
            return Err(self.invalid(name, format!("must have at most {max} characters")));
        }
        Ok(Some(text.to_owned()))
    }

    pub fn need_text(&self, name: &str, max: usize) -> Result<String, ApiError> {
        self.text(name, max)?.ok_or_else(|| self.invalid(name, "is required"))
    }

    /// Returns a value that must be in a list of names.
    pub fn choice(&self, name: &str, allowed: &[&str]) -> Result<Option<String>, ApiError> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        match value.as_str() {
            Some(text) if allowed.contains(&text) => Ok(Some(text.to_owned())),
            _ => Err(self.invalid(name, format!("Invalid value {value}; one of {} is expected", allowed.join(", ")))),
        }
    }

    pub fn need_choice(&self, name: &str, allowed: &[&str]) -> Result<String, ApiError> {
        self.choice(name, allowed)?.ok_or_else(|| self.invalid(name, "is required"))
    }

    /// Returns an int64, which may be a number or text.
    pub fn int64(&self, name: &str) -> Result<Option<i64>, ApiError> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        let parsed = value.as_i64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
        parsed.map(Some).ok_or_else(|| self.invalid(name, format!("Invalid value {value}; a whole number is expected")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_spellings_become_one() {
        let body = normalised(json!({"display_name": "x", "mediation_group_lines": {"-1": {"cpm_micros": "1"}}}));
        assert_eq!(body, json!({"displayName": "x", "mediationGroupLines": {"-1": {"cpmMicros": "1"}}}));
    }

    #[test]
    fn an_error_names_the_path() {
        let body = json!({"targeting": {"format": 7}});
        let targeting = Fields::root(&body).unwrap().need_object("targeting").unwrap();
        let error = targeting.need_choice("format", &["BANNER"]).unwrap_err();
        assert_eq!(error.body()["error"]["details"][0]["fieldViolations"][0]["field"], "targeting.format");
    }
}
