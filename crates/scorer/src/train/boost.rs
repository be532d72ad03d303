//! Grows boosted trees for a yes-or-no question, leaf by leaf over binned features, without randomness.

use crate::math::{ln, sigmoid};
use crate::trees::{Node, Trees};

const TREES: usize = 150;
const LEAVES: usize = 12;
const RATE: f32 = 0.08;
const L2: f64 = 1.0;
const LEAST: usize = 15;
const BINS: usize = 48;

/// Returns thresholds between the values of a feature, ascending.
fn thresholds(mut values: Vec<f32>) -> Vec<f32> {
    values.sort_by(f32::total_cmp);
    let mut different = values.clone();
    different.dedup();
    if different.len() > BINS {
        different = (0..BINS).map(|bin| values[bin * (values.len() - 1) / (BINS - 1)]).collect();
        different.dedup();
    }
    different.windows(2).map(|pair| pair[0] + (pair[1] - pair[0]) / 2.0).collect()
}

struct Leaf {
    rows: Vec<u32>,
    node: usize,
    sum: (f64, f64),
    best: Option<Split>,
}

#[derive(Clone, Copy)]
struct Split {
    gain: f64,
    feature: usize,
    bin: usize,
}

struct Data {
    /// The bin of each row, feature by feature.
    bins: Vec<Vec<u8>>,
    thresholds: Vec<Vec<f32>>,
    slopes: Vec<(f64, f64)>,
}

fn worth((g, h): (f64, f64)) -> f64 {
    g * g / (h + L2)
}

impl Data {
    fn sum(&self, rows: &[u32]) -> (f64, f64) {
        rows.iter().fold((0.0, 0.0), |(g, h), row| {
            let (dg, dh) = self.slopes[*row as usize];
            (g + dg, h + dh)
        })
    }

    fn best(&self, rows: &[u32], all: (f64, f64)) -> Option<Split> {
        if rows.len() < 2 * LEAST {
            return None;
        }
        let mut best: Option<Split> = None;
        for (feature, bins) in self.bins.iter().enumerate() {
            let count = self.thresholds[feature].len();
            if count == 0 {
                continue;
            }
            let mut sums = [(0.0_f64, 0.0_f64, 0_usize); BINS + 1];
            for row in rows {
                let (g, h) = self.slopes[*row as usize];
                let sum = &mut sums[usize::from(bins[*row as usize])];
                *sum = (sum.0 + g, sum.1 + h, sum.2 + 1);
            }
            let mut left = (0.0, 0.0, 0);
            for (bin, sum) in sums.iter().enumerate().take(count) {
                left = (left.0 + sum.0, left.1 + sum.1, left.2 + sum.2);
                if left.2 < LEAST || rows.len() - left.2 < LEAST {
                    continue;
                }
                let right = (all.0 - left.0, all.1 - left.1);
                let gain = worth((left.0, left.1)) + worth(right) - worth(all);
                if gain > 1e-9 && best.is_none_or(|best| gain > best.gain) {
                    best = Some(Split { gain, feature, bin });
                }
            }
        }
        best
    }

    fn leaf(&self, rows: Vec<u32>, node: usize) -> Leaf {
        let sum = self.sum(&rows);
        Leaf { best: self.best(&rows, sum), rows, node, sum }
    }

    #[expect(clippy::cast_possible_truncation, reason = "few nodes, weights of a few digits")]
    fn tree(&self, raw: &mut [f32]) -> Vec<Node> {
        let empty = Node { feature: Node::LEAF, left: 0, right: 0, value: 0.0 };
        let mut nodes = vec![empty];
        let mut leaves = vec![self.leaf((0..raw.len() as u32).collect(), 0)];
        while leaves.len() < LEAVES {
            let gain = |leaf: &Leaf| leaf.best.map_or(0.0, |best| best.gain);
            let Some(at) = (0..leaves.len())
                .filter(|at| leaves[*at].best.is_some())
                .reduce(|best, at| if gain(&leaves[at]) > gain(&leaves[best]) { at } else { best })
            else {
                break;
            };
            let leaf = leaves.swap_remove(at);
            let Some(split) = leaf.best else { break };
            let bins = &self.bins[split.feature];
            let (left, right): (Vec<u32>, Vec<u32>) =
                leaf.rows.iter().partition(|row| usize::from(bins[**row as usize]) <= split.bin);
            let places = (nodes.len(), nodes.len() + 1);
            nodes.extend([empty, empty]);
            nodes[leaf.node] = Node {
                feature: split.feature as u8,
                left: places.0 as u8,
                right: places.1 as u8,
                value: self.thresholds[split.feature][split.bin],
            };
            leaves.push(self.leaf(left, places.0));
            leaves.push(self.leaf(right, places.1));
        }
        for leaf in leaves {
            let value = (-leaf.sum.0 / (leaf.sum.1 + L2)) as f32 * RATE;
            nodes[leaf.node].value = value;
            for row in leaf.rows {
                raw[row as usize] += value;
            }
        }
        nodes
    }
}

/// Grows trees that separate the rows labeled `true` from the others.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "bins under 256, weights of a few digits"
)]
pub fn grow(rows: &[&[f32]], labels: &[bool]) -> Trees {
    let width = rows.first().map_or(0, |row| row.len());
    let thresholds: Vec<Vec<f32>> = (0..width).map(|f| thresholds(rows.iter().map(|row| row[f]).collect())).collect();
    let bins = (0..width)
        .map(|f| rows.iter().map(|row| thresholds[f].partition_point(|t| row[f] > *t) as u8).collect())
        .collect();
    let share = labels.iter().filter(|label| **label).count() as f64 / labels.len().max(1) as f64;
    let base = ln(share.max(1e-6) / (1.0 - share).max(1e-6)) as f32;
    let mut raw = vec![base; rows.len()];
    let mut data = Data { bins, thresholds, slopes: vec![(0.0, 0.0); rows.len()] };
    let mut trees = Vec::with_capacity(TREES);
    for _ in 0..TREES {
        for ((slope, raw), label) in data.slopes.iter_mut().zip(&raw).zip(labels) {
            let p = f64::from(sigmoid(*raw));
            *slope = (p - f64::from(u8::from(*label)), (p * (1.0 - p)).max(1e-9));
        }
        trees.push(data.tree(&mut raw));
    }
    Trees { base, trees }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_learns_what_no_single_feature_says() {
        let rows: Vec<[f32; 2]> = (0_u8..200).map(|i| [f32::from(i % 2), f32::from(i / 2 % 2)]).collect();
        let labels: Vec<bool> =
            rows.iter().enumerate().map(|(i, row)| ((row[0] > 0.5) != (row[1] > 0.5)) != (i % 37 == 0)).collect();
        let rows: Vec<&[f32]> = rows.iter().map(|row| &row[..]).collect();
        let trees = grow(&rows, &labels);
        assert!(trees.probability(&[1.0, 0.0]) > 0.8 && trees.probability(&[1.0, 1.0]) < 0.2);
        assert_eq!(trees, grow(&rows, &labels));
    }
}
