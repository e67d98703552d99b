//! The two sweeps over rows of the staggered grid, forwards and backwards in time: 10 and 12 FLOP for each point.
//!
//! Time advances in steps of one, and so do rows and columns; a force changes a velocity by a quarter of its value. With whole numbers
//! everything is exact for some iterations, and going back in time restores the initial state to the last bit.

use std::ops::Range;

use crate::loops::Isa;

/// Number of arrays of velocity, and of those that follow from it.
pub(super) const VELOCITIES: usize = 2;
/// Stress along both axes and across, and displacement along both axes.
pub(super) const STRESSES: usize = 5;

/// Effect of a force on a velocity in a step. Waves are stable below 4/13: no gradient of a field exceeds twice the field, so forces are
/// below 13 times the displacement, of which a step of time takes at most 4.
const SHARE: f32 = 0.25;

/// Rows of velocity along x and z.
type Velocity<'a> = [&'a [f32]; VELOCITIES];
/// Rows of stress xx, zz, xz and of displacement x, z.
type Stress<'a> = [&'a [f32]; STRESSES];

/// The direction of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    Forwards,
    Backwards,
}

/// Stress and displacement of a row after a step of time, from its velocity and that of the row below it.
fn stress_between(isa: Isa, time: Time, own: Velocity<'_>, below: Velocity<'_>, to: [&mut [f32]; STRESSES]) {
    match (isa, time) {
        // SAFETY: the processor has it.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        (Isa::Avx512, _) if isa.is_available() => unsafe { stress_avx512(time, own, below, to) },
        // SAFETY: the processor has it.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        (Isa::Avx2, _) if isa.is_available() => unsafe { stress_avx2(time, own, below, to) },
        _ => stress_either(time, own, below, to),
    }
}

/// Velocity of a row after a step of time, from its stress and displacement and those of the row above it.
fn velocity_between(isa: Isa, time: Time, own: Stress<'_>, above: Stress<'_>, to: [&mut [f32]; VELOCITIES]) {
    match (isa, time) {
        // SAFETY: the processor has it.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        (Isa::Avx512, _) if isa.is_available() => unsafe { velocity_avx512(time, own, above, to) },
        // SAFETY: the processor has it.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        (Isa::Avx2, _) if isa.is_available() => unsafe { velocity_avx2(time, own, above, to) },
        _ => velocity_either(time, own, above, to),
    }
}

/// A sweep for an instruction set.
macro_rules! compiled {
    ($name:ident, $features:literal, $sweep:ident, $from:ty, $many:ident) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        fn $name(time: Time, own: $from, beside: $from, to: [&mut [f32]; $many]) {
            $sweep(time, own, beside, to);
        }
    };
}
compiled!(stress_avx512, "avx512f", stress_either, Velocity<'_>, STRESSES);
compiled!(stress_avx2, "avx2,fma", stress_either, Velocity<'_>, STRESSES);
compiled!(velocity_avx512, "avx512f", velocity_either, Stress<'_>, VELOCITIES);
compiled!(velocity_avx2, "avx2,fma", velocity_either, Stress<'_>, VELOCITIES);

#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
fn stress_either(time: Time, own: Velocity<'_>, below: Velocity<'_>, to: [&mut [f32]; STRESSES]) {
    match time {
        Time::Forwards => stress_row(own, below, to, |stress, change| stress + change),
        Time::Backwards => stress_row(own, below, to, |stress, change| stress - change),
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "as `stress_either`")]
fn velocity_either(time: Time, own: Stress<'_>, above: Stress<'_>, to: [&mut [f32]; VELOCITIES]) {
    match time {
        Time::Forwards => velocity_row(own, above, to, |velocity, change| velocity + change),
        Time::Backwards => velocity_row(own, above, to, |velocity, change| velocity - change),
    }
}

/// Rows of the length of the shortest one, so that the compiler sees that no index is out of bounds.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as `stress_either`")]
fn of_one_length<const N: usize>(own: [&[f32]; N], beside: [&[f32]; N], len: usize) -> usize {
    own.iter().chain(&beside).fold(len, |len, row| len.min(row.len()))
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "as `stress_either`")]
fn stress_row(
    own: Velocity<'_>,
    below: Velocity<'_>,
    to: [&mut [f32]; STRESSES],
    after: impl Fn(f32, f32) -> f32,
) {
    let len = of_one_length(own, below, to.iter().map(|to| to.len()).min().unwrap_or(0));
    let Some(last) = len.checked_sub(1) else { return };
    let ([vx, vz], [x_below, z_below]) = (own.map(|row| &row[..len]), below.map(|row| &row[..len]));
    let [xx, zz, xz, x, z] = to.map(|to| &mut to[..len]);
    let mut point = |at: usize, x_right: f32, z_right: f32| {
        xx[at] = after(xx[at], x_right - vx[at]);
        zz[at] = after(zz[at], z_below[at] - vz[at]);
        xz[at] = after(xz[at], (x_below[at] - vx[at]) + (z_right - vz[at]));
        x[at] = after(x[at], vx[at]);
        z[at] = after(z[at], vz[at]);
    };
    for at in 0..last {
        point(at, vx[at + 1], vz[at + 1]);
    }
    point(last, 0.0, 0.0);
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "as `stress_either`")]
fn velocity_row(
    own: Stress<'_>,
    above: Stress<'_>,
    to: [&mut [f32]; VELOCITIES],
    after: impl Fn(f32, f32) -> f32,
) {
    let len = of_one_length(own, above, to.iter().map(|to| to.len()).min().unwrap_or(0));
    if len == 0 {
        return;
    }
    let [xx, zz, xz, x, z] = own.map(|row| &row[..len]);
    let [_, zz_above, xz_above, ..] = above.map(|row| &row[..len]);
    let [vx, vz] = to.map(|to| &mut to[..len]);
    let mut point = |at: usize, xx_left: f32, xz_left: f32| {
        let along_x = ((xx[at] - xx_left) + (xz[at] - xz_above[at])) - x[at];
        let along_z = ((zz[at] - zz_above[at]) + (xz[at] - xz_left)) - z[at];
        vx[at] = after(vx[at], SHARE * along_x);
        vz[at] = after(vz[at], SHARE * along_z);
    };
    point(0, 0.0, 0.0);
    for at in 1..len {
        point(at, xx[at - 1], xz[at - 1]);
    }
}

/// A row of each array, or the values beyond the grid.
fn rows<'a, const N: usize>(
    arrays: [&'a [f32]; N],
    row: Option<usize>,
    columns: usize,
    beyond: &'a [f32],
) -> [&'a [f32]; N] {
    arrays.map(|array| {
        let row = row.and_then(|row| array.get(row * columns..(row + 1) * columns));
        row.unwrap_or(beyond)
    })
}

/// The first sweep over some rows; `velocity` has all rows of the grid or of a band.
pub(super) fn stress(
    isa: Isa,
    time: Time,
    range: Range<usize>,
    velocity: Velocity<'_>,
    beyond: &[f32],
    stress: [&mut [f32]; STRESSES],
) {
    let columns = beyond.len().max(1);
    let mut to = stress.map(|array| array.chunks_exact_mut(columns));
    for row in range {
        let [Some(a), Some(b), Some(c), Some(d), Some(e)] = to.each_mut().map(Iterator::next) else { return };
        let of = |row| rows(velocity, Some(row), columns, beyond);
        stress_between(isa, time, of(row), of(row + 1), [a, b, c, d, e]);
    }
}

/// The second sweep over some rows.
pub(super) fn velocity(
    isa: Isa,
    time: Time,
    range: Range<usize>,
    stress: Stress<'_>,
    beyond: &[f32],
    velocity: [&mut [f32]; VELOCITIES],
) {
    let columns = beyond.len().max(1);
    let mut to = velocity.map(|array| array.chunks_exact_mut(columns));
    for row in range {
        let [Some(a), Some(b)] = to.each_mut().map(Iterator::next) else { return };
        let of = |row| rows(stress, row, columns, beyond);
        velocity_between(isa, time, of(Some(row)), of(row.checked_sub(1)), [a, b]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_points_by_hand() {
        // vx = 1, 2 over 5, 7; vz = 3, 4 over 8, 6.
        let mut to = [[10.0_f32, 20.0]; STRESSES];
        let [a, b, c, d, e] = &mut to;
        stress_between(
            Isa::Portable,
            Time::Forwards,
            [&[1.0, 2.0], &[3.0, 4.0]],
            [&[5.0, 7.0], &[8.0, 6.0]],
            [a, b, c, d, e],
        );
        // xx: 2 - 1, 0 - 2; zz: 8 - 3, 6 - 4; xz: (5 - 1) + (4 - 3), (7 - 2) + (0 - 4); x: 1, 2; z: 3, 4.
        assert_eq!(to, [[11.0, 18.0], [15.0, 22.0], [15.0, 21.0], [11.0, 22.0], [13.0, 24.0]]);

        let own: Stress<'_> = [&[1.0, 4.0], &[2.0, 9.0], &[3.0, 5.0], &[1.0, 1.0], &[2.0, 2.0]];
        let above: Stress<'_> = [&[0.0; 2], &[4.0, 1.0], &[1.0, 2.0], &[0.0; 2], &[0.0; 2]];
        let (mut vx, mut vz) = ([0.0, 0.0], [1.0, 1.0]);
        velocity_between(Isa::Portable, Time::Forwards, own, above, [&mut vx, &mut vz]);
        // x: ((1 - 0) + (3 - 1)) - 1 = 2, ((4 - 1) + (5 - 2)) - 1 = 5; z: ((2 - 4) + (3 - 0)) - 2 = -1, ((9 - 1) + (5 - 3)) - 2 = 8; a quarter of each.
        assert_eq!((vx, vz), ([0.5, 1.25], [0.75, 3.0]));
        velocity_between(Isa::Portable, Time::Backwards, own, above, [&mut vx, &mut vz]);
        assert_eq!((vx, vz), ([0.0, 0.0], [1.0, 1.0]));
    }
}
