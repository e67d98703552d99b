// Loops of oneTBB for SECONDS, each with a sum. Prints for each loop when it began (ns of CLOCK_MONOTONIC) and how many threads were
// in its body at once, and at the end "wrong N": sums that were wrong. With a second argument the loops run in an arena of their own.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <time.h>
#include <vector>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

static long long now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 1.0;
    const long length = 400000;
    std::vector<double> values(length);
    for (long i = 0; i < length; i++) values[i] = i % 8;
    std::vector<std::pair<long long, int>> loops;
    int wrong = 0;
    std::atomic<int> inside{0}, most{0};
    auto loop = [&] {
        most = 0;
        long long began = now();
        double sum = tbb::parallel_reduce(
            tbb::blocked_range<long>(0, length, 10000), 0.0,
            [&](const tbb::blocked_range<long> &range, double sum) {
                int here = ++inside, before = most;
                while (before < here && !most.compare_exchange_weak(before, here)) {}
                for (long i = range.begin(); i < range.end(); i++) sum += values[i];
                --inside;
                return sum;
            },
            std::plus<double>());
        loops.emplace_back(began, most);
        wrong += sum != length * 3.5;
    };
    // An exception passes through.
    try {
        tbb::parallel_for(0, 1000, [](int i) { if (i == 500) throw std::runtime_error("thrown"); });
        wrong++;
    } catch (const std::runtime_error &) {
    }
    tbb::task_group group;
    std::atomic<int> done{0};
    for (int i = 0; i < 100; i++) group.run([&] { done++; });
    group.wait();
    wrong += done != 100;
    long long end = now() + (long long)(seconds * 1e9);
    if (argc > 2) {
        tbb::task_arena arena;
        while (now() < end) arena.execute(loop);
    } else {
        while (now() < end) loop();
    }
    for (auto &one : loops) printf("%lld %d\n", one.first, one.second);
    printf("wrong %d\n", wrong);
    return 0;
}
