#include "fixture.hpp"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "perflab/bench/error.hpp"

namespace perflab {
namespace {

/// Counts its repetitions, each of one second by its own account.
class Counting : public Scenario<int> {
 public:
  Counting(std::string name, Deeds& deeds) : name_(std::move(name)), deeds_(deeds) {}

  ScenarioSpec spec() const override {
    return {.name = name_,
            .title = "Counting",
            .operation = "a count",
            .headline = {"rate", "rate", "counts/s", Better::kHigher},
            .metrics = {{"odd", "counter:odd/op", "odd counts/count", Better::kLower}},
            .parameters = {Parameter::of_int("step", 1, 1, 10, "how far a count goes"),
                           Parameter::of_float("ratio", 0.5, 0, 1, "unused"),
                           Parameter::of_bool("fail", false, "whether validation fails"),
                           Parameter::of_choice("mode", {"plain", "throwing", "timeless", "idle"}, "how it behaves")}};
  }

  std::unique_ptr<Experiment> open(const int& subject, Setting setting) const override {
    return std::make_unique<Repeating>(subject, std::move(setting), deeds_);
  }

 private:
  class Repeating : public Experiment {
   public:
    Repeating(int subject, Setting setting, Deeds& deeds)
        : subject_(subject), setting_(std::move(setting)), deeds_(deeds) {}

    void repeat(Sample& sample) override {
      ++deeds_.repetitions;
      const Parameters& parameters = setting_.parameters;
      if (parameters.get_string("mode") == "throwing") {
        throw std::runtime_error("on purpose");
      }
      setting_.checks->require("counts are right", !parameters.get_bool("fail"), [] { return "they are not"; });
      if (parameters.get_string("mode") == "plain") {
        sample.add(static_cast<double>(parameters.count("step")), std::chrono::seconds(1));
      }
      if (parameters.get_string("mode") == "idle") {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        sample.add(1, std::chrono::microseconds(100));
      }
      sample.latency(std::chrono::microseconds(1));
      sample.count("odd", subject_ % 2);
    }

    void close() override { deeds_.closed = true; }

   private:
    int subject_;
    Setting setting_;
    Deeds& deeds_;
  };

  std::string name_;
  Deeds& deeds_;
};

Evidence unless(bool holds, const char* evidence) { return holds ? Evidence() : evidence; }

}  // namespace

Fixture::Fixture() {
  bench.scenario<Counting>("counting", deeds)
      .scenario<Counting>("summing", deeds)
      .variant({"three", Role::kBefore, "the number 3", "three.hpp", {}, {kIsEven}}, 3)
      .variant({"four", Role::kAfter, "the number 4", "four.hpp", {"summing"}}, 4)
      .variant({"five", Role::kYours, "the number 5", "five.hpp"}, 5)
      .check({"is positive", [](int number) { return unless(number > 0, "it is not"); }})
      .check({kIsEven, [](int number) { return unless(number % 2 == 0, "it is odd"); }})
      .check({"throws nothing",
              [](int number) -> Evidence {
                if (number == 4) {
                  throw std::runtime_error("four");
                }
                return {};
              }})
      .check({"lives",
              [](int number) -> Evidence {
                if (number == 4) {
                  std::abort();
                }
                return {};
              }})
      .check({"ends",
              [](int number) -> Evidence {
                while (number == 4) {
                  std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                return {};
              },
              [](int number) { return number != 3; }});
}

int Fixture::run(std::vector<std::string> arguments) {
  std::ostringstream printed;
  const int status = bench.run(std::move(arguments), printed);
  text = printed.str();
  lines.clear();
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    if (line.starts_with('{')) {
      lines.push_back(nlohmann::json::parse(line));
    }
  }
  return status;
}

int Fixture::run_once(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"run", "--scenario",  "counting", "--variant", "four", "--warmup-ms",
                                        "0",   "--sample-ms", "1",        "--samples", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(std::move(arguments));
}

std::vector<std::string> Fixture::types() const {
  std::vector<std::string> found;
  for (const nlohmann::json& line : lines) {
    found.push_back(line.value("type", ""));
  }
  return found;
}

}  // namespace perflab
