//===- LayoutAttr.cpp - mesh and layout attributes --------------------------===//

#include "IR/Layout.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace coconet;

//===----------------------------------------------------------------------===//
// MeshAttr
//===----------------------------------------------------------------------===//

int64_t MeshAttr::indexOf(StringRef axis) const {
  for (auto [index, name] : llvm::enumerate(getAxes()))
    if (name.getValue() == axis)
      return index;
  return -1;
}

int64_t MeshAttr::sizeOf(StringRef axis) const {
  int64_t index = indexOf(axis);
  assert(index >= 0 && "axis of another mesh");
  return getSizes()[index];
}

int64_t MeshAttr::strideOf(StringRef axis) const {
  int64_t stride = 1;
  for (int64_t size : getSizes().drop_front(indexOf(axis) + 1))
    stride *= size;
  return stride;
}

int64_t MeshAttr::sizeOf(ArrayRef<StringAttr> axes) const {
  int64_t product = 1;
  for (StringAttr axis : axes) {
    int64_t size = sizeOf(axis.getValue());
    if (ShapedType::isDynamic(size))
      return ShapedType::kDynamic;
    product *= size;
  }
  return product;
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  SmallVector<int64_t> sizes;
  SMLoc loc = parser.getCurrentLocation();
  auto parseAxis = [&]() -> ParseResult {
    std::string name;
    int64_t size = ShapedType::kDynamic;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual())
      return failure();
    if (failed(parser.parseOptionalQuestion()) && parser.parseInteger(size))
      return failure();
    axes.push_back(StringAttr::get(parser.getContext(), name));
    sizes.push_back(size);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseAxis, " in mesh"))
    return {};
  return parser.getChecked<MeshAttr>(loc, parser.getContext(),
                                     ArrayRef<StringAttr>(axes),
                                     ArrayRef<int64_t>(sizes));
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(llvm::zip(getAxes(), getSizes()), printer,
                        [&](auto axis) {
                          auto [name, size] = axis;
                          printer.printKeywordOrString(name.getValue());
                          printer << " = ";
                          if (ShapedType::isDynamic(size))
                            printer << "?";
                          else
                            printer << size;
                        });
  printer << ">";
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<StringAttr> axes,
                               ArrayRef<int64_t> sizes) {
  if (axes.empty())
    return emitError() << "a mesh has at least one axis";
  assert(axes.size() == sizes.size() && "text and C API give pairs");
  llvm::StringSet<> seen;
  int64_t ranks = 1;
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    if (axis.getValue().empty())
      return emitError() << "a mesh axis needs a name";
    if (!seen.insert(axis.getValue()).second)
      return emitError() << "mesh axis '" << axis.getValue()
                         << "' appears twice";
    if (ShapedType::isDynamic(size))
      continue;
    if (size < 1)
      return emitError() << "mesh axis '" << axis.getValue() << "' has size "
                         << size << "; sizes are at least 1, or ? to be bound";
    if (size > (int64_t(1) << 31) || (ranks *= size) > (int64_t(1) << 31))
      return emitError() << "a mesh has at most 2^31 ranks";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// LayoutAttr: parsing and printing
//===----------------------------------------------------------------------===//

/// `{dp, tp}`, possibly empty.
static ParseResult parseAxes(AsmParser &parser, ArrayAttr &axes) {
  SmallVector<Attribute> names;
  auto parseName = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    names.push_back(StringAttr::get(parser.getContext(), name));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseName,
                                     " in axis list"))
    return failure();
  axes = ArrayAttr::get(parser.getContext(), names);
  return success();
}

static void printAxes(AsmPrinter &printer, ArrayAttr axes) {
  printer << "{";
  llvm::interleaveComma(axes, printer, [&](Attribute axis) {
    printer.printKeywordOrString(cast<StringAttr>(axis).getValue());
  });
  printer << "}";
}

/// `{dp : VALUE, ...}` with `parseValue` for the values.
static ParseResult
parseAxisMap(AsmParser &parser, DictionaryAttr &map,
             function_ref<ParseResult(Attribute &)> parseValue) {
  SmallVector<NamedAttribute> entries;
  llvm::StringSet<> seen;
  auto parseEntry = [&]() -> ParseResult {
    std::string name;
    Attribute value;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&name) || parser.parseColon() ||
        parseValue(value))
      return failure();
    if (!seen.insert(name).second)
      return parser.emitError(loc) << "axis '" << name << "' appears twice";
    entries.emplace_back(StringAttr::get(parser.getContext(), name), value);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseEntry,
                                     " in axis map"))
    return failure();
  map = DictionaryAttr::get(parser.getContext(), entries);
  return success();
}

static void printAxisMap(AsmPrinter &printer, DictionaryAttr map,
                         function_ref<void(Attribute)> printValue) {
  printer << "{";
  llvm::interleaveComma(map, printer, [&](NamedAttribute entry) {
    printer.printKeywordOrString(entry.getName());
    printer << " : ";
    printValue(entry.getValue());
  });
  printer << "}";
}

namespace {
/// The parts of a layout while it is parsed.
struct LayoutParts {
  MeshAttr mesh;
  ArrayAttr dims, flat, local;
  DictionaryAttr partial, rooted;

  explicit LayoutParts(MLIRContext *context)
      : dims(ArrayAttr::get(context, {})), flat(dims), local(dims),
        partial(DictionaryAttr::get(context)), rooted(partial) {}
};
} // namespace

/// The rest of `[{dp}, {}]` after the opening bracket.
static ParseResult parseDimLists(AsmParser &parser, LayoutParts &parts) {
  SmallVector<Attribute> lists;
  if (failed(parser.parseOptionalRSquare())) {
    do {
      ArrayAttr axes;
      if (parseAxes(parser, axes))
        return failure();
      lists.push_back(axes);
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRSquare())
      return failure();
  }
  parts.dims = ArrayAttr::get(parser.getContext(), lists);
  return success();
}

static ParseResult parseNamedPart(AsmParser &parser, LayoutParts &parts) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef part;
  if (parser.parseKeyword(&part) || parser.parseEqual())
    return failure();
  if (part == "flat")
    return parseAxes(parser, parts.flat);
  if (part == "local")
    return parseAxes(parser, parts.local);
  if (part == "partial")
    return parseAxisMap(
        parser, parts.partial, [&](Attribute &value) -> ParseResult {
          StringRef name;
          SMLoc loc = parser.getCurrentLocation();
          if (parser.parseKeyword(&name))
            return failure();
          std::optional<Reduction> reduction = symbolizeReduction(name);
          if (!reduction)
            return parser.emitError(loc)
                   << "unknown reduction '" << name
                   << "'; a value is pending as sum, max or min";
          value = ReductionAttr::get(parser.getContext(), *reduction);
          return success();
        });
  if (part == "rooted")
    return parseAxisMap(parser, parts.rooted,
                        [&](Attribute &value) -> ParseResult {
                          int64_t root;
                          if (parser.parseInteger(root))
                            return failure();
                          value = parser.getBuilder().getI64IntegerAttr(root);
                          return success();
                        });
  return parser.emitError(loc)
         << "unknown part '" << part
         << "' of a layout; known are flat, partial, local, rooted";
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  LayoutParts parts(parser.getContext());
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseAttribute(parts.mesh))
    return {};
  bool first = true;
  while (succeeded(parser.parseOptionalComma())) {
    bool isDims = first && succeeded(parser.parseOptionalLSquare());
    first = false;
    if (isDims ? parseDimLists(parser, parts) : parseNamedPart(parser, parts))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<LayoutAttr>(loc, parser.getContext(), parts.mesh,
                                       parts.dims, parts.flat, parts.partial,
                                       parts.local, parts.rooted);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<" << getMesh();
  if (!getDims().empty()) {
    printer << ", [";
    llvm::interleaveComma(getDims(), printer, [&](Attribute axes) {
      printAxes(printer, cast<ArrayAttr>(axes));
    });
    printer << "]";
  }
  if (!getFlat().empty()) {
    printer << ", flat = ";
    printAxes(printer, getFlat());
  }
  if (!getPartial().empty()) {
    printer << ", partial = ";
    printAxisMap(printer, getPartial(), [&](Attribute value) {
      printer << stringifyReduction(cast<ReductionAttr>(value).getValue());
    });
  }
  if (!getLocal().empty()) {
    printer << ", local = ";
    printAxes(printer, getLocal());
  }
  if (!getRooted().empty()) {
    printer << ", rooted = ";
    printAxisMap(printer, getRooted(), [&](Attribute value) {
      printer << cast<IntegerAttr>(value).getInt();
    });
  }
  printer << ">";
}

//===----------------------------------------------------------------------===//
// LayoutAttr: verification
//===----------------------------------------------------------------------===//

namespace {
/// Collects the axes a layout mentions and refuses unknown and repeated ones.
class AxisUses {
public:
  AxisUses(MeshAttr mesh, function_ref<InFlightDiagnostic()> emitError)
      : mesh(mesh), emitError(emitError) {}

  LogicalResult use(StringRef axis) {
    if (!mesh.hasAxis(axis))
      return emitError() << "unknown axis '" << axis << "'; the mesh has "
                         << formatAxes(mesh.getAxes());
    if (!seen.insert(axis).second)
      return emitError() << "axis '" << axis
                         << "' is used twice; a layout uses an axis once";
    return success();
  }

  LogicalResult use(ArrayAttr axes) {
    for (Attribute axis : axes) {
      auto name = dyn_cast<StringAttr>(axis);
      if (!name)
        return emitError() << "axis lists hold names, got " << axis;
      if (failed(use(name.getValue())))
        return failure();
    }
    return success();
  }

private:
  MeshAttr mesh;
  function_ref<InFlightDiagnostic()> emitError;
  llvm::StringSet<> seen;
};
} // namespace

static LogicalResult verifyPartial(function_ref<InFlightDiagnostic()> emitError,
                                   AxisUses &uses, DictionaryAttr partial) {
  for (NamedAttribute entry : partial) {
    auto kind = dyn_cast<ReductionAttr>(entry.getValue());
    if (!kind ||
        !llvm::is_contained({Reduction::sum, Reduction::max, Reduction::min},
                            kind.getValue()))
      return emitError() << "a value is pending as sum, max or min, got "
                         << entry.getValue() << " along axis '"
                         << entry.getName().getValue() << "'";
    if (failed(uses.use(entry.getName())))
      return failure();
  }
  return success();
}

static LogicalResult verifyRooted(function_ref<InFlightDiagnostic()> emitError,
                                  AxisUses &uses, MeshAttr mesh,
                                  DictionaryAttr rooted) {
  for (NamedAttribute entry : rooted) {
    auto root = dyn_cast<IntegerAttr>(entry.getValue());
    if (!root || !root.getType().isSignlessInteger(64))
      return emitError() << "a root is a position of type i64, got "
                         << entry.getValue();
    if (failed(uses.use(entry.getName())))
      return failure();
    int64_t size = mesh.sizeOf(entry.getName().getValue());
    if (root.getInt() < 0 ||
        (!ShapedType::isDynamic(size) && root.getInt() >= size))
      return emitError() << "root " << root.getInt() << " is no position along "
                         << "axis '" << entry.getName().getValue()
                         << "' of size " << formatSize(size);
  }
  return success();
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 MeshAttr mesh, ArrayAttr dims, ArrayAttr flat,
                                 DictionaryAttr partial, ArrayAttr local,
                                 DictionaryAttr rooted) {
  assert(mesh && "text and C API give a mesh");
  AxisUses uses(mesh, emitError);
  bool anyCut = false;
  for (Attribute axes : dims) {
    auto list = dyn_cast<ArrayAttr>(axes);
    if (!list)
      return emitError() << "a layout has one axis list per dimension, got "
                         << axes;
    if (failed(uses.use(list)))
      return failure();
    anyCut |= !list.empty();
  }
  if (!dims.empty() && !anyCut)
    return emitError() << "no dimension is cut; leave the dimension lists away";
  if (anyCut && !flat.empty())
    return emitError() << "a tensor is cut along dimensions or flat, not both";
  if (failed(uses.use(flat)) ||
      failed(verifyPartial(emitError, uses, partial)) ||
      failed(uses.use(local)) ||
      failed(verifyRooted(emitError, uses, mesh, rooted)))
    return failure();
  if (!anyCut && flat.empty() && partial.empty() && local.empty() &&
      rooted.empty())
    return emitError() << "the layout is replicated; leave the encoding away";
  int64_t last = -1;
  for (Attribute axis : local) {
    int64_t index = mesh.indexOf(cast<StringAttr>(axis).getValue());
    if (index < last)
      return emitError() << "local axes are listed in the order of the mesh, "
                         << formatAxes(mesh.getAxes());
    last = index;
  }
  return success();
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (!getDims().empty() && getDims().size() != shape.size())
    return emitError() << "the layout has " << getDims().size()
                       << " dimension lists for a tensor of rank "
                       << shape.size();
  return success();
}
