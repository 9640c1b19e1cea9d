// Asks for as many bytes in small pieces as in large ones, and in one that is larger than a sampling interval.
#include <stdlib.h>

enum { BYTES = 10 * 1000 * 1000 };

static void ask(size_t size) {
    for (size_t asked = 0; asked < BYTES; asked += size) {
        volatile char *piece = malloc(size);
        *piece = 1;
        free((void *)piece);
    }
}

__attribute__((noinline)) void in_small_pieces(void) { ask(100); }
__attribute__((noinline)) void in_large_pieces(void) { ask(10000); }
__attribute__((noinline)) void in_one_piece(void) { ask(BYTES); }

int main(void) {
    in_small_pieces();
    in_large_pieces();
    in_one_piece();
    return 0;
}
