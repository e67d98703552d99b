// Read bandwidth of one and of two pinned threads, GB/s: best of 10 passes over 512 MiB for each thread. gcc -O3 -march=native -pthread bandwidth.c
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS = 1 << 26, PASSES = 10 };
static pthread_barrier_t barrier;
static volatile double sink;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void *reader(void *number) {
    long cpu = (long)number;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
    unsigned long *words = malloc(WORDS * sizeof *words);
    memset(words, 1, WORDS * sizeof *words);
    static double best[2];
    for (int pass = 0; pass < PASSES; pass++) {
        pthread_barrier_wait(&barrier);
        double begin = now();
        unsigned long sum = 0;
        for (long i = 0; i < WORDS; i++) sum += words[i];
        pthread_barrier_wait(&barrier);
        double rate = 8.0 * WORDS / (now() - begin) / 1e9;
        if (rate > best[cpu]) best[cpu] = rate;
        sink += (double)sum;
    }
    free(words);
    return &best[cpu];
}

int main(void) {
    for (long threads = 1; threads <= 2; threads++) {
        pthread_t all[2];
        pthread_barrier_init(&barrier, NULL, threads);
        for (long i = 0; i < threads; i++) pthread_create(&all[i], NULL, reader, (void *)i);
        double sum = 0;
        for (long i = 0; i < threads; i++) {
            void *rate;
            pthread_join(all[i], &rate);
            sum += *(double *)rate;
        }
        printf("%ld: %.2f GB/s\n", threads, sum);
    }
}
