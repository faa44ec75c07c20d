# Finds LLVM and MLIR in the Python environment that drives the build, and the
# tools that shorten it.

find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)

# LLVM and MLIR come as wheels; their CMake files lie beside their libraries.
if(NOT DEFINED LLVM_DIR OR NOT DEFINED MLIR_DIR)
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -c
      "import sysconfig; print(sysconfig.get_paths()['platlib'], end='')"
    OUTPUT_VARIABLE COCONET_SITE_PACKAGES
    COMMAND_ERROR_IS_FATAL ANY)
  set(LLVM_DIR ${COCONET_SITE_PACKAGES}/llvm/lib/cmake/llvm CACHE PATH "LLVM's CMake files")
  set(MLIR_DIR ${COCONET_SITE_PACKAGES}/mlir/lib/cmake/mlir CACHE PATH "MLIR's CMake files")
endif()

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(COCONET_CCACHE ccache)
  if(COCONET_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${COCONET_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${COCONET_CCACHE})
  endif()
endif()
