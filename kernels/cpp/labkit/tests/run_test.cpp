#include <gtest/gtest.h>

#include "fixture.hpp"

namespace perflab {
namespace {

using nlohmann::json;

TEST(Run, PrintsAStartSamplesAndAnEnd) {
  Fixture fixture;
  ASSERT_EQ(fixture.run_once({"--samples", "2", "--sample-ms", "3", "--param", "step=4", "--seed", "9"}), 0);
  EXPECT_EQ(fixture.types(), (std::vector<std::string>{"start", "sample", "sample", "end"}));
  const json& start = fixture.lines[0];
  EXPECT_EQ(start["params"], json::parse(R"({"step": 4, "ratio": 0.5, "fail": false, "mode": "plain"})"));
  EXPECT_EQ(start["seed"], 9);
  EXPECT_EQ(start["runtime"]["name"], "C++");
  const json& sample = fixture.lines[2];
  EXPECT_EQ(sample["i"], 1);
  EXPECT_EQ(sample["ops"], 12);
  EXPECT_EQ(sample["ns"], 3'000'000);
  EXPECT_EQ(sample["counters"], json::parse(R"({"odd": 0})"));
  EXPECT_EQ(sample["percentiles"]["p50"], 1'000);
  const json& end = fixture.last();
  EXPECT_EQ(end["samples"], 2);
  EXPECT_EQ(end["ops"], 24);
  EXPECT_EQ(end["ns"], 6'000'000);
  EXPECT_EQ(end["validation"], json::parse(R"({"passed": true, "checks": ["counts are right"]})"));
  EXPECT_TRUE(fixture.deeds.closed);
}

TEST(Run, WarmUpRunsAndLeavesNoSample) {
  Fixture fixture;
  ASSERT_EQ(fixture.run_once({"--warmup-ms", "5"}), 0);
  EXPECT_EQ(fixture.types(), (std::vector<std::string>{"start", "sample", "end"}));
  EXPECT_EQ(fixture.deeds.repetitions, 6);
}

TEST(Run, TheLastOfTwoValuesCounts) {
  Fixture fixture;
  ASSERT_EQ(fixture.run_once({"--param", "step=2", "--param=step=3"}), 0);
  EXPECT_EQ(fixture.lines[0]["params"]["step"], 3);
}

}  // namespace
}  // namespace perflab
