//! Programs of OpenMP and oneTBB with the preloaded library in the guest: each thread is on the node of its order.

use super::results::Guest;
use super::threads::{app, counted, threads};

/// The processors of the threads of each program: three of its scenario, two nodes each. Node n has 2n and 2n + 1.
const CPUS: [(&str, &str, [&[u32]; 3]); 2] =
    [("openmp", "regions", [&[0, 1], &[0, 1], &[4, 5]]), ("onetbb", "tasks", [&[2, 3], &[6, 7], &[6, 7]])];

#[test]
#[ignore = "needs the results of .ci/guest"]
fn threads_of_openmp_and_onetbb_are_on_the_nodes_of_their_order() {
    let guest = Guest::read("preload");
    let status = guest.json("preload-status");
    for (name, program, cpus) in CPUS {
        let entry = app(&status, name);
        assert_eq!((&entry["acked"], entry["state"].as_str()), (&entry["seq"], Some("ok")), "{entry}");
        let all = threads(&guest, &format!("preload-threads-{}", entry["pid"]));
        // The thread of the connection has a different name, and no binding.
        let own = all.into_iter().filter(|thread| thread.name == program).map(|thread| thread.cpus);
        assert_eq!(counted(own), counted(cpus.map(<[u32]>::to_vec)), "{name}");
    }
    assert_eq!(guest.step("preload").err.lines().filter(|line| line.contains("panicked")).count(), 0);
}
