/* The plain loop that the kernel `blackscholes` is compared with: one option after the other with the functions of the C library, N by the
   polynomial 26.2.17 of Abramowitz and Stegun. Usage: blackscholes OPTIONS RUNS; prints nanoseconds per price and the sum of all prices. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static float normal(float x)
{
    float z = fabsf(x);
    float k = 1.0f / (1.0f + 0.2316419f * z);
    float sum = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float above = sum * expf(-0.5f * z * z) * 0.39894228f;
    return x < 0.0f ? above : 1.0f - above;
}

static float price(float s, float k, float r, float v, float t, int put)
{
    float spread = v * sqrtf(t);
    float d1 = (logf(s / k) + (r + v * v * 0.5f) * t) / spread;
    float n1 = normal(d1), n2 = normal(d1 - spread), now = k * expf(-r * t);
    return put ? now * (1.0f - n2) - s * (1.0f - n1) : s * n1 - now * n2;
}

static float number(float least, float most)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return least + (most - least) * (float)(state >> 40) / 16777216.0f;
}

int main(int count, char **words)
{
    size_t options = count > 1 ? strtoull(words[1], 0, 10) : 1000000;
    size_t runs = count > 2 ? strtoull(words[2], 0, 10) : 1;
    float *all = malloc(6 * options * sizeof *all);
    int *put = malloc(options * sizeof *put);
    if (!all || !put || !options)
        return 1;
    float *s = all, *k = s + options, *r = k + options, *v = r + options, *t = v + options, *to = t + options;
    for (size_t i = 0; i < options; i++) {
        s[i] = number(10, 200), k[i] = number(10, 200), r[i] = number(0.0275f, 0.1f);
        v[i] = number(0.05f, 0.65f), t[i] = number(0.05f, 1), put[i] = number(0, 1) < 0.5f, to[i] = 0;
    }
    struct timespec from, end;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (size_t run = 0; run < runs; run++) {
        for (size_t i = 0; i < options; i++)
            to[i] = price(s[i], k[i], r[i], v[i], t[i], put[i]);
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double sum = 0, ns = 1e9 * (double)(end.tv_sec - from.tv_sec) + (double)(end.tv_nsec - from.tv_nsec);
    for (size_t i = 0; i < options; i++)
        sum += to[i];
    printf("%.4f %.6g\n", ns / (double)runs / (double)options, sum);
    return 0;
}
