//! `exp` and `ln` from plain arithmetic, because the last digit of the system library's results may differ between machines.

/// Returns e to the power of `x`, to about fifteen digits.
pub fn exp(x: f64) -> f64 {
    if x < -700.0 {
        return 0.0;
    }
    let x = x.min(700.0);
    let n = (x * std::f64::consts::LOG2_E).round();
    let r = x - n * 6.931_471_803_691_238e-1 - n * 1.908_214_929_270_587_7e-10;
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..14 {
        term *= r / f64::from(k);
        sum += term;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the exponent of a number that fits")]
    let power = f64::from_bits(((n as i64 + 1023) as u64) << 52);
    sum * power
}

/// Returns the natural logarithm of a positive number.
pub fn ln(x: f64) -> f64 {
    if x <= 0.0 {
        return -745.0;
    }
    let bits = x.to_bits();
    #[expect(clippy::cast_possible_wrap, reason = "eleven bits")]
    let mut exponent = ((bits >> 52) & 0x7ff) as i64 - 1023;
    let mut mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | (1023 << 52));
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa /= 2.0;
        exponent += 1;
    }
    // ln m = 2 atanh((m - 1) / (m + 1))
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let (mut sum, mut power) = (0.0, t);
    for k in 0..14 {
        sum += power / f64::from(2 * k + 1);
        power *= t * t;
    }
    #[expect(clippy::cast_precision_loss, reason = "a small exponent")]
    let whole = exponent as f64 * std::f64::consts::LN_2;
    2.0 * sum + whole
}

pub fn sigmoid(x: f32) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1")]
    let y = (1.0 / (1.0 + exp(-f64::from(x)))) as f32;
    y
}

/// Turns scores into probabilities, in place.
#[expect(clippy::cast_possible_truncation, reason = "between 0 and 1")]
pub fn softmax(values: &mut [f32]) {
    let most = values.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for value in values.iter_mut() {
        let e = exp(f64::from(*value - most));
        sum += e;
        *value = e as f32;
    }
    for value in values {
        *value = (f64::from(*value) / sum) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_agree_with_the_system_s() {
        for x in [-30.0, -2.5, -0.1, 0.0, 0.3, 1.0, 7.7, 40.0] {
            assert!((exp(x) / f64::exp(x) - 1.0).abs() < 1e-13, "{x}");
        }
        for x in [1e-12, 0.3, 0.999, 1.0, 1.5, 2.0, 323.0, 1e9] {
            assert!((ln(x) - f64::ln(x)).abs() < 1e-12, "{x}");
        }
    }
}
