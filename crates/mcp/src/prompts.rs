//! Prompts for monetization teams: common questions, ready to fill in. They contain no numbers, only questions.

use rmcp::{
    ErrorData,
    model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role},
};

use crate::who;

struct Argument {
    name: &'static str,
    description: &'static str,
    /// The value if the argument is left out. `None` if it is required.
    usual: Option<&'static str>,
}

struct Template {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [Argument],
    /// The text; `{name}` is replaced by an argument.
    text: &'static str,
}

const PERIOD: Argument =
    Argument { name: "period", description: "For example: last 7 days, this month", usual: Some("the last 7 days") };
const APP: Argument = Argument { name: "app", description: "An app by name, or all", usual: Some("all apps") };

const ALL: &[Template] = &[
    Template {
        name: "daily_check",
        title: "Daily check",
        description: "Yesterday vs. the day before and the same weekday last week, with what stands out",
        arguments: &[APP],
        text: "Check how {app} earned yesterday. Read revenue, impressions, eCPM and match rate by network for yesterday, for the day \
               before, and for the same weekday a week ago. Show one table, then name at most three changes worth a look, each with the numbers behind it. If a network did not answer, say so and leave it out of totals. Do not add up different \
               currencies.",
    },
    Template {
        name: "compare_networks",
        title: "Compare networks",
        description: "Which network pays best for a format or country",
        arguments: &[
            PERIOD,
            Argument { name: "format", description: "banner, interstitial, rewarded …", usual: Some("every format") },
            Argument { name: "country", description: "A country, or all", usual: Some("all countries") },
        ],
        text: "Compare the connected networks for {format} in {country} over {period}: revenue, impressions, eCPM, match rate and show \
               rate, one row per network, best eCPM first. Recompute rates from sums. Say which differences are too small to act on.",
    },
    Template {
        name: "explain_drop",
        title: "Explain a drop",
        description: "Where revenue went: by network, app, country, format and day",
        arguments: &[APP, PERIOD],
        text: "Revenue of {app} changed over {period}. Find out where: read revenue, impressions and eCPM by day, then by network, by \
               country and by format, each against the period before. Separate what came from volume from what came from price. Give the two or three largest contributions with their numbers, and what was ruled out.",
    },
    Template {
        name: "review_mediation",
        title: "Review mediation",
        description: "Lines of a mediation group against what the sources really paid",
        arguments: &[
            Argument { name: "group", description: "A mediation group, an ad unit or an app", usual: None },
            PERIOD,
        ],
        text: "Review the mediation of {group}. List its bidding and waterfall lines, then read what each ad source really earned and \
               its eCPM over {period}. Show lines whose set CPM is far from what was paid, and sources with few fills. Propose changes \
               as a list; prepare none of them before I say which.",
    },
    Template {
        name: "weekly_report",
        title: "Weekly report",
        description: "Last week for a team: totals, networks, apps, what changed",
        arguments: &[APP],
        text: "Write the weekly report for {app}: revenue last week vs. the week before, by network and by app, the five largest \
               changes, and approvals that were given or are pending. Every number must come from a tool's answer; say which period \
               and currency each table has.",
    },
];

pub(crate) fn all() -> Vec<Prompt> {
    ALL.iter()
        .map(|template| {
            let arguments = template.arguments.iter().map(|argument| {
                PromptArgument::new(argument.name)
                    .with_description(argument.description)
                    .with_required(argument.usual.is_none())
            });
            let mut prompt = Prompt::new(template.name, Some(template.description), Some(arguments.collect()));
            prompt.title = Some(template.title.to_owned());
            prompt
        })
        .collect()
}

pub(crate) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    const MOST: usize = 200;
    let template = ALL.iter().find(|template| template.name == request.name).ok_or_else(|| {
        ErrorData::invalid_params(
            format!("Unknown prompt: {}. prompts/list shows the available ones.", who::quoted(&request.name)),
            None,
        )
    })?;
    let mut text = template.text.to_owned();
    for argument in template.arguments {
        let given =
            request.arguments.as_ref().and_then(|given| given.get(argument.name)).and_then(|value| value.as_str());
        let given = given.map(str::trim).filter(|given| !given.is_empty()).or(argument.usual).ok_or_else(|| {
            ErrorData::invalid_params(
                format!("The argument {} is missing: {}.", argument.name, argument.description),
                None,
            )
        })?;
        if given.chars().count() > MOST || given.chars().any(char::is_control) {
            let told =
                format!("The argument {} has at most {MOST} characters and no control characters.", argument.name);
            return Err(ErrorData::invalid_params(told, None));
        }
        text = text.replace(&format!("{{{}}}", argument.name), given);
    }
    let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
    result.description = Some(template.description.to_owned());
    Ok(result)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(name: &str, arguments: &serde_json::Value) -> Result<String, ErrorData> {
        let mut request = GetPromptRequestParams::default();
        request.name = name.to_owned();
        request.arguments = arguments.as_object().cloned();
        get(&request).map(|result| serde_json::to_string(&result.messages).unwrap())
    }

    #[test]
    fn every_prompt_fills_in_what_is_left_out_and_leaves_no_gap() {
        for template in ALL {
            let needed: serde_json::Map<_, _> = template
                .arguments
                .iter()
                .filter(|argument| argument.usual.is_none())
                .map(|argument| (argument.name.to_owned(), json!("Puzzle Game")))
                .collect();
            let text = asked(template.name, &needed.into()).unwrap();
            assert!(!text.contains('{') || text.starts_with("[{"), "{text}");
            assert!(
                !template.arguments.iter().any(|argument| text.contains(&format!("{{{}}}", argument.name))),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_needed_is_asked_for_and_what_is_hostile_refused() {
        assert!(asked("review_mediation", &json!({})).unwrap_err().message.contains("group"));
        assert!(asked("review_mediation", &json!({"group": "x".repeat(201)})).is_err());
        assert!(asked("daily_check", &json!({"app": "a\nb"})).is_err());
        assert!(asked("nope", &json!({})).is_err());
    }
}
