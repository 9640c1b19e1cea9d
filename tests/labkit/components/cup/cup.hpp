// A cup takes numbers and gives them back in order; the bench program of one that is written into a cell.
#pragma once

#include <concepts>
#include <cstdio>
#include <cstring>

namespace cup {

template <class T>
concept Cup = requires(T cup, int number) {
    cup.put(number);
    { cup.get() } -> std::same_as<int>;
};

template <Cup T>
int bench(const char* name, int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "describe") == 0) {
        std::printf(
            R"({"protocol": 1, "component": "cup", "runtime": {"name": "C++", "version": "20"}, "scenarios": [{"name": "sip",)"
            R"("operation": "a sip", "unit": "ns", "better": "lower", "metric": "time", "parameters": []}],)"
            R"("variants": [{"name": "%s", "role": "yours", "scenarios": ["sip"]}]})"
            "\n",
            name);
        return 0;
    }
    T cup;
    cup.put(1);
    cup.put(2);
    const bool ordered = cup.get() == 1 && cup.get() == 2;
    if (argc > 1 && std::strcmp(argv[1], "contract") == 0) {
        std::printf(R"({"type": "check", "variant": "%s", "name": "keeps the order", "passed": %s, "message": "%s"})" "\n",
                    name, ordered ? "true" : "false", ordered ? "" : "got 2 first");
        std::puts(R"({"type": "end", "checks": 1})");
        return ordered ? 0 : 4;
    }
    std::printf(R"({"type": "start", "protocol": 1, "component": "cup", "scenario": "sip", "variant": "%s"})" "\n", name);
    for (int i = 0; i < 2; ++i) {
        std::printf(R"({"type": "sample", "i": %d, "ops": 1000, "ns": 50000000})" "\n", i);
    }
    std::puts(R"({"type": "end", "samples": 2, "ops": 2000, "ns": 100000000, "validation": {"passed": true, "checks": []}})");
    return 0;
}

}  // namespace cup
