//! The time axis of a run. Working time is to scale; a long wait for a person is shortened so that the work stays readable.
//!
//! Plain arithmetic; it never draws.

use crate::ui::format;

/// Width of a long wait, as a fraction of the working time.
const CUT: f64 = 0.2;
/// The highest number of ticks over the working time.
const TICKS: f64 = 6.0;

/// A mark on the axis, in percent from the left.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    pub at: f64,
    pub label: String,
}

/// Maps microseconds of a run to percent of the axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Waits in milliseconds: start, end, and the length as drawn.
    waits: Vec<(f64, f64, f64)>,
    shown: f64,
    worked: f64,
}

#[expect(clippy::cast_precision_loss, reason = "positions on a screen")]
/// Converts microseconds to milliseconds.
fn float(micros: i64) -> f64 {
    micros as f64 / 1000.0
}

impl Axis {
    /// Makes an axis over `total` microseconds with these waits (start, end). The waits must be in order and must not overlap.
    pub fn new(total: i64, waits: &[(i64, i64)]) -> Self {
        let total = float(total.max(1));
        // Do not break the axis for a wait that is too short to see.
        let waits: Vec<(i64, i64)> =
            waits.iter().copied().filter(|(from, to)| float(to - from) > total / 100.0).collect();
        let waited: f64 = waits.iter().map(|(from, to)| float(to - from)).sum();
        let worked = (total - waited).max(1.0);
        let most = worked * CUT;
        let waits: Vec<(f64, f64, f64)> =
            waits.iter().map(|(from, to)| (float(*from), float(*to), float(to - from).min(most))).collect();
        let shown = worked + waits.iter().map(|(.., shown)| shown).sum::<f64>();
        Self { waits, shown, worked }
    }

    /// Returns the position of a moment, in percent.
    pub fn at(&self, micros: i64) -> f64 {
        let millis = float(micros.max(0));
        let mut saved = 0.0;
        for (from, to, shown) in &self.waits {
            if millis >= *to {
                saved += to - from - shown;
            } else if millis > *from {
                let part = (millis - from) / (to - from).max(1.0);
                return ((from - saved + part * shown) / self.shown * 100.0).clamp(0.0, 100.0);
            }
        }
        ((millis - saved) / self.shown * 100.0).clamp(0.0, 100.0)
    }

    /// Returns the distance between grid lines, in percent. With a wait, the lines would not match the ticks, so there is only
    /// one.
    pub fn grid(&self) -> f64 {
        if self.waits.is_empty() { round_step(self.worked / TICKS) / self.shown * 100.0 } else { 100.0 }
    }

    /// Returns ticks at round steps over the working time. After a wait, they count from its end.
    pub fn ticks(&self) -> Vec<Tick> {
        let step = round_step(self.worked / TICKS);
        let mut ticks = Vec::new();
        let mut begin = 0.0;
        let ends = self.waits.iter().map(|wait| Some(*wait)).chain([None]);
        let mut saved = 0.0;
        for wait in ends {
            let until = wait.map_or(self.shown + saved, |(from, ..)| from);
            let mut at = begin;
            while at < until - step * 0.4 {
                let place = (at - saved) / self.shown * 100.0;
                // A tick at the end of the axis would overlap the next column.
                if place < 96.0 && (begin == 0.0 || at > begin) {
                    let told = time(at - begin);
                    ticks.push(Tick { at: place, label: if begin == 0.0 { told } else { format!("+{told}") } });
                }
                at += step;
            }
            if let Some((from, to, shown)) = wait {
                let middle = (from - saved + shown / 2.0) / self.shown * 100.0;
                ticks.push(Tick { at: middle.min(96.0), label: time(to - from) });
                saved += to - from - shown;
                begin = to;
            }
        }
        ticks
    }
}

fn time(millis: f64) -> String {
    if millis < 1.0 {
        return "0".to_owned();
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number of milliseconds")]
    format::duration(millis.round() as u64)
}

/// Rounds up to 1, 2 or 5 times a power of ten, at least one millisecond.
fn round_step(wanted: f64) -> f64 {
    let mut power = 1.0;
    loop {
        for factor in [1.0, 2.0, 5.0] {
            if power * factor >= wanted {
                return power * factor;
            }
        }
        power *= 10.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_wait_the_axis_is_proportional() {
        let axis = Axis::new(200_000, &[]);
        assert!(
            (axis.at(0) - 0.0).abs() < 0.01
                && (axis.at(50_000) - 25.0).abs() < 0.01
                && (axis.at(200_000) - 100.0).abs() < 0.01
        );
        let labels: Vec<String> = axis.ticks().into_iter().map(|tick| tick.label).collect();
        assert_eq!(labels, ["0", "50 ms", "100 ms", "150 ms"]);
    }

    #[test]
    fn a_long_wait_is_cut_and_the_work_after_it_counts_anew() {
        let axis = Axis::new(610_000_000, &[(5_000_000, 605_000_000)]);
        // 10 s of work, and a wait drawn as 2 s.
        assert!((axis.at(5_000_000) - 41.67).abs() < 0.1, "{}", axis.at(5_000_000));
        assert!((axis.at(605_000_000) - 58.33).abs() < 0.1);
        assert!((axis.at(610_000_000) - 100.0).abs() < 0.01);
        assert!(axis.ticks().iter().any(|tick| tick.label.starts_with('+')));
        assert!(axis.ticks().windows(2).all(|pair| pair[0].at < pair[1].at));
    }

    #[test]
    fn an_empty_run_has_an_axis_too() {
        assert!(Axis::new(0, &[]).at(5).is_finite());
        assert!(Axis::new(1, &[]).ticks().len() < 10);
    }
}
