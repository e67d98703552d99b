//! Programs of OpenMP and oneTBB that we start: what they have to find so that they use these cores and no others.
//!
//! OpenMP takes its places from the environment (OpenMP 5.2, sections 21.2 and 21.1): a place for each core, with all of
//! its hardware threads, and thread i on place i. oneTBB has no such variables: its arenas have as many threads as the
//! affinity mask of the process at its first use has processors, so that the mask says it ([`mask`]). The mask also
//! keeps OpenMP's other threads, and everything else of the program, on these cores.

/// The variables for a program on these cores, of each its processors: `OMP_NUM_THREADS`, `OMP_DYNAMIC`,
/// `OMP_PLACES` and `OMP_PROC_BIND`. Empty without cores.
pub fn variables(cores: &[Vec<u32>]) -> Vec<(String, String)> {
    let places: Vec<String> = cores.iter().filter(|core| !core.is_empty()).map(|core| place(core)).collect();
    if places.is_empty() {
        return Vec::new();
    }
    let variable = |name: &str, value: String| (name.to_owned(), value);
    vec![
        variable("OMP_NUM_THREADS", places.len().to_string()),
        // Else the runtime may make fewer when the system is busy.
        variable("OMP_DYNAMIC", "false".into()),
        variable("OMP_PLACES", places.join(",")),
        // With as many threads as places: one on each, in their order.
        variable("OMP_PROC_BIND", "close".into()),
    ]
}

/// The affinity mask for a program on these cores: all their processors, ascending.
pub fn mask(cores: &[Vec<u32>]) -> Vec<u32> {
    let mut cpus = cores.concat();
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

/// `{0,64}`: a place with these processors.
fn place(core: &[u32]) -> String {
    let cpus: Vec<String> = core.iter().map(u32::to_string).collect();
    format!("{{{}}}", cpus.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables_of(cores: &[Vec<u32>]) -> Vec<String> {
        variables(cores).into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    #[test]
    fn each_core_is_a_place_and_has_a_thread() {
        // Cores 1 and 0 of a processor with two hardware threads a core, and one of another with one.
        let cores = [vec![1, 65], vec![0, 64], vec![7]];
        assert_eq!(
            variables_of(&cores),
            ["OMP_NUM_THREADS=3", "OMP_DYNAMIC=false", "OMP_PLACES={1,65},{0,64},{7}", "OMP_PROC_BIND=close"]
        );
        assert_eq!(mask(&cores), [0, 1, 7, 64, 65]);
    }

    #[test]
    fn without_cores_nothing_is_said() {
        assert_eq!(variables_of(&[]), [""; 0]);
        assert_eq!(variables_of(&[vec![]]), [""; 0]);
        assert_eq!(mask(&[vec![]]), [0_u32; 0]);
    }
}
