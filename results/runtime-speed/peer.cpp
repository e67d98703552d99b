// The tasks of crates/runtime/benches/speed.rs with oneTBB: reads lines "WHAT THREADS SIZE", answers with nanoseconds: those that passed, and CPU time.
#include <chrono>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include <tbb/global_control.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

static std::uint64_t fib(unsigned n) {
    if (n < 2) return n;
    std::uint64_t a, b;
    tbb::task_group group;
    group.run([&] { b = fib(n - 2); });
    a = fib(n - 1);
    group.wait();
    return a + b;
}

static std::int64_t cpu_ns() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main() {
    tbb::global_control most(tbb::global_control::max_allowed_parallelism, 64);
    std::map<int, std::unique_ptr<tbb::task_arena>> arenas;
    std::string what;
    int threads;
    unsigned size;
    while (std::cin >> what >> threads >> size) {
        auto &arena = arenas[threads];
        if (!arena) arena = std::make_unique<tbb::task_arena>(threads);
        std::uint64_t answer = 0;
        const auto cpu = cpu_ns();
        const auto start = std::chrono::steady_clock::now();
        arena->execute([&] {
            if (what == "fib") {
                answer = fib(size);
            } else {
                tbb::task_group group;
                for (unsigned n = 0; n < size; ++n) group.run([] {});
                group.wait();
            }
        });
        const auto time = std::chrono::steady_clock::now() - start;
        const auto used = cpu_ns() - cpu;
        std::cout << std::chrono::duration_cast<std::chrono::nanoseconds>(time).count() << ' ' << used << ' ' << answer << std::endl;
    }
}
