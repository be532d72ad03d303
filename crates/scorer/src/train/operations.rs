//! The choice of an operation: heads that operations share, and the weight of the matching features; softmax over each right
//! network.

use crate::facts::Facts;
use crate::features::Sparse;
use crate::matching::{Heads, Matches, WIDTH};
use crate::math::{ln, softmax};
use crate::train::lbfgs::{dot, minimise};
use crate::train::linear::Rows;
use crate::weights::write::Learned;

const L2: f32 = 1e-4;
const L2_MATCHING: f32 = 1e-3;

/// The operations of a network: position, whether it is right, its matching features.
pub type Choice = Vec<(usize, bool, [f32; WIDTH])>;

pub struct Example<'a> {
    pub features: &'a Sparse,
    /// One choice for each right network.
    pub networks: Vec<Choice>,
    pub weight: f32,
}

/// Returns the choices of a question; none if no operation is right.
pub fn choices(facts: &Facts, matches: &Matches, right: &[String]) -> Vec<Choice> {
    facts
        .of
        .iter()
        .map(|list| {
            list.iter().map(|at| (*at, right.contains(&facts.operations[*at].name), matches[*at])).collect::<Vec<_>>()
        })
        .filter(|list| list.iter().any(|(_, right, _)| *right))
        .collect()
}

pub fn fit(
    facts: &Facts,
    heads: &Heads,
    examples: &[Example<'_>],
    least: u32,
    steps: usize,
) -> (Learned, [f32; WIDTH]) {
    let features: Vec<&Sparse> = examples.iter().map(|example| example.features).collect();
    let rows = Rows::new(&features, least);
    let (width, wiring) = (heads.names.len(), heads.wiring(facts));
    let cells = rows.buckets.len() * width;
    #[expect(clippy::cast_precision_loss, reason = "nine networks")]
    let total: f32 = examples.iter().map(|example| example.weight * example.networks.len() as f32).sum();
    let mut scores = vec![0.0; rows.len() * width];
    let mut part: Vec<f32> = Vec::new();
    let mut turned = vec![0.0; width];
    let found = minimise(vec![0.0; cells + width + WIDTH], steps, |x, gradient| {
        let (weights, rest) = x.split_at(cells);
        let (bias, matching) = rest.split_at(width);
        rows.times(weights, width, &mut scores);
        gradient.fill(0.0);
        let mut value = f64::from(L2) * 0.5 * dot(weights, weights);
        value += f64::from(L2_MATCHING) * 0.5 * dot(matching, matching);
        let (to_cells, to_rest) = gradient.split_at_mut(cells);
        for (example, scores) in examples.iter().zip(scores.chunks_exact_mut(width)) {
            let share = example.weight / total;
            for (score, bias) in scores.iter_mut().zip(bias) {
                *score += bias;
            }
            turned.fill(0.0);
            for list in &example.networks {
                part.clear();
                part.extend(list.iter().map(|(at, _, row)| {
                    let learned: f32 = wiring[*at].iter().map(|(head, by)| scores[usize::from(*head)] * by).sum();
                    learned + row.iter().zip(matching).map(|(value, worth)| value * worth).sum::<f32>()
                }));
                softmax(&mut part);
                let mass: f32 =
                    part.iter().zip(list).filter(|(_, (_, right, _))| *right).map(|(p, _)| *p).sum::<f32>() + 1e-12;
                value -= f64::from(share) * ln(f64::from(mass));
                for (p, (at, right, row)) in part.iter().zip(list) {
                    let wanted = if *right { p / mass } else { 0.0 };
                    let slope = (p - wanted) * share;
                    for (head, by) in &wiring[*at] {
                        turned[usize::from(*head)] += slope * by;
                    }
                    for (to, value) in to_rest[width..].iter_mut().zip(row) {
                        *to += slope * value;
                    }
                }
            }
            for (sum, slope) in to_rest[..width].iter_mut().zip(&turned) {
                *sum += slope;
            }
            scores.copy_from_slice(&turned);
        }
        rows.back(&scores, width, to_cells);
        for (to, weight) in to_cells.iter_mut().zip(weights) {
            *to += L2 * weight;
        }
        for (to, weight) in to_rest[width..].iter_mut().zip(matching) {
            *to += L2_MATCHING * weight;
        }
        value
    });
    let (weights, rest) = found.split_at(cells);
    let mut matching = [0.0; WIDTH];
    matching.copy_from_slice(&rest[width..]);
    (Learned { buckets: rows.buckets, heads: width, bias: rest[..width].to_vec(), cells: weights.to_vec() }, matching)
}
