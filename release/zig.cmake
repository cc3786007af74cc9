# Compiles for the machine that the environment's TARGET names, by the clang of PyPI's `ziglang` with
# libraries of its own: x86_64-linux-gnu.2.28, aarch64-linux-gnu.2.28, x86_64-windows-gnu, aarch64-macos.
# The number is the oldest glibc to run with; libc++ is linked statically.
string(REGEX MATCH "^([^-]+)-([^-]+)" target "$ENV{TARGET}")
set(processor ${CMAKE_MATCH_1})
set(systems_linux Linux)
set(systems_windows Windows)
set(systems_macos Darwin)
set(system ${systems_${CMAKE_MATCH_2}})
if(NOT system STREQUAL CMAKE_HOST_SYSTEM_NAME OR NOT processor STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_NAME ${system})
  set(CMAKE_SYSTEM_PROCESSOR ${processor})
endif()

set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
find_program(zig NAMES python-zig REQUIRED)
set(CMAKE_CXX_COMPILER ${zig} c++)
# The baseline of the family, not this machine's processor. What zig adds for finding mistakes it would turn into traps.
set(CMAKE_CXX_FLAGS_INIT "-target $ENV{TARGET} -fno-sanitize=undefined")
set(CMAKE_CXX_ARCHIVE_CREATE "\"${zig}\" ar qc <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "\"${zig}\" ranlib <TARGET>")
