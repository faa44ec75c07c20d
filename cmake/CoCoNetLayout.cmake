# Where things lie, in the build tree and in the installed package alike:
#
#   <packages>/coconet_mlir/            Python modules
#   <packages>/coconet_mlir/_mlir_libs/ extensions and libcoconet_runtime.so
#   <packages>/coconet_mlir/bin/        coconet-opt
#   <packages>/llvm/lib/                libLLVM.so, from the LLVM wheel

set(COCONET_PACKAGE coconet_mlir)
set(COCONET_COMPONENT CoCoNetPythonModules)
set(COCONET_BUILD_PACKAGES ${CMAKE_BINARY_DIR}/python_packages)
set(COCONET_BUILD_PACKAGE ${COCONET_BUILD_PACKAGES}/${COCONET_PACKAGE})
set(LLVM_RUNTIME_OUTPUT_INTDIR ${COCONET_BUILD_PACKAGE}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/lib)

# build/bin is where one looks for a tool.
file(MAKE_DIRECTORY ${LLVM_RUNTIME_OUTPUT_INTDIR})
file(CREATE_LINK ${LLVM_RUNTIME_OUTPUT_INTDIR} ${CMAKE_BINARY_DIR}/bin SYMBOLIC)

# Finds libLLVM.so: by absolute path in the build tree, relative to the package
# once installed, where the build environment may be gone.
function(coconet_set_rpath target)
  set_target_properties(${target} PROPERTIES
    SKIP_BUILD_RPATH OFF
    BUILD_WITH_INSTALL_RPATH OFF
    INSTALL_RPATH_USE_LINK_PATH OFF
    BUILD_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}"
    INSTALL_RPATH "$ORIGIN;$ORIGIN/../_mlir_libs;$ORIGIN/../../llvm/lib")
endfunction()
