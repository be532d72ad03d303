//! Puts periods and dates of German, Spanish, Portuguese, French, Italian and Dutch into English words: "letzte acht Wochen", "del 1/11 al
//! 15/11", "depuis le début du mois".
//!
//! The dictionaries replace word by word, which is not enough here: other languages put the number first, write the day first, and have
//! short forms. A row is `foreign = English`. Words stand as they are without accents, `a|b` is a choice, and these are placeholders:
//! `{n}` a number, `{u}` a unit of time, `{d}` a date, `{p}` a date that ends with a period, `~` a dash, `{w}` a weekday, `{m}` a month. Each row needs a word that English does not have, so
//! English text never matches.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use adagent_domain::Cut as _;

use super::languages::plain;
use crate::text::{Kind, Token, tokens};

const ROWS: &[&str] = &[
    // Single days.
    "vorgestern|anteayer|antier|anteontem|eergisteren|altroieri = day before yesterday",
    "gestern|gestrigen|ayer|ontem|ieri|gisteren = yesterday",
    "heute|heutigen|hoy|hoje|hj|oggi|vandaag|aujourdhui = today",
    "avant hier = day before yesterday",
    "(pour|d|depuis|avec|et|vs|contre|que|sur) hier = \\1 yesterday",
    "du jour = of today",
    // Rolling windows.
    "letzte|letzten|vergangene|vergangenen|vorigen {n} {u} = last {n} {u}",
    "ultimos|ultimas|ultimi|ultime|ultimo|ultima|pasados|pasadas|passados|passadas {n} {u} = last {n} {u}",
    "derniers|dernieres {n} {u} = last {n} {u}",
    "afgelopen|laatste {n} {u} = last {n} {u}",
    "{n} letzten|letzte|vergangenen {u} = last {n} {u}",
    "{n} ultimos|ultimas|ultimi|ultime|derniers|dernieres {u} = last {n} {u}",
    "{n} {u} passados|passadas|pasados|pasadas|scorsi|scorse = last {n} {u}",
    // The unit before.
    "letzte|letzten|letztes|letzter|letztem|vergangene|vergangenen|vergangenes|vergangenem|vorige|vorigen|voriges {u} = last {u}",
    "{u} pasado|pasada|passado|passada|scorso|scorsa|dernier|derniere|passe|passee = last {u}",
    "el|la|le|il|o|a {u} pasado|pasada|passado|passada|scorso|scorsa|dernier|derniere|passe|passee = last {u}",
    "ultimo|ultima {u} = last {u}",
    "scorso|scorsa|vorige {u} = last {u}",
    "{u} retrasado|retrasada|anteriore = {u} before last",
    "vorletzte|vorletzten|vorletztes|vorletzter {u} = {u} before last",
    "vorwoche = week before",
    "vormonat|vormonats = month before",
    "vorjahr|vorjahres|vorjahresmonat = year before",
    "vorquartal = quarter before",
    "vortag|vortags = day before",
    // The unit that runs.
    "laufende|laufenden|laufendes|laufender|laufendem|aktuelle|aktuellen|aktuelles|aktuellem {u} = this {u}",
    "diese|diesen|dieser|dieses|diesem {u} = this {u}",
    "{u} bisher|bislang = this {u}",
    "bisher|bislang diese|diesen|dieses|diesem {u} = this {u}",
    "lo que va de|del {u} = this {u}",
    "lo que llevamos de|del {u} = this {u}",
    "{u} en curso|cours = this {u}",
    "{u} in corso = this {u}",
    "{u} corriente|corrente|actual|atual|attuale = this {u}",
    "este|esta|esse|essa|neste|nesta|nesse|nessa|questo|questa|cette|cet {u} = this {u}",
    "ce {u} = this {u}",
    "deze|dit|lopende|huidige {u} = this {u}",
    // The beginning of a unit.
    "seit jahresanfang|jahresbeginn = since the start of the year",
    "seit monatsanfang|monatsbeginn = since the start of the month",
    "seit quartalsanfang|quartalsbeginn = since the start of the quarter",
    "seit wochenanfang|wochenbeginn = since the start of the week",
    "seit anfang|beginn des|der|dem {u} = since the start of the {u}",
    "desde el|o|a inicio|comienzo|principio|comeco del|de|do|da {u} = since the start of the {u}",
    "desde inicio|principio|principios|comeco de|do|da {u} = since the start of the {u}",
    "depuis le debut du|de {u} = since the start of the {u}",
    "dallinizio del|di {u} = since the start of the {u}",
    "dallinizio {u} = since the start of the {u}",
    // Parts of a month.
    "premiere quinzaine de|d {m} = first half of {m}",
    "primera|primeira quinzena|quincena de {m} = first half of {m}",
    "deuxieme|seconde quinzaine de|d {m} = second half of {m}",
    "segunda quinzena|quincena de {m} = second half of {m}",
    "erste monatshalfte {m} = first half of {m}",
    // Numbered weeks and quarters.
    "kw|kalenderwoche|semaine|semana|settimana {n} = week {n}",
    "trimestre {n} = q{n}",
    // Ranges of dates.
    "vom|von {d} bis zum|einschliesslich {d} = from {d} to {d}",
    "vom|von {d} bis {d} = from {d} to {d}",
    "zwischen {d} und {d} = from {d} to {d}",
    "{d} bis {d} = from {d} to {d}",
    "{p} ~ {p} = from {d} to {d}",
    "del|de|dal {d} al {d} = from {d} to {d}",
    "del|desde el {d} hasta el {d} = from {d} to {d}",
    "desde {d} hasta el|al {d} = from {d} to {d}",
    "entre el|o {d} y|e el|o {d} = from {d} to {d}",
    "de|do {d} a|ao|ate {d} = from {d} to {d}",
    "du {d} au {d} = from {d} to {d}",
    "entre le {d} et le {d} = from {d} to {d}",
    "van {d} tot|tm {d} = from {d} to {d}",
    // Half-open ranges.
    "seit|ab dem {d} = since {d}",
    "seit|ab {d} = since {d}",
    "desde el|o|a {d} = since {d}",
    "desde {d} = since {d}",
    "depuis le {d} = since {d}",
    "depuis {d} = since {d}",
    "a partir du|del|de {d} = since {d}",
    "dal|sinds {d} = since {d}",
    "dalla {w} = since {w}",
    "da|desde|depuis|seit|sinds {w} = since {w}",
    // Single dates.
    "am {d} = on {d}",
    "vom {d} = of {d}",
    "dia {d} = on {d}",
    "el|le|il {d} = on {d}",
    // Weekends.
    "am wochenende = over weekend",
    "el finde = the weekend",
    "fin de semana pasado = last weekend",
    "finde pasado = last weekend",
    "week end dernier = last weekend",
    "ce week end = this weekend",
    "este finde = this weekend",
];

const UNITS: &[(&str, &[&str])] = &[
    ("day", &["tag", "tages", "tags", "dia", "jour", "giorno", "dag"]),
    ("days", &["tage", "tagen", "dias", "jours", "giorni", "dagen"]),
    ("week", &["woche", "kw", "kalenderwoche", "semana", "sem", "semaine", "settimana"]),
    ("weeks", &["wochen", "semanas", "semaines", "settimane", "weken"]),
    ("weekend", &["wochenende", "wochenendes", "finde", "weekend"]),
    ("weekends", &["wochenenden", "findes"]),
    ("month", &["monat", "monats", "mes", "mese", "mois", "maand"]),
    ("months", &["monate", "monaten", "meses", "mesi", "maanden"]),
    ("quarter", &["quartal", "quartals", "trimestre", "trim", "kwartaal"]),
    ("quarters", &["quartale", "quartalen", "trimestres", "trimestri"]),
    ("year", &["jahr", "jahres", "ano", "annee", "anno", "jaar"]),
    ("years", &["jahre", "jahren", "anos", "annees", "ans", "anni"]),
];

const WEEKDAYS: &[(&str, &[&str])] = &[
    ("monday", &["montag", "lunes", "lundi", "lunedi", "maandag"]),
    ("tuesday", &["dienstag", "martes", "mardi", "martedi", "dinsdag"]),
    ("wednesday", &["mittwoch", "miercoles", "quarta", "mercredi", "mercoledi", "woensdag"]),
    ("thursday", &["donnerstag", "jueves", "quinta", "jeudi", "giovedi", "donderdag"]),
    ("friday", &["freitag", "viernes", "sexta", "vendredi", "venerdi", "vrijdag"]),
    ("saturday", &["samstag", "sonnabend", "sabado", "samedi", "sabato", "zaterdag"]),
    ("sunday", &["sonntag", "domingo", "dimanche", "domenica", "zondag"]),
];

const MONTHS: &[(&str, &[&str])] = &[
    ("january", &["januar", "enero", "janeiro", "janvier", "gennaio", "januari"]),
    ("february", &["februar", "febrero", "fevereiro", "fevrier", "febbraio", "februari"]),
    ("march", &["marz", "marzo", "marco", "mars", "maart"]),
    ("april", &["april", "abril", "avril", "aprile"]),
    ("may", &["mai", "mayo", "maio", "maggio", "mei"]),
    ("june", &["juni", "junio", "junho", "juin", "giugno"]),
    ("july", &["juli", "julio", "julho", "juillet", "luglio"]),
    ("august", &["august", "agosto", "aout", "augustus"]),
    ("september", &["september", "septiembre", "setiembre", "setembro", "septembre", "settembre"]),
    ("october", &["oktober", "octubre", "outubro", "octobre", "ottobre"]),
    ("november", &["november", "noviembre", "novembro", "novembre"]),
    ("december", &["dezember", "diciembre", "dezembro", "decembre", "dicembre", "december"]),
];

const NUMBERS: &[(u8, &[&str])] = &[
    (2, &["zwei", "dos", "dois", "duas", "deux", "due", "twee"]),
    (3, &["drei", "tres", "trois", "tre", "drie"]),
    (4, &["vier", "cuatro", "quatro", "quatre", "quattro"]),
    (5, &["funf", "cinco", "cinq", "cinque", "vijf"]),
    (6, &["sechs", "seis", "six", "sei", "zes"]),
    (7, &["sieben", "siete", "sete", "sept", "sette", "zeven"]),
    (8, &["acht", "ocho", "oito", "huit", "otto"]),
    (9, &["neun", "nueve", "nove", "neuf", "negen"]),
    (10, &["zehn", "diez", "dez", "dix", "dieci", "tien"]),
    (12, &["zwolf", "doce", "doze", "douze", "dodici", "twaalf"]),
    (14, &["vierzehn", "catorce", "catorze", "quatorze", "quattordici", "veertien"]),
    (15, &["funfzehn", "quince", "quinze", "quindici", "vijftien"]),
    (28, &["achtundzwanzig", "veintiocho"]),
    (30, &["dreissig", "treinta", "trinta", "trente", "trenta", "dertig"]),
];

/// A part of the left side of a row.
#[derive(Debug)]
enum Piece {
    Words(Vec<&'static str>),
    /// Words that stay: the English side has them as `\1`.
    Kept(Vec<&'static str>),
    Number,
    Unit,
    Date,
    /// A date whose day or month ends with a period, as no English one does.
    Pointed,
    Dash,
    Weekday,
    Month,
}

struct Row {
    pieces: Vec<Piece>,
    english: &'static str,
}

fn piece(text: &'static str) -> Piece {
    match text {
        "{n}" => Piece::Number,
        "{u}" => Piece::Unit,
        "{d}" => Piece::Date,
        "{p}" => Piece::Pointed,
        "~" => Piece::Dash,
        "{w}" => Piece::Weekday,
        "{m}" => Piece::Month,
        _ => match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            Some(kept) => Piece::Kept(kept.split('|').collect()),
            None => Piece::Words(text.split('|').collect()),
        },
    }
}

struct Grammar {
    rows: Vec<Row>,
    /// The rows that begin with a word, by that word.
    by_word: HashMap<&'static str, Vec<usize>>,
    /// The rows that begin with a number, a unit, a date or a month.
    others: Vec<usize>,
}

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| {
    let mut rows: Vec<Row> = ROWS
        .iter()
        .filter_map(|row| row.split_once(" = "))
        .map(|(foreign, english)| Row { pieces: foreign.split(' ').map(piece).collect(), english })
        .collect();
    // The longest row wins.
    rows.sort_by_key(|row| std::cmp::Reverse(row.pieces.len()));
    let (mut by_word, mut others) = (HashMap::<&'static str, Vec<usize>>::new(), Vec::new());
    for (index, row) in rows.iter().enumerate() {
        match row.pieces.first() {
            Some(Piece::Words(words) | Piece::Kept(words)) => {
                for word in words {
                    by_word.entry(word).or_default().push(index);
                }
            }
            _ => others.push(index),
        }
    }
    Grammar { rows, by_word, others }
});

fn table(rows: &'static [(&'static str, &'static [&'static str])]) -> HashMap<&'static str, &'static str> {
    rows.iter().flat_map(|(english, words)| words.iter().map(move |word| (*word, *english))).collect()
}

static UNIT_WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| table(UNITS));
static WEEKDAY_WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| table(WEEKDAYS));
static MONTH_WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| table(MONTHS));

/// A text in tokens, with its words without accents.
struct Cut<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    words: Vec<String>,
}

impl<'a> Cut<'a> {
    fn of(text: &'a str) -> Self {
        let tokens = tokens(text);
        let word = |token: &Token| if token.kind == Kind::Word { plain(&token.norm) } else { String::new() };
        let words = tokens.iter().map(word).collect();
        Self { text, tokens, words }
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// Reads a number, in digits or in words.
    fn number(&self, at: usize) -> Option<String> {
        let token = self.tokens.get(at)?;
        if let Kind::Number(n) = token.kind {
            return (n.fract() == 0.0 && (1.0..=400.0).contains(&n)).then(|| token.norm.clone());
        }
        let word = self.word(at);
        NUMBERS.iter().find(|(_, words)| words.contains(&word)).map(|(n, _)| n.to_string())
    }

    /// Checks whether a date is written as in no English text: with a period behind its day or month, or with the name of a foreign month.
    fn is_foreign(&self, from: usize, end: usize) -> bool {
        const BOTH: [&str; 5] = ["april", "august", "september", "november", "december"];
        (from..end).any(|at| {
            let month = MONTH_WORDS.contains_key(self.word(at)) && !BOTH.contains(&self.word(at));
            let dotted = self.tokens[at].norm.contains('.') && self.tokens[at].norm.len() > 1;
            month || dotted || self.tokens[at].is_punct('.') || self.word(at).ends_with("er")
        })
    }

    /// Reads a date with the day first, and returns it in English with the next token: `1.`, `15.11.`, `3/11`, `1er novembre`.
    fn date(&self, at: usize) -> Option<(Day, usize)> {
        let token = self.tokens.get(at)?;
        let dot =
            |at: usize| usize::from(self.tokens.get(at).is_some_and(|t| t.is_punct('.') && touches(&self.tokens, at)));
        match token.kind {
            Kind::Date => Day::of_digits(&token.norm).map(|day| (day, at + 1)),
            Kind::Number(_) if token.norm.contains('.') => {
                let day = Day::of_digits(&token.norm)?;
                Some((day, at + 1 + dot(at + 1)))
            }
            Kind::Number(_) | Kind::Word => {
                let digits = token.norm.trim_end_matches("er").trim_end_matches('º').trim_end_matches('°');
                let number = digits.parse::<i8>().ok().filter(|day| (1..=31).contains(day))?;
                let mut next = at + 1 + dot(at + 1);
                let of = next;
                if matches!(self.word(next), "de" | "di") {
                    next += 1;
                }
                let month = MONTH_WORDS.get(self.word(next)).copied();
                let next = if month.is_some() { next + 1 } else { of };
                Some((Day { number, month, year: None }, next))
            }
            _ => None,
        }
    }
}

/// Checks that a token stands right behind the one before.
fn touches(tokens: &[Token], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| tokens[before].end == tokens[at].start)
}

#[derive(Debug, Clone, Copy)]
struct Day {
    number: i8,
    month: Option<&'static str>,
    year: Option<i16>,
}

impl Day {
    fn of_digits(digits: &str) -> Option<Self> {
        let parts: Vec<i16> =
            digits.split(['.', '/']).filter(|part| !part.is_empty()).map(str::parse).collect::<Result<_, _>>().ok()?;
        let [day, month, rest @ ..] = parts.as_slice() else { return None };
        let number = i8::try_from(*day).ok().filter(|day| (1..=31).contains(day))?;
        let month = MONTHS.get(usize::try_from(*month).ok()?.checked_sub(1)?)?.0;
        let year = rest.first().map(|year| if *year < 100 { 2000 + year } else { *year });
        Some(Self { number, month: Some(month), year })
    }

    fn english(self) -> Option<String> {
        let year = self.year.map_or_else(String::new, |year| format!(" {year}"));
        Some(format!("{} {}{year}", self.month?, self.number))
    }
}

/// What the placeholders of a row stand for.
#[derive(Default)]
struct Filled {
    kept: Option<String>,
    number: Option<String>,
    unit: Option<&'static str>,
    weekday: Option<&'static str>,
    month: Option<&'static str>,
    days: Vec<Day>,
}

/// First words of rows that English has, too.
const SHARED: [&str; 10] = ["am", "el", "il", "le", "ab", "de", "do", "da", "van", "dia"];

fn matched(row: &Row, cut: &Cut<'_>, from: usize) -> Option<(Filled, usize)> {
    // "am", "el" and "de" are English words, too: then the date itself must be written as in no English text.
    let shared = SHARED.contains(&cut.word(from))
        || row.pieces.first().is_some_and(|piece| !matches!(piece, Piece::Words(_) | Piece::Kept(_)));
    let dated = row.pieces.iter().any(|piece| matches!(piece, Piece::Date));
    let (mut at, mut filled, mut foreign) = (from, Filled::default(), !(shared && dated));
    for piece in &row.pieces {
        // An apostrophe or hyphen within "aujourd'hui" and "week-end".
        while at > from
            && !matches!(piece, Piece::Dash)
            && cut.tokens.get(at).is_some_and(|t| t.is_punct('\'') || t.is_punct('’') || t.is_punct('-'))
        {
            at += 1;
        }
        match piece {
            Piece::Words(words) => words.contains(&cut.word(at)).then_some(())?,
            Piece::Kept(words) => {
                let word = cut.word(at);
                words.contains(&word).then_some(())?;
                filled.kept = Some(word.to_owned());
            }
            Piece::Number => filled.number = Some(cut.number(at)?),
            Piece::Unit => filled.unit = Some(UNIT_WORDS.get(cut.word(at))?),
            Piece::Weekday => filled.weekday = Some(WEEKDAY_WORDS.get(cut.word(at))?),
            Piece::Month => filled.month = Some(MONTH_WORDS.get(cut.word(at))?),
            Piece::Dash => {
                let token = cut.tokens.get(at)?;
                (token.is_punct('-') || token.is_punct('–')).then_some(())?;
            }
            Piece::Date | Piece::Pointed => {
                let (day, next) = cut.date(at)?;
                foreign |= cut.is_foreign(at, next);
                let point = cut.tokens.get(at + 1).is_some_and(|token| token.is_punct('.'));
                (point || matches!(piece, Piece::Date)).then_some(())?;
                filled.days.push(day);
                at = next;
                continue;
            }
        }
        at += 1;
    }
    foreign.then_some((filled, at))
}

/// Writes the English side. `None` if a date has no month, not even from the other end of its range.
fn written(english: &str, filled: &Filled) -> Option<String> {
    let last = filled.days.last().copied();
    let mut days = filled.days.iter().map(|day| {
        let of = last.filter(|_| day.month.is_none());
        Day { month: day.month.or_else(|| of?.month), year: day.year.or_else(|| of?.year), ..*day }.english()
    });
    let mut out = String::new();
    let mut rest = english;
    while let Some((before, after)) = rest.split_once('{') {
        out += before;
        let (name, after) = after.split_once('}')?;
        out += &match name {
            "n" => filled.number.clone()?,
            "u" => filled.unit?.to_owned(),
            "w" => filled.weekday?.to_owned(),
            "m" => filled.month?.to_owned(),
            _ => days.next()??,
        };
        rest = after;
    }
    Some((out + rest).replace("\\1", filled.kept.as_deref().unwrap_or_default()))
}

/// Returns a text with its foreign periods in English words, and all else as it was.
pub(super) fn in_english(text: &str) -> Cow<'_, str> {
    let cut = Cut::of(text);
    let (mut out, mut last, mut at) = (String::new(), 0, 0);
    while at < cut.tokens.len() {
        let led = GRAMMAR.by_word.get(cut.word(at)).map(Vec::as_slice).unwrap_or_default();
        let mut candidates: Vec<usize> = led.iter().chain(&GRAMMAR.others).copied().collect();
        candidates.sort_unstable();
        let hit = candidates.into_iter().find_map(|index| {
            let row = &GRAMMAR.rows[index];
            let (filled, next) = matched(row, &cut, at)?;
            Some((written(row.english, &filled)?, next))
        });
        let Some((english, next)) = hit else {
            at += 1;
            continue;
        };
        out.push_str(cut.text.cut(last..cut.tokens[at].start));
        out.push_str(&english);
        last = cut.tokens[next - 1].end;
        at = next;
    }
    if last == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(cut.text.cut(last..));
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::in_english;

    #[test]
    fn periods_of_other_languages_become_english() {
        for (text, english) in [
            ("max rewarded ios, ecpm gestern", "max rewarded ios, ecpm yesterday"),
            ("Umsatz der letzten acht Wochen", "Umsatz der last 8 weeks"),
            ("umsatz je app, quartal bisher", "umsatz je app, this quarter"),
            ("completes vungle 7 derniers jours", "completes vungle last 7 days"),
            ("lo que va de trimestre", "this quarter"),
            ("DAU, mois en cours", "DAU, this month"),
            ("depuis le début du mois", "since the start of the month"),
            ("a receita desde o início do mês", "a receita since the start of the month"),
            ("mês passado", "last month"),
            ("admob ecpm kw46 vs kw 45", "admob ecpm kw46 vs week 45"),
            ("première quinzaine de novembre", "first half of november"),
            ("aujourd'hui", "today"),
            ("et pour hier", "et pour yesterday"),
        ] {
            assert_eq!(in_english(text), english);
        }
    }

    #[test]
    fn dates_with_the_day_first_name_their_month() {
        for (text, english) in [
            ("Umsatz vom 1. bis 15.11.", "Umsatz from november 1 to november 15"),
            ("Mintegral am 3.11.: Requests", "Mintegral on november 3: Requests"),
            ("starts seit 1.11., nur android", "starts since november 1, nur android"),
            ("del 1/11 al 15/11", "from november 1 to november 15"),
            ("desde el 3/11", "since november 3"),
            ("du 1er au 15 novembre", "from november 1 to november 15"),
            ("de 1 a 15 de outubro", "from october 1 to october 15"),
            ("le 1er novembre", "on november 1"),
            ("am 3.11.2025", "on november 3 2025"),
            ("Umsatz 1.–26. November nach Netzwerk", "Umsatz from november 1 to november 26 nach Netzwerk"),
            ("Umsatz 1.-7. November in AdMob", "Umsatz from november 1 to november 7 in AdMob"),
            ("Umsatz 1.11.-7.11.", "Umsatz from november 1 to november 7"),
        ] {
            assert_eq!(in_english(text), english);
        }
    }

    #[test]
    fn english_text_stays_as_it_is() {
        for text in [
            "revenue of the last 7 days by country",
            "set the floor of A to 3.11 and pause B",
            "ecpm on 3/11 vs 3/12",
            "de 5 a 6",
            "le 5 apps",
            "week 46 revenue, day 7 retention",
            "what is an actual number here",
            "is there a date when this ends",
            "revenue IL 11/1 to 11/7",
            "since 9 am 11/3",
        ] {
            assert_eq!(in_english(text), text);
        }
    }
}
