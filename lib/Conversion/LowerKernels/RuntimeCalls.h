//===- RuntimeCalls.h - calls of the run-time library -----------*- C++ -*-===//

#ifndef COCONET_CONVERSION_LOWERKERNELS_RUNTIMECALLS_H
#define COCONET_CONVERSION_LOWERKERNELS_RUNTIMECALLS_H

#include "Conversion/ToRank/IndexMath.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace coconet {

/// The members of a kernel's group, from its attributes.
struct Members {
  MeshAttr mesh;
  mlir::ArrayAttr axes, groups;

  static Members of(mlir::Operation *op);
  /// Number of members; unset where groups have different sizes.
  std::optional<int64_t> size() const;
};

/// Declares and calls functions of lib/Runtime/Runtime.h. The rank is the first
/// argument of the function that the builder is in.
class RuntimeCalls {
public:
  /// Calls and texts need the module's symbols; arithmetic on pointers does not.
  RuntimeCalls(mlir::OpBuilder &builder, mlir::Operation *at,
               mlir::SymbolTable *symbols = nullptr)
      : builder(builder), op(at), loc(at->getLoc()), symbols(symbols) {}

  /// The `coconet_rank *` of the function.
  mlir::Value rank();
  /// The text that names `op` in messages; `kind` is its first field.
  mlir::Value site(llvm::StringRef kind, const Members &members);
  mlir::Value text(llvm::StringRef contents);
  /// The same for both ends of a channel, which are at positions 0 and 1.
  mlir::Value channelSite(llvm::StringRef channel,
                          llvm::ArrayRef<int64_t> senders,
                          llvm::ArrayRef<int64_t> receivers);
  /// Call a function; the result is null for void.
  mlir::Value call(llvm::StringRef name, mlir::Type result,
                   mlir::ValueRange arguments);
  mlir::Value i64(mlir::OpFoldResult value);

  /// Position of this rank among the members, as an index.
  mlir::Value position(const Members &members, mlir::Value site);
  /// Whether members run other functions, whose buffers coincide in other ways.
  bool isShared(const Members &members);
  /// Number of members, as an index.
  mlir::OpFoldResult size(const Members &members, mlir::Value site);
  /// This rank's composed position along the axes.
  mlir::Value coordinate(MeshAttr mesh, llvm::ArrayRef<mlir::StringAttr> axes);

  /// Publish buffers and wait for the members; a table of all their pointers.
  /// Only wait where the op says that they have been published.
  mlir::Value enter(mlir::Value site, mlir::ValueRange pointers);
  /// Wait for the members; a table of all that they have published.
  mlir::Value wait(mlir::Value site);
  /// Publish buffers and go on.
  void start(mlir::Value site, mlir::ValueRange pointers);
  void leave(mlir::Value site);
  /// Pointer `slot` of `count` of the member at a position in the table.
  mlir::Value peer(mlir::Value table, mlir::OpFoldResult position,
                   int64_t count, int64_t slot);

  /// Address of element 0 of a buffer.
  mlir::Value pointerTo(mlir::Value memref);
  /// `pointer` moved by `offset` elements.
  mlir::Value advance(mlir::Value pointer, mlir::Type element,
                      mlir::OpFoldResult offset);
  /// Copy `count` elements, or make them zero.
  void copy(mlir::Value to, mlir::Value from, mlir::Type element,
            mlir::OpFoldResult count);
  void clear(mlir::Value to, mlir::Type element, mlir::OpFoldResult count);
  /// Entry `index` of a table of integers.
  mlir::Value lookup(llvm::ArrayRef<int64_t> table, mlir::Value index);

private:
  /// Call a function that publishes buffers.
  mlir::Value publish(llvm::StringRef function, mlir::Type result,
                      mlir::Value site, mlir::ValueRange pointers);
  /// Number of this rank in the mesh.
  mlir::Value rankIn(MeshAttr mesh);

  mlir::OpBuilder &builder;
  mlir::Operation *op;
  mlir::Location loc;
  mlir::SymbolTable *symbols;
};

/// The type by which an element lies in memory: i1 takes a byte.
mlir::Type memoryType(mlir::Type element);

} // namespace coconet

#endif // COCONET_CONVERSION_LOWERKERNELS_RUNTIMECALLS_H
