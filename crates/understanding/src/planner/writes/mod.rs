//! Changes in AdMob: resolves names to IDs, reads what is missing, proposes exactly one write, and reports how it ended. This must never
//! use an ID that no entity or result holds, and never propose a change twice.

mod app;
mod delete;
mod experiment;
mod group_create;
mod group_update;
mod mapping;
mod outcome;
pub(super) mod wish;

use std::borrow::Cow;

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::text::without_hidden;
use serde_json::Value as Json;

use super::{
    Answer, Call, Step, clarify, granted, lists,
    names::{self, Found},
    read::{Done, Turn, same},
    report, unsent,
};

/// The writes that this planner can prepare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Write {
    CreateApp,
    CreateAdUnit,
    CreateMapping,
    CreateGroup,
    UpdateGroup,
    StartExperiment,
    StopExperiment,
}

impl Write {
    const fn tool(self) -> &'static str {
        match self {
            Self::CreateApp => "admob_create_app",
            Self::CreateAdUnit => "admob_create_ad_unit",
            Self::CreateMapping => "admob_create_ad_unit_mapping",
            Self::CreateGroup => "admob_create_mediation_group",
            Self::UpdateGroup => "admob_update_mediation_group",
            Self::StartExperiment => "admob_create_mediation_ab_experiment",
            Self::StopExperiment => "admob_stop_mediation_ab_experiment",
        }
    }

    fn of_tool(tool: &str) -> Option<Self> {
        if tool == mapping::BATCH {
            return Some(Self::CreateMapping);
        }
        [
            Self::CreateApp,
            Self::CreateAdUnit,
            Self::CreateMapping,
            Self::CreateGroup,
            Self::UpdateGroup,
            Self::StartExperiment,
            Self::StopExperiment,
        ]
        .into_iter()
        .find(|write| write.tool() == tool)
    }
}

/// Either the one call to propose, or the step that must come before it.
type Prepared = Result<Call, Box<Step>>;

#[expect(clippy::unnecessary_box_returns, reason = "it is the boxed error of Prepared")]
fn ask(answer: Answer) -> Box<Step> {
    Box::new(answer.into())
}

pub(super) fn next(turn: &Turn<'_>) -> Step {
    if turn.request.planner.settings.safe_mode {
        return Answer::text("Safe mode is on, so I can't draft changes. Turn it off under Context, then ask again.")
            .following(["List my mediation groups", "What was my revenue yesterday?", "eCPM by ad source, last 7 days"])
            .into();
    }
    if turn.accounts().is_empty() {
        return report::no_accounts(turn);
    }
    let tried: Vec<_> = turn.done.iter().filter(|done| Write::of_tool(done.name).is_some()).collect();
    // The change that should replace a denied one already waits on a card.
    if let Some(answer) = tried.last().filter(|done| done.waits_already()).and_then(|done| unsent::waits_already(done))
    {
        return answer.into();
    }
    if let Some(done) = tried.iter().rev().find(|done| done.ok || done.denied()) {
        let attempted = tried.iter().any(|other| other.id != done.id && !other.denied());
        if let Some(step) = unsent::instead(turn, &tried, next).filter(|_| !attempted) {
            return step;
        }
        return outcome::ended(done, attempted, false).into();
    }
    if let Some(id) = names::unknown_id(turn, false) {
        return clarify::unknown(turn, "anything", &id, &[]).into();
    }
    if below_nothing(&turn.lower) {
        return clarify::missing(
            "A price can't be negative. AdMob takes floors and waterfall prices of one cent or more. What should the price be?",
            &["List my mediation groups", "Set the InMobi floor to $5.00"],
        )
        .into();
    }
    if let Some(answer) = delete::impossible(turn) {
        return answer.into();
    }
    let Some(write) = wanted(turn) else {
        let example = turn.of_kind(EntityKind::App).next().map(|app| {
            let name = super::format::plain(&app.name);
            format!("Create a mediation group for {name} banner with AppLovin and Unity bidding")
        });
        let answer = clarify::missing(
            "What do you want to change in AdMob? I can create apps, ad units, mappings and mediation groups, change the lines and ad units of mediation groups, and start or stop A/B tests.",
            &[],
        );
        return answer.following(example).following(["List my mediation groups"]).into();
    };
    if let Some(answer) = granted::withheld(turn, write.tool()) {
        return answer.into();
    }
    let prepared = match write {
        Write::CreateApp => app::create_app(turn),
        Write::CreateAdUnit => app::create_ad_unit(turn),
        Write::CreateMapping => mapping::create(turn),
        Write::CreateGroup => group_create::create(turn),
        Write::UpdateGroup => group_update::update(turn),
        Write::StartExperiment => experiment::start(turn),
        Write::StopExperiment => experiment::stop(turn),
    };
    match prepared.map(typeable) {
        Ok(call) => match turn.find(&call).or(tried.last().copied()) {
            // The same change failed before, or a corrected one did, or one that a person edited. Then an explanation is better than
            // another attempt, and we must not propose the unedited change again. Only unknown names are worth another look.
            Some(failed) if turn.find(&call).is_some() || tried.len() > 1 || !failed.names_unknown() => {
                outcome::ended(failed, true, differs(failed, &call)).into()
            }
            _ => Step::Calls { say: "Here is the change, for your approval.".to_owned(), calls: vec![call] },
        },
        Err(step) => *step,
    }
}

/// Removes invisible characters from the values of a call. A name that is built from others may contain some, and the call would be
/// refused.
fn typeable(mut call: Call) -> Call {
    fn clean(value: &mut Json) {
        match value {
            Json::String(text) => {
                if let Cow::Owned(seen) = without_hidden(text) {
                    *text = seen;
                }
            }
            Json::Array(items) => items.iter_mut().for_each(clean),
            Json::Object(fields) => fields.values_mut().for_each(clean),
            _ => {}
        }
    }
    clean(&mut call.args);
    call
}

/// Checks whether the call that was made differs from the one that we would propose. Only a person can change it in between. We compare
/// only the body, because the mask follows from it.
fn differs(done: &Done<'_>, call: &Call) -> bool {
    done.name == call.name && !same(&done.args["body"], &call.args["body"])
}

/// Checks for a negative price: "set the floor to -5 dollars", "to -$0.50".
fn below_nothing(lower: &str) -> bool {
    let words: Vec<&str> = lower.split_whitespace().collect();
    let priced = ["floor", "price", "cpm", "ecpm", "bid"].iter().any(|word| super::read::contains_word(lower, word));
    let number = |word: &str| word.trim_start_matches('$').starts_with(|c: char| c.is_ascii_digit());
    let negative = |at: usize| {
        words[at].strip_prefix(['-', '−']).or_else(|| words[at].strip_prefix("$-")).is_some_and(number)
            || (matches!(words[at], "minus" | "negative" | "-") && words.get(at + 1).is_some_and(|word| number(word)))
    };
    priced && (1..words.len()).any(|at| matches!(words[at - 1], "to" | "at" | "of" | "=") && negative(at))
}

/// Decides which write the words mean. If they don't say, takes the retriever's first write.
fn wanted(turn: &Turn<'_>) -> Option<Write> {
    let making = turn.says(&[
        "create", "make", "build", "new", "add", "register", "set up", "setup", "deserves", "crie", "crea", "erstelle",
        "own",
    ]) || turn.understood.verb == "create";
    // A message that deletes something never creates anything.
    let making = making && turn.understood.verb != "delete";
    let group = turn.says(&["mediation group", "mediation groups", "group", "waterfall", "grupo de mediação"]);
    let shared =
        turn.says(&["test"]) && (turn.lower.contains('%') || turn.says(&["variant", "keep", "percent", "traffic"]));
    let named = [
        "a/b",
        "ab test",
        "split test",
        "experiment",
        "a/b test",
        "ab-test",
        "teste a/b",
        "the test",
        "the ab",
        "the a/b",
        "a/b-test",
    ];
    if turn.says(&named) || shared {
        let ending = turn.says(&["stop", "end", "finish", "conclude", "wins", "keep", "close"])
            || turn.understood.verb == "stop";
        return Some(if ending { Write::StopExperiment } else { Write::StartExperiment });
    }
    if turn.understood.noun.as_deref() == Some("experiment") {
        let ending = turn.understood.verb == "stop";
        return Some(if ending { Write::StopExperiment } else { Write::StartExperiment });
    }
    if turn.says(&["mapping", "mappings", "map"])
        || (turn.says(&["link", "connect"]) && turn.says(&["placement", "zone", "placement id", "slot"]))
    {
        return Some(Write::CreateMapping);
    }
    let existing = !names::mentioned(turn, EntityKind::MediationGroup, &turn.text).is_empty();
    if making && is_group_made(&turn.lower) {
        return Some(Write::CreateGroup);
    }
    if group
        && making
        && !existing
        && turn.says(&["create", "make", "build", "new", "set up", "deserves", "own", "crie", "crea"])
    {
        return Some(Write::CreateGroup);
    }
    if group
        || existing
        || turn.understood.noun.as_deref() == Some("mediation_group")
        || turn.says(&["floor", "bidder", "line", "cpm"])
    {
        return Some(Write::UpdateGroup);
    }
    if making && turn.says(&["ad unit", "unit", "placement"]) {
        return Some(Write::CreateAdUnit);
    }
    if making && turn.says(&["app", "game", "application"]) {
        return Some(Write::CreateApp);
    }
    let offered = turn.request.tools.iter().filter(|tool| !tool.read_only).find_map(|tool| Write::of_tool(&tool.name));
    let makes = |write: &Write| {
        matches!(write, Write::CreateApp | Write::CreateAdUnit | Write::CreateMapping | Write::CreateGroup)
    };
    offered.filter(|write| match turn.understood.verb.as_str() {
        "delete" => *write == Write::UpdateGroup,
        // A message about an existing thing ("rename", "disable") never creates another one.
        "update" => making || !makes(write),
        _ => true,
    })
}

/// Checks for "Create another mediation group". A group of that name may already exist; the card then says so.
fn is_group_made(lower: &str) -> bool {
    const VERBS: [&str; 4] = ["create", "build", "make", "set up"];
    const BETWEEN: [&str; 9] = ["a", "an", "another", "new", "me", "us", "second", "one", "more"];
    VERBS.iter().flat_map(|verb| lower.match_indices(verb)).any(|(at, verb)| {
        let Some((before, rest)) = lower.split_at_checked(at) else { return false };
        let rest = rest.strip_prefix(verb).unwrap_or_default();
        let whole = !before.ends_with(char::is_alphanumeric) && rest.starts_with(' ');
        let mut words = rest.split_whitespace().skip_while(|word| BETWEEN.contains(word));
        whole && words.next() == Some("mediation") && words.next() == Some("group")
    })
}

/// Returns the app that the text names, on its platform if the text names one, or asks which app.
fn the_app<'t>(turn: &'t Turn<'_>, lower: &str) -> Result<&'t EntityItem, Box<Step>> {
    let apps = lists::known(turn, EntityKind::App)?;
    let mut named = names::mentioned(turn, EntityKind::App, &turn.text);
    if named.is_empty() {
        match quoted_app(turn, &apps) {
            // We don't ask about a single match, because the card shows which one it is.
            Some(Ok(one)) => named = vec![one],
            Some(Err(step)) => return Err(step),
            None => {
                let text =
                    format!("Which app is it for? Your apps are {}.", super::format::or(&clarify::labels(turn, &apps)));
                return Err(ask(clarify::which(turn, &text, &apps)));
            }
        }
    }
    if let Some(platform) = names::platform_in(lower) {
        let fits: Vec<&EntityItem> = named
            .iter()
            .copied()
            .filter(|app| app.platform.as_deref().is_some_and(|p| p.eq_ignore_ascii_case(platform)))
            .collect();
        if fits.is_empty() {
            let label = names::platform_label(platform);
            return Err(ask(clarify::missing(
                &format!(
                    "{} has no {label} version in your AdMob accounts. I found {}.",
                    super::format::plain(&named[0].name),
                    super::format::and(&clarify::labels(turn, &named))
                ),
                &["Show my AdMob apps"],
            )));
        }
        named = fits;
    }
    let accounts = names::mentioned(turn, EntityKind::Account, &turn.text);
    if !accounts.is_empty() {
        let there = |app: &&EntityItem| accounts.iter().any(|a| app.account.as_deref() == Some(a.id.as_str()));
        if named.iter().any(&there) {
            named.retain(there);
        }
    }
    match named.as_slice() {
        [one] => Ok(one),
        several => Err(ask(clarify::several(
            turn,
            "apps",
            &several.first().map_or_else(String::new, |a| a.name.clone()),
            several,
        ))),
    }
}

/// Looks for a misspelled app after "for": "for Puzle Gam".
fn quoted_app<'t>(turn: &Turn<'_>, apps: &[&'t EntityItem]) -> Option<Result<&'t EntityItem, Box<Step>>> {
    // "for Germany" and "for rewarded" name no app.
    let wanted = wish::after_for(&turn.text).filter(|wanted| !super::restricts(wanted))?;
    match names::find(apps, &wanted) {
        Found::One(app) => Some(Ok(app)),
        Found::Several(fits) => Some(Err(ask(clarify::several(turn, "apps", &wanted, &fits)))),
        Found::Nothing(close) => Some(Err(ask(clarify::unknown(turn, "an app", &wanted, &close)))),
    }
}

/// Returns the account that something belongs to. Asks if that is unknown and several accounts are possible.
fn account_of(turn: &Turn<'_>, item: &EntityItem) -> Result<String, Box<Step>> {
    match &item.account {
        Some(account) => Ok(account.clone()),
        None => the_account(turn),
    }
}

fn the_account(turn: &Turn<'_>) -> Result<String, Box<Step>> {
    let accounts = turn.accounts();
    let named: Vec<&EntityItem> = names::mentioned(turn, EntityKind::Account, &turn.text)
        .into_iter()
        .filter(|a| accounts.iter().any(|b| b.id == a.id))
        .collect();
    match (named.as_slice(), accounts.as_slice()) {
        ([one], _) | ([], [one]) => Ok(one.id.clone()),
        ([], several) | (several, _) => Err(ask(clarify::several(turn, "publisher accounts", "your account", several))),
    }
}
