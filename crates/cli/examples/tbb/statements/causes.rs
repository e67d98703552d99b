//! The likely causes of missed statements that were investigated; the values are in the tables of this folder.

/// For the slowdown of loops over arrays due to remote accesses.
const ONE_LATENCY: &str = "All codes have one remote latency here, 1.60 times the local one, which is what streamcluster's printed times give: \
    (1 + 3 r) / 4 = 0.55 / 0.38. Those of cg give r = 1.24, and mg gains less: their loops go through arrays in order, and prefetching, which \
    hides a part of the latency, is not simulated.";
/// For ferret in all scenarios.
const TAKEN_BACK: &str = "Queries hardly get to their node: as many bytes are remote under (NACS, NADD) as under (noap, INTL). Who hands a query to \
    the queue of another node is idle at that moment, most likely while all workers of that node are busy, and may take it back from there, which \
    comes before stealing a new query. Without moving the database the time is that of (noap, INTL); moving it weighs much in a run of seconds.";
/// For a co-runner that has half of the threads all the time.
const HALF_THE_THREADS: &str = "(noap, FT) is bound by one controller and takes hardly longer with half of the threads; what is bound by latency, \
    as (NACS, NADD), takes twice as long: 0.330 becomes 0.64. Ratios could stay similar only if local data were bound by controllers, too, which \
    the printed 0.34 and 0.38, above 0.25, exclude. With a contender that comes and goes they stay similar.";
/// For a machine with assumed values.
const ASSUMED: &str = "Lines under way, local and remote latency of this machine are assumed, not calibrated: with them codes that are bound by latency \
    may gain up to (1 + 3 x 1.6) / 4 = 1.45. The printed gains would be those of a smaller ratio, or of more work for each byte.";
/// For moving pages.
const MOVING: &str = "Without moving pages mg gains 10 % on Nehalem and 24 % on Bulldozer; moving its three arrays of 3.5 GB, 1 us for each \
    page (assumed), takes that back.";

/// The likely cause of a miss.
pub(super) fn of(id: &str) -> Option<&'static str> {
    Some(match id {
        "a4" | "a5" | "a8" => ONE_LATENCY,
        "a12" | "d5" | "d8" => TAKEN_BACK,
        "b7" => {
            "A cache serves what comes back before one and a half times its size has passed: of these codes only the vector of cg does, in every scenario \
             alike. Before, blocks stayed whole, and fluidanimate had hits because its assumed size lay just below that of the caches."
        }
        "c1" | "c2" | "c3" | "c4" => HALF_THE_THREADS,
        "c6" => {
            "Bypassed mailboxes hold nobody up: in hardly any of the time workers are idle beside tasks that they may not take (elsewhere: 0.0 %). \
             Whoever created such a task has it in its own queue, too, and takes it from there. In phases (c12) cg gets slower by 3.8 %."
        }
        "c10" => {
            "As c4, for half of the time. A frame has nine short loops, each ends when its last piece does, and a loop of 3 ms is shorter than the 4 ms for \
             which a worker may be away."
        }
        "d2" | "d10" => MOVING,
        "d6" | "d7" | "d9" => ASSUMED,
        _ => return None,
    })
}
