//! Multiplies sparse rows by a dense matrix, and back.

use crate::features::Sparse;

/// Rows with consecutively numbered buckets. Buckets that occur only once are left out, because nothing can be learned from them.
#[derive(Debug)]
pub struct Rows {
    pub buckets: Vec<u16>,
    rows: Vec<Vec<(u32, f32)>>,
}

impl Rows {
    pub fn new(features: &[&Sparse], least: u32) -> Self {
        let mut seen = vec![0_u32; 1 << 16];
        for (bucket, _) in features.iter().copied().flatten() {
            seen[usize::from(*bucket)] += 1;
        }
        let buckets: Vec<u16> = (0..=u16::MAX).filter(|bucket| seen[usize::from(*bucket)] >= least).collect();
        let mut column = vec![u32::MAX; 1 << 16];
        for (at, bucket) in (0_u32..).zip(&buckets) {
            column[usize::from(*bucket)] = at;
        }
        let row = |row: &&Sparse| {
            row.iter().map(|(b, v)| (column[usize::from(*b)], *v)).filter(|(c, _)| *c != u32::MAX).collect()
        };
        Self { rows: features.iter().map(row).collect(), buckets }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Computes `out` = rows × weights.
    pub fn times(&self, weights: &[f32], heads: usize, out: &mut [f32]) {
        out.fill(0.0);
        for (row, out) in self.rows.iter().zip(out.chunks_exact_mut(heads)) {
            for (column, value) in row {
                let at = *column as usize * heads;
                for (to, weight) in out.iter_mut().zip(&weights[at..at + heads]) {
                    *to += value * weight;
                }
            }
        }
    }

    /// Adds the transpose of the rows × `from` to `out`.
    pub fn back(&self, from: &[f32], heads: usize, out: &mut [f32]) {
        for (row, from) in self.rows.iter().zip(from.chunks_exact(heads)) {
            if from.iter().all(|value| *value == 0.0) {
                continue;
            }
            for (column, value) in row {
                let at = *column as usize * heads;
                for (to, from) in out[at..at + heads].iter_mut().zip(from) {
                    *to += value * from;
                }
            }
        }
    }
}
