#include "contract/contract.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "sequencer_bench/bench.hpp"

namespace sequencer_bench {
namespace {

// Of a hang only: on a machine with much other work a statement may take a minute.
constexpr std::chrono::minutes kLimit{5};

perflab::Evidence check(const std::string& variant, const std::string& statement) {
  const auto program = bench();
  const void* subject = program.program().variant(variant).subject.get();
  for (const auto& one : program.program().contract) {
    if (one.statement == statement) {
      return perflab::run_apart([&] { return one.body(subject); }, kLimit);
    }
  }
  throw std::logic_error("there is no statement '" + statement + "'");
}

/// Every variant keeps the contract, but for the statements that it is known to break.
class KeepsTheContract : public testing::TestWithParam<std::string> {};

TEST_P(KeepsTheContract, Variant) {
  const auto program = bench();
  const auto& variant = program.program().variant(GetParam()).variant;
  for (const auto& one : program.program().contract) {
    if (std::find(variant.findings.begin(), variant.findings.end(), one.statement) == variant.findings.end()) {
      EXPECT_EQ(check(GetParam(), one.statement), perflab::Evidence()) << one.statement;
    }
  }
}

/// Other libraries' queues among them, where these are installed.
std::vector<std::string> every_variant() {
  const auto program = bench();
  std::vector<std::string> names;
  for (const auto& one : program.program().variants) {
    names.push_back(one.variant.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, KeepsTheContract, testing::ValuesIn(every_variant()));

// A finding that does not show any more is no finding.

TEST(DoesNotHoldForMutex, OrderWhenTheSequencerLags) { EXPECT_NE(check("mutex", statements::kFifo), std::nullopt); }

TEST(DoesNotHoldForMutex, EndsOfEpochsWhenTheSequencerLags) {
  EXPECT_NE(check("mutex", statements::kNotEarly), std::nullopt);
}

TEST(DoesNotHoldForMutex, OrderBetweenScannersWhenTheSequencerLags) {
  EXPECT_NE(check("mutex", statements::kInOrder), std::nullopt);
}

TEST(DoesNotHoldForPerScannerPublished, OrderWhenTheSequencerLags) {
  EXPECT_NE(check("per-scanner-published", statements::kFifo), std::nullopt);
}

TEST(DoesNotHoldForPerScannerPublished, EndsOfEpochsWhenTheSequencerLags) {
  EXPECT_NE(check("per-scanner-published", statements::kNotEarly), std::nullopt);
}

TEST(DoesNotHoldForPerScannerPublished, ExactlyOnce) {
  // A race: the machine may be kind, though not time and again.
  perflab::Evidence evidence;
  for (int attempt = 0; attempt < 20 && !evidence; ++attempt) {
    evidence = check("per-scanner-published", statements::kOnce);
  }
  EXPECT_NE(evidence, std::nullopt);
}

}  // namespace
}  // namespace sequencer_bench
