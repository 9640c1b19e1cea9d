#include "names.hpp"

#include <gtest/gtest.h>

namespace perflab {
namespace {

TEST(Names, InsertionsDeletionsAndSubstitutionsAreCounted) {
  EXPECT_EQ(edits("", "abc"), 3U);
  EXPECT_EQ(edits("kitten", "sitting"), 3U);
  EXPECT_EQ(edits("push", "push"), 0U);
}

TEST(Names, ASlipOfTheFingerHasANearestNameAndAnotherWordHasNone) {
  EXPECT_EQ(with_suggestion("no", "psuh", {"push", "merge"}), "no, did you mean 'push'?");
  EXPECT_EQ(with_suggestion("no", "latency", {"push", "merge"}), "no");
  EXPECT_EQ(with_suggestion("no", "x", {}), "no");
}

}  // namespace
}  // namespace perflab
