//! Real lines, and each kind of mapping, written by hand.

use super::*;

/// Lines of the kernel's documentation (torvalds/linux, Documentation/filesystems/proc.rst) and, the last one, of a
/// message to its mailing list (A. Ryabinin, "mm/mempolicy: fix THP allocations").
const REAL: &str = "\
00400000 default file=/usr/local/bin/app mapped=1 active=0 N3=1 kernelpagesize_kB=4
3206000000 default file=/lib64/ld-2.12.so mapped=26 mapmax=6 N0=24 N3=2 kernelpagesize_kB=4
3206221000 default anon=1 dirty=1 N3=1 kernelpagesize_kB=4
320698b000 default file=/lib64/libc-2.12.so
7f4dc10a2000 default anon=3 dirty=3 N3=3 kernelpagesize_kB=4
7fff6303d000 default stack anon=3 dirty=3 N0=2 N3=1 kernelpagesize_kB=4
7fd970a00000 bind:0 file=/dev/shm/test dirty=524288 active=0 N0=396800 N1=127488 kernelpagesize_kB=4
";

#[test]
fn anonymous_and_shared_memory_is_data() {
    let pages = read_numa_maps(REAL).expect("real lines");
    // Node 0: 2 of the stack and 396,800 shared; node 3: 1 + 3 + 1. Files: 1 + 24 + 2.
    let kb4 = 4096;
    assert_eq!(pages.data, BTreeMap::from([(0, 396_802 * kb4), (1, 127_488 * kb4), (3, 5 * kb4)]));
    assert_eq!(pages.code.bytes, 27 * kb4);
    assert_eq!(
        pages.policies,
        BTreeMap::from([("bind:0".into(), 524_288 * kb4), ("default".into(), 7 * kb4)])
    );
    assert!(!pages.old_pages);
}

#[test]
fn copies_of_real_processes_are_read() {
    let read = |text: &str| read_numa_maps(text).expect("a real copy").data;
    let migrated = read(include_str!("../../../../../tests/profile_app/numa_maps-migrated.txt"));
    assert_eq!(migrated, BTreeMap::from([(0, 18_602 * 4096), (1, 6_998 * 4096)]));
    let kernel = read(include_str!("../../../../../tests/profile_app/numa_maps-kernel-doc.txt"));
    assert_eq!(kernel, BTreeMap::from([(3, 4096)]), "one anonymous page beside files");
    let own = read(include_str!("../../../../../tests/profile_app/numa_maps-one-node.txt"));
    assert_eq!(own.len(), 1);
}

#[test]
fn huge_pages_count_with_their_size_and_policies_may_have_two_words() {
    let text = "7f00 weighted interleave:0-1 file=/anon_hugepage\\040(deleted) huge anon=3 dirty=3 N0=2 N1=1 kernelpagesize_kB=2048\n\
                7f10 default heap anon=1 N0=1\n";
    let pages = read_numa_maps(text).expect("in order");
    assert_eq!(pages.data, BTreeMap::from([(0, 2 * (2 << 20) + 4096), (1, 2 << 20)]));
    // 6 of 6.004 MiB have an interleave policy.
    assert!((pages.interleaved_by_policy() - 6144.0 / 6148.0).abs() < 1e-12);
    assert!(pages.old_pages, "the heap says no page size");
}

#[test]
fn invalid_lines_are_shown() {
    for (text, said) in [
        ("", "the file is empty"),
        ("7f00 default anon=1 N0=1\nCPU name: x\n", "'CPU' is not the address of a mapping"),
        ("7f00\n", "this mapping has no memory policy"),
        ("7f00 default N0=x\n", "'x' is not a whole number"),
        ("7f00 default N5000=1\n", "'N5000' is no NUMA node: there are at most 4096"),
        (
            "7f00 default file=/bin/true mapped=3 N0=3 kernelpagesize_kB=4\n",
            "no page of data is resident in this process",
        ),
    ] {
        assert_eq!(read_numa_maps(text).expect_err("refused").message, said);
    }
}

/// In the format of `mpol_to_str` of the kernel (mm/mempolicy.c).
#[test]
fn policies_may_have_flags() {
    for policy in [
        "default",
        "local",
        "bind:0",
        "bind=static:0-1",
        "bind=balancing:0-1",
        "bind=static|balancing:0-1",
        "interleave=relative:0-3,6",
        "weighted interleave=static:0-1",
        "prefer=relative:1",
        "prefer (many):0-1",
        "prefer (many)=static:0-1",
    ] {
        let text = format!("7f00 {policy} heap anon=3 dirty=3 N1=3 kernelpagesize_kB=4\n");
        let pages = read_numa_maps(&text).expect(policy);
        assert_eq!(pages.policies, BTreeMap::from([(policy.to_owned(), 3 * 4096)]));
        let share = if policy.contains("interleave") { 1.0 } else { 0.0 };
        assert_eq!(pages.interleaved_by_policy(), share, "{policy}");
    }
    for none in ["anon=3 N0=3", "N0=3", "file=/data/x mapped=3 N0=3"] {
        let text = format!("7f00 {none} kernelpagesize_kB=4\n");
        assert_eq!(read_numa_maps(&text).expect_err(none).message, "this mapping has no memory policy");
    }
}

#[test]
fn mapped_files_are_data_and_programs_and_libraries_are_not() {
    // The program is below the heap, the plug-in has a piece with written pages, the library has a typical
    // name. The weights are one mapping, the index two of which neither is written, the database is written,
    // but is one mapping.
    let text = "\
        00400000 default file=/data/u/solver mapped=10 N0=10 kernelpagesize_kB=4\n\
        00600000 default file=/data/u/solver mapped=5 N0=5 kernelpagesize_kB=4\n\
        00900000 default heap anon=7 dirty=7 N0=7 kernelpagesize_kB=4\n\
        7f0000000000 default file=/srv/my\\040model.gguf mapped=1000 N0=200 N1=800 kernelpagesize_kB=4\n\
        7f1000000000 default file=/var/lib/es/0.cfs mapped=30 N0=30 kernelpagesize_kB=4\n\
        7f1040000000 default file=/var/lib/es/0.cfs mapped=20 N0=20 kernelpagesize_kB=4\n\
        7f2000000000 default file=/data/u/data.mdb anon=4 dirty=4 mapped=9 N1=9 kernelpagesize_kB=4\n\
        7f3000000000 default file=/data/u/plugin mapped=40 N1=40 kernelpagesize_kB=4\n\
        7f3000100000 default file=/data/u/plugin anon=1 dirty=1 N1=1 kernelpagesize_kB=4\n\
        7f4000000000 default file=/opt/lib/libcuda.so.1 mapped=100 N1=100 kernelpagesize_kB=4\n";
    let pages = read_numa_maps(text).expect("in order");
    let kb4 = 4096;
    // Node 0: 7 + 200 + 30 + 20; node 1: 800 + 9. Code: 10 + 5 + 40 + 1 + 100.
    assert_eq!(pages.data, BTreeMap::from([(0, 257 * kb4), (1, 809 * kb4)]));
    assert_eq!((pages.mapped.bytes, pages.code.bytes), (1059 * kb4, 156 * kb4));
    assert_eq!(pages.mapped.largest(), Some("/srv/my model.gguf"));
    assert_eq!(pages.code.largest(), Some("/opt/lib/libcuda.so.1"));
    assert!((pages.left_out() - 156.0 / 1222.0).abs() < 1e-12);
}

#[test]
fn memory_shared_by_processes_is_memory_of_the_program() {
    for file in [
        "/dev/shm/ring",
        "/SYSV00000000\\040(deleted)",
        "/memfd:pool\\040(deleted)",
        "/dev/zero\\040(deleted)",
        "/mnt/huge/rtemap_0 huge",
    ] {
        let text = format!("7f00 default file={file} dirty=2 N0=2 kernelpagesize_kB=4\n");
        let pages = read_numa_maps(&text).expect(file);
        assert_eq!((pages.bytes(), pages.mapped.bytes, pages.code.bytes), (2 * 4096, 0, 0), "{file}");
    }
}

/// 64 kB on ARM and POWER, 1 GB of hugetlbfs; a huge page without a size has 2 MB.
#[test]
fn every_mapping_has_its_own_page_size() {
    let text = "7f00 default anon=2 N0=2 kernelpagesize_kB=64\n\
                7f10 default file=/anon_hugepage huge anon=1 N0=1 kernelpagesize_kB=1048576\n\
                7f20 default file=/dev/hugepages/x huge dirty=3 N1=3\n";
    let pages = read_numa_maps(text).expect("in order");
    assert_eq!(pages.data, BTreeMap::from([(0, 2 * 65_536 + (1 << 30)), (1, 3 * (2 << 20))]));
    assert!(pages.old_pages);
}

#[test]
fn two_copies_in_one_file_are_not_counted_twice() {
    let text = "7f00 default anon=1 N0=1 kernelpagesize_kB=4\n";
    let refused = read_numa_maps(&text.repeat(2)).expect_err("two copies");
    assert_eq!(refused.message, "the mapping at 7f00 is there twice");
}
