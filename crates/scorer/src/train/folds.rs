//! Leaves one writer out: every question is judged with weights that were learned without its writer.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

use crate::decide::decide;
use crate::train::model::{Ground, Said, with_ground};
use crate::train::records::Record;
use crate::train::report::{Judged, Report};
use crate::types::Scores;

/// Returns the fold of each record.
pub fn grouped(records: &[Record], most: usize) -> Vec<usize> {
    let writers: BTreeSet<&str> = records.iter().map(|record| record.writer.as_str()).collect();
    let place = |record: &Record| writers.iter().position(|writer| *writer == record.writer).unwrap_or_default();
    records.iter().map(|record| place(record) % most).collect()
}

/// Runs the work for every fold, on up to four threads. The results are in the order of the folds.
pub fn each_fold<T: Send>(folds: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(4);
    let (next, done) = (Mutex::new(0..folds), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Some(fold) = next.lock().expect("no thread panicked").next() else { break };
                    let result = work(fold);
                    done.lock().expect("no thread panicked").push((fold, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no thread panicked");
    done.sort_by_key(|(fold, _)| *fold);
    done.into_iter().map(|(_, result)| result).collect()
}

fn members(folds: &[usize], fold: usize, inside: bool) -> Vec<usize> {
    (0..folds.len()).filter(|at| (folds[*at] == fold) == inside).collect()
}

/// Returns the scores of every question from parts that were trained without its fold.
pub fn out_of_fold(ground: &Ground<'_>, folds: &[usize]) -> Vec<Said> {
    let count = folds.iter().max().map_or(0, |most| most + 1);
    let parts = each_fold(count, |fold| {
        let inside = members(folds, fold, true);
        let linear = ground.linear(&members(folds, fold, false));
        inside.iter().copied().zip(ground.say(&linear, &inside)).collect::<Vec<_>>()
    });
    let mut all: Vec<(usize, Said)> = parts.into_iter().flatten().collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, said)| said).collect()
}

/// Measures all writers in one table. If `out` is given, it gets the weights that leave each writer out. With fewer groups than
/// writers, several writers are left out together, which is faster and no easier. `product` gets the weights from all writers;
/// with the groups of `train`, they are the same that `train` makes.
pub fn cross_validate(
    records: &[Record],
    steps: usize,
    groups: usize,
    (out, product): (Option<&Path>, Option<&Path>),
) -> Result<Report, String> {
    with_ground(records, steps, |ground| {
        let folds = grouped(records, groups);
        let count = folds.iter().max().map_or(0, |most| most + 1);
        let linear = each_fold(count, |fold| ground.linear(&members(&folds, fold, false)));
        let mut said: Vec<(usize, Said)> = Vec::with_capacity(records.len());
        for (fold, linear) in linear.iter().enumerate() {
            let inside = members(&folds, fold, true);
            said.extend(inside.iter().copied().zip(ground.say(linear, &inside)));
        }
        said.sort_by_key(|(at, _)| *at);
        let said: Vec<Said> = said.into_iter().map(|(_, said)| said).collect();
        let trees = each_fold(count, |fold| ground.trees(&said, &members(&folds, fold, false)));
        if let Some(folder) = out {
            std::fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
            for (fold, (linear, trees)) in linear.iter().zip(&trees).enumerate() {
                let file = ground.file(linear, trees);
                let inside = members(&folds, fold, true);
                let writers: BTreeSet<&str> = inside.iter().map(|at| records[*at].writer.as_str()).collect();
                for writer in writers {
                    let path = folder.join(format!("{writer}.bin"));
                    std::fs::write(&path, &file).map_err(|e| format!("{}: {e}", path.display()))?;
                }
            }
        }
        if let Some(path) = product {
            let all: Vec<usize> = (0..records.len()).collect();
            let bytes = ground.file(&ground.linear(&all), &ground.trees(&said, &all));
            std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        let judged = records.iter().zip(&said).enumerate().map(|(at, (record, said))| {
            let mut scores =
                Scores { capability: [0.0; 11], workflow: said.routes[12], act: [0.0; 5], networks: [0.0; 9] };
            scores.capability.copy_from_slice(&said.routes[..11]);
            scores.act.copy_from_slice(&said.routes[13..18]);
            for (to, row) in scores.networks.iter_mut().zip(&said.rows) {
                *to = trees[folds[at]].probability(row);
            }
            let decision = decide(ground.facts, &ground.labelled.scenes[at], &scores);
            Judged::new(ground.facts, record, &decision, &scores, &said.operations)
        });
        Ok(Report::new(records, judged.collect()))
    })
}
