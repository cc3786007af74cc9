#include "lab/message.h"

#include <array>
#include <cstring>

#include "lab/lab.h"

namespace lab {
namespace {

// Not a string: after bad_alloc there is no room for one.
thread_local std::array<char, 512> message{};

}  // namespace

void keep_message(const char* what) { std::strncpy(message.data(), what, message.size() - 1); }

}  // namespace lab

const char* lab_message() { return lab::message.data(); }
