//! Puts the parts together: prepared questions, the linear heads, the trees, the file.

use crate::facts::Facts;
use crate::features::{self, Sparse};
use crate::lexicon::Lexicon;
use crate::matching::{self, Heads, WIDTH};
use crate::meant::{self, ROUTES};
use crate::scene::Scene;
use crate::scorer::{Scorer, fit};
use crate::train::heads::{self, Labels};
use crate::train::records::Record;
use crate::train::{boost, folds, generate, operations};
use crate::trees::Trees;
use crate::types::Outcome;
use crate::weights::Weights;
use crate::weights::write::{Learned, file};

/// Weight of a generated question next to a labeled one.
const MADE_ROUTES: f32 = 0.15;
/// Weight of a stranger's question next to one of the older sets.
const STRANGERS: f32 = 2.0;
const MADE_OPERATIONS: f32 = 0.3;
/// How often a bucket must occur before operations learn from it.
const LEAST: u32 = 3;
/// Steps of the ranker, which takes most of the training time.
pub const STEPS: usize = 30;
/// Groups of `train`; the three older sets are in different groups.
const GROUPS: usize = 7;

/// Questions with their features.
pub struct Corpus<'a> {
    pub records: &'a [Record],
    pub scenes: Vec<Scene<'a>>,
    routes: Vec<Sparse>,
    operations: Vec<Sparse>,
    choices: Vec<Vec<operations::Choice>>,
    labels: Vec<Labels>,
}

impl<'a> Corpus<'a> {
    pub fn new(lexicon: &Lexicon, facts: &Facts, records: &'a [Record]) -> Self {
        let scenes: Vec<Scene<'a>> = records.iter().map(|record| Scene::new(lexicon, record.question())).collect();
        let choices = scenes.iter().zip(records).map(|(scene, record)| {
            if record.expect.tools_any.is_empty() {
                return Vec::new();
            }
            operations::choices(facts, &matching::all(facts, scene), &record.expect.tools_any)
        });
        Self {
            choices: choices.collect(),
            routes: scenes.iter().map(|scene| features::route(facts, scene)).collect(),
            operations: scenes.iter().map(features::operation).collect(),
            labels: records.iter().zip(&scenes).map(|(record, scene)| heads::labels(record, scene)).collect(),
            scenes,
            records,
        }
    }

    fn worth(&self, at: usize) -> f32 {
        if self.records[at].is_strangers() { STRANGERS } else { 1.0 }
    }

    fn examples(&self, which: &[usize], weight: f32) -> Vec<heads::Example<'_>> {
        let example = |at: &usize| heads::Example {
            features: &self.routes[*at],
            labels: self.labels[*at],
            usable: self.scenes[*at].usable(),
            weight: weight * self.worth(*at),
        };
        which.iter().map(example).collect()
    }

    fn chosen(&self, which: &[usize], weight: f32) -> Vec<operations::Example<'_>> {
        let example = |at: &usize| operations::Example {
            features: &self.operations[*at],
            networks: self.choices[*at].clone(),
            weight: weight * self.worth(*at),
        };
        which.iter().filter(|at| !self.choices[**at].is_empty()).map(example).collect()
    }
}

/// What all folds share.
pub struct Ground<'a> {
    pub steps: usize,
    pub facts: &'a Facts,
    pub heads: Heads,
    pub labelled: Corpus<'a>,
    pub made: Corpus<'a>,
}

/// The linear parts, without trees.
pub struct Linear {
    routes: Learned,
    ranker: Learned,
    matching: [f32; WIDTH],
}

/// The scores of the linear parts for a question that they were not trained with.
#[derive(Debug, Clone)]
pub struct Said {
    pub routes: [f32; ROUTES],
    pub operations: Vec<f32>,
    /// A row of numbers for each network.
    pub rows: Vec<Vec<f32>>,
}

impl Ground<'_> {
    pub fn linear(&self, which: &[usize]) -> Linear {
        let all: Vec<usize> = (0..self.made.records.len()).collect();
        let mut examples = self.labelled.examples(which, 1.0);
        examples.extend(self.made.examples(&all, MADE_ROUTES));
        let mut chosen = self.labelled.chosen(which, 1.0);
        chosen.extend(self.made.chosen(&all, MADE_OPERATIONS));
        let (ranker, matching) = operations::fit(self.facts, &self.heads, &chosen, LEAST, self.steps);
        Linear { routes: heads::fit(&examples), ranker, matching }
    }

    pub fn file(&self, linear: &Linear, trees: &Trees) -> Vec<u8> {
        file(&linear.routes, &linear.ranker, &linear.matching, &self.heads, trees)
    }

    pub fn say(&self, linear: &Linear, which: &[usize]) -> Vec<Said> {
        let weights = Weights::from_file(self.file(linear, &Trees::default())).expect("just written");
        let scorer = Scorer::new(weights);
        let said = |at: &usize| {
            let scene = &self.labelled.scenes[*at];
            let routes = scorer.routes(scene);
            let operations = scorer.operations(scene, &matching::all(self.facts, scene));
            let rows = meant::rows(self.facts, scene, &routes, &fit(self.facts, &operations));
            Said { routes, operations, rows }
        };
        which.iter().map(said).collect()
    }

    /// Grows trees from the scores of questions by parts that were trained without them.
    pub fn trees(&self, said: &[Said], which: &[usize]) -> Trees {
        let (mut rows, mut labels): (Vec<&[f32]>, Vec<bool>) = (Vec::new(), Vec::new());
        for at in which {
            let expect = &self.labelled.records[*at].expect;
            let partial = matches!(expect.outcome, Outcome::Connect | Outcome::Enable);
            for (row, network) in said[*at].rows.iter().zip(adagent_domain::Network::ALL) {
                let meant = expect.services.contains(&network);
                // "connect" names only what is missing, so the other networks may have been meant too.
                let times = if self.labelled.records[*at].is_strangers() { 2 } else { 1 };
                for _ in 0..if meant || !partial { times } else { 0 } {
                    rows.push(row);
                    labels.push(meant);
                }
            }
        }
        boost::grow(&rows, &labels)
    }
}

/// Prepares all questions once and passes them on.
pub fn with_ground<T>(records: &[Record], steps: usize, then: impl FnOnce(&Ground<'_>) -> T) -> T {
    let (lexicon, facts) = (Lexicon::new(), Facts::bundled());
    let made = generate::questions(&facts);
    let ground = Ground {
        steps,
        heads: Heads::of(&facts),
        labelled: Corpus::new(&lexicon, &facts, records),
        made: Corpus::new(&lexicon, &facts, &made),
        facts: &facts,
    };
    then(&ground)
}

/// Returns the file of weights, learned from all records.
pub fn train(records: &[Record]) -> Vec<u8> {
    with_ground(records, STEPS, |ground| {
        // A few folds are enough: the trees only need to see how sure the heads are about unknown questions.
        let said = folds::out_of_fold(ground, &folds::grouped(records, GROUPS));
        let all: Vec<usize> = (0..records.len()).collect();
        let linear = ground.linear(&all);
        ground.file(&linear, &ground.trees(&said, &all))
    })
}
