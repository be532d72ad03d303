//! Reads what a question needs from a tool, and scores how well a kind of tool fits.
//!
//! This module only tells kinds of tools apart. Two tools of one kind get the same boost, and their words decide between them.

use adagent_domain::Network;

use super::Shape;
use crate::route::reading::{Reading, is_id, is_short_code};
use crate::text::{Kind, tokens};
use crate::types::{Capability, Understood};
use crate::vocab::nouns;
use crate::vocab::verbs::{SPECIAL, Write};

/// Parts of tool names by which the rules tell tools apart.
pub(super) const BY_NAME: &[&str] = &["asset_key", "_by_key", "experiment", "project", "expected_cpm", "overbook"];

/// The boost of an operation whose own verb the text says, such as "unarchive". It outweighs most of what the learned order adds.
const SPECIAL_SAID: f64 = 10.0;

/// What the question needs from a tool.
pub(super) struct Cue {
    pub words: Vec<String>,
    capability: Capability,
    noun: Option<String>,
    pub(super) write: Option<Write>,
    ids: usize,
    /// The question means one thing, by its ID.
    one: bool,
    several: bool,
    pub(super) text: String,
    pub(super) reading: Reading,
    /// The dimensions that the numbers are split by.
    pub(super) split: Vec<String>,
}

impl Cue {
    pub fn new(understood: &Understood, text: &str) -> Self {
        let today = jiff::civil::Date::constant(2000, 1, 1);
        // The text that comes from earlier turns is before the question itself, but the question decides the verb.
        let reading = Reading::new(text, today, &[]);
        let noun = understood.noun.clone();
        let of_noun = |r: &Reading| r.nouns.iter().chain(&r.noun).any(|n| Some(n.noun) == noun.as_deref() && n.has_id);
        let ids = reading.tokens.iter().filter(|t| is_id(t)).count();
        let write = if understood.verb == "read" || understood.verb.is_empty() {
            None
        } else {
            let class = match understood.verb.as_str() {
                "create" => Write::Create,
                "delete" => Write::Delete,
                "stop" => Write::Stop,
                _ => Write::Update,
            };
            Some(reading.write.filter(|w| crate::outcome::verb_class(Some(*w)) == understood.verb).unwrap_or(class))
        };
        let leaning = understood.standalone != text && reading.noun.is_none();
        let one = of_noun(&reading)
            || (leaning && noun.is_some() && reading.has(&["it", "its", "open", "first", "second", "third"]))
            || reading.has(&["which", "what"]) && reading.has(&["id"]) && ids == 1;
        // "the terms of the deal with number 880045": the text has one ID and names only one thing that it can belong to.
        let lone = ids == 1
            && reading.noun.is_some_and(|n| !n.plural)
            && reading.nouns.iter().all(|n| Some(n.noun) == noun.as_deref() && !n.plural);
        // "and that ad unit, is it active?" after a list means one of its things.
        let pointed = reading.nouns.iter().any(|n| {
            !n.plural
                && Some(n.noun) == noun.as_deref()
                && n.at > 0
                && reading.tokens[n.at - 1].any(&["that", "this", "same"])
        });
        // Only an ID opens a single thing. We look for a package, an address or a name in the list.
        let by_id = reading.tokens.iter().enumerate().any(|(at, t)| {
            let named = at > 0 && reading.tokens[at - 1].any(&["called", "named", "name"]);
            (is_id(t) && !t.norm.contains('.') || t.number().is_some() || is_short_code(t)) && !named
        });
        let one = (one || lone) && by_id
            || pointed
            || leaning && ids == 1 && noun.is_some()
            || understood.standalone != text
                && reading.has(&["it"])
                && reading.noun.is_some_and(|n| !n.plural && Some(n.noun) == noun.as_deref());
        let noun_plural = reading.nouns.iter().any(|n| Some(n.noun) == noun.as_deref() && n.plural);
        let bulk = reading.has(&[
            "batch", "bulk", "once", "several", "all", "both", "together", "three", "four", "five", "six", "two",
            "these",
        ]) && write.is_some()
            || reading.tokens.windows(3).any(|w| {
                w[0].any(&["in", "with", "by"])
                    && w[1].any(&["one", "single", "a"])
                    && w[2].any(&["go", "request", "call", "batch", "step", "single"])
            }) && write.is_some();
        let quoted = reading.tokens.iter().filter(|t| t.kind == Kind::Literal).count();
        let listed = (ids >= 2 || quoted >= 2) && noun_plural;
        let mut query: Vec<String> =
            tokens(&reading.text).iter().filter(|t| t.kind == Kind::Word).map(|t| t.stem.clone()).collect();
        query.extend(reading.tokens.iter().filter(|t| t.kind == Kind::Word).map(|t| t.stem.clone()));
        if understood.standalone != text {
            query
                .extend(tokens(&understood.standalone).iter().filter(|t| t.kind == Kind::Word).map(|t| t.stem.clone()));
        }
        query.sort_unstable();
        query.dedup();
        query.retain(|w| {
            !matches!(
                w.as_str(),
                "the"
                    | "of"
                    | "in"
                    | "a"
                    | "an"
                    | "to"
                    | "for"
                    | "and"
                    | "is"
                    | "we"
                    | "me"
                    | "my"
                    | "our"
                    | "with"
                    | "by"
                    | "on"
                    | "or"
                    | "it"
                    | "this"
                    | "that"
                    | "id"
            )
        });
        Self {
            words: query,
            capability: understood.capability,
            noun,
            write,
            ids,
            one,
            several: bulk || listed,
            text: reading.text.to_lowercase(),
            reading,
            split: understood.slots.as_ref().map(|slots| slots.dimensions.clone()).unwrap_or_default(),
        }
    }

    pub fn boost(&self, entry: &Shape) -> f64 {
        let mut score = 0.0;
        if entry.capability == self.capability {
            score += 5.0;
        } else if entry.capability == Capability::Reporting {
            // A report about a thing is not the thing.
            score -= 6.0;
        }
        // Only Ad Manager stores reports as things of their own.
        if self.capability == Capability::Reporting && (self.noun.is_none() || entry.network != Network::AdManager) {
            return score + self.report(entry);
        }
        if let Some(noun) = &self.noun {
            if *noun == entry.noun {
                score += 12.0;
            } else if nouns::called(noun, entry.network) == entry.noun {
                score += 10.0;
            } else if related(noun, &entry.noun) || self.on_admob(noun, entry) {
                score += 7.0;
            }
        }
        score + self.verb(entry) + self.details(entry)
    }

    /// Checks what AdMob calls by another name: its placements are ad units, and its tests are in the groups that they run in.
    fn on_admob(&self, noun: &str, entry: &Shape) -> bool {
        entry.network == Network::AdMob
            && match noun {
                "placement" => entry.noun == "ad_unit" && !self.reading.has(&["map", "link", "mapped", "mapping"]),
                "experiment" => entry.noun == "mediation_group" && self.write.is_none(),
                _ => false,
            }
    }

    fn verb(&self, entry: &Shape) -> f64 {
        let verb = entry.verb.as_str();
        let Some(write) = self.write else {
            let mut score = if entry.read_only { 6.0 } else { -14.0 };
            let single = matches!(verb, "get" | "open");
            let list = matches!(verb, "list" | "query" | "search" | "generate");
            if self.one && single {
                score += 6.0;
            }
            if !self.one && list {
                score += 3.0;
            }
            if self.one && list && !entry.noun.is_empty() && self.noun.as_deref() == Some(entry.noun.as_str()) {
                score -= 4.0;
            }
            if verb == "run" && entry.noun == "report" {
                let runs = ["run", "kick", "start", "execute", "refresh", "launch", "trigger", "rerun"];
                score += if self.reading.has(&runs) { 8.0 } else { -6.0 };
            }
            if verb == "fetch" && self.reading.has(&["row", "result"]) {
                score += 4.0;
            }
            return score;
        };
        if entry.read_only {
            return -9.0;
        }
        let fits = match write {
            Write::Create | Write::Link => matches!(verb, "create" | "add"),
            Write::Delete => matches!(verb, "delete" | "remove") || (verb == "cancel" && self.reading.has(&["cancel"])),
            Write::Stop => matches!(verb, "stop" | "cancel"),
            Write::Activate => verb == "activate",
            Write::Deactivate => verb == "deactivate",
            Write::Archive => verb == "archive",
            Write::Submit => verb == "submit",
            Write::Update => {
                verb == "update"
                    || verb == "manage"
                    || (verb == "block" && self.reading.has(&["block"]))
                    || (verb == "allow" && self.reading.has(&["unblock", "allow"]))
            }
        };
        let near = match write {
            Write::Activate | Write::Deactivate | Write::Archive | Write::Submit => matches!(verb, "update" | "manage"),
            Write::Delete | Write::Stop => matches!(verb, "deactivate" | "archive" | "update" | "manage" | "stop"),
            Write::Create => matches!(verb, "manage"),
            _ => false,
        };
        let mut score: f64 = if fits {
            8.0
        } else if near {
            4.0
        } else {
            -2.0
        };
        // Activating, archiving and so on exist only in bulk, so one ID is fine here.
        let back = self.text.contains("of the archive") || self.text.contains("from the archive");
        let said = SPECIAL.iter().find(|(special, _)| *special == verb).map(|(_, words)| match verb {
            "activate" => write == Write::Activate || self.reading.has(words),
            "deactivate" => write == Write::Deactivate || self.reading.has(words),
            "archive" => !back && (write == Write::Archive || self.reading.has(words)),
            _ => self.reading.has(words),
        });
        let only_bulk = said.is_some() || verb == "delete";
        match said {
            Some(true) if !matches!(write, Write::Create | Write::Link) => score = score.max(8.0) + SPECIAL_SAID,
            Some(false) => score = score.min(4.0) - 2.0,
            _ => {}
        }
        if entry.batch && !only_bulk {
            score += if self.several { 3.0 } else { -7.0 };
        } else if !entry.batch && self.several && !entry.plural {
            score -= 1.0;
        }
        score
    }

    /// Scores differences within one network that the noun alone doesn't show.
    fn details(&self, entry: &Shape) -> f64 {
        let name = entry.name.as_str();
        let has = |words: &[&str]| self.reading.has(words);
        let text = self.text.as_str();
        let mut score = 0.0;
        let only_if =
            |condition: bool, score: &mut f64, up: f64, down: f64| *score += if condition { up } else { down };
        if name.contains("custom_asset_key") {
            only_if(text.contains("custom asset"), &mut score, 6.0, -5.0);
        } else if name.contains("by_asset_key") {
            only_if(text.contains("asset key") && !text.contains("custom asset"), &mut score, 5.0, -5.0);
        } else if entry.noun == "ad_break" {
            only_if(!text.contains("asset key"), &mut score, 2.0, -4.0);
        }
        if name.contains("_by_key") {
            let tokens = &self.reading.tokens;
            let of_one = tokens.windows(2).any(|w| w[0].is("value") && w[1].any(&["of", "under", "for", "in"]))
                && !tokens.iter().any(|t| t.any(&["all", "every", "any"]));
            only_if(
                (has(&["key"]) || of_one) && !text.contains("whatever the key") && !text.contains("know the key"),
                &mut score,
                4.0,
                -3.0,
            );
        }
        if name.contains("segment_experiment") {
            only_if(has(&["segment"]), &mut score, 5.0, -5.0);
        } else if name.contains("experiment") && entry.network == Network::AppLovin {
            only_if(!has(&["segment"]), &mut score, 2.0, -2.0);
        }
        if name.contains("overbook") {
            only_if(self.text.contains("overbook"), &mut score, 5.0, -5.0);
        }
        if name.contains("project") {
            only_if(has(&["project"]), &mut score, 6.0, -6.0);
        }
        if entry.network == Network::Unity && entry.noun == "ad_unit" && !name.contains("project") && has(&["project"])
        {
            score -= 6.0;
        }
        if name.ends_with("expected_cpm") {
            only_if(text.contains("expected cpm"), &mut score, 8.0, -6.0);
        }
        if self.ids == 0 && !self.one && entry.verb == "get" && self.write.is_none() && entry.plural {
            score += 1.0;
        }
        score
    }
}

/// Checks whether two nouns mean the same thing, or one thing is in the other.
fn related(asked: &str, tool: &str) -> bool {
    matches!(
        (asked, tool),
        ("waterfall" | "bidder", "mediation_group" | "waterfall" | "instance")
            | ("mediation_group", "waterfall")
            | ("ad_slot", "ad_unit")
            | ("ad_unit", "ad_slot" | "waterfall")
            | ("live_stream", "ad_break")
            | ("user", "role" | "user")
            | ("report_row", "report_rows" | "report")
            | ("expected_cpm" | "placement", "ad_slot")
            | ("content", "content_bundle")
            | ("operation", "report_run")
            | ("floor", "mediation_group" | "waterfall" | "ad_unit" | "placement" | "instance")
    ) || nouns::capability(asked) != Capability::Reporting && tool.starts_with(asked)
}
