/* The cost of a parallel region, and of a static loop.
 * regions empty N       N empty regions: the least and the median time of one, in ns
 * regions loop MS N     N regions with a static loop of MS milliseconds on one thread: the same, and processor time of the process per region */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static double used(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e3;
}

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double spin(long steps, double x) {
    for (long i = 0; i < steps; i++) x = x * 0.999999 + 1e-6;
    return x;
}

int main(int argc, char **argv) {
    int loop = argc > 2 && strcmp(argv[1], "loop") == 0;
    long ms = loop ? atol(argv[2]) : 0, count = atol(argv[argc - 1]);
    double *times = malloc(count * sizeof *times), sink = 0.0;
    long steps = 100000;
    if (loop) {
        /* Pieces of a 48th of the work: as many for each of 2, 3, 4, 6 and 8 threads. The fastest of some rounds counts. */
        double best = 1e18;
        for (int round = 0; round < 50; round++) {
            double start = now();
            sink += spin(steps, 0.5);
            double took = now() - start;
            if (took < best) best = took;
        }
        steps = (long)(steps * (ms * 1e6 / 48) / best);
    }
#pragma omp parallel
    { }
    double before = used();
    for (long i = 0; i < count; i++) {
        double start = now();
        if (loop) {
#pragma omp parallel for schedule(static) reduction(+ : sink)
            for (int piece = 0; piece < 48; piece++) sink += spin(steps, 0.5);
        } else {
#pragma omp parallel
            { __asm__ volatile(""); }
        }
        times[i] = now() - start;
    }
    double after = used();
    qsort(times, count, sizeof *times, order);
    printf("%.0f %.0f %.0f\n", times[0], times[count / 2], (after - before) / count);
    return sink == 42.0;
}
