// Follows pointers through 256 KiB in random order; a variant takes more steps and
// counts the same, so that the true ratio is known.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NODES = 32768, STEPS = 200 };

static const struct {
  const char *name, *role;
  int units;
} variants[] = {{"base", "before", 50}, {"same", "after", 50}, {"plus-2", "after", 51}};
static const int kinds = sizeof variants / sizeof *variants;

static uint64_t *next;

static void link_nodes(uint64_t seed) { // Sattolo: one cycle through all
  next = malloc(NODES * sizeof *next);
  for (uint64_t i = 0; i < NODES; ++i) next[i] = i;
  for (uint64_t i = NODES - 1; i > 0; --i) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    uint64_t j = seed % i, kept = next[i];
    next[i] = next[j], next[j] = kept;
  }
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sample(int units, int64_t ms, uint64_t *at, int64_t *ops, int64_t *ns) {
  int64_t begun = now();
  for (*ops = 0; (*ns = now() - begun) < ms * 1000000 || !*ops; *ops += variants[0].units * STEPS)
    for (int i = 0; i < units * STEPS; ++i) *at = next[*at];
}

static const char *option(int argc, char **argv, const char *name) {
  for (int i = 2; i + 1 < argc; i += 2)
    if (!strcmp(argv[i], name)) return argv[i + 1];
  return "0";
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "describe")) {
    printf("{\"protocol\": 1, \"component\": \"chase\", \"runtime\": {\"name\": \"C\", \"version\": \"11\"}, \"scenarios\": "
           "[{\"name\": \"chase\", \"operation\": \"a step\", \"unit\": \"ns\", \"better\": \"lower\", \"metric\": "
           "\"time\"}], \"variants\": [");
    for (int i = 0; i < kinds; ++i)
      printf("%s{\"name\": \"%s\", \"role\": \"%s\", \"scenarios\": [\"chase\"]}", i ? ", " : "", variants[i].name,
             variants[i].role);
    puts("]}");
    return 0;
  }
  int units = 0, samples = atoi(option(argc, argv, "--samples"));
  for (int i = 0; i < kinds; ++i)
    if (!strcmp(variants[i].name, option(argc, argv, "--variant"))) units = variants[i].units;
  link_nodes(88172645463325252u + strtoull(option(argc, argv, "--seed"), 0, 10));
  printf("{\"type\": \"start\", \"protocol\": 1, \"component\": \"chase\", \"scenario\": \"chase\", \"variant\": \"%s\"}\n",
         option(argc, argv, "--variant"));
  uint64_t at = 0;
  int64_t ops, ns, all_ops = 0, all_ns = 0, warm = atoll(option(argc, argv, "--warmup-ms"));
  if (warm) sample(units, warm, &at, &ops, &ns);
  for (int i = 0; i < samples; ++i) {
    sample(units, atoll(option(argc, argv, "--sample-ms")), &at, &ops, &ns);
    printf("{\"type\": \"sample\", \"i\": %d, \"ops\": %lld, \"ns\": %lld}\n", i, (long long)ops, (long long)ns);
    fflush(stdout);
    all_ops += ops, all_ns += ns;
  }
  printf("{\"type\": \"end\", \"samples\": %d, \"ops\": %lld, \"ns\": %lld, \"validation\": {\"passed\": %s, \"checks\": "
         "[\"the chase goes on\"]}}\n",
         samples, (long long)all_ops, (long long)all_ns, at < NODES ? "true" : "false");
}
