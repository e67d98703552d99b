//! Thread maps of all sizes: nothing overlaps, and nothing is missing.

use super::*;
use crate::canvas::Heading;
use crate::testing::{assert_apart, words};

/// Every application on every node in turn, some of them with data on the next node.
fn map(nodes: usize, cores: u32, apps: usize, remote: usize) -> ThreadMap {
    let app = |i: usize| MapApp {
        letter: char::from(b'A' + u8::try_from(i).expect("a letter")).to_string(),
        name: format!("application-{i}"),
        detail: format!("1/{} FLOP/byte, data local, {i}.25 GFLOPS", 1 << i),
    };
    let threads = |n: usize| {
        let each = cores / u32::try_from(apps + 1).expect("few");
        (0..apps).map(|a| (a, each + u32::from((a + n).is_multiple_of(3)))).filter(|(_, t)| *t > 0).collect()
    };
    let links =
        (0..nodes).flat_map(|from| (0..nodes).filter(move |&to| to != from).map(move |to| (from, to)));
    let link = |(i, (from, to)): (usize, (usize, usize))| MapLink {
        from,
        to,
        used_gbs: Some(if i % 7 < remote { 10.0 / (1 + i % 3) as f64 } else { 0.0 }),
        capacity_gbs: 10.0,
    };
    ThreadMap {
        heading: Heading { title: "machine".to_owned(), subtitle: "scenario even: 140 GFLOPS".to_owned() },
        apps: (0..apps).map(app).collect(),
        nodes: (0..nodes)
            .map(|n| MapNode {
                cores,
                threads: threads(n),
                domains: Vec::new(),
                used_gbs: Some(100.0),
                remote_gbs: if remote > 0 { 20.0 } else { 0.0 },
                capacity_gbs: 131.2,
                data: (0..apps).filter(|a| a % nodes == n).map(|app| MapData { app, part: None }).collect(),
            })
            .collect(),
        links: links.enumerate().map(link).collect(),
        shared_links: Vec::new(),
    }
}

#[test]
fn nothing_overlaps_from_1_to_16_nodes_with_8_applications() {
    for nodes in [1, 2, 3, 4, 5, 8, 16] {
        for cores in [8, 20, 64, 256] {
            for remote in [0, 1, 7] {
                let map = map(nodes, cores, 8, remote);
                assert_apart(&map.svg());
                assert_apart(&map.compact_svg());
            }
        }
    }
}

#[test]
fn a_compact_map_has_neither_heading_nor_legend_and_keeps_its_size() {
    let [idle, busy] = [0, 7].map(|remote| map(2, 8, 1, remote).compact_svg());
    // Only the letters of the application in the circles remain.
    let texts = words(&idle);
    assert!(texts.contains("node 0\n") && texts.contains("A\n"), "{texts}");
    assert!(!texts.contains("application-0") && !texts.contains("scenario even"), "{texts}");
    let size =
        |svg: &str| svg.split_once("viewBox=\"").map(|(_, rest)| rest.split('"').next().map(str::to_owned));
    assert_eq!(size(&idle), size(&busy), "traffic moves nothing");
}

#[test]
fn every_core_is_a_circle() {
    let map = map(4, 8, 2, 0);
    let svg = map.svg();
    // 4 x 8 cores, two applications in the legend, and the sign of an idle core
    assert_eq!(svg.matches("<circle").count(), 4 * 8 + 2 + 1);
}

/// The same with the cores in domains, filled one after the other.
fn in_domains(mut map: ThreadMap, per_domain: u32) -> ThreadMap {
    for node in &mut map.nodes {
        let mut apps = node.threads.iter().flat_map(|&(app, count)| (0..count).map(move |_| app)).peekable();
        node.domains = (0..node.cores / per_domain)
            .map(|number| {
                let mut threads: Vec<(usize, u32)> = Vec::new();
                for app in apps.by_ref().take(per_domain as usize) {
                    match threads.iter_mut().find(|(known, _)| *known == app) {
                        Some((_, count)) => *count += 1,
                        None => threads.push((app, 1)),
                    }
                }
                MapDomain { cores: per_domain, threads, is_full: number == 0 }
            })
            .collect();
    }
    map
}

#[test]
fn cores_are_in_the_boxes_of_their_l3_domains() {
    for (nodes, cores, per_domain) in
        [(1, 16, 8), (2, 96, 8), (4, 24, 8), (8, 24, 8), (2, 192, 16), (2, 6, 3)]
    {
        for remote in [0, 7] {
            let map = in_domains(map(nodes, cores, 4, remote), per_domain);
            let svg = map.svg();
            assert_apart(&svg);
            let legend = 4 + 1;
            assert_eq!(svg.matches("<circle").count(), nodes * cores as usize + legend);
            let texts = words(&svg);
            assert!(
                texts.contains("cores of an L3 domain\n") && texts.contains("that reads all it can"),
                "{texts}"
            );
        }
    }
}

#[test]
fn figure_3_of_the_paper() {
    // Even 2,2,2,2 with all data of D on node 0: links 10, 60 GB/s per node.
    let mut map = map(4, 8, 4, 0);
    for (n, node) in map.nodes.iter_mut().enumerate() {
        node.threads = (0..4).map(|app| (app, 2)).collect();
        node.data.clear();
        node.capacity_gbs = 60.0;
        (node.used_gbs, node.remote_gbs) = (Some(60.0), if n == 0 { 30.0 } else { 0.0 });
    }
    map.nodes[0].data = vec![MapData { app: 3, part: None }];
    for link in &mut map.links {
        link.used_gbs = Some(if link.to == 0 { 10.0 } else { 0.0 });
    }
    let svg = map.svg();
    insta::assert_snapshot!(words(&svg));
    assert_apart(&svg);
    // Three links in use, with dashes in them because they are full; three pairs without traffic.
    assert_eq!((svg.matches("<path").count(), svg.matches("#D6D6D6").count()), (2 * 3 + 3, 3));
}

#[test]
fn a_memory_without_cores_and_parts_of_data_are_named() {
    let mut map = map(3, 4, 2, 0);
    map.nodes[2] = MapNode {
        cores: 0,
        threads: Vec::new(),
        data: vec![MapData { app: 1, part: Some("25 %".to_owned()) }],
        ..map.nodes[2].clone()
    };
    let svg = map.svg();
    assert_apart(&svg);
    let texts = words(&svg);
    assert!(texts.contains("memory only\n") && texts.contains("25 %\n"), "{texts}");
}

#[test]
fn many_links_in_use_are_drawn_as_one_and_listed() {
    let map = map(8, 8, 8, 7);
    let svg = map.svg();
    let texts = words(&svg);
    assert!(texts.contains("56 links in use, drawn as one\n"), "{texts}");
    assert!(texts.contains("Links in use (core → memory: used / capacity in GB/s)\n"), "{texts}");
    let listed: usize = texts.lines().map(|line| line.matches(" → ").count()).sum();
    // Three capacities in turn among the links of each of 8 nodes, and the words of the heading of the list.
    assert_eq!(listed, 3 * 8 + 1);
    // No curve from node to node; two arrows at each node, and those of the two signs.
    assert_eq!((svg.matches("<path").count(), svg.matches("<polygon").count()), (0, 2 * 8 + 2));
    // Links are 10, 5, 3.33 GB/s in turn, in the order of the nodes: the seven of node 0 sum up to
    // 10 + 5 + 3.33 + 10 + 5 + 3.33 + 10 = 46.7
    assert!(texts.contains("\n46.7\n"), "{texts}");
}

#[test]
fn up_to_16_links_have_a_line_each() {
    // 3 x 2 and 4 x 3 links
    for (nodes, links) in [(3, 6), (4, 12)] {
        let svg = map(nodes, 8, 2, 7).svg();
        // Full ones have dashes in them.
        let lines = svg.split("<path").skip(1).filter_map(|path| path.split('>').next());
        let lines = lines.filter(|path| !path.contains("dasharray")).count();
        assert_eq!(lines, links);
        assert!(!words(&svg).contains("drawn as one"));
    }
}

#[test]
fn the_busiest_of_very_many_links_are_listed() {
    let mut map = map(16, 8, 2, 7);
    map.links[100].used_gbs = Some(9.9999);
    let texts = words(&map.svg());
    assert!(texts.contains("The busiest links") && texts.contains("and 180 more\n"), "{texts}");
}

#[test]
fn many_links_without_a_scenario_are_drawn_as_one() {
    let mut map = map(8, 8, 0, 0);
    map.links.iter_mut().for_each(|link| link.used_gbs = None);
    map.nodes.iter_mut().for_each(|node| node.used_gbs = None);
    let texts = words(&map.svg());
    assert!(texts.contains("56 links, drawn as one: 10.0 GB/s each\n"), "{texts}");
    map.links[3].capacity_gbs = 2.5;
    assert!(words(&map.svg()).contains("56 links, drawn as one: 2.5 to 10.0 GB/s each\n"));
    assert_apart(&map.svg());
}

#[test]
fn links_shared_by_the_rows_are_drawn_between_them() {
    let mut map = map(8, 8, 4, 1);
    let link = |from: std::ops::Range<usize>, to: std::ops::Range<usize>, used_gbs| MapSharedLink {
        name: "socket 0 - socket 1".to_owned(),
        from: from.collect(),
        to: to.collect(),
        used_gbs: Some(used_gbs),
        capacity_gbs: 60.0,
    };
    map.shared_links = vec![link(0..4, 4..8, 60.0), link(4..8, 0..4, 12.5)];
    let svg = map.svg();
    assert_apart(&svg);
    let texts = words(&svg);
    for text in ["60.0 / 60.0 GB/s\n", "12.5 / 60.0 GB/s\n", "links of nodes 0-3, drawn as one\n"] {
        assert!(texts.contains(text), "{text} is missing in {texts}");
    }
    assert!(!texts.contains("Links that these pairs share"), "{texts}");
}

#[test]
fn shared_links_are_listed_below_the_signs() {
    let mut map = map(4, 4, 2, 2);
    let link = |from: [usize; 2], to: [usize; 2], used_gbs| MapSharedLink {
        name: "xGMI".to_owned(),
        from: from.to_vec(),
        to: to.to_vec(),
        used_gbs: Some(used_gbs),
        capacity_gbs: 60.0,
    };
    map.shared_links = vec![link([0, 1], [2, 3], 60.0), link([2, 3], [0, 1], 12.5)];
    let svg = map.svg();
    for words in ["xGMI 0, 1 → 2, 3: 60.0 / 60.0, full", "xGMI 2, 3 → 0, 1: 12.5 / 60.0"] {
        assert!(svg.contains(words), "{words} is missing");
    }
    assert_apart(&svg);
}
