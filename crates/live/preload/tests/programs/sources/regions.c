/* Parallel regions of OpenMP for SECONDS, each with a sum over a static loop. Prints for each region when it began (ns of
 * CLOCK_MONOTONIC), how many threads it had, and at the end "wrong N": sums that were wrong. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
    enum { LENGTH = 400000, MOST = 200000 };
    static double values[LENGTH];
    static long long began[MOST];
    static int threads[MOST];
    double seconds = argc > 1 ? atof(argv[1]) : 1.0;
    int count = 0, wrong = 0;
    for (int i = 0; i < LENGTH; i++) values[i] = i % 8;
    long long end = now() + (long long)(seconds * 1e9);
    while (now() < end && count < MOST) {
        double sum = 0.0;
        int had = 0;
        began[count] = now();
#pragma omp parallel reduction(+ : sum)
        {
#pragma omp single
            had = omp_get_num_threads();
#pragma omp for schedule(static)
            for (int i = 0; i < LENGTH; i++) sum += values[i];
        }
        threads[count++] = had;
        wrong += sum != LENGTH * 3.5;
    }
    for (int i = 0; i < count; i++) printf("%lld %d\n", began[i], threads[i]);
    printf("wrong %d\n", wrong);
    return 0;
}
