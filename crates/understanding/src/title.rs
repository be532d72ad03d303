//! The title of a chat that begins with a question about numbers: what it asks for, whose numbers, and the dates that "last week" meant
//! then. The title must never name anything that the question does not ask for.

use adagent_contract::capital;
use adagent_domain::Network;
use jiff::civil::Date;

use crate::dates::{self, Edge};
use crate::planner;
use crate::route::reading::Reading;
use crate::text::{Kind, Token};
use crate::vocab::metrics::METRICS;

/// Words that form a question and say nothing about its subject.
const MADE_WITH: [&str; 34] = [
    "what", "whats", "was", "were", "is", "are", "how", "hows", "much", "many", "did", "do", "does", "we", "i", "me",
    "my", "our", "the", "show", "give", "tell", "please", "make", "made", "earn", "earned", "get", "pull", "see",
    "can", "could", "you", "us",
];

/// Words that only lead to a period or a thing.
const LEADING: [&str; 9] = ["in", "on", "for", "over", "during", "of", "from", "at", "and"];

/// Returns the title. `None` if the question is not about numbers of one period, because its own words say more then. If the question names
/// no network, `connected` says whose numbers it asks for.
pub fn title(text: &str, today: &str, connected: &[Network]) -> Option<String> {
    const LONGEST: usize = 80;
    let today: Date = today.parse().ok()?;
    // A request waits for this, and a longer line makes no title anyway.
    let text = text.lines().find(|line| !line.trim().is_empty()).map(str::trim).filter(|line| line.len() <= LONGEST)?;
    let reading = Reading::new(text, today, &[]);
    // We don't cut words in another language or words with a typo.
    let tokens = crate::text::tokens(text);
    let mut periods = dates::periods(&tokens, today).into_iter();
    let period = periods.next().filter(|period| period.edge == Edge::Whole)?;
    let plain = reading.text == text && reading.slots.compare.is_none() && periods.next().is_none();
    let figures = reading.figures() && reading.write.is_none() && !reading.assigns && !reading.analysis;
    if !plain || !figures {
        return None;
    }
    let left = |at: usize| at < period.at || at >= period.end();
    let mut words: Vec<&Token> = (0..tokens.len()).filter(|at| left(*at)).map(|at| &tokens[at]).collect();
    let drops = |token: &&Token, of: &[&str]| matches!(token.kind, Kind::Punct(_)) || token.any(of);
    while words.last().is_some_and(|token| drops(token, &LEADING) || drops(token, &MADE_WITH)) {
        words.pop();
    }
    let first = words.iter().position(|token| !drops(token, &MADE_WITH)).unwrap_or(words.len());
    words.drain(..first);
    let (said, metric) = (spoken(text, &words), !METRICS.all(&tokens).is_empty());
    let what = match (said.is_empty(), metric) {
        (true, _) => "Revenue".to_owned(),
        (false, true) => capital(&said),
        (false, false) => format!("Revenue: {said}"),
    };
    let named = !reading.mentions.is_empty() || !reading.sources.is_empty();
    let whose = match connected {
        [one] if !named => format!(", {}", one.display_name()),
        [_, _, ..] if !named => ", all networks".to_owned(),
        _ => String::new(),
    };
    Some(format!("{what}{whose}, {}", planner::days(period.span.from, period.span.to, today)))
}

/// Joins the words as the person wrote them, with the original space between words that were adjacent.
fn spoken(text: &str, words: &[&Token]) -> String {
    let mut out = String::new();
    let mut end = None;
    for token in words {
        let gap = end.and_then(|end: usize| text.get(end..token.start)).filter(|gap| gap.trim().is_empty());
        match (end, gap) {
            (None, _) => {}
            (_, Some(gap)) => out.push_str(gap),
            _ => out.push(' '),
        }
        out.push_str(text.get(token.start..token.end).unwrap_or_default());
        end = Some(token.end);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_names_network_metric_and_days() {
        let on = |text: &str| title(text, "2026-11-26", &[Network::AdMob, Network::Unity]);
        for (text, expected) in [
            ("What was my revenue yesterday?", "Revenue, all networks, Nov 25"),
            ("How much did we make last week?", "Revenue, all networks, Nov 16–22"),
            ("AdMob eCPM by ad source last 7 days", "AdMob eCPM by ad source, Nov 19–25"),
            ("Top 5 countries by revenue, last 30 days", "Top 5 countries by revenue, all networks, Oct 27 – Nov 25"),
            ("clicks last year", "Clicks, all networks, Jan 1 – Dec 31, 2025"),
        ] {
            assert_eq!(on(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(
            title("revenue yesterday", "2026-11-26", &[Network::Unity]).as_deref(),
            Some("Revenue, Unity, Nov 25")
        );
        for text in
            ["List my mediation groups", "pause AppLovin in Android Inter US", "Why did revenue drop last week?", ""]
        {
            assert_eq!(on(text), None, "{text}");
        }
    }
}
