#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

#include "fixture.hpp"

namespace perflab {
namespace {

namespace fs = std::filesystem;

/// Runs a fixture's `main` in a process whose standard output and error are files.
class Processes : public testing::Test {
 protected:
  Processes() : folder_(fs::path(testing::TempDir()) / ("processes-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Processes() override { fs::remove_all(folder_); }

  void run_main(std::initializer_list<const char*> arguments) {
    std::vector<std::string> words{"fixture-bench"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) {
      argv.push_back(word.data());
    }
    Fixture fixture;
    fixture.bench.check({"prints", [](int) -> Evidence {
                           std::printf("by printf\n");
                           std::thread([] { std::cout << "by a stream\n"; }).join();
                           return std::system("echo by a child") == 0 ? Evidence() : "there is no child";
                         }});
    // Or the other process would have the harness's lines in its buffer.
    std::fflush(stdout);
    run_apart(
        [&]() -> Evidence {
          redirect(STDOUT_FILENO, "out");
          redirect(STDERR_FILENO, "err");
          fixture.bench.main(static_cast<int>(argv.size()), argv.data());
          // What is still in a buffer is said, too.
          std::fflush(stdout);
          return {};
        },
        std::chrono::seconds(60));
  }

  std::string read(const std::string& name) const {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string file(const std::string& name, const std::string& text, fs::perms mode) {
    const fs::path path = folder_ / name;
    std::ofstream(path) << text;
    fs::permissions(path, mode);
    return path.string();
  }

 private:
  void redirect(int descriptor, const std::string& name) const {
    const int file = ::open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    ASSERT_GE(::dup2(file, descriptor), 0);
    ::close(file);
  }

  fs::path folder_;
};

TEST_F(Processes, WhatAVariantPrintsGoesToStandardError) {
  run_main({"contract", "--variant", "three"});
  std::istringstream out(read("out"));
  std::vector<std::string> types;
  for (std::string line; std::getline(out, line);) {
    ASSERT_TRUE(nlohmann::json::accept(line)) << line;
    types.push_back(nlohmann::json::parse(line).value("type", ""));
  }
  EXPECT_EQ(types, (std::vector<std::string>{"check", "check", "check", "check", "check", "end"}));
  EXPECT_EQ(read("err"), "by printf\nby a stream\nby a child\n");
}

TEST_F(Processes, APlugInIsHandedStandardOutput) {
  run_main({"describe", "--plugin", "/bin/echo"});
  EXPECT_EQ(read("out"), "describe\n");
}

TEST_F(Processes, TheProgramBecomesItWithTheOtherArguments) {
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

TEST_F(Processes, AFileThatIsNoProgramIsAUsageError) {
  Fixture fixture;
  const std::string plain = file("plain.txt", "no program", fs::perms::owner_read);
  EXPECT_EQ(fixture.run({"describe", "--plugin", plain}), 2);
  EXPECT_NE(fixture.last()["message"].get<std::string>().find("does not start"), std::string::npos);
}

}  // namespace
}  // namespace perflab
