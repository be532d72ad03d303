//! Scores questions with the weights.

use std::sync::OnceLock;

use adagent_domain::Network;

use crate::decide::{Decision, decide};
use crate::facts::Facts;
use crate::features;
use crate::lexicon::Lexicon;
use crate::matching::{self, Matches};
use crate::math::softmax;
use crate::meant::{self, ROUTES};
use crate::scene::Scene;
use crate::types::{Question, Scores};
use crate::weights::Weights;

/// The ranges of capability, path and act in the routing heads.
pub(crate) const BLOCKS: [std::ops::Range<usize>; 3] = [0..11, 11..13, 13..18];

/// How well an operation fits a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit<'a> {
    pub name: &'a str,
    pub network: Network,
    /// Whether it changes something.
    pub writes: bool,
    pub score: f32,
}

#[derive(Debug, Clone)]
pub struct Scorer {
    pub(crate) lexicon: Lexicon,
    pub(crate) facts: Facts,
    weights: Weights,
    /// For each operation, the heads whose sum is its score.
    wiring: Vec<Vec<(u16, f32)>>,
}

/// Returns the best score of each network's operations.
pub(crate) fn fit(facts: &Facts, scores: &[f32]) -> Vec<f32> {
    facts.of.iter().map(|list| list.iter().map(|at| scores[*at]).fold(f32::MIN, f32::max)).collect()
}

impl Scorer {
    pub fn new(weights: Weights) -> Self {
        let facts = Facts::bundled();
        let wiring = weights.heads.wiring(&facts);
        Self { lexicon: Lexicon::new(), facts, weights, wiring }
    }

    /// Makes a scorer with the weights in this program.
    pub fn bundled() -> Self {
        Self::new(Weights::bundled())
    }

    /// Returns the bundled scorer, made once for all callers: it takes several megabytes, and making it takes longer than using
    /// it.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Scorer> = OnceLock::new();
        SHARED.get_or_init(Self::bundled)
    }

    fn scene<'a>(&self, question: Question<'a>) -> Scene<'a> {
        Scene::new(&self.lexicon, question)
    }

    pub(crate) fn routes(&self, scene: &Scene<'_>) -> [f32; ROUTES] {
        let mut out = [0.0; ROUTES];
        out.copy_from_slice(&self.weights.score(&self.weights.routes, &features::route(&self.facts, scene)));
        for block in BLOCKS {
            softmax(&mut out[block]);
        }
        meant::owner(&mut out[meant::OWNER], &scene.usable());
        out
    }

    /// Returns a score for every operation, in the order of the facts.
    pub(crate) fn operations(&self, scene: &Scene<'_>, matches: &Matches) -> Vec<f32> {
        let heads = self.weights.score(&self.weights.ranker, &features::operation(scene));
        self.wiring
            .iter()
            .zip(matches)
            .map(|(wires, row)| {
                let learned: f32 = wires.iter().map(|(at, weight)| heads[usize::from(*at)] * weight).sum();
                let fitting: f32 = row.iter().zip(&self.weights.matching).map(|(value, worth)| value * worth).sum();
                learned + fitting
            })
            .collect()
    }

    pub(crate) fn meant(&self, scene: &Scene<'_>, routes: &[f32; ROUTES], operations: &[f32]) -> [f32; 9] {
        let mut out = [0.0; Network::ALL.len()];
        for (to, row) in out.iter_mut().zip(meant::rows(&self.facts, scene, routes, &fit(&self.facts, operations))) {
            *to = self.weights.trees.probability(&row);
        }
        out
    }

    /// Returns how likely each reading of a question is, and how well each operation fits, best first.
    pub fn score(&self, question: Question<'_>) -> (Scores, Vec<Fit<'_>>) {
        let scene = self.scene(question);
        let routes = self.routes(&scene);
        let operations = self.operations(&scene, &matching::all(&self.facts, &scene));
        let networks = self.meant(&scene, &routes, &operations);
        let mut scores = Scores { capability: [0.0; 11], workflow: routes[12], act: [0.0; 5], networks };
        scores.capability.copy_from_slice(&routes[BLOCKS[0].clone()]);
        scores.act.copy_from_slice(&routes[BLOCKS[2].clone()]);
        (scores, self.ordered(&operations, None))
    }

    /// Returns the most likely route by these scores.
    pub fn decide(&self, question: Question<'_>, scores: &Scores) -> Decision {
        decide(&self.facts, &self.scene(question), scores)
    }

    pub fn read(&self, question: Question<'_>) -> Scores {
        self.score(question).0
    }

    /// Returns the operations of some networks, best first.
    pub fn rank(&self, question: Question<'_>, networks: &[Network]) -> Vec<Fit<'_>> {
        let scene = self.scene(question);
        self.ordered(&self.operations(&scene, &matching::all(&self.facts, &scene)), Some(networks))
    }

    fn ordered(&self, scores: &[f32], networks: Option<&[Network]>) -> Vec<Fit<'_>> {
        let all = self.facts.operations.iter().zip(scores);
        let mut out: Vec<Fit<'_>> = all
            .filter(|(operation, _)| networks.is_none_or(|list| list.contains(&operation.network)))
            .map(|(operation, score)| Fit {
                name: &operation.name,
                network: operation.network,
                writes: !operation.read_only,
                score: *score,
            })
            .collect();
        // The sort is stable: among equal operations, the first in the catalog comes first.
        out.sort_by(|a, b| b.score.total_cmp(&a.score));
        out
    }
}
