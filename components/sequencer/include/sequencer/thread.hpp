#pragma once

namespace sequencer {

/// This thread runs on that core only. False if it may not, or cannot here.
bool pin_to_cpu(int cpu) noexcept;

/// Lets this thread's sleeps end within microseconds of when they are due, where the system would add 50.
void sleep_precisely() noexcept;

}  // namespace sequencer
