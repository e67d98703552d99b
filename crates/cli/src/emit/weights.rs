//! Data in unequal fractions: weighted interleaving of Linux 6.9
//! (Documentation/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave) and numactl 2.0.19 (`--weighted-interleave`). A process
//! names its nodes; the weights of the nodes, 1 to 255, apply to the whole host.

use std::collections::BTreeMap;

/// Weights of nodes, in numbers of the operating system.
pub(super) type Weights = BTreeMap<u32, u32>;

/// The largest weight that Linux accepts.
const MOST: u32 = 255;
/// Maximum difference between a share and its fraction that still counts as exact.
const EXACT: f64 = 1e-6;

/// The smallest weights that yield these fractions, and whether they do so exactly; `None` for equal fractions, which need no weights.
pub(super) fn of_fractions(fractions: &[(u32, f64)]) -> Option<(Weights, bool)> {
    let all = fractions.len() as f64;
    if fractions.iter().all(|&(_, share)| (share * all - 1.0).abs() < 1e-9) {
        return None;
    }
    // Every sum of weights, each between 1 and MOST.
    let sums = 1..=u32::try_from(fractions.len()).unwrap_or(1).saturating_mul(MOST);
    let exact = sums.map(f64::from).find_map(|sum| {
        let weight = |&(node, share): &(u32, f64)| {
            let weight = whole(share * sum)?;
            ((share * sum - f64::from(weight)).abs() <= EXACT * sum).then_some((node, weight))
        };
        fractions.iter().map(weight).collect::<Option<Weights>>()
    });
    if let Some(weights) = exact {
        return Some((weights, true));
    }
    let largest = fractions.iter().map(|&(_, share)| share).fold(0.0, f64::max);
    let nearest = |&(node, share): &(u32, f64)| (node, whole(share / largest * f64::from(MOST)).unwrap_or(1));
    Some((fractions.iter().map(nearest).collect(), false))
}

/// The weight nearest to a number, if there is one.
fn whole(number: f64) -> Option<u32> {
    (1..=MOST).find(|&weight| (number - f64::from(weight)).abs() <= 0.5)
}

/// The weights of the host. Applications come in order: each has the weights that it needs unless they conflict with those of earlier
/// ones. The map names each application with a conflict, with the reason.
pub(super) fn of_host(wanted: &[(&str, &Weights)]) -> (Weights, BTreeMap<String, String>) {
    // Groups of nodes whose relative weights are known, and the applications that need them.
    let mut groups: Vec<(Weights, Vec<String>)> = Vec::new();
    let mut refused = BTreeMap::new();
    for &(name, wanted) in wanted {
        let (met, others): (Vec<_>, Vec<_>) = std::mem::take(&mut groups)
            .into_iter()
            .partition(|(group, _)| group.keys().any(|node| wanted.contains_key(node)));
        groups = others;
        if let Some(weights) = together(met.iter().map(|(group, _)| group), wanted) {
            let names = met.into_iter().flat_map(|(_, names)| names).chain([name.to_owned()]);
            groups.push((weights, names.collect()));
            continue;
        }
        let names: Vec<String> =
            met.iter().flat_map(|(_, names)| names.iter().map(|name| format!("'{name}'"))).collect();
        let why = format!(
            "the weights of weighted interleaving are those of the whole host, and they are set for {}: numactl cannot do \
             both, and the data of '{name}' is spread evenly over its nodes",
            names.join(", "),
        );
        refused.insert(name.to_owned(), why);
        groups.extend(met);
    }
    (groups.into_iter().flat_map(|(group, _)| group).collect(), refused)
}

/// Weights that are proportional to those of each group and to the wanted ones; `None` if there are none from 1 to 255.
fn together<'a>(groups: impl Iterator<Item = &'a Weights>, wanted: &Weights) -> Option<Weights> {
    // Factor on the wanted weights: a multiple that makes all factors integers.
    let mut all: BTreeMap<u32, u64> = wanted.iter().map(|(&node, &weight)| (node, weight.into())).collect();
    for group in groups {
        let (&first, &own) = group.iter().find(|(node, _)| all.contains_key(node))?;
        let (own, there) = (u64::from(own), all[&first]);
        let common = divisor(own, there);
        let (of_all, of_group) = (own / common, there / common);
        for weight in all.values_mut() {
            *weight = weight.checked_mul(of_all)?;
        }
        for (&node, &weight) in group {
            let weight = u64::from(weight).checked_mul(of_group)?;
            if *all.entry(node).or_insert(weight) != weight {
                return None;
            }
        }
    }
    let common = all.values().copied().fold(0, divisor).max(1);
    let whole = |(node, weight): (u32, u64)| {
        Some((node, u32::try_from(weight / common).ok().filter(|weight| (1..=MOST).contains(weight))?))
    };
    all.into_iter().map(whole).collect()
}

/// The greatest common divisor.
pub(super) fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// The folder in which Linux stores the weights.
const FOLDER: &str = "/sys/kernel/mm/mempolicy/weighted_interleave";

/// The commands that set the weights that are not already set.
pub(super) fn commands(weights: &Weights) -> String {
    let line = |(node, weight): (&u32, &u32)| {
        let file = format!("{FOLDER}/node{node}");
        format!("grep -qx {weight} {file} || echo {weight} > {file} || exit 1\n")
    };
    weights.iter().map(line).collect()
}

/// The commands that record the old weights. Linux 6.16 and newer compute weights unless one was written (`auto`, which some kernels call
/// `__auto_type`).
pub(super) fn saved(weights: &Weights) -> String {
    let of = |node: &u32| format!("old_node{node}=$(cat {FOLDER}/node{node}) || exit 1\n");
    let auto = format!("auto={FOLDER}/auto; [ -e \"$auto\" ] || auto={FOLDER}/__auto_type\n");
    weights.keys().map(of).collect::<String>() + &auto + "old_auto=$(cat \"$auto\" 2>/dev/null)\n"
}

/// The commands that restore the old weights.
pub(super) fn restored(weights: &Weights) -> String {
    let of = |node: &u32| {
        let file = format!("{FOLDER}/node{node}");
        format!("[ \"$(cat {file})\" = \"$old_node{node}\" ] || echo \"$old_node{node}\" > {file}\n")
    };
    weights.keys().map(of).collect::<String>()
        + "[ \"$(cat \"$auto\" 2>/dev/null)\" = \"$old_auto\" ] || echo true > \"$auto\"\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(of: &[(u32, u32)]) -> Weights {
        of.iter().copied().collect()
    }

    #[test]
    fn fractions_have_the_smallest_weights() {
        let of = |fractions: &[(u32, f64)]| of_fractions(fractions);
        assert_eq!(of(&[(0, 0.75), (8, 0.25)]), Some((weights(&[(0, 3), (8, 1)]), true)));
        assert_eq!(
            of(&[(0, 0.4375), (1, 0.3125), (2, 0.25)]),
            Some((weights(&[(0, 7), (1, 5), (2, 4)]), true))
        );
        assert_eq!(of(&[(0, 0.5), (1, 0.5)]), None);
        // 0.999 to 0.001 is 255 to 0.26: the smallest weight is 1.
        assert_eq!(of(&[(0, 0.999), (1, 0.001)]), Some((weights(&[(0, 255), (1, 1)]), false)));
    }

    #[test]
    fn weights_of_several_are_one_set_where_they_agree_on_the_nodes_of_both() {
        let (first, second) = (weights(&[(0, 3), (1, 1)]), weights(&[(1, 2), (2, 5)]));
        assert_eq!(together([&first].into_iter(), &second), Some(weights(&[(0, 6), (1, 2), (2, 5)])));
        assert_eq!(together([&first].into_iter(), &weights(&[(0, 6), (1, 2)])), Some(first.clone()));
        assert_eq!(together([&first].into_iter(), &weights(&[(0, 1), (1, 3)])), None);
        // 255 : 1 and 1 : 255 on a chain of nodes would need 65,025.
        let (left, right) = (weights(&[(0, 255), (1, 1)]), weights(&[(1, 255), (2, 1)]));
        assert_eq!(together([&left].into_iter(), &right), None);
    }
}
