// What the compiler expects of a C++ runtime that is not there.
//
// Exceptions where nothing can catch them: the message is kept and the instance ends. Its host
// reads the message (lab_message) and starts a new instance.
#include <cstdlib>
#include <exception>
#include <typeinfo>

#include "lab/message.h"

extern "C" {

void* __cxa_allocate_exception(size_t bytes) noexcept { return std::malloc(bytes); }

// All that the core throws are classes of the standard library, with std::exception as first base.
[[noreturn]] void __cxa_throw(void* thrown, std::type_info*, void (*)(void*)) {
  lab::keep_message(static_cast<std::exception*>(thrown)->what());
  __builtin_trap();
}

// The one thread does not end before its memory is gone.
int __cxa_thread_atexit(void (*)(void*), void*, void*) noexcept { return 0; }
}
