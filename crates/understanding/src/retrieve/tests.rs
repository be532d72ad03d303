//! Tests the ranking rules with the operations of all nine networks.

use adagent_domain::Network;

use super::bundled_tools;
use super::{ToolIndex, shape};
use crate::types::{Capability, Question};
use crate::vocab::nouns::{self, NOUNS};

fn first(connected: &[Network], text: &str) -> String {
    let question = Question {
        text: text.into(),
        connected: connected.to_vec(),
        today: "2026-11-21".into(),
        ..Question::default()
    };
    let understood = crate::understand(&question);
    let ranked = ToolIndex::new(&bundled_tools()).rank(&understood, text, connected);
    ranked.into_iter().next().map_or_else(String::new, |(name, _)| name)
}

#[test]
fn every_operation_is_about_a_thing_that_has_a_word() {
    let known: Vec<&str> = NOUNS.meanings().collect();
    let odd = ["expected_cpm", "experiment", "ad_unit_mapping"];
    for tool in bundled_tools().iter().filter(|t| t.capability != Capability::Reporting) {
        let noun = shape(tool).noun;
        assert!(known.contains(&noun.as_str()), "{}: nobody can name a {noun}", tool.name);
        if !odd.contains(&noun.as_str()) {
            let owners = nouns::owners(&noun, "read");
            assert!(owners.contains(&tool.network), "{}: {noun} is not known to be of {:?}", tool.name, tool.network);
        }
    }
}

#[test]
fn what_only_some_things_can_is_done_by_its_own_operation() {
    let gam = [Network::AdManager];
    for (text, tool) in [
        ("pause order 3344556677", "admanager_batch_pause_orders"),
        ("update order 3344556677", "admanager_batch_update_orders"),
        ("get line item 6611223344 out of the archive", "admanager_batch_unarchive_line_items"),
        ("archive line item 6611223344", "admanager_batch_archive_line_items"),
        ("approve order 3344556677 and overbook", "admanager_batch_approve_and_overbook_orders"),
        ("GAM ad unit 21899010 should be 300x250 from now on", "admanager_update_ad_unit"),
    ] {
        assert_eq!(first(&gam, text), tool, "{text}");
    }
}

#[test]
fn a_thing_is_found_under_the_word_another_network_has_for_it() {
    for (network, text, tool) in [
        (Network::InMobi, "which ad units do we have on InMobi", "inmobi_list_placements"),
        (Network::Pangle, "placements on Pangle", "pangle_query_ad_slots"),
        (Network::AppLovin, "list the placements in AppLovin", "applovin_list_ad_units"),
    ] {
        assert_eq!(first(&[network], text), tool, "{text}");
    }
}

#[test]
fn an_id_opens_a_thing_and_a_name_is_looked_for() {
    let gam = [Network::AdManager];
    for (text, tool) in [
        ("site 5501 status", "admanager_get_site"),
        ("is our site kids.example approved", "admanager_list_sites"),
        ("what is key 11800321's display name in GAM", "admanager_get_custom_targeting_key"),
        ("the trafficker of order 3344556677", "admanager_get_order"),
        ("every contact of company 4455001 in GAM", "admanager_list_contacts"),
        ("which videos does content bundle 880 hold", "admanager_get_content_bundle"),
    ] {
        assert_eq!(first(&gam, text), tool, "{text}");
    }
}
