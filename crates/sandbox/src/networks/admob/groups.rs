//! The mediation groups, mappings and the running experiment that every sandbox starts with.

use std::collections::BTreeMap;

use crate::networks::admob::wire::{AdUnitMapping, Experiment, ExperimentLine, Line, MediationGroup, Targeting};
use crate::world::accounts::ACCOUNTS;
use crate::world::apps::{APPS, SeedUnit};
use crate::world::sources::{self, ADMOB_NETWORK, adapters};
use crate::world::{mix, ten_digits};

struct SeedGroup {
    account: usize,
    id: &'static str,
    name: &'static str,
    platform: &'static str,
    format: &'static str,
    regions: &'static [&'static str],
    /// Each ad source, with its price in micros if it is in the waterfall.
    lines: &'static [(&'static str, Option<i64>)],
}

const APPLOVIN: &str = "1063618907739174004";
const APPLOVIN_BID: &str = "1328079684332308356";
const UNITY: &str = "4970775877303683148";
const UNITY_BID: &str = "7069338991535737586";
const META_BID: &str = "11198165126854996598";
const LIFTOFF_BID: &str = "4692500501762622185";
const MINTEGRAL_BID: &str = "6250601289653372374";
const PANGLE: &str = "4069896914521993236";
const PANGLE_BID: &str = "3525379893916449117";
const CHARTBOOST: &str = "2873236629771172317";

macro_rules! group {
    ($account:expr, $id:expr, $name:expr, $platform:expr, $format:expr, $regions:expr, $lines:expr) => {
        SeedGroup {
            account: $account,
            id: $id,
            name: $name,
            platform: $platform,
            format: $format,
            regions: $regions,
            lines: $lines,
        }
    };
}

const GROUPS: [SeedGroup; 12] = [
    group!(
        0,
        "1048210377",
        "iOS Rewarded Global",
        "IOS",
        "REWARDED",
        &[],
        &[(ADMOB_NETWORK, None), (APPLOVIN_BID, None), (META_BID, None), (UNITY, Some(12_000_000))]
    ),
    group!(
        0,
        "1048210378",
        "Android Inter US",
        "ANDROID",
        "INTERSTITIAL",
        &["US"],
        &[(ADMOB_NETWORK, None), (META_BID, None), (APPLOVIN, Some(14_000_000)), (UNITY, Some(9_000_000))]
    ),
    group!(
        0,
        "1048210379",
        "Android Inter Global",
        "ANDROID",
        "INTERSTITIAL",
        &[],
        &[(ADMOB_NETWORK, None), (APPLOVIN_BID, None), (MINTEGRAL_BID, None)]
    ),
    group!(
        0,
        "1048210380",
        "Android Banner Global",
        "ANDROID",
        "BANNER",
        &[],
        &[(ADMOB_NETWORK, None), (META_BID, None), (PANGLE, Some(400_000))]
    ),
    group!(
        0,
        "1048210381",
        "Android Rewarded Global",
        "ANDROID",
        "REWARDED",
        &[],
        &[(ADMOB_NETWORK, None), (UNITY_BID, None), (LIFTOFF_BID, None), (CHARTBOOST, Some(6_500_000))]
    ),
    group!(0, "1048210382", "Default iOS Banner", "IOS", "BANNER", &[], &[(ADMOB_NETWORK, None)]),
    group!(
        1,
        "2260417701",
        "Android Rewarded Tier 1",
        "ANDROID",
        "REWARDED",
        &["US", "GB", "DE", "CA", "AU"],
        &[(ADMOB_NETWORK, None), (UNITY_BID, None), (APPLOVIN, Some(15_000_000))]
    ),
    group!(
        1,
        "2260417702",
        "iOS Inter Global",
        "IOS",
        "INTERSTITIAL",
        &[],
        &[(ADMOB_NETWORK, None), (META_BID, None), (PANGLE_BID, None)]
    ),
    group!(1, "2260417703", "Default Android Banner", "ANDROID", "BANNER", &[], &[(ADMOB_NETWORK, None)]),
    group!(
        2,
        "3371528801",
        "Android Inter Global",
        "ANDROID",
        "INTERSTITIAL",
        &[],
        &[(ADMOB_NETWORK, None), (LIFTOFF_BID, None), (UNITY, Some(5_000_000))]
    ),
    group!(
        2,
        "3371528802",
        "iOS Rewarded Global",
        "IOS",
        "REWARDED",
        &[],
        &[(ADMOB_NETWORK, None), (APPLOVIN_BID, None), (UNITY_BID, None)]
    ),
    group!(2, "3371528803", "Default Android Banner", "ANDROID", "BANNER", &[], &[(ADMOB_NETWORK, None)]),
];

/// The mediation of all accounts at the start.
#[derive(Default)]
pub struct Mediation {
    pub mappings: Vec<AdUnitMapping>,
    pub groups: Vec<MediationGroup>,
    pub experiments: Vec<Experiment>,
}

fn mapping(unit: &SeedUnit, source: &str, platform: &str) -> Option<AdUnitMapping> {
    let adapter =
        adapters().iter().find(|it| it.source.id == source && it.platform == platform && it.format == unit.format)?;
    let seed: Vec<u64> = unit.wire.ad_unit_id.bytes().chain(source.bytes()).map(u64::from).collect();
    let hash = mix(&seed);
    Some(AdUnitMapping {
        name: format!("{}/adUnitMappings/{}", unit.wire.name, ten_digits(hash)),
        adapter_id: adapter.id.clone(),
        state: "ENABLED".to_owned(),
        display_name: Some(format!("{} – {}", adapter.source.title, unit.wire.display_name)),
        ad_unit_configurations: adapter
            .keys
            .iter()
            .enumerate()
            .map(|(index, (key, _))| (key.clone(), format!("sim-{:08x}", mix(&[hash, index as u64]) >> 32)))
            .collect(),
    })
}

/// Builds groups, their mappings and one running experiment from the ad units.
pub fn seed(units: &[SeedUnit]) -> Mediation {
    let mut out = Mediation::default();
    for seed in &GROUPS {
        let account = ACCOUNTS[seed.account];
        let targets: Vec<&SeedUnit> = units
            .iter()
            .filter(|unit| {
                APPS[unit.app].account == seed.account
                    && APPS[unit.app].platform == seed.platform
                    && unit.format == seed.format
            })
            .collect();
        let mut lines = BTreeMap::new();
        for (index, (source, price)) in seed.lines.iter().enumerate() {
            let id = format!("{}{:06}", seed.id, 100_001 + index);
            let mut mappings = BTreeMap::new();
            for unit in &targets {
                if let Some(made) = mapping(unit, source, seed.platform) {
                    mappings.insert(unit.wire.ad_unit_id.clone(), made.name.clone());
                    if !out.mappings.iter().any(|it| it.name == made.name) {
                        out.mappings.push(made);
                    }
                }
            }
            lines.insert(id.clone(), line(id, source, *price, mappings));
        }
        out.groups.push(MediationGroup {
            name: format!("accounts/{account}/mediationGroups/{}", seed.id),
            mediation_group_id: seed.id.to_owned(),
            display_name: seed.name.to_owned(),
            targeting: Targeting {
                platform: seed.platform.to_owned(),
                format: seed.format.to_owned(),
                ad_unit_ids: targets.iter().map(|unit| unit.wire.ad_unit_id.clone()).collect(),
                targeted_region_codes: seed.regions.iter().map(|code| (*code).to_owned()).collect(),
                excluded_region_codes: Vec::new(),
                idfa_targeting: (seed.platform == "IOS").then(|| "ALL".to_owned()),
            },
            state: "ENABLED".to_owned(),
            mediation_group_lines: lines,
            mediation_ab_experiment_state: "NOT_RUNNING".to_owned(),
        });
    }
    let experiment = running(&mut out.groups[4]);
    out.experiments.push(experiment);
    out
}

fn line(id: String, source: &str, price: Option<i64>, mappings: BTreeMap<String, String>) -> Line {
    let title = sources::source(source).map_or("Ad source", |source| source.title);
    Line {
        id,
        display_name: title.to_owned(),
        ad_source_id: source.to_owned(),
        cpm_mode: if price.is_some() { "MANUAL" } else { "LIVE" }.to_owned(),
        cpm_micros: price.unwrap_or(10_000).to_string(),
        state: "ENABLED".to_owned(),
        ad_unit_mappings: mappings,
        experiment_variant: None,
    }
}

fn running(group: &mut MediationGroup) -> Experiment {
    "RUNNING".clone_into(&mut group.mediation_ab_experiment_state);
    let control = group.mediation_group_lines.values().cloned();
    let control: Vec<ExperimentLine> = control.map(|line| variant(line, "VARIANT_A")).collect();
    let treatment = line(format!("{}200001", group.mediation_group_id), APPLOVIN_BID, None, BTreeMap::new());
    Experiment {
        name: format!("{}/mediationAbExperiment/4410027", group.name),
        experiment_id: "4410027".to_owned(),
        mediation_group_id: group.mediation_group_id.clone(),
        display_name: "AppLovin bidding against Chartboost".to_owned(),
        state: "RUNNING".to_owned(),
        start_time: "2026-10-12T00:00:00Z".to_owned(),
        end_time: None,
        treatment_traffic_percentage: "20".to_owned(),
        treatment_mediation_lines: vec![variant(treatment, "VARIANT_B")],
        control_mediation_lines: control,
        variant_leader: "TOO_EARLY_TO_CALL".to_owned(),
    }
}

/// Makes a line part of one variant.
pub fn variant(mut line: Line, variant: &str) -> ExperimentLine {
    line.experiment_variant = Some(variant.to_owned());
    ExperimentLine { mediation_group_line: line }
}

/// Returns the index of the group that serves a leaf; [`NO_GROUP`] for the account's default group.
pub fn serving(units: &[SeedUnit], leaf: &crate::world::figures::Leaf) -> usize {
    let unit = &units[leaf.unit];
    let country = crate::world::countries::COUNTRIES[leaf.country].code;
    let app = &APPS[unit.app];
    let fits = |group: &SeedGroup| {
        group.account == app.account
            && group.platform == app.platform
            && group.format == unit.format
            && (group.regions.is_empty() || group.regions.contains(&country))
    };
    GROUPS.iter().position(fits).unwrap_or(NO_GROUP)
}

const NO_GROUP: usize = 99;

/// Returns the ID and name of a group, from its index.
pub fn serving_name(index: usize) -> (&'static str, &'static str) {
    GROUPS.get(index).map_or(("default", "AdMob (default)"), |group| (group.id, group.name))
}
