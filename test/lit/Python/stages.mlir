// A program of unlike ranks at the command line.
// RUN: coconet show %examples/pipeline/base.mlir --schedule %examples/pipeline/rs_fuse_c_p2p_ag.mlir | FileCheck %s --check-prefix=SHOW
// RUN: coconet run %examples/pipeline/base.mlir --schedule %examples/pipeline/rs_fuse_c_p2p_ag.mlir --ranks 2 --sizes b=2,s=5,h=8,f=3 --check | FileCheck %s --check-prefix=RESULT
// RUN: not coconet run %examples/pipeline/base.mlir --ranks 2 --function head 2>&1 | FileCheck %s --check-prefix=ONE

// SHOW: @head on mesh tp = ?
// SHOW: send{{ +}}boundary{{ +}}to "boundary"{{ +}}1{{ +}}4 ? ? ?/tp B
// SHOW: send "end": send, 3 pointwise ops
// SHOW: @tail on mesh tp = ?
// SHOW: all_gather{{ +}}sum.ag

// RESULT: result z: f32[2, 5, 3]
// RESULT-NEXT: schedule: equivalent on 4 ranks (1 result
// RESULT-NEXT: results equal those of the reference interpreter, within rounding

// ONE: error: @head is one of the functions head, tail, which are run together; compile the program without naming one
