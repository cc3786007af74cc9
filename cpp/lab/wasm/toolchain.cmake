# WebAssembly by the clang of PyPI's `ziglang`, with WASI's libc.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
find_program(python NAMES python REQUIRED)
set(CMAKE_CXX_COMPILER ${python} -m ziglang c++)
set(CMAKE_CXX_FLAGS_INIT "-target wasm32-wasi -msimd128")
set(CMAKE_CXX_FLAGS_RELEASE "-Os -DNDEBUG")
