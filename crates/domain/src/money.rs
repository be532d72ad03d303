//! Money is an integer number of millionths and a currency; we never use floating point for it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why an amount is not valid or could not be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    #[error("cannot add {right} to {left}: different currencies")]
    CurrencyMismatch { left: Currency, right: Currency },
    #[error("amount out of range")]
    Overflow,
    #[error("{0:?} is not an ISO 4217 currency code such as USD")]
    BadCurrency(String),
    #[error("{0:?} is not an amount such as 12.50")]
    BadAmount(String),
}

/// An ISO 4217 code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Currency([u8; 3]);

impl Currency {
    pub const USD: Self = Self(*b"USD");
    pub const EUR: Self = Self(*b"EUR");

    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("XXX")
    }

    /// Returns the symbol that people know, or the code.
    pub fn symbol(&self) -> String {
        match self.code() {
            "USD" => "$".into(),
            "EUR" => "€".into(),
            "GBP" => "£".into(),
            "JPY" => "¥".into(),
            code => format!("{code} "),
        }
    }
}

impl TryFrom<String> for Currency {
    type Error = MoneyError;

    fn try_from(text: String) -> Result<Self, MoneyError> {
        match text.as_bytes() {
            [a, b, c] if [a, b, c].iter().all(|x| x.is_ascii_uppercase()) => Ok(Self([*a, *b, *c])),
            _ => Err(MoneyError::BadCurrency(text)),
        }
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.code().to_owned()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// An amount of money in millionths of its currency's unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Money {
    pub currency: Currency,
    pub micros: i64,
}

impl Money {
    pub const fn new(currency: Currency, micros: i64) -> Self {
        Self { currency, micros }
    }

    pub fn checked_add(self, other: Self) -> Result<Self, MoneyError> {
        if self.currency != other.currency {
            return Err(MoneyError::CurrencyMismatch { left: self.currency, right: other.currency });
        }
        self.micros.checked_add(other.micros).map(|micros| Self { micros, ..self }).ok_or(MoneyError::Overflow)
    }

    /// Reads "12.5", "12,5", "1,234.56" or "1.234,56" as an amount. Refuses more than six decimals instead of rounding them.
    pub fn parse_amount(currency: Currency, text: &str) -> Result<Self, MoneyError> {
        let bad = || MoneyError::BadAmount(text.chars().take(32).collect());
        let (negative, plain) = match text.trim().strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.trim()),
        };
        let plain = plain_number(plain).ok_or_else(bad)?;
        let plain = plain.as_str();
        let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
        if (whole.is_empty() && fraction.is_empty())
            || fraction.len() > 6
            || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit())
        {
            return Err(bad());
        }
        let digits = format!("{whole}{fraction:0<6}");
        let micros: i64 = digits.parse().map_err(|_| bad())?;
        Ok(Self { currency, micros: if negative { -micros } else { micros } })
    }

    /// Returns the amount for people: symbol, thousands separators, the given number of decimals, halves rounded away from zero.
    pub fn display(&self, decimals: u32) -> String {
        let decimals = decimals.min(6);
        let unit = 10_i128.pow(6 - decimals);
        let micros = i128::from(self.micros);
        let rounded = (micros.abs() + unit / 2) / unit;
        let scale = 10_i128.pow(decimals);
        let whole = group_thousands(&(rounded / scale).to_string());
        let sign = if micros < 0 && rounded > 0 { "-" } else { "" };
        let symbol = self.currency.symbol();
        if decimals == 0 {
            format!("{sign}{symbol}{whole}")
        } else {
            format!("{sign}{symbol}{whole}.{:0width$}", rounded % scale, width = decimals as usize)
        }
    }
}

impl Money {
    /// Returns "$4.50" or "$0.125" for an amount in units of the currency, and rounds no digit away. `None` if the text is not an amount.
    #[must_use]
    pub fn exact(currency: Currency, units: &str) -> Option<String> {
        let money = Self::parse_amount(currency, units).ok()?;
        let whole = |decimals: &u32| money.micros % 10_i64.pow(6 - decimals) == 0;
        Some(money.display((2..6).find(whole).unwrap_or(6)))
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display(2))
    }
}

/// Turns a number as people write it into one with a decimal point and without thousands separators. A comma with three digits after it
/// separates thousands ("1,250"); a single point never does ("1.250"). `None` if the text fits no notation.
pub fn plain_number(text: &str) -> Option<String> {
    if !text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',')) {
        return None;
    }
    let decimal = match (text.rfind('.'), text.rfind(',')) {
        (Some(point), Some(comma)) => Some(point.max(comma)),
        (None, Some(_)) if groups_thousands(text, ',') => None,
        (Some(_), None) if text.matches('.').count() > 1 && groups_thousands(text, '.') => None,
        (point, comma) => point.or(comma),
    };
    let (whole, fraction) = decimal.map_or((text, None), |at| (&text[..at], Some(&text[at + 1..])));
    let between = whole.chars().find(|c| !c.is_ascii_digit());
    let grouped = between.is_none_or(|between| groups_thousands(whole, between));
    if !grouped || fraction.is_some_and(|digits| !digits.bytes().all(|b| b.is_ascii_digit())) {
        return None;
    }
    let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
    Some(fraction.map_or_else(|| whole.clone(), |digits| format!("{whole}.{digits}")))
}

/// Checks whether this is a grouped number such as "1,234,567": one to three digits that do not begin with a zero, then groups of three.
fn groups_thousands(digits: &str, between: char) -> bool {
    let mut groups = digits.split(between);
    let first = groups.next().unwrap_or_default();
    let number = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
    let opens = (1..=3).contains(&first.len()) && number(first) && !first.starts_with('0');
    let mut rest = groups.peekable();
    opens && rest.peek().is_some() && rest.all(|group| group.len() == 3 && number(group))
}

fn group_thousands(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_amount_in_units_keeps_its_digits() {
        for (units, shown) in [("4.5", "$4.50"), ("5.0", "$5.00"), ("0.125", "$0.125"), ("12", "$12.00")] {
            assert_eq!(Money::exact(Currency::USD, units).as_deref(), Some(shown));
        }
        assert_eq!(Money::exact(Currency::USD, "free"), None);
    }

    #[test]
    fn an_amount_is_read_as_people_of_either_half_of_the_world_write_it() {
        let micros = |text: &str| Money::parse_amount(Currency::USD, text).ok().map(|money| money.micros);
        for (text, cents) in [
            ("12.50", 1250),
            ("12,50", 1250),
            ("12,5", 1250),
            ("0,125", 12),
            ("1,250", 125_000),
            ("1.250", 125),
            ("1,250.00", 125_000),
            ("1.250,00", 125_000),
            ("1,234,567", 123_456_700),
            ("1.234.567", 123_456_700),
            ("1.234.567,89", 123_456_789),
            ("12.", 1200),
            (".5", 50),
        ] {
            assert_eq!(micros(text).map(|micros| micros / 10_000), Some(cents), "{text}");
        }
        for text in ["12,5,0", "1,2.5", "1.2.3", "12,34.5", "1.250,00,0", "1,2345.6", ",", ".", "", "1,-2"] {
            assert_eq!(micros(text), None, "{text}");
        }
    }

    #[test]
    fn displays_as_a_person_writes_it() {
        assert_eq!(Money::new(Currency::USD, 59_642_630_000).to_string(), "$59,642.63");
        assert_eq!(Money::new(Currency::USD, -1_005_000).display(2), "-$1.01");
        assert_eq!(Money::new(Currency::USD, -4).display(2), "$0.00");
        assert_eq!(Money::new(Currency::EUR, 1_500_000).display(0), "€2");
    }

    #[test]
    fn adding_currencies_is_an_error() {
        assert!(Money::new(Currency::USD, 1).checked_add(Money::new(Currency::EUR, 1)).is_err());
        assert!(serde_json::from_str::<Currency>("\"usd\"").is_err());
    }

    proptest! {
        #[test]
        fn amounts_parse_what_they_print(micros in -1_000_000_000_000_000_i64..1_000_000_000_000_000) {
            let money = Money::new(Currency::USD, micros);
            let text = money.display(6).replace('$', "");
            prop_assert_eq!(Money::parse_amount(Currency::USD, &text), Ok(money));
        }
    }
}
