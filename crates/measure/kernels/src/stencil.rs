//! Kernels on grids of points: each new value is computed from a point and its four neighbours.

/// Values next to a tile: rows above and below it, columns to its left and right. If a slice is empty, the border of the grid is 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// The row above the first one.
    pub up: &'a [f64],
    /// The row below the last one.
    pub down: &'a [f64],
    /// Left of each row.
    pub left: &'a [f64],
    /// Right of each row.
    pub right: &'a [f64],
}

fn at(values: &[f64], place: usize) -> f64 {
    values.get(place).copied().unwrap_or(0.0)
}

/// A fifth of a point and its four neighbours: 4 additions and a multiplication. The sum of all points is constant if borders are periodic.
pub fn average(point: f64, [up, down, left, right]: [f64; 4]) -> f64 {
    ((((point + up) + down) + left) + right) * 0.2
}

/// A row of [`average`]s from the row itself and those above and below it; empty ones are 0.
pub fn average_row(row: &[f64], (up, down): (&[f64], &[f64]), (left, right): (f64, f64), new: &mut [f64]) {
    let width = row.len();
    let Some(last) = width.checked_sub(1) else { return };
    for place in [0, last] {
        let beside_left = if place == 0 { left } else { at(row, place - 1) };
        let beside_right = if place == last { right } else { at(row, place + 1) };
        let around = [at(up, place), at(down, place), beside_left, beside_right];
        if let Some(new) = new.get_mut(place) {
            *new = average(at(row, place), around);
        }
    }
    let inner = 1..last.max(1);
    match (up.get(inner.clone()), down.get(inner.clone()), new.get_mut(inner.clone())) {
        (Some(up), Some(down), Some(new)) => {
            let triples = row.windows(3);
            for (((new, triple), &up), &down) in new.iter_mut().zip(triples).zip(up).zip(down) {
                if let &[left, point, right] = triple {
                    *new = average(point, [up, down, left, right]);
                }
            }
        }
        // At the border of the grid.
        (_, _, Some(new)) => {
            for (place, new) in inner.zip(new) {
                let around = [at(up, place), at(down, place), at(row, place - 1), at(row, place + 1)];
                *new = average(at(row, place), around);
            }
        }
        _ => {}
    }
}

/// New values of a tile with rows of `width` points in another grid.
pub fn average_tile(width: usize, old: &[f64], beside: Beside<'_>, new: &mut [f64]) {
    let Some(last) = (old.len() / width.max(1)).checked_sub(1) else { return };
    let row = |number: usize| old.get(number * width..(number + 1) * width).unwrap_or_default();
    for (number, new) in new.chunks_exact_mut(width).enumerate() {
        let up = if number == 0 { beside.up } else { row(number - 1) };
        let down = if number == last { beside.down } else { row(number + 1) };
        let sides = (at(beside.left, number), at(beside.right, number));
        average_row(row(number), (up, down), sides, new);
    }
}

/// The same in place; `rows` is room for two rows.
pub fn average_in_place(width: usize, tile: &mut [f64], beside: Beside<'_>, rows: &mut Vec<f64>) {
    let Some(last) = (tile.len() / width.max(1)).checked_sub(1) else { return };
    rows.clear();
    rows.extend_from_slice(beside.up);
    rows.resize(2 * width, 0.0);
    let (above, own) = rows.split_at_mut(width);
    let (mut above, mut own) = (above, own);
    for number in 0..=last {
        let (until, after) = tile.split_at_mut((number + 1) * width);
        let row = until.get_mut(number * width..).unwrap_or_default();
        own.copy_from_slice(row);
        let down = if number == last { beside.down } else { after.get(..width).unwrap_or_default() };
        let sides = (at(beside.left, number), at(beside.right, number));
        average_row(own, (above, down), sides, row);
        std::mem::swap(&mut above, &mut own);
    }
}

/// A sweep of Gauss-Seidel: each point, row by row, becomes the mean of the current values of its four neighbours: 3 additions and a
/// multiplication. Each point waits for the previous one.
pub fn gauss_seidel(width: usize, tile: &mut [f64], beside: Beside<'_>) {
    let Some(last) = (tile.len() / width.max(1)).checked_sub(1) else { return };
    for number in 0..=last {
        let (before, from_row) = tile.split_at_mut(number * width);
        let (row, after) = from_row.split_at_mut(width);
        let up = if number == 0 { beside.up } else { before.get((number - 1) * width..).unwrap_or_default() };
        let down = if number == last { beside.down } else { after };
        let mut left = at(beside.left, number);
        let right = at(beside.right, number);
        for place in 0..width {
            let beside_right = if place + 1 < width { at(row, place + 1) } else { right };
            left = mean([at(up, place), left, at(down, place), beside_right]);
            if let Some(point) = row.get_mut(place) {
                *point = left;
            }
        }
    }
}

/// The mean of the points above, to the left, below and to the right.
pub fn mean([up, left, down, right]: [f64; 4]) -> f64 {
    (((up + left) + down) + right) * 0.25
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_and_its_neighbours_by_hand() {
        // 3 x 3, borders 0; the middle (1 + 2 + 3 + 4 + 5) / 5 = 3, the corner (0 + 2 + 3) / 5 = 1.
        let old = [0.0, 2.0, 0.0, 3.0, 1.0, 4.0, 0.0, 5.0, 0.0];
        let mut new = [0.0; 9];
        average_tile(3, &old, Beside::default(), &mut new);
        assert_eq!((new[4], new[0]), (3.0, 1.0));
        let mut in_place = old;
        average_in_place(3, &mut in_place, Beside::default(), &mut Vec::new());
        assert_eq!(in_place, new);
    }

    #[test]
    fn values_next_to_a_tile_count() {
        let beside = Beside { up: &[1.0, 2.0], down: &[3.0, 4.0], left: &[5.0], right: &[6.0] };
        let mut new = [0.0; 2];
        average_tile(2, &[7.0, 8.0], beside, &mut new);
        // (7 + 1 + 3 + 5 + 8) / 5 and (8 + 2 + 4 + 7 + 6) / 5.
        assert_eq!(new, [24.0 * 0.2, 27.0 * 0.2]);
    }

    #[test]
    fn periodic_borders_conserve_the_sum() {
        let (width, height) = (13_usize, 7);
        let mut grid: Vec<f64> = (0..width * height).map(|place| (place * place % 17) as f64).collect();
        let before: f64 = grid.iter().sum();
        for _ in 0..20 {
            let old = grid.clone();
            let left: Vec<f64> = old.chunks(width).map(|row| row[width - 1]).collect();
            let right: Vec<f64> = old.chunks(width).map(|row| row[0]).collect();
            let up = &old[old.len() - width..];
            let beside = Beside { up, down: &old[..width], left: &left, right: &right };
            average_tile(width, &old, beside, &mut grid);
        }
        let after: f64 = grid.iter().sum();
        assert!((after - before).abs() < 1e-12 * before, "{before} became {after}");
    }

    #[test]
    fn gauss_seidel_uses_new_values_immediately() {
        // Row 1: (0 + 0 + 8 + 4) / 4 = 3, (0 + 3 + 9 + 0) / 4 = 3; row 2: (3 + 0 + 0 + 9) / 4 = 3, (3 + 3 + 0 + 2) / 4 = 2.
        let mut tile = [1.0, 4.0, 8.0, 9.0];
        gauss_seidel(2, &mut tile, Beside { right: &[0.0, 2.0], ..Beside::default() });
        assert_eq!(tile, [3.0, 3.0, 3.0, 2.0]);
    }
}
