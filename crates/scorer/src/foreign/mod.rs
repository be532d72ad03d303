//! Turns Russian, Turkish and Korean questions into English words, for the rules and for the learned scores.
//!
//! A language is a table of stems (`tables::{russian, turkish, korean}`) plus its endings and its word order. A row is
//! `spellings=English`. A spelling that ends in `*` takes the endings of nouns, one that ends in `~` those of orders. English
//! that starts with `!` is an order and opens its clause; with `<`, it goes before the phrase it follows; with `?`, it asks.
//! Words that are not in the table, quoted names and IDs stay as they are.

mod arrange;
mod korean;
mod pattern;
mod pieces;
mod russian;
mod turkish;

/// Returns the English name of a month that is written as a number.
fn month_name(month: &str) -> Option<&'static str> {
    let names = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    names.get(month.parse::<usize>().ok()?.checked_sub(1)?).copied()
}

/// Returns the text in English words if it is in one of these languages.
pub fn to_english(text: &str) -> Option<String> {
    if text.is_ascii() && !turkish::may_be(text) {
        return None;
    }
    let units = korean::units(text).or_else(|| russian::units(text)).or_else(|| turkish::units(text))?;
    Some(arrange::joined(arrange::arranged(units)))
}

/// Pairs each English phrase of the tables with a foreign one, to generate questions in other languages.
#[cfg(feature = "train")]
pub(crate) fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    use crate::tables::{russian, turkish};
    let rows = russian::WORDS.iter().chain(turkish::WORDS).flat_map(|row| pattern::rows(row));
    let plain = |word: &'static str| word.trim_end_matches(['*', '~']);
    rows.map(move |(foreign, english)| (plain(foreign), english.trim_start_matches(['!', '<', '?'])))
        .filter(|(foreign, english)| !foreign.contains(['*', '~']) && !english.is_empty())
}

#[cfg(test)]
mod tests {
    use super::to_english;

    fn english(text: &str) -> String {
        to_english(text).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn a_russian_word_is_known_in_its_cases_and_aspects() {
        for text in ["удали плейсмент 12", "удалить плейсмент 12", "удаляй плейсменты 12"]
        {
            assert!(english(text).starts_with("delete placement"), "{text}: {}", english(text));
        }
        assert_eq!(english("выручка минтеграла по странам"), "revenue mintegral by country");
        assert_eq!(english("подними флор на 20 процентов"), "raise floor by 20 percent");
        assert_eq!(english("еcpm вчера"), "ecpm yesterday");
    }

    #[test]
    fn turkish_endings_are_taken_off_with_an_apostrophe_or_without() {
        for text in ["AdMob'da bannerları kapat", "admobda bannerlari kapat"] {
            assert_eq!(english(text).to_lowercase(), "deactivate in admob banner", "{text}");
        }
        assert_eq!(english("ülkelere göre gelir"), "by country revenue");
        assert_eq!(english("onu silme"), "do not delete it");
        assert_eq!(english("8ccf36df9 instance'ını sil"), "delete 8ccf36df9 instance");
    }

    #[test]
    fn korean_particles_and_missing_spaces_are_met() {
        for text in ["플로어를 5달러로 올려주세요", "플로어 5달러로 올려 줘"] {
            assert!(english(text).starts_with("raise floor to 5 dollars"), "{text}: {}", english(text));
        }
        assert_eq!(english("11월 1일부터 매출"), "since november 1 revenue");
        assert_eq!(english("삭제된 그룹"), "deleted group");
        assert_eq!(english("애드몹에서 국가별 수익"), "in admob by country revenue");
    }

    #[test]
    fn other_languages_quoted_names_and_ids_are_left_alone() {
        for text in [
            "show my admob revenue by country",
            "ingresos de ayer por país",
            "para hoy, de AdMob",
            "liste les blocs d'annonces de Google Ad Manager",
            "昨日のAdMobの収益",
            "скільки дохід за вчора",
        ] {
            assert_eq!(to_english(text), None, "{text}");
        }
        assert_eq!(english("удали «Вчера и сегодня» com.acme.game_2"), "delete «Вчера и сегодня» com.acme.game_2");
    }
}
