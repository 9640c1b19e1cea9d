// A pointer chase through 16 MiB; the argument is the work in thousandths.
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 1 << 18 };
static struct { unsigned next, padding[15]; } ring[NODES];

int main(int count, char** arguments) {
    (void)count;
    // A linear congruential generator of full period visits every node once.
    for (unsigned i = 0; i < NODES; ++i) ring[i].next = (i * 110661u + 40503u) % NODES;
    unsigned at = 0;
    for (long left = 700L * atol(arguments[1]); left; --left) at = ring[at].next;
    printf("%u\n", at);
}
