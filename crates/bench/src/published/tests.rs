//! The summary figures that the README quotes.

use super::*;

#[test]
fn look() {
    let show = |all: Vec<Judged>| {
        for one in all {
            let s = summary(&one.points).unwrap();
            println!("{:?} | {} | {} | {} | {} | n {} mean {:.2} med {:.2} p95 {:.2} worst {:.2}", one.part, one.set, one.traffic, one.method, one.figures, s.points, 100.*s.mean, 100.*s.median, 100.*s.percentile_95, 100.*s.worst);
            if one.points.len() < 6 { for p in &one.points { println!("      {} {:.2} {:.2} {:+.1}", p.name, p.measured, p.predicted, 100.*p.error()); } }
        }
    };
    let t = std::time::Instant::now();
    show(co_run::judge().unwrap()); println!("{:?}", t.elapsed());
    show(table_iii::judge().unwrap()); println!("{:?}", t.elapsed());
    show(readers::judge().unwrap()); println!("{:?}", t.elapsed());
    let curves: Vec<_> = scaling::read(scaling::RRZE).unwrap().into_iter().filter(|c| c.kernel == "load").collect();
    let all = scaling::judge(&curves).unwrap();
    for m in scaling::Method::ALL { println!("{:?} {:?}", m, summary(all.iter().filter(|o| o.method == m.name()).flat_map(|o| &o.points))); }
    show(all); println!("{:?}", t.elapsed());
}
