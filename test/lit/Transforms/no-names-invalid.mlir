// RUN: coconet-opt %s --split-input-file --verify-diagnostics --coconet-fuse-ops

// expected-error@+1 {{no op is named; give names in the options}}
module {
}
