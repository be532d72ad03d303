//! Reads a cell in one pass. The code that serde derives for a tagged enum first buffers every field, and a report has thousands of cells.

use std::{borrow::Cow, fmt};

use adagent_domain::Money;
use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, Unexpected, Visitor},
};

use super::Value;

const KINDS: &[&str] = &["money", "count", "percent", "number", "date", "text", "entity", "missing"];

/// The content of `value` before we know the kind of the cell.
enum Scalar {
    Whole(i64),
    /// A number too large for a count.
    Large(u64),
    Fraction(f64),
    Text(String),
    Nothing,
}

impl Scalar {
    fn count<E: Error>(self) -> Result<i64, E> {
        match self {
            Self::Whole(value) => Ok(value),
            Self::Large(value) => Err(E::invalid_value(Unexpected::Unsigned(value), &"i64")),
            Self::Fraction(value) => Err(E::invalid_type(Unexpected::Float(value), &"i64")),
            Self::Text(value) => Err(E::invalid_type(Unexpected::Str(&value), &"i64")),
            Self::Nothing => Err(E::invalid_type(Unexpected::Unit, &"i64")),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "as a whole number is read where a fraction may stand")]
    fn fraction<E: Error>(self) -> Result<f64, E> {
        match self {
            Self::Whole(value) => Ok(value as f64),
            Self::Large(value) => Ok(value as f64),
            Self::Fraction(value) => Ok(value),
            Self::Text(value) => Err(E::invalid_type(Unexpected::Str(&value), &"f64")),
            Self::Nothing => Err(E::invalid_type(Unexpected::Unit, &"f64")),
        }
    }

    fn text<E: Error>(self) -> Result<String, E> {
        match self {
            Self::Text(value) => Ok(value),
            Self::Whole(value) => Err(E::invalid_type(Unexpected::Signed(value), &"a string")),
            Self::Large(value) => Err(E::invalid_type(Unexpected::Unsigned(value), &"a string")),
            Self::Fraction(value) => Err(E::invalid_type(Unexpected::Float(value), &"a string")),
            Self::Nothing => Err(E::invalid_type(Unexpected::Unit, &"a string")),
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl Visitor<'_> for Any {
            type Value = Scalar;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a number or a string")
            }

            fn visit_unit<E: Error>(self) -> Result<Scalar, E> {
                Ok(Scalar::Nothing)
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Scalar, E> {
                Ok(Scalar::Whole(value))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Scalar, E> {
                Ok(i64::try_from(value).map_or(Scalar::Large(value), Scalar::Whole))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Scalar, E> {
                Ok(Scalar::Fraction(value))
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Scalar, E> {
                Ok(Scalar::Text(value.to_owned()))
            }

            fn visit_string<E: Error>(self, value: String) -> Result<Scalar, E> {
                Ok(Scalar::Text(value))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// The name of a field or a kind, borrowed from the text if possible.
struct Word<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Word<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Word<'de>;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Word<'de>, E> {
                Ok(Word(Cow::Borrowed(value)))
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Word<'de>, E> {
                Ok(Word(Cow::Owned(value.to_owned())))
            }

            fn visit_string<E: Error>(self, value: String) -> Result<Word<'de>, E> {
                Ok(Word(Cow::Owned(value)))
            }
        }
        deserializer.deserialize_str(Any)
    }
}

/// The fields of every kind of cell, in any order.
#[derive(Default)]
struct Fields<'de> {
    kind: Option<Word<'de>>,
    money: Option<Money>,
    value: Option<Scalar>,
    id: Option<String>,
    name: Option<String>,
}

fn once<T, E: Error>(place: &mut Option<T>, value: T, name: &'static str) -> Result<(), E> {
    if place.replace(value).is_some() { Err(E::duplicate_field(name)) } else { Ok(()) }
}

fn given<T, E: Error>(field: Option<T>, name: &'static str) -> Result<T, E> {
    field.ok_or_else(|| E::missing_field(name))
}

impl Fields<'_> {
    fn cell<E: Error>(self) -> Result<Value, E> {
        let kind = given(self.kind, "type")?;
        let value = || given(self.value, "value");
        Ok(match &*kind.0 {
            "money" => Value::Money { money: given(self.money, "money")? },
            "count" => Value::Count { value: value()?.count()? },
            "percent" => Value::Percent { value: value()?.fraction()? },
            "number" => Value::Number { value: value()?.fraction()? },
            "date" => Value::Date { value: value()?.text()? },
            "text" => Value::Text { value: value()?.text()? },
            "entity" => Value::Entity { id: given(self.id, "id")?, name: given(self.name, "name")? },
            "missing" => Value::Missing,
            other => return Err(E::unknown_variant(other, KINDS)),
        })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Cell;

        impl<'de> Visitor<'de> for Cell {
            type Value = Value;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a cell with its type")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                let mut fields = Fields::default();
                while let Some(Word(key)) = map.next_key()? {
                    match &*key {
                        "type" => once(&mut fields.kind, map.next_value()?, "type")?,
                        "money" => once(&mut fields.money, map.next_value()?, "money")?,
                        "value" => once(&mut fields.value, map.next_value()?, "value")?,
                        "id" => once(&mut fields.id, map.next_value()?, "id")?,
                        "name" => once(&mut fields.name, map.next_value()?, "name")?,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                fields.cell()
            }
        }
        deserializer.deserialize_map(Cell)
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::Currency;
    use serde_json::{Value as Json, json};

    use super::*;

    /// An enum that reads its cell through the buffer of its own tag, as `Artifact` does.
    #[derive(Deserialize)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Tagged {
        Report { cell: Value },
    }

    #[test]
    fn every_kind_of_cell_reads_as_it_was_written_from_text_and_from_a_value() {
        let cells = [
            Value::Money { money: Money::new(Currency::USD, -1_234_567) },
            Value::Count { value: i64::MAX },
            Value::Percent { value: 12.5 },
            Value::Number { value: 3.0 },
            Value::Date { value: "2026-11-20".into() },
            Value::Text { value: "a \"quoted\" word".into() },
            Value::Entity { id: "ca-app-pub-1~2".into(), name: "Puzzle \u{1F9E9}".into() },
            Value::Missing,
        ];
        for cell in cells {
            let text = serde_json::to_string(&cell).expect("written");
            assert_eq!(serde_json::from_str::<Value>(&text).expect(&text), cell);
            let value = serde_json::to_value(&cell).expect("written");
            assert_eq!(Value::deserialize(&value).expect(&text), cell);
            assert_eq!(serde_json::from_value::<Value>(value).expect(&text), cell);
            let table = json!({"kind": "report", "cell": cell});
            let Tagged::Report { cell: read } = serde_json::from_value(table).expect(&text);
            assert_eq!(read, cell);
        }
    }

    #[test]
    fn the_order_of_fields_and_more_of_them_do_not_matter() {
        let read = |json: Json| serde_json::from_value::<Value>(json).expect("a cell");
        assert_eq!(read(json!({"value": 7, "type": "count", "new": [1]})), Value::Count { value: 7 });
        assert_eq!(
            read(json!({"name": "B", "type": "entity", "id": "a"})),
            Value::Entity { id: "a".into(), name: "B".into() }
        );
        assert_eq!(read(json!({"value": 12, "type": "percent"})), Value::Percent { value: 12.0 });
        assert_eq!(read(json!({"value": null, "type": "missing"})), Value::Missing);
    }

    #[test]
    fn what_is_no_cell_is_refused() {
        for wrong in [
            json!({"value": 7}),
            json!({"type": "count"}),
            json!({"type": "count", "value": 7.5}),
            json!({"type": "count", "value": "7"}),
            json!({"type": "count", "value": u64::MAX}),
            json!({"type": "text", "value": 7}),
            json!({"type": "percent", "value": null}),
            json!({"type": "percent", "value": "7"}),
            json!({"type": "entity", "id": "a"}),
            json!({"type": "other", "value": 7}),
            json!(7),
        ] {
            assert!(serde_json::from_value::<Value>(wrong.clone()).is_err(), "{wrong}");
        }
        assert!(serde_json::from_str::<Value>(r#"{"type":"count","value":1,"value":2}"#).is_err());
    }
}
