//===- Runtime.cpp - Entry points of the runtime library ------------------===//

/// The version of the C ABI between compiled programs and this library.
extern "C" __attribute__((visibility("default"))) int coconet_rt_abi_version() {
  return 1;
}
