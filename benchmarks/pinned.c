// Pins threads to cores as they get their names, for spread.py; loaded before a program's own libraries.
// PINNED are the cores, which the threads of each name take in turn; PINNED_NAMES are beginnings of names, and without
// any every thread that is created counts.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_uint turns[16];

static void pin(pthread_t thread, unsigned kind) {
  const char* cores = getenv("PINNED");
  unsigned turn = atomic_fetch_add(&turns[kind], 1), number = 1;
  for (const char* at = cores; *at; at++) number += *at == ',';
  for (turn %= number; turn; turn--) cores = strchr(cores, ',') + 1;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(atoi(cores), &set);
  pthread_setaffinity_np(thread, sizeof set, &set);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*), void* argument) {
  int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) = dlsym(RTLD_NEXT, "pthread_create");
  const int failed = create(thread, how, run, argument);
  if (!failed && !*getenv("PINNED_NAMES")) pin(*thread, 0);
  return failed;
}

int pthread_setname_np(pthread_t thread, const char* name) {
  int (*set_name)(pthread_t, const char*) = dlsym(RTLD_NEXT, "pthread_setname_np");
  unsigned kind = 0;
  for (const char* at = getenv("PINNED_NAMES"); *at; kind++) {
    const size_t length = strcspn(at, ",");
    if (!strncmp(at, name, length)) pin(thread, kind);
    at += length + (at[length] == ',');
  }
  return set_name(thread, name);
}
