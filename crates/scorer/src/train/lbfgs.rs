//! Minimizes a smooth function: L-BFGS with a backtracking line search; sums are in a fixed order.

/// How many pairs of steps are kept.
const MEMORY: usize = 6;
const LANES: usize = 8;

/// Returns the dot product, in eight parallel sums: fast, and always in the same order.
pub fn dot(a: &[f32], b: &[f32]) -> f64 {
    let mut sums = [0.0_f64; LANES];
    let (mut left, mut right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    for (x, y) in left.by_ref().zip(right.by_ref()) {
        for lane in 0..LANES {
            sums[lane] += f64::from(x[lane]) * f64::from(y[lane]);
        }
    }
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
    sums.iter().sum::<f64>() + rest
}

fn add(to: &mut [f32], from: &[f32], times: f32) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += times * from;
    }
}

struct Pair {
    step: Vec<f32>,
    bend: Vec<f32>,
    product: f64,
}

#[expect(clippy::cast_possible_truncation, reason = "weights are single precision")]
fn direction(gradient: &[f32], pairs: &[Pair]) -> Vec<f32> {
    let mut out = gradient.to_vec();
    let mut shares = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let share = dot(&pair.step, &out) / pair.product;
        add(&mut out, &pair.bend, -share as f32);
        shares.push(share);
    }
    let scale = pairs.last().map_or_else(
        || 1.0 / dot(gradient, gradient).sqrt().max(1e-12),
        |pair| pair.product / dot(&pair.bend, &pair.bend),
    );
    for value in &mut out {
        *value *= -scale as f32;
    }
    for (pair, share) in pairs.iter().zip(shares.iter().rev()) {
        // The direction has changed its sign, so the share has too.
        let back = dot(&pair.bend, &out) / pair.product;
        add(&mut out, &pair.step, (-share - back) as f32);
    }
    out
}

/// Minimizes `value`. `value(x, gradient)` returns the value at `x` and writes its gradient.
#[expect(clippy::cast_possible_truncation, reason = "weights are single precision")]
pub fn minimise(start: Vec<f32>, steps: usize, mut value: impl FnMut(&[f32], &mut [f32]) -> f64) -> Vec<f32> {
    let mut x = start;
    let mut gradient = vec![0.0; x.len()];
    let mut now = value(&x, &mut gradient);
    let mut pairs: Vec<Pair> = Vec::new();
    for _ in 0..steps {
        let way = direction(&gradient, &pairs);
        let slope = dot(&way, &gradient);
        if slope > -1e-12 {
            break;
        }
        let mut length = 1.0_f64;
        let mut next = vec![0.0; x.len()];
        let mut turned = vec![0.0; x.len()];
        let found = (0..20).find_map(|_| {
            next.copy_from_slice(&x);
            add(&mut next, &way, length as f32);
            let there = value(&next, &mut turned);
            if there <= now + 1e-4 * length * slope {
                return Some(there);
            }
            // Use the lowest point of the parabola through the known values, within limits.
            let guess = -slope * length * length / (2.0 * (there - now - slope * length));
            length = guess.clamp(0.1 * length, 0.5 * length);
            None
        });
        let Some(there) = found else { break };
        let step: Vec<f32> = next.iter().zip(&x).map(|(a, b)| a - b).collect();
        let bend: Vec<f32> = turned.iter().zip(&gradient).map(|(a, b)| a - b).collect();
        let product = dot(&step, &bend);
        if product > 1e-18 {
            if pairs.len() == MEMORY {
                pairs.remove(0);
            }
            pairs.push(Pair { step, bend, product });
        }
        (x, gradient, now) = (next, turned, there);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_the_bottom_of_a_long_valley() {
        let found = minimise(vec![5.0, -3.0, 2.0], 60, |x, gradient| {
            let scales = [1.0, 30.0, 300.0];
            let mut sum = 0.0;
            for at in 0..3 {
                let away = x[at] - 1.0;
                gradient[at] = 2.0 * scales[at] * away;
                sum += f64::from(scales[at] * away * away);
            }
            sum
        });
        assert!(found.iter().all(|value| (value - 1.0).abs() < 1e-3), "{found:?}");
    }
}
