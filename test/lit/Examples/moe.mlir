// Dispatch to experts and back: tokens meet the experts of a rank, whatever the group they come from.
// RUN: coconet-opt --transform-preload-library=transform-library-paths=%examples/moe/a2a_mm_a2a.mlir --transform-interpreter %examples/moe/base.mlir | FileCheck %s

// CHECK: #[[GROUPS:.*]] = #coconet.layout<#mesh, [{ep}, {}, {}, {}]>
// CHECK: #[[EXPERTS:.*]] = #coconet.layout<#mesh, [{}, {ep}, {}, {}]>
// CHECK: coconet.all_to_all {{.*}} from 0 into 1 on {ep} {coconet.name = "dispatch"} : {{.*}}#[[GROUPS]]> -> {{.*}}#[[EXPERTS]]>
// CHECK: coconet.matmul {{.*}}, %arg3 {coconet.name = "experts"}
// CHECK: coconet.silu
// CHECK: coconet.matmul {{.*}}, %arg4 {coconet.name = "experts"}
// CHECK: coconet.all_to_all {{.*}} from 1 into 0 on {ep} {coconet.name = "combine"} : {{.*}}#[[EXPERTS]]> -> {{.*}}#[[GROUPS]]>
