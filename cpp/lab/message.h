// What went wrong in the last call, for whoever called through C.
#pragma once

#include <exception>

namespace lab {

void keep_message(const char* what);

// 0 when task() ends well; else 1, and the message is kept.
template <class Task>
int guarded(const Task& task) {
  try {
    task();
    return 0;
  } catch (const std::exception& error) {
    keep_message(error.what());
    return 1;
  }
}

}  // namespace lab
