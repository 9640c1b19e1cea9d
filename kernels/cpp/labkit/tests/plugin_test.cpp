#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "fixture.hpp"

namespace perflab {
namespace {

namespace fs = std::filesystem;

class Plugin : public testing::Test {
 protected:
  Plugin() : folder_(fs::path(testing::TempDir()) / ("plugin-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Plugin() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text, fs::perms mode) {
    const fs::path path = folder_ / name;
    std::ofstream(path) << text;
    fs::permissions(path, mode);
    return path.string();
  }

  std::string read(const std::string& name) {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  fs::path folder_;
};

TEST_F(Plugin, TheProgramBecomesItWithTheOtherArguments) {
  const std::string script = file("echo.sh", "#!/bin/sh\necho \"$*\" > \"$0.said\"\n", fs::perms::owner_all);
  for (const std::vector<std::string>& given : {std::vector<std::string>{"run", "--plugin", script, "--seed", "3"},
                                                std::vector<std::string>{"run", "--plugin=" + script, "--seed", "3"}}) {
    // In a child: a process that has become another cannot go on with the test.
    EXPECT_EQ(run_apart(
                  [&]() -> Evidence {
                    Fixture().run(given);
                    return "came back";
                  },
                  std::chrono::seconds(20)),
              "ended with status 0");
    EXPECT_EQ(read("echo.sh.said"), "run --seed 3\n");
  }
}

TEST_F(Plugin, WhatIsNoneIsAUsageError) {
  Fixture fixture;
  EXPECT_EQ(fixture.run({"describe", "--plugin", "none"}), 2);
  EXPECT_EQ(fixture.last()["message"], "no plug-in can be read at 'none'");
  const std::string plain = file("plain.txt", "no program", fs::perms::owner_read);
  EXPECT_EQ(fixture.run({"describe", "--plugin", plain}), 2);
  EXPECT_NE(fixture.last()["message"].get<std::string>().find("does not start"), std::string::npos);
}

}  // namespace
}  // namespace perflab
