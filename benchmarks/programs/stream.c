// Sums of 64 MiB, read in order; the argument is the work in thousandths.
#include <stdio.h>
#include <stdlib.h>

enum { NUMBERS = 1 << 23 };
static unsigned long numbers[NUMBERS];

int main(int count, char** arguments) {
    (void)count;
    for (unsigned i = 0; i < NUMBERS; ++i) numbers[i] = i;
    unsigned long sum = 0;
    for (long round = 0; round < atol(arguments[1]) / 40; ++round) {
        for (unsigned i = 0; i < NUMBERS; ++i) sum += numbers[i] ^ (unsigned long)round;
    }
    printf("%lu\n", sum);
}
