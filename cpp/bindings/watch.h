// What watches a run of the core for the caller.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "run/monitor.h"
#include "run/workers.h"

namespace nb = nanobind;

namespace bindings {

// What the caller is told while a fit runs, and answers with True to stop it.
using Hook = std::optional<nb::typed<nb::callable, bool(...)>>;

class Exception : public nb::object {
  NB_OBJECT(Exception, nb::object, "BaseException", PyExceptionInstance_Check)
};
using Error = std::optional<Exception>;  // that ended a run early

// Looks after Ctrl-C and the caller's hook while the core runs without the GIL. An exception from
// either ends the run; it waits here until the core has returned.
class Watch {
 public:
  explicit Watch(Hook hook = {})
      : hook_(std::move(hook)), monitor_([this](const svm::TraceRow& row) { return ask(row); }) {}

  void run(int threads, const auto& work) {
    const nb::gil_scoped_release release;
    work(svm::Workers{threads, monitor_});
  }
  Error error() const {
    return error_ ? Error(nb::borrow<Exception>(error_->value())) : std::nullopt;
  }
  void raise() {
    if (error_) throw nb::python_error(std::move(*error_));
  }

 private:
  bool ask(const svm::TraceRow& row) {
    const nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return hook_ && nb::cast<bool>((*hook_)(row.part, row.seconds, row.steps, row.primal,
                                              row.dual, row.gap, row.violation, row.support));
    } catch (nb::python_error& error) {
      error_ = std::make_unique<nb::python_error>(std::move(error));
      return true;
    } catch (const nb::cast_error&) {
      // No exception may cross the core while its threads work.
      PyErr_SetString(PyExc_TypeError, "the hook must return True or False");
      error_ = std::make_unique<nb::python_error>();
      return true;
    }
  }

  Hook hook_;
  svm::Monitor monitor_;
  std::unique_ptr<nb::python_error> error_;
};

// Runs work(workers) on so many threads. What ended it early is the answer, or raised.
Error watched(Hook hook, int threads, const auto& work) {
  Watch watch(std::move(hook));
  watch.run(threads, work);
  return watch.error();
}
void watched(int threads, const auto& work) {
  Watch watch;
  watch.run(threads, work);
  watch.raise();
}

// The caller's step limit; a negative one is none.
inline std::optional<int64_t> limit(int64_t max_steps) {
  return max_steps < 0 ? std::nullopt : std::optional(max_steps);
}

// A row of TRACE (problems/trace.py), of the first part.
struct TraceRecord {
  int64_t part;
  double time;
  int64_t iterations;
  double primal, dual, gap, violation;
  int64_t support;
};
static_assert(sizeof(TraceRecord) == 64);

// The bytes of the rows.
inline nb::ndarray<nb::numpy, uint8_t> trace_array(const std::vector<svm::TraceRow>& trace) {
  std::vector<uint8_t> bytes(trace.size() * sizeof(TraceRecord));
  for (size_t k = 0; k < trace.size(); ++k) {
    const svm::TraceRow& row = trace[k];
    const TraceRecord record{0,        row.seconds, row.steps,     row.primal,
                             row.dual, row.gap,     row.violation, row.support};
    std::memcpy(bytes.data() + k * sizeof record, &record, sizeof record);
  }
  const size_t size = bytes.size();
  return owned(std::move(bytes), {size});
}

}  // namespace bindings
