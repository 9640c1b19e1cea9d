#include <algorithm>

#include "commands.hpp"

namespace perflab {
namespace {

constexpr std::int64_t kDefaultLimitMs = 20'000;

/// The one that was named, or else the reader's own.
std::vector<const Program::AnyVariant*> chosen(const Program& program, const CommandLine& line) {
  if (const auto name = line.value("--variant")) {
    return {&program.variant(*name)};
  }
  std::vector<const Program::AnyVariant*> yours;
  for (const Program::AnyVariant& one : program.variants) {
    if (one.variant.role == Role::kYours) {
      yours.push_back(&one);
    }
  }
  if (yours.empty()) {
    throw Error::usage("there is nothing to check", {"--plugin PATH", "--variant NAME"});
  }
  return yours;
}

bool is_known(const Variant& variant, const std::string& statement) {
  return std::find(variant.findings.begin(), variant.findings.end(), statement) != variant.findings.end();
}

}  // namespace

int contract(const Program& program, const CommandLine& line, ProtocolWriter& writer) {
  const std::chrono::milliseconds limit(line.whole("--limit-ms", kDefaultLimitMs, 1));
  int checks = 0;
  int failed = 0;
  int findings = 0;
  for (const Program::AnyVariant* one : chosen(program, line)) {
    const void* subject = one->subject.get();
    for (const Program::AnyCheck& check : program.contract) {
      if (!check.applies(subject)) {
        continue;
      }
      const Evidence evidence = run_apart([&] { return check.body(subject); }, limit);
      const bool known = evidence.has_value() && is_known(one->variant, check.statement);
      ++checks;
      findings += known ? 1 : 0;
      failed += evidence.has_value() && !known ? 1 : 0;
      writer.line({{"type", "check"},
                   {"variant", one->variant.name},
                   {"name", check.statement},
                   {"passed", !evidence.has_value()},
                   {"known", known},
                   {"message", evidence.value_or("")}});
    }
  }
  writer.line({{"type", "end"}, {"checks", checks}, {"failed", failed}, {"findings", findings}});
  return failed == 0 ? 0 : static_cast<int>(Kind::kValidation);
}

}  // namespace perflab
