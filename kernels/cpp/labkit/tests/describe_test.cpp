#include <gtest/gtest.h>

#include <stdexcept>

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
     "choices": ["plain", "throwing", "timeless"]}])"));
  EXPECT_EQ(line["variants"][0]["scenarios"], json({"counting", "summing"}));
  EXPECT_EQ(line["variants"][1], json::parse(R"({
    "name": "four", "role": "after", "description": "the number 4", "source": "four.hpp",
    "scenarios": ["counting"], "findings": []})"));
}

TEST(Describe, AVariantsNameIsItsOwn) {
  Fixture fixture;
  EXPECT_THROW(fixture.bench.variant({"four", Role::kPeer, "another", "x.hpp"}, 4), std::logic_error);
}

}  // namespace
}  // namespace perflab
