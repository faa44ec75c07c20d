# Finds LLVM and MLIR in the Python environment that drives the build, and the
# tools that shorten it.

find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)

# LLVM and MLIR come as wheels; their CMake files lie beside their libraries.
# Looked up anew at each configuration, unless given by hand: the Python may be
# another one than last time.
if(NOT DEFINED MLIR_DIR OR COCONET_MLIR_OF_PYTHON)
  set(COCONET_MLIR_OF_PYTHON ON CACHE INTERNAL "MLIR_DIR was not given by hand")
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -c
      "import sysconfig; print(sysconfig.get_paths()['platlib'], end='')"
    OUTPUT_VARIABLE site_packages
    COMMAND_ERROR_IS_FATAL ANY)
  set(LLVM_DIR ${site_packages}/llvm/lib/cmake/llvm CACHE PATH "LLVM's CMake files" FORCE)
  set(MLIR_DIR ${site_packages}/mlir/lib/cmake/mlir CACHE PATH "MLIR's CMake files" FORCE)
endif()

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(COCONET_CCACHE ccache)
  if(COCONET_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${COCONET_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${COCONET_CCACHE})
  endif()
endif()
