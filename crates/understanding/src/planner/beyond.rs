//! Finds what a question names but AdMob's reports don't have, or no part of the answer covers: numbers of other systems, regions, unknown
//! accounts and apps, versions and devices. This must never let such a word pass as answered.

use std::fmt::Write as _;
use std::sync::LazyLock;

use adagent_contract::EntityKind;

use super::{
    Answer, clarify,
    format::{and, or, plain},
    names,
    period::without_names,
    read::Turn,
    talk,
    unused::{known, unused, versions},
};
use crate::dates;
use crate::text::{Kind, Token};
use crate::vocab::countries::{COUNTRIES, GROUPS};
use crate::vocab::metrics::{METRICS, NOT_METRICS};
use crate::vocab::phrases::Phrases;

/// A number of another system: its name, and whether the word narrows the number next to it ("revenue of new users"). In that case, the
/// number without the word would be a different one.
type Foreign = (&'static str, bool);

pub(super) static FOREIGN: LazyLock<Phrases<Foreign>> = LazyLock::new(|| {
    Phrases::new(&[
        (
            ("ARPU", false),
            "arpu|arppu|average revenue per user|revenue per user|earnings per user|income per user|revenue per player|revenue per active user|earnings per player",
        ),
        (
            ("ARPDAU", false),
            "arpdau|average revenue per daily active user|revenue per daily active user|revenue per dau|revenue per daily user",
        ),
        (("LTV", false), "ltv|lifetime value|customer lifetime value"),
        (("ROAS", false), "roas|return on ad spend|return on spend"),
        (("ROI", false), "roi|return on investment"),
        (
            ("profit", false),
            "profit|profits|profit margin|profitability|net profit|net income|gross profit|gross margin",
        ),
        (("costs", false), "cost|costs|expense|expenses|expenditure"),
        (
            ("ad spend", false),
            "ad spend|spend|adspend|ad spending|spending|marketing spend|ua spend|user acquisition cost",
        ),
        (
            ("numbers after taxes or fees", true),
            "after tax|after taxes|before tax|before taxes|net of tax|net of taxes|after fees|net of fees|net|net revenue|net earnings|after vat|without vat|tax|taxes|vat",
        ),
        (
            ("sessions", false),
            "session|sessions|session length|revenue per session|earnings per session|impressions per session",
        ),
        (
            ("single groups of users", true),
            "new users|new user|returning users|existing users|paying users|payers|new players|organic users|users who",
        ),
        (
            ("numbers of users", false),
            "mau|wau|monthly active users|weekly active users|number of users|how many users|user count|active users",
        ),
        (
            ("purchases or subscriptions", true),
            "iap|in app purchase|in app purchases|subscription|subscriptions|iap revenue",
        ),
        (("churn", false), "churn|churn rate|uninstalls|uninstall rate"),
        (("medians or percentiles", false), "median|medians|percentile|percentiles|standard deviation|variance"),
        (("numbers per click", false), "cpc|cost per click|average cpc|revenue per click|earnings per click|rpc"),
        (("targets or budgets", false), "revenue target|revenue goal|revenue budget|revenue targets|revenue goals"),
        (("crashes", false), "crash rate|crashes"),
    ])
});

static REGIONS: LazyLock<Phrases<()>> = LazyLock::new(|| {
    Phrases::new(&[(
        (),
        "europe|western europe|eastern europe|northern europe|southern europe|central europe|european union|eu|eea|eurozone|asia|southeast asia|south east asia|east asia|south asia|africa|north africa|north america|south america|latin america|central america|americas|america|latam|emea|apac|mena|middle east|oceania|caribbean|balkans|gcc|cis|anglosphere|tier 1|tier 2|tier 3|tier one|tier two|tier three|rest of the world|rest of world|row countries|english speaking countries|european countries|asian countries|european|developing countries|iberia|british isles",
    )])
});

/// Returns an answer that replaces the report, if the question is about something that AdMob has no numbers for.
pub(super) fn refused(turn: &Turn<'_>) -> Option<Answer> {
    if let Some(id) = unknown_account(turn) {
        return Some(no_account(turn, &id));
    }
    let text = without_names(turn);
    let tokens = crate::text::tokens(text);
    if let Some(name) = unknown_app(turn, text, &tokens) {
        let apps: Vec<_> = turn.of_kind(EntityKind::App).collect();
        return Some(clarify::unknown(turn, "an app", &name, &names::close(&apps, &names::simple(&name))));
    }
    if let Some(said) = region(text, &tokens) {
        return Some(
            Answer::text(format!(
                "AdMob reports by country, and I don't know which countries you count as \"{said}\", so I didn't read anything. Name the countries (*revenue in Germany, France and Italy last week*), \
                 or list all of them: *revenue by country last week*."
            ))
            .following(["Revenue by country, last 7 days", "Top 10 countries by revenue, last 30 days", talk::EXAMPLES[0]]),
        );
    }
    if let Some(answer) = against_average(&tokens).or_else(|| without_top(&tokens)) {
        return Some(answer);
    }
    let of_source = turn.understood.slots.as_ref().is_some_and(|s| s.filters.iter().any(|f| f.field == "ad_source"));
    if halves(&tokens) && !of_source {
        return Some(
            Answer::text(
                "AdMob reports each ad source separately and doesn't add up bidding and waterfall, so I can't compare the two. *Revenue by ad source* lists all of them; the names of bidding sources include \"(bidding)\".",
            )
            .following(["Revenue by ad source, last 7 days", talk::EXAMPLES[0], talk::EXAMPLES[1]]),
        );
    }
    let (foreign, others) = foreign(turn, &tokens);
    if foreign.iter().any(|(_, narrows)| *narrows) || !(foreign.is_empty() || others) {
        let names: Vec<String> = foreign.iter().map(|(name, _)| (*name).to_owned()).collect();
        return Some(
            Answer::text(format!(
                "AdMob doesn't report {}, so I didn't pull anything. Available metrics: \
                 revenue, eCPM, impressions, clicks, CTR, requests, matched requests, match rate, show rate and latency.",
                or(&names)
            ))
            .following(talk::EXAMPLES),
        );
    }
    None
}

/// Answers a question about what is good elsewhere. We have no such numbers, and these networks' numbers don't answer it.
pub(super) fn benchmark(turn: &Turn<'_>) -> Option<Answer> {
    if turn.goes_on || turn.understood.outcome == crate::Outcome::Approval {
        return None;
    }
    asks_benchmark(&crate::text::tokens(without_names(turn))).then(|| {
        Answer::text(
            "I have no benchmarks: I only see what your own networks report, so I can't say what is good or usual elsewhere. I can \
             show how yours differs between formats, countries or networks: *eCPM by format, last 30 days*.",
        )
        .following(["eCPM by format, last 30 days", "eCPM by country, last 30 days", "eCPM by network, last 30 days"])
    })
}

fn asks_benchmark(tokens: &[Token]) -> bool {
    let metric = |at: usize| METRICS.at(tokens, at).is_some();
    tokens.iter().enumerate().any(|(at, token)| match token.norm.as_str() {
        "benchmark" | "benchmarks" => true,
        "industry" | "market" => tokens
            .get(at + 1)
            .is_some_and(|t| t.any(&["average", "averages", "standard", "standards", "norm", "norms", "mean"])),
        // "what is a good eCPM for rewarded", "is $8 a decent CPM".
        "good" | "decent" | "healthy" | "normal" | "typical" | "reasonable" => {
            at > 0 && tokens[at - 1].any(&["a", "an"]) && (at + 1..(at + 4).min(tokens.len())).any(metric)
        }
        _ => false,
    })
}

/// Refuses "better than the 7 day average" and "compared to the average": the sum of several days next to one day would only mislead.
fn against_average(tokens: &[Token]) -> Option<Answer> {
    let at = tokens.iter().position(|t| t.any(&["than", "vs", "versus", "against"]) || t.is("compared"))?;
    let average = tokens[at..].iter().take(7).any(|t| t.any(&["average", "avg", "mean", "usual", "typical", "normal"]));
    // "average eCPM vs last week" compares two averages.
    let both = tokens[..at].iter().any(|t| t.any(&["average", "avg", "mean"]));
    (average && !both).then(|| {
        Answer::text(
            "I can't compare a period with an average, so I didn't read anything. *Average daily revenue last 30 days* gives the average; *revenue last 30 days by day* lists each day.",
        )
        .following(["Average daily revenue last 30 days", "Revenue last 30 days by day", talk::EXAMPLES[0]])
    })
}

/// Refuses "all but the top app": we can keep rows by rank, but not leave them out by rank.
fn without_top(tokens: &[Token]) -> Option<Answer> {
    let at = tokens.iter().position(|t| t.any(&["but", "except", "excluding", "without"]))?;
    let next = at + 1 + tokens[at + 1..].iter().take_while(|t| t.any(&["the", "for", "my", "our"])).count();
    let top =
        tokens.get(next).is_some_and(|t| t.any(&["top", "best", "biggest", "largest", "worst", "smallest", "bottom"]));
    top.then(|| {
        Answer::text(
            "I can't leave out rows by rank, so I didn't read anything. \
             *Revenue by app, last 7 days* lists all rows. I can leave out a name: *revenue without Germany last week*.",
        )
        .following(["Revenue by app, last 7 days", "Revenue by country, last 7 days", talk::EXAMPLES[0]])
    })
}

/// Names the periods that the question names but the answer does not cover.
fn other_periods(turn: &Turn<'_>, tokens: &[Token]) -> Option<String> {
    let slots = turn.understood.slots.as_ref()?;
    let parse = |text: &Option<String>| text.as_deref().and_then(|t| t.parse::<jiff::civil::Date>().ok());
    let main = parse(&slots.date_from).zip(parse(&slots.date_to))?;
    let compared = slots
        .compare_to
        .as_ref()
        .and_then(|c| c.date_from.parse::<jiff::civil::Date>().ok().zip(c.date_to.parse::<jiff::civil::Date>().ok()));
    let found = dates::periods(tokens, turn.today);
    if compared.is_some() && found.len() < 3 {
        return None;
    }
    // A period inside the answered one, or around it, only says more about the same days.
    let same = |a: (jiff::civil::Date, jiff::civil::Date), b: (jiff::civil::Date, jiff::civil::Date)| {
        a.0 <= b.0 && b.1 <= a.1 || b.0 <= a.0 && a.1 <= b.1
    };
    let corrected = tokens.iter().any(|t| t.any(&["sorry", "rather", "actually", "oops", "mean", "not"]));
    let left: Vec<String> = found
        .iter()
        .map(|p| (p.span.from, p.span.to))
        .filter(|p| !same(*p, main) && compared.is_none_or(|c| !same(*p, c)))
        .map(|(from, to)| super::format::range(from, to))
        .collect();
    (!left.is_empty() && !corrected).then(|| {
        format!("You named more than one period. This answer doesn't cover {}. Ask about it separately.", and(&left))
    })
}

/// Returns notes on what the question mentions but the numbers do not show.
pub(super) fn notes(turn: &Turn<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let text = without_names(turn);
    let tokens = crate::text::tokens(text);
    let (foreign, _) = foreign(turn, &tokens);
    if !foreign.is_empty() {
        let names: Vec<String> = foreign.iter().map(|(name, _)| (*name).to_owned()).collect();
        notes.push(format!("AdMob doesn't report {}.", or(&names)));
    }
    notes.extend(other_periods(turn, &tokens));
    let slots = turn.understood.slots.as_ref();
    let wants_change = dates::comparison(&tokens, &dates::periods(&tokens, turn.today), turn.today).1.is_some();
    if wants_change && slots.is_some_and(|s| s.compare_to.is_none() && s.date_from.is_none()) {
        notes.push("Which period should I compare with? Name one, such as last month.".to_owned());
    }
    let versions = versions(turn, text, &tokens);
    if !versions.is_empty() {
        notes.push(format!(
            "I can't filter by OS version or device ({}): these numbers cover all of them.",
            and(&versions)
        ));
    }
    let unused = unused(turn);
    if !unused.is_empty() {
        let words: Vec<String> = unused.iter().map(|word| format!("\"{}\"", plain(word))).collect();
        let mut note = format!("I couldn't apply {}", and(&words));
        let _ =
            write!(note, ": the numbers above aren't filtered by {}.", if words.len() == 1 { "it" } else { "them" });
        notes.push(note);
    }
    notes
}

/// Returns the numbers in the question that AdMob doesn't have, and whether the question also asks for others.
fn foreign(turn: &Turn<'_>, tokens: &[Token]) -> (Vec<Foreign>, bool) {
    let campaigns = turn.says(&["house", "campaign", "campaigns", "cross-promo", "cpi", "per install"]);
    let mut found: Vec<Foreign> = Vec::new();
    let mut others = false;
    let mut at = 0;
    while at < tokens.len() {
        if let Some((name, len)) = FOREIGN.at(tokens, at) {
            let cost = matches!(name.0, "costs" | "ad spend");
            // "revenue minus costs" is a different number than revenue.
            let less = at > 0 && tokens[at - 1].any(&["minus", "less", "after", "net"]);
            if !(found.iter().any(|(known, _)| *known == name.0) || cost && campaigns) {
                found.push((name.0, name.1 || cost && less));
            }
            at += len;
            continue;
        }
        if let Some(((), len)) = NOT_METRICS.at(tokens, at) {
            at += len;
            continue;
        }
        if let Some((metric, len)) = METRICS.at(tokens, at) {
            others |= super::report::metric::Metric::parse(metric).is_some();
            at += len;
            continue;
        }
        at += 1;
    }
    (found, others)
}

fn region(text: &str, tokens: &[Token]) -> Option<String> {
    let country = |at: usize| COUNTRIES.at(tokens, at).map(|(_, len)| len);
    let inside = |at: usize, len: usize| {
        (0..=at).rev().take(3).any(|from| {
            country(from).is_some_and(|n| from + n >= at + len)
                || GROUPS.at(tokens, from).is_some_and(|(_, n)| from + n >= at + len)
        })
    };
    // "tier 1": the table of words holds no numbers.
    let tier = (1..tokens.len()).find(|at| tokens[at - 1].is("tier") && tokens[*at].number().is_some());
    if let Some(at) = tier {
        return text.get(tokens[at - 1].start..tokens[at].end).map(plain);
    }
    let found = REGIONS.all(tokens).into_iter().find(|f| {
        let aside = tokens.get(f.end()).is_some_and(|t| t.any(&["aside", "apart"]));
        !inside(f.at, f.len) && !aside
    })?;
    text.get(tokens[found.at].start..tokens[found.end() - 1].end).map(plain)
}

/// Checks for "waterfall vs bidding".
fn halves(tokens: &[Token]) -> bool {
    let at = |words: &[&str]| tokens.iter().position(|t| t.any(words));
    let (Some(a), Some(b)) = (at(&["waterfall"]), at(&["bidding", "bidder", "bid"])) else { return false };
    let (from, to) = (a.min(b), a.max(b));
    to - from <= 4
        && (tokens[from..to].iter().any(|t| t.any(&["vs", "versus", "against", "or", "than", "compared", "and", "to"]))
            && tokens
                .iter()
                .any(|t| t.any(&["vs", "versus", "against", "than", "compare", "compared", "between", "split"])))
}

/// Returns a publisher account in the question that is not among the known ones.
fn unknown_account(turn: &Turn<'_>) -> Option<String> {
    let known = |word: &str| {
        turn.of_kind(EntityKind::Account).any(|a| a.id == word || a.id == format!("pub-{word}") || a.name == word)
    };
    let digits = |word: &str| word.len() > 3 && word.bytes().all(|b| b.is_ascii_digit());
    let account = turn.says(&["account", "accounts", "publisher"]);
    turn.question()
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|word| word.strip_prefix("pub-").is_some_and(digits) || account && word.len() == 16 && digits(word))
        .find(|word| !known(word))
        .map(str::to_owned)
}

fn no_account(turn: &Turn<'_>, id: &str) -> Answer {
    let accounts = turn.accounts();
    // Leave their IDs out: no call in this run has read them.
    let listed: Vec<String> =
        accounts.iter().filter(|a| a.name != a.id).map(|a| format!("**{}**", plain(&a.name))).collect();
    let mut text =
        format!("I can't find a publisher account `{id}` in your AdMob connection, so I didn't read anything.");
    if !listed.is_empty() {
        let _ = write!(text, " There {} {}.", if listed.len() == 1 { "is" } else { "are" }, and(&listed));
    }
    Answer::text(text).following(["Show my AdMob accounts", talk::EXAMPLES[0]])
}

/// Finds an unknown app name, as in "my app Foobar", that became no filter.
fn unknown_app(turn: &Turn<'_>, text: &str, tokens: &[Token]) -> Option<String> {
    let named = turn.understood.slots.as_ref().is_some_and(|s| s.filters.iter().any(|f| f.field == "app"));
    if named || !names::mentioned(turn, EntityKind::App, turn.question()).is_empty() {
        return None;
    }
    let periods = dates::periods(tokens, turn.today);
    let strange = |at: usize| {
        let token = &tokens[at];
        let used = periods.iter().any(|p| (p.at..p.end()).contains(&at));
        match token.kind {
            Kind::Word => !used && !known(text, tokens, at),
            Kind::Literal | Kind::Id => !token.norm.is_empty(),
            _ => false,
        }
    };
    let at = tokens.iter().enumerate().position(|(at, t)| {
        matches!(t.norm.as_str(), "app" | "game" | "application")
            && at > 0
            && tokens[at - 1].any(&["my", "our", "the", "of", "for", "in", "app"])
    })?;
    // "my app <script>…": the person means it as a name, whatever it is.
    if tokens.get(at + 1).is_some_and(|t| matches!(t.kind, Kind::Punct('<' | '{' | '[' | '#' | '@' | '~' | '^' | '*')))
    {
        let end = (at + 1..tokens.len())
            .find(|i| {
                periods.iter().any(|p| p.at == *i)
                    || tokens[*i].any(&["in", "on", "for", "by", "last", "this", "since", "from"])
            })
            .unwrap_or(tokens.len());
        return text.get(tokens[at + 1].start..tokens[end - 1].end).map(str::to_owned);
    }
    let mut from = at + 1;
    while tokens
        .get(from)
        .is_some_and(|t| t.any(&["called", "named"]) || matches!(t.kind, Kind::Punct(_)) && !t.is_stop())
    {
        from += 1;
    }
    if from >= tokens.len() || !strange(from) {
        return None;
    }
    if tokens[from].kind != Kind::Word {
        return Some(tokens[from].norm.clone());
    }
    let mut end = from + 1;
    while end < tokens.len()
        && (strange(end) || tokens[end].kind == Kind::Word && tokens[end].capital && !known(text, tokens, end))
    {
        end += 1;
    }
    text.get(tokens[from].start..tokens[end - 1].end).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_good_elsewhere_is_told_from_what_is_good_here() {
        for (question, asked) in [
            ("what is a good eCPM for rewarded?", true),
            ("what's a decent fill rate for banners", true),
            ("industry average ecpm for interstitials", true),
            ("compare my eCPM with the benchmark", true),
            ("did we have a good day yesterday", false),
            ("average eCPM last week", false),
            ("eCPM by format", false),
        ] {
            assert_eq!(asks_benchmark(&crate::text::tokens(question)), asked, "{question}");
        }
    }
}
