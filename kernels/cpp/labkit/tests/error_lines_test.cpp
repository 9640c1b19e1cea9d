#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "fixture.hpp"

namespace perflab {
namespace {

using nlohmann::json;

// Each way to fail is one line and an exit status of the protocol.

void expect_usage(const Fixture& fixture, int status, const std::string& message, const json& allowed) {
  EXPECT_EQ(status, 2) << fixture.text;
  ASSERT_EQ(fixture.types(), std::vector<std::string>{"error"});
  EXPECT_EQ(fixture.last()["kind"], "usage");
  EXPECT_EQ(fixture.last()["message"], message);
  EXPECT_EQ(fixture.last().value("allowed", json::array()), allowed);
}

TEST(ErrorLines, AnUnknownScenarioNamesAll) {
  Fixture fixture;
  const int status = fixture.run({"run", "--scenario", "cuonting", "--variant", "four"});
  expect_usage(fixture, status, "unknown scenario 'cuonting'", {"counting", "summing"});
}

TEST(ErrorLines, AnUnknownVariantNamesAll) {
  Fixture fixture;
  const int status = fixture.run({"run", "--scenario", "counting", "--variant", "seventeen"});
  expect_usage(fixture, status, "unknown variant 'seventeen'", {"three", "four", "five"});
}

TEST(ErrorLines, AScenarioThatTheVariantLacksNamesThoseItHas) {
  Fixture fixture;
  const int status = fixture.run({"run", "--scenario", "summing", "--variant", "four"});
  expect_usage(fixture, status, "variant 'four' does not support scenario 'summing'", json::array({"counting"}));
}

TEST(ErrorLines, AValueThatIsNotAllowedNamesWhatIs) {
  const std::string whole = "a whole number from 1 to 10";
  const std::string number = "a number from 0 to 1";
  const std::vector<std::tuple<std::string, std::string, std::string>> refused = {
      {"step", "0", whole},
      {"step", "11", whole},
      {"step", "x", whole},
      {"step", "", whole},
      {"step", "1.5", whole},
      {"step", "99999999999999999999", whole},
      {"ratio", "-0.1", number},
      {"ratio", "nan", number},
      {"ratio", "inf", number},
      {"ratio", "half", number},
      {"fail", "yes", "true or false"},
  };
  for (const auto& [name, value, allowed] : refused) {
    Fixture fixture;
    const int status = fixture.run_once({"--param", name + "=" + value});
    expect_usage(fixture, status, "parameter '" + name + "' cannot be '" + value + "'", json::array({allowed}));
  }
}

TEST(ErrorLines, AWordThatIsNoChoiceNamesTheChoices) {
  Fixture fixture;
  const int status = fixture.run_once({"--param", "mode=plein"});
  const json choices = {"plain", "throwing", "timeless"};
  expect_usage(fixture, status, "parameter 'mode' cannot be 'plein'", choices);
}

TEST(ErrorLines, AnUnknownParameterNamesAll) {
  Fixture fixture;
  const int status = fixture.run_once({"--param", "stepp=1"});
  const json names = {"step", "ratio", "fail", "mode"};
  expect_usage(fixture, status, "unknown parameter 'stepp'", names);
}

TEST(ErrorLines, WhatCannotBeParsedIsAUsageErrorToo) {
  const std::vector<std::pair<std::string, std::string>> broken = {
      {"--samples=0", "a whole number of at least 1"},
      {"--warmup-ms=-1", "a whole number of at least 0"},
      {"--samples=x", "--samples with a whole number"},
      {"--seed=x", "--seed with a whole number"},
      {"--param=step", "--param NAME=VALUE"},
      {"--sampels=3", "--samples"},
      {"--samples", "--samples"},
      {"--plugin", "--plugin PATH"},
  };
  for (const auto& [argument, allowed] : broken) {
    Fixture fixture;
    EXPECT_EQ(fixture.run_once({argument}), 2) << argument;
    ASSERT_EQ(fixture.types(), std::vector<std::string>{"error"});
    const auto said = fixture.last()["allowed"].get<std::vector<std::string>>();
    EXPECT_NE(std::find(said.begin(), said.end(), allowed), said.end()) << argument;
  }
}

TEST(ErrorLines, AMissingOptionOrCommandIsNamed) {
  Fixture fixture;
  EXPECT_EQ(fixture.run({"run", "--scenario", "counting"}), 2);
  EXPECT_EQ(fixture.last()["message"], "the option '--variant' is missing");
  const json commands = {"describe", "run", "contract"};
  expect_usage(fixture, fixture.run({"descrbe"}), "unknown command 'descrbe'", commands);
  expect_usage(fixture, fixture.run({}), "no command was given", commands);
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

TEST(ErrorLines, WhatIsNoTextIsStillALine) {
  Fixture fixture;
  EXPECT_EQ(fixture.run({"run", "--scenario", "\xff", "--variant", "four"}), 2);
  EXPECT_EQ(fixture.last()["message"], "unknown scenario '\xEF\xBF\xBD'");
}

TEST(ErrorLines, HelpIsNoError) {
  Fixture fixture;
  EXPECT_EQ(fixture.run({"run", "--help"}), 0);
  EXPECT_NE(fixture.text.find("--sample-ms"), std::string::npos);
  EXPECT_TRUE(fixture.lines.empty());
}

}  // namespace
}  // namespace perflab
