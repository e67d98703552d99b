/* Each kind of region that has an entry of its own; prints the threads of each. Libgomp's oldest entries are called as GCC 4.8 did. */
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int had;
static int visited[64];

static void show(const char *name) {
    int all = 0;
    for (int i = 0; i < 64; i++) all += visited[i], visited[i] = 0;
    printf("%s %d %d\n", name, had, all);
    fflush(stdout);
}

static void note(void) {
    if (omp_get_thread_num() == 0) had = omp_get_num_threads();
    visited[omp_get_thread_num()]++;
}

#ifdef OLD_ENTRIES
void GOMP_parallel_start(void (*)(void *), void *, unsigned);
void GOMP_parallel_end(void);
static void old(void *data) { (void)data; note(); }
#endif

int main(void) {
    int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, sum = 0;
#pragma omp parallel
    note();
    show("plain");
#pragma omp parallel num_threads(1)
    note();
    show("one");
#pragma omp parallel num_threads(2) if (0)
    note();
    show("if");
#pragma omp parallel
    note();
    show("after-if");
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < 1000; i++) {
        /* Shared variables, more than go into registers. */
#pragma omp atomic
        a += 1;
        sum += b + c + d + e + f;
        if (i < 1) had = omp_get_num_threads();
    }
    printf("loop %d %d %d\n", had, a, sum);
#pragma omp parallel sections
    {
#pragma omp section
        had = omp_get_num_threads();
#pragma omp section
        e = 7;
    }
    printf("sections %d %d\n", had, e);
    omp_set_max_active_levels(2);
    int inner = 0;
#pragma omp parallel num_threads(1)
#pragma omp parallel reduction(+ : inner)
    inner += 1;
    printf("nested %d\n", inner);
#ifdef OLD_ENTRIES
    GOMP_parallel_start(old, 0, 0);
    old(0);
    GOMP_parallel_end();
    show("old");
#endif
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
#pragma omp parallel num_threads(1)
        note();
        show("child");
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
