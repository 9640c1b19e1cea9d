#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "interleaving/interleaving.hpp"
#include "stepper.hpp"
#include "variants.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using sequencer::BufferConfig;
using sequencer::Epoch;
using sequencer::PendingBatch;
using sequencer::python::Bounds;
using sequencer::python::DriverStores;
using sequencer::python::Interleaving;
using sequencer::python::Stepper;
using sequencer::python::Taken;

namespace {

std::string to_string(const PendingBatch& batch) {
  return "Batch(scanner=" + std::to_string(batch.broker) + ", position=" + std::to_string(batch.position) +
         ", epoch=" + std::to_string(batch.epoch) + ")";
}

}  // namespace

NB_MODULE(_native, module) {
  nb::class_<PendingBatch>(module, "Batch", "A batch, as a scanner has pushed it or as it was taken.")
      .def_ro("scanner", &PendingBatch::broker, "Who pushed it.")
      .def_ro("position", &PendingBatch::position, "Its number among that scanner's, from 0.")
      .def_ro("epoch", &PendingBatch::epoch, "The epoch that the scanner saw as it pushed.")
      .def("__repr__", to_string)
      .def("__eq__", [](const PendingBatch& one, const PendingBatch& other) {
        return one.broker == other.broker && one.position == other.position && one.epoch == other.epoch;
      });

  nb::class_<Taken>(module, "Taken", "An epoch that was taken, and its batches in the order in which they came.")
      .def_ro("epoch", &Taken::epoch)
      .def_ro("batches", &Taken::batches, nb::rv_policy::copy)
      .def("__repr__", [](const Taken& taken) {
        std::string text = "Taken(epoch=" + std::to_string(taken.epoch) + ", batches=[";
        for (const PendingBatch& batch : taken.batches) {
          text += (&batch == taken.batches.data() ? "" : ", ") + to_string(batch);
        }
        return text + "])";
      });

  nb::class_<Stepper>(
      module, "Stepper",
      "An epoch buffer with its scanners, driver and sequencer, each of which does its next step when it "
      "is told to. No step comes in the middle of another one.")
      .def(
          "__init__",
          [](Stepper* self, const std::string& variant, std::size_t scanners, std::size_t capacity, Epoch first_epoch) {
            new (self) Stepper(variant, BufferConfig{scanners, capacity, first_epoch});
          },
          "variant"_a, nb::kw_only(), "scanners"_a = 2, "capacity"_a = 16, "first_epoch"_a = 0)
      .def("push", &Stepper::push, "scanner"_a,
           "The scanner pushes its next batch, which is returned; None if the buffer has no room.")
      .def("advance", &Stepper::advance,
           "The driver ends the epoch. False: too many wait to be taken, and this one goes on.")
      .def("take", &Stepper::take, "The sequencer takes the oldest epoch that has ended; None if there is none.")
      // Copies: the stepper's own move as it goes on.
      .def_prop_ro("pending", &Stepper::pending, nb::rv_policy::copy,
                   "Batches that were pushed and not taken, in the order pushed.")
      .def_prop_ro("epoch", &Stepper::epoch, "The current epoch.")
      .def_prop_ro("lag", &Stepper::lag, "How many epochs have ended and not been taken.");

  nb::class_<Interleaving>(
      module, "Interleaving",
      "Scanners S0, S1, ..., a driver D and a sequencer Q on one epoch buffer, an access of shared "
      "memory at a time. Whose access comes next is the caller's choice, and what happens then is "
      "the same each time: no two of them ever run at once.")
      .def(
          "__init__",
          [](Interleaving* self, const std::string& variant, std::size_t scanners, std::size_t pushes,
             std::size_t epochs, std::size_t capacity, bool store_buffer, bool fences) {
            const DriverStores stores = !store_buffer ? DriverStores::kInMemory
                                        : fences      ? DriverStores::kBuffered
                                                      : DriverStores::kBufferedWithoutFences;
            new (self) Interleaving(variant, Bounds{scanners, pushes, epochs, capacity}, stores);
          },
          "variant"_a, nb::kw_only(), "scanners"_a = 1, "pushes"_a = 1, "epochs"_a = 1, "capacity"_a = 4,
          "store_buffer"_a = false, "fences"_a = true,
          "Each scanner pushes so many batches; the driver ends so many epochs, and the sequencer looks as often for "
          "one to take. With a store buffer the driver's stores wait until B, who then is there, too, writes one after "
          "the other to memory; the driver's fences wait for that, unless they are left out.")
      .def_prop_ro("actors", &Interleaving::actors, nb::rv_policy::copy, "Everybody's names.")
      .def_prop_ro("enabled", &Interleaving::enabled,
                   "Those that can go on: they have not ended, and wait for no lock.")
      .def("step", &Interleaving::step, "actor"_a, "The actor's next access of shared memory; says what it did.")
      .def_prop_ro("history", &Interleaving::history, nb::rv_policy::copy, "Who did what, in order.")
      .def("finish", &Interleaving::finish, nb::rv_policy::copy,
           "Lets everybody come to an end, one after the other, takes what is left, and returns how the contract was "
           "broken: nothing, if it was kept.");

  module.def("variants", &sequencer::python::variants, "The names of the epoch buffers.");
}
