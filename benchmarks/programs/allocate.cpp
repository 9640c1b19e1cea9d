// Lists of strings, made and dropped; the argument is the work in thousandths.
#include <cstdio>
#include <cstdlib>
#include <list>
#include <string>

int main(int, char** arguments) {
    const int rounds = 6 * std::atoi(arguments[1]);
    std::size_t total = 0;
    for (int i = 0; i < rounds; ++i) {
        std::list<std::string> names;
        for (int k = 0; k < 500; ++k) names.emplace_back(24 + (i * 7 + k) % 40, 'a');
        total += names.back().size();
    }
    std::printf("%zu\n", total);
}
