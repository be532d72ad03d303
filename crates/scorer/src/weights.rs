//! The file of weights: magic, version, sizes, numbers, digest. Whatever the bytes are, reading returns weights or an error.

use std::borrow::Cow;
use std::ops::Range;

use crate::features::Sparse;
use crate::hash::Hash;
use crate::matching::{Heads, WIDTH};
use crate::meant::ROUTES;
use crate::trees::{Node, Trees};

const MAGIC: &[u8; 4] = b"ADSC";
const VERSION: u32 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeightsError {
    Magic,
    Version(u32),
    Short,
    Digest,
    Sizes,
}

impl std::fmt::Display for WeightsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Magic => f.write_str("not a file of weights; `cargo xtask train` writes one"),
            Self::Version(found) => {
                write!(f, "weights of version {found}, this program reads {VERSION}; run `cargo xtask train`")
            }
            Self::Short => f.write_str("the weights end early; run `cargo xtask train` again"),
            Self::Digest => f.write_str("the weights are damaged: their digest differs; run `cargo xtask train` again"),
            Self::Sizes => f.write_str("the sizes in the weights do not fit; run `cargo xtask train` again"),
        }
    }
}

impl std::error::Error for WeightsError {}

/// A linear map from buckets to heads, with one byte per weight.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// The row of each bucket, counted from 1; 0 if it has none.
    index: Vec<u16>,
    pub(crate) heads: usize,
    scales: Vec<f32>,
    bias: Vec<f32>,
    cells: Range<usize>,
}

/// Everything that was learned.
#[derive(Debug, Clone)]
pub struct Weights {
    bytes: Cow<'static, [u8]>,
    pub(crate) routes: Table,
    pub(crate) ranker: Table,
    /// The weight of each feature of `matching`.
    pub(crate) matching: [f32; WIDTH],
    pub(crate) heads: Heads,
    pub(crate) trees: Trees,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], WeightsError> {
        let end = self.at.checked_add(len).ok_or(WeightsError::Sizes)?;
        let part = self.bytes.get(self.at..end).ok_or(WeightsError::Short)?;
        self.at = end;
        Ok(part)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WeightsError> {
        self.take(N)?.try_into().map_err(|_| WeightsError::Short)
    }

    fn u8(&mut self) -> Result<u8, WeightsError> {
        Ok(self.array::<1>()?[0])
    }

    fn u16(&mut self) -> Result<u16, WeightsError> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, WeightsError> {
        self.array().map(u32::from_le_bytes)
    }

    fn len(&mut self, most: usize) -> Result<usize, WeightsError> {
        let len = usize::try_from(self.u32()?).map_err(|_| WeightsError::Sizes)?;
        if len > most { Err(WeightsError::Sizes) } else { Ok(len) }
    }

    fn f32(&mut self) -> Result<f32, WeightsError> {
        let value = f32::from_le_bytes(self.array()?);
        if value.is_finite() { Ok(value) } else { Err(WeightsError::Sizes) }
    }

    fn floats(&mut self, len: usize) -> Result<Vec<f32>, WeightsError> {
        (0..len).map(|_| self.f32()).collect()
    }

    fn table(&mut self) -> Result<Table, WeightsError> {
        let rows = self.len(usize::from(u16::MAX))?;
        let heads = self.len(4096)?;
        let mut index = vec![0; 1 << 16];
        for row in 1..=rows {
            index[usize::from(self.u16()?)] = u16::try_from(row).map_err(|_| WeightsError::Sizes)?;
        }
        let (scales, bias) = (self.floats(heads)?, self.floats(heads)?);
        let start = self.at;
        self.take(rows.checked_mul(heads).ok_or(WeightsError::Sizes)?)?;
        Ok(Table { index, heads, scales, bias, cells: start..self.at })
    }

    fn names(&mut self) -> Result<Heads, WeightsError> {
        let count = self.len(4096)?;
        let mut names = Vec::with_capacity(count);
        for _ in 0..count {
            let len = usize::from(self.u16()?);
            names.push(String::from_utf8(self.take(len)?.to_vec()).map_err(|_| WeightsError::Sizes)?);
        }
        Ok(Heads { names })
    }

    fn trees(&mut self) -> Result<Trees, WeightsError> {
        let base = self.f32()?;
        let count = self.len(4096)?;
        let mut trees = Vec::with_capacity(count);
        for _ in 0..count {
            let nodes = usize::from(self.u8()?);
            let mut tree = Vec::with_capacity(nodes);
            for _ in 0..nodes {
                tree.push(Node { feature: self.u8()?, left: self.u8()?, right: self.u8()?, value: self.f32()? });
            }
            trees.push(tree);
        }
        Ok(Trees { base, trees })
    }
}

impl Weights {
    /// Checks and reads a file of weights.
    pub fn read(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, WeightsError> {
        let bytes = bytes.into();
        let mut reader = Reader { bytes: &bytes, at: 0 };
        if &reader.array::<4>()? != MAGIC {
            return Err(WeightsError::Magic);
        }
        let version = reader.u32()?;
        if version != VERSION {
            return Err(WeightsError::Version(version));
        }
        let digest = u64::from_le_bytes(reader.array()?);
        if Hash::new().with(&bytes[reader.at..]).digest() != digest {
            return Err(WeightsError::Digest);
        }
        let (routes, ranker) = (reader.table()?, reader.table()?);
        let matching = reader.floats(WIDTH)?.try_into().map_err(|_| WeightsError::Sizes)?;
        let (heads, trees) = (reader.names()?, reader.trees()?);
        if routes.heads != ROUTES || ranker.heads != heads.names.len() || reader.at != bytes.len() {
            return Err(WeightsError::Sizes);
        }
        Ok(Self { bytes, routes, ranker, matching, heads, trees })
    }

    /// Returns the weights that `cargo xtask train` last wrote.
    pub fn bundled() -> Self {
        Self::read(&include_bytes!("../data/weights.bin")[..]).expect("data/weights.bin is checked by a test")
    }

    /// Returns the scores of all heads of a table.
    pub(crate) fn score(&self, table: &Table, features: &Sparse) -> Vec<f32> {
        let mut sums = vec![0.0_f32; table.heads];
        let cells = &self.bytes[table.cells.clone()];
        for (bucket, value) in features {
            let row = usize::from(table.index[usize::from(*bucket)]);
            if row == 0 {
                continue;
            }
            let row = &cells[(row - 1) * table.heads..row * table.heads];
            for (sum, cell) in sums.iter_mut().zip(row) {
                *sum += value * f32::from(cell.cast_signed());
            }
        }
        for ((sum, scale), bias) in sums.iter_mut().zip(&table.scales).zip(&table.bias) {
            *sum = *sum * scale + bias;
        }
        sums
    }
}

#[cfg(feature = "train")]
pub(crate) mod write {
    use super::{Cow, Hash, Heads, MAGIC, Trees, VERSION, WIDTH, Weights, WeightsError};

    /// A linear map as learned, before rounding.
    #[derive(Debug, Clone)]
    pub struct Learned {
        pub buckets: Vec<u16>,
        pub heads: usize,
        pub bias: Vec<f32>,
        /// Row after row.
        pub cells: Vec<f32>,
    }

    fn u32(out: &mut Vec<u8>, value: usize) {
        out.extend(u32::try_from(value).expect("sizes of a few thousand").to_le_bytes());
    }

    fn floats(out: &mut Vec<u8>, values: &[f32]) {
        out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    #[expect(clippy::cast_possible_truncation, reason = "between -127 and 127")]
    fn table(out: &mut Vec<u8>, learned: &Learned) {
        let mut scales = vec![1e-12_f32; learned.heads];
        for row in learned.cells.chunks(learned.heads) {
            for (scale, cell) in scales.iter_mut().zip(row) {
                *scale = scale.max(cell.abs() / 127.0);
            }
        }
        let cells: Vec<Vec<i8>> = learned
            .cells
            .chunks(learned.heads)
            .map(|row| row.iter().zip(&scales).map(|(cell, scale)| (cell / scale).round() as i8).collect())
            .collect();
        // A row that rounds to zero everywhere has no effect.
        let kept: Vec<usize> = (0..cells.len()).filter(|at| cells[*at].iter().any(|cell| *cell != 0)).collect();
        u32(out, kept.len());
        u32(out, learned.heads);
        for at in &kept {
            out.extend(learned.buckets[*at].to_le_bytes());
        }
        floats(out, &scales);
        floats(out, &learned.bias);
        for at in kept {
            out.extend(cells[at].iter().map(|cell| cell.cast_unsigned()));
        }
    }

    pub fn file(routes: &Learned, ranker: &Learned, matching: &[f32; WIDTH], heads: &Heads, trees: &Trees) -> Vec<u8> {
        let mut body = Vec::new();
        table(&mut body, routes);
        table(&mut body, ranker);
        floats(&mut body, matching);
        u32(&mut body, heads.names.len());
        for name in &heads.names {
            body.extend(u16::try_from(name.len()).expect("short names").to_le_bytes());
            body.extend(name.as_bytes());
        }
        floats(&mut body, &[trees.base]);
        u32(&mut body, trees.trees.len());
        for tree in &trees.trees {
            body.push(u8::try_from(tree.len()).expect("small trees"));
            for node in tree {
                body.extend([node.feature, node.left, node.right]);
                floats(&mut body, &[node.value]);
            }
        }
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.extend(Hash::new().with(&body).digest().to_le_bytes());
        out.extend(body);
        out
    }

    impl Weights {
        pub(crate) fn from_file(bytes: Vec<u8>) -> Result<Self, WeightsError> {
            Self::read(Cow::Owned(bytes))
        }
    }
}
