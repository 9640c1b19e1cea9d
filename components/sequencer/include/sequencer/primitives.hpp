#pragma once

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace sequencer {

/**
 * What a buffer is made of. As folly passes `Atom`, each buffer takes its primitives as a template parameter, so that
 * the same lines run on the machine and in a model checker that decides who goes next and what a load may return.
 *
 * `Plain<T>` holds data that the atomics around it are to hand over: a T here, a variable watched for races there.
 */
struct Primitives {
  template <class T>
  using Atomic = std::atomic<T>;

  template <class T>
  using Plain = T;

  using Mutex = std::mutex;

  template <class T>
  using Vector = std::vector<T>;

  template <class Key, class Value>
  using Map = std::unordered_map<Key, Value>;
};

}  // namespace sequencer
