//! Parameters of all generators.

use super::*;

#[test]
fn every_parameter_is_explained_and_used() {
    let mut settled = Generator::defaults();
    for generator in &mut settled {
        generator.settle(&[4, 4]);
    }
    let mut used: Vec<&str> = settled.iter().flat_map(Generator::parameters).map(|(key, _)| key).collect();
    used.sort_unstable();
    used.dedup();
    let mut explained = Parameter::ALL.map(|parameter| parameter.key);
    explained.sort_unstable();
    assert_eq!(used, explained);
}

#[test]
fn what_holds_where_nobody_says_anything_makes_sense() {
    for mut generator in Generator::defaults() {
        generator.settle(&[4, 4]);
        assert!(generator.of_machine_mut().iter().all(|of| of.value.is_some()));
        assert_eq!(generator.indivisible(), None, "{}", generator.as_str());
        for (key, value) in generator.parameters() {
            let least = Parameter::ALL.iter().find(|parameter| parameter.key == key).map(|p| p.least);
            assert!(least.is_some_and(|least| value >= least), "{key}");
        }
    }
}

/// 3 nodes with 4, 2 and 2 cores: 8 x 8 chunks; a block for each node and 2 x 4 strips in each.
#[test]
fn what_nobody_gives_follows_from_the_machine() {
    let settled = |mut generator: Generator| {
        generator.settle(&[4, 2, 2]);
        generator.parameters()
    };
    let cg = |chunks| Generator::NpbCg { rows: 9, nnz: 9, chunks, repeat: 1 };
    assert_eq!(settled(cg(None)).last(), Some(&("chunks", 64)));
    assert_eq!(settled(cg(Some(5))).last(), Some(&("chunks", 5)));
    let seismic = |blocks, strips| Generator::Seismic { n: 24, blocks, strips, iterations: 1 };
    let all = |blocks, strips| vec![("n", 24), ("iterations", 1), ("blocks", blocks), ("strips", strips)];
    assert_eq!(settled(seismic(None, None)), all(3, 8));
    assert_eq!(settled(seismic(Some(2), None)), all(2, 8));
    assert_eq!(settled(seismic(None, Some(1))), all(3, 1));
    // A pipeline has tokens: two for each worker.
    let tokens = Generator::Ferret { queries: 1, database: 1, load_flop: 1 }.throttle(8);
    assert_eq!((tokens, cg(None).throttle(8)), (Some(16), None));
}

#[test]
fn what_cannot_be_dealt_into_equal_parts_is_found() {
    let cg = |blocks, rows| Generator::Cg { blocks, rows, nnz_per_row: 1, iterations: 1, init: true };
    assert_eq!([cg(3, 9), cg(1, 7)].map(|cg| cg.indivisible()), [None; 2]);
    let left = |whole, value, parts, count| Some(Indivisible { whole, value, parts, count });
    assert_eq!(cg(4, 9).indivisible(), left("rows", 9, "blocks", 4));
    assert_eq!(cg(0, 9).indivisible(), left("rows", 9, "blocks", 0));
    let stencil = |rows, columns| Generator::Stencil2d { n: 12, rows, columns, iterations: 1 };
    assert_eq!(stencil(4, 6).indivisible(), None);
    assert_eq!(stencil(5, 5).indivisible(), left("n", 12, "rows", 5));
    assert_eq!(stencil(4, 5).indivisible(), left("n", 12, "columns", 5));
    let seismic = |blocks, strips| Generator::Seismic { n: 12, blocks, strips, iterations: 1 };
    assert_eq!(seismic(Some(2), Some(3)).indivisible(), None);
    assert_eq!(seismic(Some(2), Some(4)).indivisible(), left("n", 12, "strips", 8));
    assert_eq!(seismic(None, Some(5)).indivisible(), None);
}
