#include "git/walk.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "env/os_error.h"
#include "git/limits.h"

namespace tyer::git {
namespace {

constexpr std::string_view kept_prefix = ".tyer-kept.";

Item::Kind kind_of_mode(mode_t mode) {
  if (S_ISREG(mode)) return Item::Kind::file;
  if (S_ISLNK(mode)) return Item::Kind::link;
  return S_ISDIR(mode) ? Item::Kind::directory : Item::Kind::special;
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

Result<std::vector<std::string>> names_in(const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), ::closedir);
  if (!open) return std::unexpected(env::os_error(errno, "read", directory));
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(open.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return std::unexpected(env::os_error(errno, "read", directory));
  return names;
}

class Walk {
 public:
  explicit Walk(const std::string& top) : top_(top) {}

  // Whether anything is in it.
  Result<bool> visit(const std::string& below, std::size_t depth) {
    if (depth > limits::walk_depth_max) {
      return fail(Fault::limit, fmt::format("{} is nested too deeply", printable(below)));
    }
    TYER_TRY(const std::vector<std::string> names, names_in(top_ + "/" + below));
    for (const std::string& name : names) {
      TYER_TRY_OK(add(below.empty() ? name : below + "/" + name, depth));
    }
    return !names.empty();
  }

  std::vector<Item> items;

 private:
  Result<> add(std::string path, std::size_t depth) {
    if (items.size() >= limits::walk_items_max) {
      return fail(Fault::limit, fmt::format("{} holds more than {} files", printable(top_),
                                            limits::walk_items_max));
    }
    struct stat facts{};
    const std::string whole = top_ + "/" + path;
    if (::lstat(whole.c_str(), &facts) != 0) {
      return std::unexpected(env::os_error(errno, "look at", whole));
    }
    Item item{.path = path, .kind = kind_of_mode(facts.st_mode), .mode = facts.st_mode & 07777};
    item.inode = facts.st_ino;
    if (item.kind != Item::Kind::directory) {
      item.bytes = static_cast<std::uint64_t>(facts.st_size);
      item.modified = nanoseconds(facts.st_mtim);
      item.changed = nanoseconds(facts.st_ctim);
      items.push_back(std::move(item));
      return {};
    }
    TYER_TRY(const bool full, visit(path, depth + 1));
    item.empty = !full;
    items.push_back(std::move(item));
    return {};
  }

  const std::string& top_;
};

bool same_letters(std::string_view a, std::string_view lower) {
  return std::ranges::equal(a, lower, {}, [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
}

}  // namespace

Result<std::vector<Item>> walk(const std::string& top) {
  struct stat facts{};
  if (::lstat(top.c_str(), &facts) != 0 && errno == ENOENT) return std::vector<Item>{};
  Walk walk(top);
  TYER_TRY_OK(walk.visit("", 0));
  std::ranges::sort(walk.items, {}, &Item::path);
  return std::move(walk.items);
}

Result<> remove_all(const std::string& top) {
  std::error_code problem;
  std::filesystem::remove_all(top, problem);
  if (!problem) return {};
  // Module caches of some languages are read-only, directories too.
  TYER_TRY(const std::vector<Item> items, walk(top));
  ::chmod(top.c_str(), 0700);
  for (const Item& item : items) {
    if (item.kind == Item::Kind::directory) ::chmod((top + "/" + item.path).c_str(), 0700);
  }
  std::filesystem::remove_all(top, problem);
  if (!problem) return {};
  return fail(Fault::unavailable,
              fmt::format("cannot remove {}: {}", printable(top), problem.message()));
}

std::string encode_path(const Item& item) {
  const std::string& path = item.path;
  const bool is_link = item.kind == Item::Kind::link;
  std::string encoded;
  std::size_t at = 0;
  while (at <= path.size()) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = std::string_view(path).substr(at, end - at);
    if (same_letters(name, ".git") || name.starts_with(kept_prefix) ||
        (is_link && same_letters(name, ".gitmodules"))) {
      encoded += kept_prefix;
    }
    encoded += name;
    if (end < path.size()) encoded += '/';
    at = end + 1;
  }
  return encoded;
}

std::string decode_name(const std::string& name) {
  return name.starts_with(kept_prefix) ? name.substr(kept_prefix.size()) : name;
}

}  // namespace tyer::git
