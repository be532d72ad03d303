//! Small boosted trees: how likely the question means a network, from a row of numbers about it.

use crate::math::sigmoid;

/// A node: goes left if the feature is at most the threshold. A leaf has no feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// [`Node::LEAF`] for a leaf.
    pub feature: u8,
    pub left: u8,
    pub right: u8,
    /// The threshold, or the value that a leaf adds.
    pub value: f32,
}

impl Node {
    pub const LEAF: u8 = u8::MAX;
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trees {
    pub base: f32,
    /// The nodes of each tree, root first.
    pub trees: Vec<Vec<Node>>,
}

impl Trees {
    pub fn raw(&self, row: &[f32]) -> f32 {
        let mut sum = self.base;
        for tree in &self.trees {
            let mut at = 0;
            // A path cannot be longer than the number of nodes, so the loop ends even for a broken file.
            for _ in 0..tree.len() {
                let Some(node) = tree.get(at) else { break };
                if node.feature == Node::LEAF {
                    sum += node.value;
                    break;
                }
                let left = row.get(usize::from(node.feature)).is_none_or(|value| *value <= node.value);
                at = usize::from(if left { node.left } else { node.right });
            }
        }
        sum
    }

    pub fn probability(&self, row: &[f32]) -> f32 {
        sigmoid(self.raw(row))
    }
}
