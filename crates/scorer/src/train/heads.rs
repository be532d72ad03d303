//! The routing heads: four softmax regressions over one matrix.

use adagent_domain::Network;

use crate::facts::place;
use crate::features::Sparse;
use crate::math::{ln, softmax};
use crate::meant::{self, OWNER, ROUTES};
use crate::scene::Scene;
use crate::scorer::BLOCKS;
use crate::train::lbfgs::{dot, minimise};
use crate::train::linear::Rows;
use crate::train::records::Record;
use crate::types::{Act, Capability, Outcome};
use crate::weights::write::Learned;

const STEPS: usize = 45;
const L2: f32 = 1e-4;

/// The right head of each block; `None` if the label does not say.
pub type Labels = [Option<usize>; 4];

/// Returns the owner of the thing, if no network is named and several could be meant.
fn owner(record: &Record, scene: &Scene<'_>) -> Option<usize> {
    let partial = matches!(record.expect.outcome, Outcome::Connect | Outcome::Enable | Outcome::Chat | Outcome::Refuse);
    if partial
        || record.expect.capability == Capability::Docs
        || !scene.now.networks().is_empty()
        || scene.usable().len() < 2
    {
        return None;
    }
    match record.expect.services.as_slice() {
        [one] => Some(place(*one)),
        _ => Some(Network::ALL.len()),
    }
}

pub fn labels(record: &Record, scene: &Scene<'_>) -> Labels {
    let expect = &record.expect;
    let act = match expect.outcome {
        Outcome::Answer if expect.capability == Capability::Docs => Some(Act::Explain),
        Outcome::Answer => Some(Act::Answer),
        Outcome::Approval | Outcome::Clarify => Some(Act::Change),
        Outcome::Chat => Some(Act::Chat),
        Outcome::Refuse => Some(Act::Refuse),
        Outcome::Connect | Outcome::Enable => None,
    };
    [
        Capability::ALL.iter().position(|c| *c == expect.capability),
        Some(usize::from(expect.path == adagent_contract::Path::Workflow)),
        act.and_then(|act| Act::ALL.iter().position(|other| *other == act)),
        owner(record, scene),
    ]
}

/// An example: its features, its labels, its weight.
pub struct Example<'a> {
    pub features: &'a Sparse,
    pub labels: Labels,
    pub usable: Vec<Network>,
    pub weight: f32,
}

pub fn fit(examples: &[Example<'_>]) -> Learned {
    let features: Vec<&Sparse> = examples.iter().map(|example| example.features).collect();
    let rows = Rows::new(&features, 2);
    let cells = rows.buckets.len() * ROUTES;
    let total: f32 = examples.iter().map(|example| example.weight).sum();
    let mut scores = vec![0.0; rows.len() * ROUTES];
    let found = minimise(vec![0.0; cells + ROUTES], STEPS, |x, gradient| {
        let (weights, bias) = x.split_at(cells);
        rows.times(weights, ROUTES, &mut scores);
        gradient.fill(0.0);
        let mut value = f64::from(L2) * 0.5 * dot(weights, weights);
        for (example, scores) in examples.iter().zip(scores.chunks_exact_mut(ROUTES)) {
            let share = example.weight / total;
            for (score, bias) in scores.iter_mut().zip(bias) {
                *score += bias;
            }
            for (block, label) in BLOCKS.into_iter().chain([OWNER]).zip(example.labels) {
                let last = block == OWNER;
                let part = &mut scores[block];
                let Some(label) = label else {
                    part.fill(0.0);
                    continue;
                };
                if last {
                    meant::owner(part, &example.usable);
                } else {
                    softmax(part);
                }
                value -= f64::from(share) * ln(f64::from(part[label]) + 1e-12);
                part[label] -= 1.0;
                for score in part {
                    *score *= share;
                }
            }
            for (sum, score) in gradient[cells..].iter_mut().zip(scores.iter()) {
                *sum += score;
            }
        }
        rows.back(&scores, ROUTES, &mut gradient[..cells]);
        for (to, weight) in gradient[..cells].iter_mut().zip(weights) {
            *to += L2 * weight;
        }
        value
    });
    let (weights, bias) = found.split_at(cells);
    Learned { buckets: rows.buckets, heads: ROUTES, bias: bias.to_vec(), cells: weights.to_vec() }
}
