// Four threads that take turns at one pthread mutex; the argument says for how many milliseconds.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long shared;
static double end_s;

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

__attribute__((noinline)) void critical_section(void) {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 20000; i++) shared++;
    pthread_mutex_unlock(&mutex);
}

static void *work(void *unused) {
    while (now_s() < end_s) critical_section();
    return unused;
}

int main(int count, char **arguments) {
    pthread_t threads[4];
    end_s = now_s() + (count > 1 ? atof(arguments[1]) : 500) / 1000;
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    printf("{\"type\": \"end\"}\n");
    return 0;
}
