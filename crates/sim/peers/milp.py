"""The search beside HiGHS on the same question: time to the same gap, both sides, in turn.

    python3 -m venv peers && peers/bin/pip install highspy
    cargo build --release -p numasim-sim --features examples --example columns
    peers/bin/python crates/sim/peers/milp.py --pairs 5 --time-limit 60 --csv pairs.csv configs/paper/uneven-even-nodes.toml

The program is that of the example `columns`, which says where the model is linear in counts. HiGHS comes as a wheel: from source it takes minutes
to build, and its own files are read the same way by other solvers. Seconds are those of the search, and of HiGHS after reading the file; the
columns are counted apart. CPU time is what to look at on a busy machine. HiGHS has the gap that the search ended with; its tolerances stay as they are (1e-6), so that values agree to that.
Exit code 1 if both sides are done and their values differ by more than a relative 1e-5.
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import highspy

ROOT = Path(__file__).resolve().parents[3]
COLUMNS = ROOT / "target/release/examples/columns"
OBJECTIVES = ["total-gflops", "fair", "makespan"]


def cpu_s(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def search(objective, files):
    """Value, bound, gap, whether proven, seconds, CPU seconds of the process."""
    before = cpu_s(resource.RUSAGE_CHILDREN)
    words = subprocess.run([COLUMNS, "search", objective, *files], check=True, capture_output=True, text=True).stdout.split()
    value, bound, gap, status, seconds = words
    return float(value), float(bound), float(gap), status == "Optimal", float(seconds), cpu_s(resource.RUSAGE_CHILDREN) - before


def highs(program, gap, limit_s, threads):
    """Value, bound, gap, whether proven, seconds, CPU seconds."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("time_limit", limit_s)
    solver.setOptionValue("threads", threads)
    solver.setOptionValue("mip_rel_gap", max(gap, 1e-9))
    solver.setOptionValue("mip_abs_gap", 0.0)
    solver.readModel(str(program))
    start, before = time.perf_counter(), cpu_s(resource.RUSAGE_SELF)
    solver.run()
    seconds, cpu = time.perf_counter() - start, cpu_s(resource.RUSAGE_SELF) - before
    info = solver.getInfo()
    proven = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return info.objective_function_value, info.mip_dual_bound, info.mip_gap, proven, seconds, cpu


def main():
    parser = argparse.ArgumentParser(description="The search beside HiGHS.")
    parser.add_argument("files", nargs="+", help="each file is a question of its own")
    parser.add_argument("--objective", action="append", choices=OBJECTIVES, help="default: all three")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds that HiGHS has")
    parser.add_argument("--threads", type=int, default=2, help="of HiGHS; those of the search are RAYON_NUM_THREADS")
    parser.add_argument("--csv", type=argparse.FileType("w"), required=True, help="HiGHS prints its own lines to standard output")
    arguments = parser.parse_args()
    differ = False
    print("file,objective,columns,columns_s,pair,side,value,bound,gap,proven,seconds,cpu_s", file=arguments.csv)
    for file in arguments.files:
        for objective in arguments.objective or OBJECTIVES:
            with tempfile.NamedTemporaryFile("w", suffix=".mps") as program:
                made = subprocess.run([COLUMNS, "mps", objective, file], check=True, stdout=program, stderr=subprocess.PIPE, text=True)
                count, columns_s = re.match(r"(\d+) columns in (\S+) s", made.stderr).groups()
                for pair in range(arguments.pairs):
                    ours = search(objective, [file])
                    theirs = highs(program.name, ours[2], arguments.time_limit, arguments.threads)
                    if objective == "makespan":  # HiGHS has the reciprocal
                        theirs = (1 / theirs[0] if theirs[0] > 0 else float("inf"), 1 / theirs[1], *theirs[2:])
                    for side, (value, bound, gap, proven, seconds, cpu) in [("numasim", ours), ("HiGHS", theirs)]:
                        name = Path(file).name
                        print(f"{name},{objective},{count},{columns_s},{pair},{side},{value:.9g},{bound:.9g},{gap:.3g},{proven},{seconds:.4f},{cpu:.4f}", file=arguments.csv, flush=True)
                    if ours[3] and theirs[3] and abs(ours[0] - theirs[0]) > 1e-5 * abs(ours[0]):
                        differ = True
                        print(f"{file} {objective}: {ours[0]} and {theirs[0]}", file=sys.stderr)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
