//===- Site.cpp - The text that names a communication op ------------------===//

#include "Site.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sstream>

namespace coconet::runtime {

namespace {

struct Axis {
  int64_t size;
  int64_t stride;
};

/// Reads the whole of `text` as a number that is at least `least`.
bool parseNumber(const std::string &text, int64_t least, int64_t &number) {
  const char *end = text.data() + text.size();
  auto result = std::from_chars(text.data(), end, number);
  return result.ec == std::errc() && result.ptr == end && number >= least;
}

bool parseAxis(const std::string &text, Axis &axis) {
  size_t colon = text.find(':');
  return colon != std::string::npos &&
         parseNumber(text.substr(0, colon), 1, axis.size) &&
         parseNumber(text.substr(colon + 1), 1, axis.stride);
}

std::string parseAxes(std::istringstream &words, int64_t rank, int64_t size,
                      std::vector<int64_t> &members) {
  members.assign(1, rank);
  std::string word;
  while (words >> word) {
    Axis axis;
    if (!parseAxis(word, axis))
      return "mesh axis '" + word +
             "' is malformed; expected SIZE:STRIDE with positive numbers";
    int64_t period;
    if (__builtin_mul_overflow(axis.size, axis.stride, &period) ||
        size % period != 0)
      return "mesh axis " + word + " (size:stride) does not fit a world of " +
             std::to_string(size) +
             " ranks; run with as many ranks as the mesh has devices";
    int64_t coordinate = rank / axis.stride % axis.size;
    std::vector<int64_t> extended;
    for (int64_t member : members)
      for (int64_t i = 0; i < axis.size; ++i)
        extended.push_back(member + (i - coordinate) * axis.stride);
    members = std::move(extended);
    if (members.size() > static_cast<size_t>(size))
      break;
  }
  std::vector<int64_t> sorted = members;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() < 0 || sorted.back() >= size ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return "the mesh axes overlap; each axis may be listed once";
  return "";
}

std::string parseLists(std::istringstream &words, int64_t rank, int64_t size,
                       std::vector<int64_t> &members) {
  std::vector<bool> seen(size, false);
  std::string word;
  while (words >> word) {
    std::vector<int64_t> list;
    std::istringstream items(word);
    for (std::string item; std::getline(items, item, ',');) {
      int64_t member;
      if (!parseNumber(item, 0, member))
        return "group '" + word +
               "' is malformed; expected rank numbers separated by commas";
      if (member >= size)
        return "group " + word + " names rank " + std::to_string(member) +
               ", but the world has " + std::to_string(size) +
               " ranks; run with as many ranks as the groups name";
      if (seen[member])
        return "rank " + std::to_string(member) +
               " is listed twice; groups must not overlap";
      seen[member] = true;
      list.push_back(member);
    }
    if (std::find(list.begin(), list.end(), rank) != list.end())
      members = list;
  }
  if (members.empty())
    return "rank " + std::to_string(rank) +
           " is in none of its groups; every rank that runs the op must be "
           "listed";
  return "";
}

} // namespace

bool parseSite(const std::string &text, Site &site) {
  std::istringstream lines(text);
  std::string *fields[] = {&site.op, &site.name, &site.location, &site.group};
  for (std::string *field : fields)
    if (!std::getline(lines, *field))
      return false;
  constexpr char shared[] = "shared ";
  if (site.group.compare(0, strlen(shared), shared) == 0) {
    size_t end = site.group.find(' ', strlen(shared));
    if (end == std::string::npos)
      return false;
    site.kind = site.group.substr(strlen(shared), end - strlen(shared));
    site.group.erase(0, end + 1);
  }
  return !site.op.empty();
}

std::string parseGroup(const std::string &text, int64_t rank, int64_t size,
                       std::vector<int64_t> &members) {
  members.clear();
  std::istringstream words(text);
  std::string kind;
  words >> kind;
  if (kind == "axes")
    return parseAxes(words, rank, size, members);
  if (kind == "groups")
    return parseLists(words, rank, size, members);
  return "group '" + text +
         "' is malformed; expected 'axes SIZE:STRIDE ...' or 'groups "
         "RANK,RANK ...'";
}

std::string describe(const Site &site) {
  std::string text = site.op;
  if (!site.name.empty())
    text += " '" + site.name + "'";
  if (!site.location.empty())
    text += " (" + site.location + ")";
  return text;
}

} // namespace coconet::runtime
