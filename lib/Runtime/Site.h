//===- Site.h - The text that names a communication op ----------*- C++ -*-===//

#ifndef COCONET_RUNTIME_SITE_H
#define COCONET_RUNTIME_SITE_H

#include <cstdint>
#include <string>
#include <vector>

namespace coconet::runtime {

/// The four fields of a site's text.
struct Site {
  std::string op;
  std::string name;
  std::string location;
  std::string group;
  /// Of a site that functions share, what it does; else empty.
  std::string kind;
};

/// Splits `text` at newlines; false if it does not have four fields. `kind` comes
/// out of the last one.
bool parseSite(const std::string &text, Site &site);

/// Reads the members of the group of `rank` in a world of `size` ranks from
/// `text` ("axes ..." or "groups ..."), in order of position. Returns what is
/// wrong, or "".
std::string parseGroup(const std::string &text, int64_t rank, int64_t size,
                       std::vector<int64_t> &members);

/// The site as messages name it: all_reduce 'avg' (adam.mlir:12:8).
std::string describe(const Site &site);

} // namespace coconet::runtime

#endif // COCONET_RUNTIME_SITE_H
