#include <gtest/gtest.h>
#include <unistd.h>

#include "fixture.hpp"

namespace perflab {
namespace {

using nlohmann::json;

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

}  // namespace
}  // namespace perflab
