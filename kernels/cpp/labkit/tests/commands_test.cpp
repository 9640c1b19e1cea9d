#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

#include "fixture.hpp"

namespace perflab {
namespace {

using nlohmann::json;

TEST(Describe, TellsScenariosParametersAndVariants) {
  Fixture fixture;
  ASSERT_EQ(fixture.run({"describe"}), 0);
  const json& line = fixture.last();
  EXPECT_EQ(line["protocol"], 1);
  EXPECT_EQ(line["component"], "fixture");
  EXPECT_EQ(line["runtime"]["name"], "C++");
  EXPECT_NE(line["runtime"]["version"].get<std::string>().find("++ "), std::string::npos);
  const json& counting = line["scenarios"][0];
  EXPECT_EQ(counting["name"], "counting");
  EXPECT_EQ(counting["metric"], "rate");
  EXPECT_EQ(counting["unit"], "counts/s");
  EXPECT_EQ(counting["better"], "higher");
  EXPECT_EQ(counting["metrics"], json::parse(R"([
    {"name": "odd", "of": "counter:odd/op", "unit": "odd counts/count", "better": "lower"}])"));
  EXPECT_EQ(counting["parameters"], json::parse(R"([
    {"name": "step", "type": "int", "default": 1, "help": "how far a count goes", "min": 1, "max": 10},
    {"name": "ratio", "type": "float", "default": 0.5, "help": "unused", "min": 0.0, "max": 1.0},
    {"name": "fail", "type": "bool", "default": false, "help": "whether validation fails"},
    {"name": "mode", "type": "string", "default": "plain", "help": "how it behaves",
     "choices": ["plain", "throwing", "timeless", "idle"]}])"));
  EXPECT_EQ(line["variants"][0]["scenarios"], json({"counting", "summing"}));
  EXPECT_EQ(line["variants"][1], json::parse(R"({
    "name": "four", "role": "after", "description": "the number 4", "source": "four.hpp",
    "scenarios": ["counting"], "findings": []})"));
}

TEST(Describe, AVariantsNameIsItsOwn) {
  Fixture fixture;
  EXPECT_THROW(fixture.bench.variant({"four", Role::kPeer, "another", "x.hpp"}, 4), std::logic_error);
}

TEST(Run, PrintsAStartSamplesAndAnEnd) {
  Fixture fixture;
  ASSERT_EQ(fixture.run_once({"--samples", "2", "--sample-ms", "3000", "--param", "step=4", "--seed", "9"}), 0);
  EXPECT_EQ(fixture.types(), (std::vector<std::string>{"start", "sample", "sample", "end"}));
  const json& start = fixture.lines[0];
  EXPECT_EQ(start["params"], json::parse(R"({"step": 4, "ratio": 0.5, "fail": false, "mode": "plain"})"));
  EXPECT_EQ(start["seed"], 9);
  EXPECT_EQ(start["runtime"]["name"], "C++");
  const json& sample = fixture.lines[2];
  EXPECT_EQ(sample["i"], 1);
  EXPECT_EQ(sample["ops"], 12);
  EXPECT_EQ(sample["ns"], 3'000'000'000);
  EXPECT_EQ(sample["counters"], json::parse(R"({"odd": 0})"));
  EXPECT_EQ(sample["percentiles"]["p50"], 1'000);
  const json& end = fixture.last();
  EXPECT_EQ(end["samples"], 2);
  EXPECT_EQ(end["ops"], 24);
  EXPECT_EQ(end["ns"], 6'000'000'000);
  EXPECT_EQ(end["validation"], json::parse(R"({"passed": true, "checks": ["counts are right"]})"));
  EXPECT_TRUE(fixture.deeds.closed);
}

TEST(Run, WarmUpRunsAndLeavesNoSample) {
  Fixture fixture;
  ASSERT_EQ(fixture.run_once({"--warmup-ms", "5000"}), 0);
  EXPECT_EQ(fixture.types(), (std::vector<std::string>{"start", "sample", "end"}));
  EXPECT_EQ(fixture.deeds.repetitions, 6);
}

TEST(Run, ASampleEndsByTheWallClockIfItsOwnCoversLittle) {
  Fixture fixture;
  ASSERT_EQ(fixture.run_once({"--param", "mode=idle"}), 0);
  EXPECT_EQ(fixture.deeds.repetitions, 1);
}

TEST(Run, TheLastOfTwoValuesCounts) {
  Fixture fixture;
  ASSERT_EQ(fixture.run_once({"--param", "step=2", "--param=step=3"}), 0);
  EXPECT_EQ(fixture.lines[0]["params"]["step"], 3);
}

TEST(Contract, ABrokenStatementIsToldWithItsEvidenceAndEndsWithStatusFour) {
  Fixture fixture;
  EXPECT_EQ(fixture.run({"contract", "--variant", "five"}), 4);
  EXPECT_EQ(fixture.types(), (std::vector<std::string>{"check", "check", "check", "check", "check", "end"}));
  EXPECT_EQ(fixture.lines[1], json::parse(R"({
    "type": "check", "variant": "five", "name": "is even", "passed": false, "known": false, "message": "it is odd"})"));
  EXPECT_EQ(fixture.last(), json::parse(R"({"type": "end", "checks": 5, "failed": 1, "findings": 0})"));
}

TEST(Contract, AKnownFindingIsToldAndFailsNothing) {
  Fixture fixture;
  EXPECT_EQ(fixture.run({"contract", "--variant", "three"}), 0);
  EXPECT_EQ(fixture.lines[1]["passed"], false);
  EXPECT_EQ(fixture.lines[1]["known"], true);
  EXPECT_EQ(fixture.last(), json::parse(R"({"type": "end", "checks": 4, "failed": 0, "findings": 1})"));
}

TEST(Contract, AnExceptionACrashAndACheckThatDoesNotEndAreEvidence) {
  Fixture fixture;
  EXPECT_EQ(fixture.run({"contract", "--variant", "four", "--limit-ms", "500"}), 4);
  EXPECT_EQ(fixture.lines[2]["message"], "threw: four");
  EXPECT_EQ(fixture.lines[3]["message"], "crashed: Aborted");
  EXPECT_EQ(fixture.lines[4]["message"], "did not end within 500 ms");
  EXPECT_EQ(fixture.last()["failed"], 3);
}

TEST(Contract, WithoutANameTheReadersOwnAreChecked) {
  Fixture fixture;
  fixture.run({"contract"});
  ASSERT_EQ(fixture.lines.size(), 6U);
  EXPECT_EQ(fixture.lines[0]["variant"], "five");
}

TEST(Contract, LongEvidenceArrivesWhole) {
  const std::string long_one(1 << 20, 'x');
  EXPECT_EQ(run_apart([&]() -> Evidence { return long_one; }, std::chrono::seconds(20)), long_one);
}

TEST(Contract, AChildThatLeavesWithoutAWordHasBrokenIt) {
  EXPECT_EQ(run_apart([]() -> Evidence { _exit(66); }, std::chrono::seconds(20)), "ended with status 66");
  EXPECT_EQ(run_apart([]() -> Evidence { _exit(0); }, std::chrono::seconds(20)), "ended with status 0");
}

void expect_refused(const std::vector<std::string>& arguments, const std::string& message) {
  Fixture fixture;
  EXPECT_EQ(fixture.run(arguments), 2) << fixture.text;
  ASSERT_EQ(fixture.types(), std::vector<std::string>{"error"});
  EXPECT_EQ(fixture.last()["kind"], "usage");
  EXPECT_EQ(fixture.last()["message"], message);
}

TEST(ErrorLines, WhatTheCommandLineCannotBeIsRefusedInOneLine) {
  expect_refused({}, "unknown command ''");
  expect_refused({"descrbe"}, "unknown command 'descrbe'");
  expect_refused({"run", "--scenario", "counting"}, "the option '--variant' is missing");
  expect_refused({"run", "--scenario", "cuonting", "--variant", "four"}, "unknown scenario 'cuonting'");
  expect_refused({"run", "--scenario", "\xff", "--variant", "four"}, "unknown scenario '\xEF\xBF\xBD'");
  expect_refused({"run", "--scenario", "counting", "--variant", "seven"}, "unknown variant 'seven'");
  expect_refused({"run", "--scenario", "summing", "--variant", "four"},
                 "variant 'four' does not support scenario 'summing'");
  expect_refused({"describe", "--plugin"}, "option '--plugin' has no value");
  expect_refused({"describe", "--plugin", "none"}, "no plug-in can be read at 'none'");
  const std::vector<std::pair<std::string, std::string>> options = {
      {"--sampels=3", "unknown option '--sampels'"},   {"--samples", "option '--samples' has no value"},
      {"--samples=0", "--samples cannot be '0'"},      {"--seed=x", "--seed cannot be 'x'"},
      {"--param=step", "'--param step' has no value"}, {"--param=stepp=1", "unknown parameter 'stepp'"},
  };
  for (const auto& [option, message] : options) {
    expect_refused({"run", "--scenario", "counting", "--variant", "four", option}, message);
  }
}

TEST(ErrorLines, AParameterTakesWhatItAllows) {
  for (const std::string pair : {"step=0", "step=11", "step=x", "step=", "step=1.5", "step=99999999999999999999",
                                 "ratio=-0.1", "ratio=nan", "ratio=inf", "ratio=half", "fail=yes", "mode=plein"}) {
    const auto equals = pair.find('=');
    expect_refused({"run", "--scenario", "counting", "--variant", "four", "--param", pair},
                   "parameter '" + pair.substr(0, equals) + "' cannot be '" + pair.substr(equals + 1) + "'");
  }
}

TEST(ErrorLines, AFailedValidationEndsTheRunWithStatusFour) {
  Fixture fixture;
  EXPECT_EQ(fixture.run_once({"--param", "fail=true"}), 4);
  EXPECT_EQ(fixture.types(), (std::vector<std::string>{"start", "error"}));
  EXPECT_EQ(fixture.last()["kind"], "validation");
  EXPECT_EQ(fixture.last()["message"], "counts are right: they are not");
}

TEST(ErrorLines, AnythingElseEndsTheRunWithStatusOne) {
  const std::vector<std::pair<std::string, std::string>> modes = {
      {"throwing", "on purpose"},
      {"timeless", "a repetition recorded no time: the sample would never end"},
  };
  for (const auto& [mode, message] : modes) {
    Fixture fixture;
    EXPECT_EQ(fixture.run_once({"--param", "mode=" + mode}), 1);
    EXPECT_EQ(fixture.types(), (std::vector<std::string>{"start", "error"}));
    EXPECT_EQ(fixture.last()["kind"], "internal");
    EXPECT_EQ(fixture.last()["message"], message);
    EXPECT_EQ(fixture.deeds.repetitions, 1);
  }
}

TEST(ErrorLines, HelpIsNoError) {
  Fixture fixture;
  EXPECT_EQ(fixture.run({"run", "--help"}), 0);
  EXPECT_NE(fixture.text.find("--sample-ms"), std::string::npos);
  EXPECT_TRUE(fixture.lines.empty());
}

}  // namespace
}  // namespace perflab
