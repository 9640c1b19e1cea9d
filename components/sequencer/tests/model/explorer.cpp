#include "model/explorer.hpp"

#include <bit>
#include <exception>
#include <stdexcept>
#include <utility>

namespace sequencer::model {

namespace {

/// Unwinds a thread whose execution is of no further interest.
struct Abandoned {};

constexpr std::uint32_t bit(std::size_t process) { return std::uint32_t{1} << process; }

}  // namespace

Result Explorer::explore(const std::function<Program()>& make) {
  Result result;
  path_.clear();
  buffers_awaited_ = false;
  bool from_the_beginning = false;
  do {
    outcome_.clear();
    reporting_ = this;
    from_the_beginning = !buffers_awaited_;
    const Program program = make();
    const Ended ended = run(program);
    from_the_beginning = from_the_beginning && buffers_awaited_;
    if (from_the_beginning) {
      // Its executions have more steps than was thought.
      path_.clear();
      result = {};
      continue;
    }
    if (ended == Ended::kPruned) {
      ++result.pruned;
    } else {
      ++result.executions;
      if (ended == Ended::kDeadlocked) {
        outcome_.insert("deadlock");
      } else if (program.after) {
        program.after();
      }
      for (const std::string& name : outcome_) {
        Result::Finding& finding = result.findings[name];
        if (finding.executions++ == 0) {
          finding.schedule = schedule();
        }
      }
    }
    reporting_ = nullptr;
    if (result.executions + result.pruned == limit_) {
      return result;
    }
  } while (from_the_beginning || choose_next_path());
  result.complete = true;
  return result;
}

void Explorer::report(const std::string& finding) {
  if (reporting_ != nullptr && !reporting_->abandoning_) {
    reporting_->outcome_.insert(finding);
  }
}

Explorer::Ended Explorer::run(const Program& program) {
  threads_ = program.threads.size();
  if (threads_ > kMaxThreads) {
    throw std::invalid_argument("too many threads");
  }
  known_ = {};
  scheduled_ = {};
  objects_.clear();
  for (std::size_t thread = 0; thread < threads_; ++thread) {
    buffers_[thread].clear();
    // A thread's own time must differ from what nobody knows of it.
    known_[thread].at[thread] = 1;
    fibers_[thread].start([&body = program.threads[thread]] {
      try {
        body();
      } catch (const Abandoned&) {
      }
    });
    resume(thread);
  }
  for (std::size_t depth = 0;; ++depth) {
    if (depth == path_.size()) {
      Node node = observe();
      if (depth > 0 && reduction_ != Reduction::kNone) {
        const Node& before = path_[depth - 1];
        for (std::size_t process = 0; process < kMaxProcesses; ++process) {
          if (((before.sleep | before.done) & bit(process)) != 0 && process != before.chosen &&
              !dependent(before.next[process], before.step())) {
            node.sleep |= bit(process);
          }
        }
      }
      add_backtracks(node, depth);
      const Processes candidates = node.enabled & ~node.sleep;
      if (candidates == 0) {
        bool finished = true;
        for (std::size_t process = 0; process < kMaxProcesses; ++process) {
          finished = finished && !next_step(process);
        }
        if (!finished) {
          abandon();
        }
        return finished ? Ended::kCompletely : node.enabled == 0 ? Ended::kDeadlocked : Ended::kPruned;
      }
      node.chosen = static_cast<std::size_t>(std::countr_zero(candidates));
      node.backtrack = reduction_ == Reduction::kNone ? node.enabled : bit(node.chosen);
      path_.push_back(node);
    } else {
      // The same steps, but this execution's objects lie elsewhere.
      path_[depth].next = observe().next;
    }
    execute(path_[depth], depth);
  }
}

/// Depth first: the deepest state that has something left to try, and everything below it forgotten.
bool Explorer::choose_next_path() {
  while (!path_.empty()) {
    Node& node = path_.back();
    node.done |= bit(node.chosen);
    const Processes left = node.backtrack & ~node.done & ~node.sleep;
    if (left != 0) {
      node.chosen = static_cast<std::size_t>(std::countr_zero(left));
      return true;
    }
    path_.pop_back();
  }
  return false;
}

Explorer::Node Explorer::observe() const {
  Node node;
  for (std::size_t process = 0; process < kMaxProcesses; ++process) {
    if (const std::optional<Step> step = next_step(process)) {
      node.next[process] = *step;
      if (is_enabled(process, *step)) {
        node.enabled |= bit(process);
      }
    }
  }
  return node;
}

std::optional<Explorer::Step> Explorer::next_step(std::size_t process) const {
  if (process < kMaxThreads) {
    return process < threads_ && !fibers_[process].finished() ? std::optional(pending_[process]) : std::nullopt;
  }
  const std::size_t thread = process - kMaxThreads;
  if (thread >= threads_ || buffers_[thread].empty()) {
    return std::nullopt;
  }
  return Step{.object = buffers_[thread].front().object,
              .writes = true,
              .buffer = Buffer::kLeft,
              .buffer_of = thread,
              .name = "drain"};
}

bool Explorer::is_enabled(std::size_t process, const Step& step) const {
  return (step.blocked_by == nullptr || !*step.blocked_by) && (!step.drains || buffers_[process].empty()) &&
         (step.buffer != Buffer::kAwaited || buffers_[step.buffer_of].empty());
}

/// What must come before the step, whatever the schedule.
VectorClock Explorer::clock_before(std::size_t process, const Step& step) const {
  VectorClock clock = scheduled_[process];
  if (process >= kMaxThreads) {
    clock.join(buffers_[process - kMaxThreads].front().scheduled);
  } else if (step.drains) {
    clock.join(scheduled_[kMaxThreads + process]);
  }
  return clock;
}

/// For each next step, and each earlier one that it is in a race with: lets it go first there another time.
void Explorer::add_backtracks(const Node& node, std::size_t depth) {
  for (std::size_t process = 0; process < kMaxProcesses; ++process) {
    if (!next_step(process)) {
      continue;
    }
    const Step& step = node.next[process];
    if (step.drains && !buffers_[process].empty()) {
      // What it comes after is known only when its stores are out.
      continue;
    }
    VectorClock clock = clock_before(process, step);
    // From the last to the first, so that whatever comes through a later step is known by then, and not a race.
    for (std::size_t i = depth; i-- > 0;) {
      const Node& earlier = path_[i];
      if (clock.knows(earlier.chosen, time_of(i)) || !dependent(earlier.step(), step)) {
        continue;
      }
      // An unlock and a lock are no race; the lock before that unlock is.
      if (may_be_coenabled(earlier.step(), step)) {
        reverse(i, process, clock_before(process, step), step, depth);
        clock.join(earlier.clock);
      }
    }
  }
}

/**
 * Step i of the path, and the next one of a process, are in a race. What does not come after step i, and then that next
 * one, is an execution with the race reversed; whoever can begin it ("initials") will do, and one of them must be tried
 * from state i.
 */
void Explorer::reverse(std::size_t i, std::size_t process, const VectorClock& clock, const Step& step,
                       std::size_t depth) {
  Processes initials = 0;
  Processes seen = 0;
  const auto comes_after_one_of_them = [&](std::size_t end, auto depends_on) {
    for (std::size_t j = i + 1; j < end; ++j) {
      if (!path_[j].clock.knows(path_[i].chosen, time_of(i)) && depends_on(j)) {
        return true;
      }
    }
    return false;
  };
  for (std::size_t k = i + 1; k < depth; ++k) {
    const Node& event = path_[k];
    if (event.clock.knows(path_[i].chosen, time_of(i))) {
      continue;
    }
    if ((seen & bit(event.chosen)) == 0 &&
        !comes_after_one_of_them(k, [&](std::size_t j) { return event.clock.knows(path_[j].chosen, time_of(j)); })) {
      initials |= bit(event.chosen);
    }
    seen |= bit(event.chosen);
  }
  if (!comes_after_one_of_them(depth, [&](std::size_t j) {
        return clock.knows(path_[j].chosen, time_of(j)) || dependent(path_[j].step(), step);
      })) {
    initials |= bit(process);
  }
  Node& at = path_[i];
  if ((initials & at.backtrack) == 0) {
    at.backtrack |= bit(static_cast<std::size_t>(std::countr_zero(initials)));
  }
}

void Explorer::execute(Node& node, std::size_t depth) {
  const std::size_t process = node.chosen;
  const Step& step = node.step();
  VectorClock clock = clock_before(process, step);
  // A buffer is to who waits for it what an object is to who writes it.
  const std::array<std::pair<const void*, bool>, 2> touched = {
      {{step.object, step.writes},
       {step.buffer == Buffer::kUntouched ? nullptr : &buffers_[step.buffer_of], step.buffer == Buffer::kAwaited}}};
  for (const auto& [object, writes] : touched) {
    if (object != nullptr) {
      clock.join(writes ? objects_[object].accesses : objects_[object].writes);
    }
  }
  clock.at[process] = time_of(depth);
  for (const auto& [object, writes] : touched) {
    if (object != nullptr) {
      if (writes) {
        objects_[object].writes = clock;
      }
      objects_[object].accesses.join(clock);
    }
  }
  scheduled_[process] = clock;
  node.clock = clock;
  if (process < kMaxThreads) {
    resume(process);
  } else {
    std::deque<Buffered>& buffer = buffers_[process - kMaxThreads];
    const std::function<void()> apply = std::move(buffer.front().apply);
    buffer.pop_front();
    apply();
  }
}

void Explorer::before(const Step& step) {
  if (!abandoning_) {
    pending_[current_] = step;
    if (!has_store_buffers()) {
      pending_[current_].drains = false;
    }
    fibers_[current_].pause();
  }
  if (abandoning_ && !step.is_noexcept && std::uncaught_exceptions() == 0) {
    throw Abandoned();
  }
}

void Explorer::buffer_store(const void* object, std::function<void()> apply) {
  buffers_[current_].push_back({object, std::move(apply), scheduled_[current_]});
}

void Explorer::await_buffer_of(std::size_t thread) {
  buffers_awaited_ = true;
  before({.buffer = Buffer::kAwaited, .buffer_of = thread, .name = "fence of another"});
}

void Explorer::resume(std::size_t thread) {
  current_ = thread;
  running_ = this;
  fibers_[thread].resume();
  running_ = nullptr;
}

void Explorer::abandon() {
  abandoning_ = true;
  for (std::size_t thread = 0; thread < threads_; ++thread) {
    if (!fibers_[thread].finished()) {
      resume(thread);
    }
  }
  abandoning_ = false;
}

std::string Explorer::schedule() const {
  std::map<const void*, std::size_t> names;
  std::string text;
  for (const Node& node : path_) {
    const Step& step = node.step();
    const std::size_t name = names.try_emplace(step.object, names.size()).first->second;
    text += node.chosen < kMaxThreads ? "T" : "buffer of T";
    text += std::to_string(node.chosen % kMaxThreads);
    text += ": ";
    text += step.name;
    if (step.object != nullptr) {
      text += " x";
      text += std::to_string(name);
    }
    text += '\n';
  }
  return text;
}

}  // namespace sequencer::model
