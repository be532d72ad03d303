//! Reads numbers that are counted from the install on or stored one by one: cohorts, users, impressions, and reports with fixed columns.
//!
//! This module must not change any other report. Only words about cohorts, single users, single impressions or old reports change anything.

use adagent_domain::Network;

use super::{RawSlots, Scope, set_filter};
use crate::text::{Kind, Token};

/// Checks whether the words ask about cohorts.
fn of_cohorts(tokens: &[Token]) -> bool {
    let installed = tokens.windows(2).any(|w| {
        w[0].any(&["installs", "installed", "installing", "install"])
            && w[1].any(&["of", "from", "in", "between", "on", "since"])
            || w[0].is("since") && w[1].any(&["install", "installing", "installation"])
    });
    let range = tokens
        .windows(2)
        .any(|w| w[0].any(&["installs", "installed"]) && (w[1].number().is_some() || w[1].kind == Kind::Date));
    let user = tokens.iter().any(|t| t.any(&["retention", "retained", "ltv", "cohort", "lifetime"]));
    user || (installed || range) && !days(tokens).is_empty()
}

/// Returns days counted from the install on: "D1 and D7", "day 0, 1, 3".
fn days(tokens: &[Token]) -> Vec<String> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        let short = token
            .norm
            .strip_prefix('d')
            .filter(|n| (1..=3).contains(&n.len()) && n.bytes().all(|b| b.is_ascii_digit()));
        if let Some(day) = short {
            out.push(day.to_owned());
        }
        if token.norm == "day" || token.norm == "days" {
            let mut next = at + 1;
            while let Some(token) = tokens.get(next) {
                if let Kind::Number(_) = token.kind {
                    out.push(token.norm.clone());
                } else if !(token.is_punct(',') || token.any(&["and", "or"])) {
                    break;
                }
                next += 1;
            }
            at = next.max(at + 1);
            continue;
        }
        at += 1;
    }
    out
}

/// Changes the slots of such a question.
pub(super) fn settle(scope: &Scope<'_>, slots: &mut RawSlots) {
    let tokens = scope.tokens;
    let has = |words: &[&str]| tokens.iter().any(|t| t.any(words));
    let elsewhere = scope.services.iter().any(|n| *n != Network::AppLovin);
    if !elsewhere && of_cohorts(tokens) {
        slots.dimensions.retain(|dim| !matches!(*dim, "date" | "user" | "cohort_day"));
        slots.dimensions.push("cohort_day");
        for day in days(tokens) {
            set_filter(&mut slots.filters, "cohort_day", day, false);
        }
        // "retention for installs of October": the installs say when, but we don't count them.
        if slots.metrics.len() > 1 && !has(&["many"]) {
            slots.metrics.retain(|metric| *metric != "installs");
        }
    }
    let unity = scope.services.is_empty() || scope.services == [Network::Unity];
    let single = has(&["ilrd", "ilr"])
        || tokens.windows(2).any(|w| w[0].is("impression") && w[1].is("level"))
        || tokens.windows(3).any(|w| w[0].is("impression") && w[1].is_punct('-') && w[2].is("level"));
    if unity && single && !slots.dimensions.contains(&"impression") {
        slots.dimensions.push("impression");
        slots.metrics.retain(|metric| *metric != "impressions");
    }
    let every_user =
        tokens.windows(2).any(|w| w[0].any(&["every", "each", "per", "single", "individual"]) && w[1].is("user"));
    let keeps_users = scope.services.iter().any(|n| matches!(n, Network::Unity | Network::AppLovin));
    if keeps_users && every_user && slots.metrics.iter().all(|m| *m == "revenue") && !slots.dimensions.contains(&"user")
    {
        slots.dimensions.push("user");
    }
    let old = scope.services == [Network::Pangle] && has(&["old", "older", "legacy"]) && has(&["report"]);
    if old && slots.metrics.is_empty() {
        slots.fixed = true;
        for (word, dimension) in [("app", "app"), ("slot", "ad_unit")] {
            let kind = tokens.windows(2).any(|w| w[0].is(word) && !w[1].is("account"));
            if kind && !slots.dimensions.contains(&dimension) && !slots.filters.iter().any(|f| f.field == dimension) {
                slots.dimensions.push(dimension);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens;

    #[test]
    fn days_since_the_install_are_read_in_both_spellings() {
        assert_eq!(days(&tokens("d1 and d7 retention")), ["1", "7"]);
        assert_eq!(days(&tokens("impressions on day 0, 1, 3 for installs of 10 november")), ["0", "1", "3"]);
        assert!(days(&tokens("revenue per day")).is_empty());
    }

    #[test]
    fn installs_alone_are_no_cohort() {
        for text in ["how many installs in october", "installs of our campaigns", "revenue by day"] {
            assert!(!of_cohorts(&tokens(text)), "{text}");
        }
        for text in ["retention last week", "revenue of users who installed on 3 november by day 7"] {
            assert!(of_cohorts(&tokens(text)), "{text}");
        }
    }
}
