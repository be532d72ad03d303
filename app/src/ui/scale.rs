//! Positions in a chart, in percent of the plot. Pure: no drawing, no text.

/// A line's axis may start above zero if the lowest value is at least this fraction of the highest.
const FROM_ZERO: f64 = 0.5;
/// Values that differ by less than this fraction of the highest count as flat.
const FLAT: f64 = 0.001;

/// The vertical axis: from `low` to `high` in equal steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    pub step: f64,
}

impl Axis {
    /// Returns a round axis over the values, about three steps high. It starts at zero unless values are negative: a cut-off axis
    /// makes small changes look large.
    pub fn over(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        for value in values.filter(|value| value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if high - low <= f64::EPSILON {
            return Self { low, high: low + 1.0, step: 1.0 };
        }
        let step = nice_step((high - low) / 3.0);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// Returns a round axis for lines. If even the lowest value is far above zero, the axis starts below that value, so that the
    /// shape fills the plot; the ticks show this. Bars are lengths and always start at zero.
    pub fn fitted(values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let (low, high) =
            values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
        // Flat values have no shape to show.
        if low < high * FROM_ZERO || high - low <= high * FLAT {
            return Self::over(values.into_iter());
        }
        let step = nice_step((high - low) / 3.0);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// Returns the values of the ticks, bottom first.
    pub fn ticks(&self) -> Vec<f64> {
        let steps = steps(self);
        (0..=steps).map(|i| f64::from(i).mul_add(self.step, self.low)).collect()
    }

    /// Returns the distance from the top, in percent.
    pub fn y(&self, value: f64) -> f64 {
        (1.0 - (value - self.low) / (self.high - self.low)) * 100.0
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a handful of steps")]
fn steps(axis: &Axis) -> u32 {
    ((axis.high - axis.low) / axis.step).round().min(20.0) as u32
}

/// Rounds up to 1, 2, 2.5, 5 or 10 times a power of ten.
fn nice_step(raw: f64) -> f64 {
    let power = 10_f64.powf(raw.log10().floor());
    let factor = raw / power;
    let nice = [1.0, 2.0, 2.5, 5.0].into_iter().find(|nice| factor <= nice + 1e-9).unwrap_or(10.0);
    nice * power
}

/// Returns the middle of slot `index` of `count`, in percent from the left.
#[expect(clippy::cast_precision_loss, reason = "a position in a drawing")]
pub fn slot_x(index: usize, count: usize) -> f64 {
    (index as f64 + 0.5) / count.max(1) as f64 * 100.0
}

/// Returns the width of one slot, in percent.
#[expect(clippy::cast_precision_loss, reason = "a width in a drawing")]
pub fn slot_width(count: usize) -> f64 {
    100.0 / count.max(1) as f64
}

/// Returns the SVG path through the points; a missing point leaves a gap.
pub fn path(points: &[Option<(f64, f64)>]) -> String {
    let mut out = String::with_capacity(points.len() * 14);
    let mut pen_down = false;
    for point in points {
        match point {
            Some((x, y)) => {
                out.push(if pen_down { 'L' } else { 'M' });
                let place = format!("{x:.2} {y:.2}");
                out.push_str(&place);
                pen_down = true;
            }
            None => pen_down = false,
        }
    }
    out
}

/// Returns the path closed down to the baseline, for the area under a single series; `None` if the series has a gap.
pub fn area(points: &[Option<(f64, f64)>], base: f64) -> Option<String> {
    let all: Vec<(f64, f64)> = points.iter().copied().collect::<Option<_>>()?;
    let (first, last) = (all.first()?, all.last()?);
    Some(format!("{}L{:.2} {base:.2}L{:.2} {base:.2}Z", path(points), last.0, first.0))
}

/// Returns which of `count` positions get a label, about nine in all. Every other label is minor and is hidden on narrow charts.
pub fn labels(count: usize) -> Vec<(usize, bool)> {
    let every = count.div_ceil(9).max(1);
    // Start in the middle of the first interval, so that labels stay away from the edges.
    let start = if every > 1 { every / 2 } else { 0 };
    (start..count).step_by(every).enumerate().map(|(i, at)| (at, i % 2 == 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_is_round_and_holds_every_value() {
        for top in [0.003, 0.9, 1.0, 7.3, 99.0, 1499.0, 1501.0, 59_642.63, 4_812_306.0] {
            let axis = Axis::over([top * 0.4, top].into_iter());
            assert!(axis.high >= top - 1e-9 && axis.low == 0.0, "{top}: {axis:?}");
            assert!((2..=6).contains(&axis.ticks().len()), "{top}: {axis:?}");
            assert!(axis.high <= top * 2.2, "{top}: {axis:?}");
        }
        assert_eq!(Axis::over([0.0, 1230.0].into_iter()), Axis { low: 0.0, high: 1500.0, step: 500.0 });
    }

    #[test]
    fn nothing_and_zero_still_have_an_axis() {
        assert_eq!(Axis::over(std::iter::empty()).ticks(), [0.0, 1.0]);
        assert!((Axis::over([f64::NAN, 0.0].into_iter()).high - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn lines_far_above_zero_fill_the_plot() {
        let axis = Axis::fitted([3_900.0, 4_200.0, 4_081.0].into_iter());
        assert!(axis.low > 3_700.0 && axis.low <= 3_900.0 && axis.high >= 4_200.0, "{axis:?}");
        assert!((2..=6).contains(&axis.ticks().len()), "{axis:?}");
        // Values near zero, losses and flat values start where [`Axis::over`] starts.
        for values in [vec![10.0, 100.0], vec![-5.0, 5.0], vec![7.0, 7.0], vec![0.0], vec![]] {
            assert_eq!(Axis::fitted(values.iter().copied()), Axis::over(values.iter().copied()), "{values:?}");
        }
    }

    #[test]
    fn losses_reach_below_zero() {
        let axis = Axis::over([-40.0, 100.0].into_iter());
        assert!(axis.low <= -40.0 && axis.high >= 100.0);
        assert!((axis.y(axis.low) - 100.0).abs() < 1e-9 && axis.y(axis.high).abs() < 1e-9);
    }

    #[test]
    fn a_gap_lifts_the_pen() {
        assert_eq!(
            path(&[Some((0.0, 1.0)), None, Some((50.0, 2.0)), Some((100.0, 3.5))]),
            "M0.00 1.00M50.00 2.00L100.00 3.50"
        );
        assert_eq!(area(&[Some((0.0, 1.0)), None], 100.0), None);
        assert_eq!(
            area(&[Some((25.0, 1.0)), Some((75.0, 2.0))], 100.0).as_deref(),
            Some("M25.00 1.00L75.00 2.00L75.00 100.00L25.00 100.00Z")
        );
    }

    #[test]
    fn labels_are_few_and_inside() {
        assert_eq!(labels(3).len(), 3);
        assert_eq!(labels(28).len(), 7);
        assert!(labels(365).iter().all(|(at, _)| *at < 365) && labels(365).len() <= 9);
        assert!(labels(0).is_empty());
    }
}
