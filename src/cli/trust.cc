#include "cli/trust.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_text.h"
#include "base/text.h"
#include "cli/confirm.h"
#include "cli/limits.h"
#include "cli/state_folder.h"

namespace tyer::cli {
namespace {

constexpr std::string_view list_name = "/trusted";

std::string encode(const Matter& matter) {
  return fmt::format("{{\"directory\":{},\"agreed\":{}}}\n", json_string(matter.directory),
                     json_string(matter.what));
}

// A line that says nothing, such as one that was cut off, is an agreement to nothing.
std::vector<Matter> decode(std::string_view text) {
  std::vector<Matter> list;
  while (!text.empty()) {
    const std::string line(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto json = parse_json_object(line);
    if (json) list.push_back({text_or(*json, "directory"), text_or(*json, "agreed")});
  }
  return list;
}

bool is_in(const std::vector<Matter>& list, const Matter& matter) {
  return std::ranges::any_of(list, [&](const Matter& one) {
    return one.directory == matter.directory && one.what == matter.what;
  });
}

// What was agreed to of directories that are gone is forgotten when there is much of it.
Result<> make_room(std::vector<Matter>& list) {
  if (list.size() <= limits::agreements_max) return {};
  std::erase_if(list, [](const Matter& matter) {
    std::error_code none;
    return !std::filesystem::exists(matter.directory, none);
  });
  if (list.size() <= limits::agreements_max) return {};
  return fail(Fault::limit, fmt::format("more than {} things were agreed to; 'tyer trust --list' "
                                        "shows them, 'tyer trust --forget DIR' forgets some",
                                        limits::agreements_max));
}

// Changes the list by `edit`, one process at a time.
template <typename Edit>
Result<> change(World& world, const Edit& edit) {
  TYER_TRY(const std::string folder, state_folder(world));
  env::Files& files = world.env.files;
  TYER_TRY_OK(files.make_directory(folder));
  TYER_TRY(const auto turn, files.open(folder + "/trusted.lock", env::Open::write));
  TYER_TRY_OK(turn->lock());
  TYER_TRY(std::vector<Matter> list, agreements(world));
  edit(list);
  TYER_TRY_OK(make_room(list));
  std::string text;
  for (const Matter& matter : list) text += encode(matter);
  return files.replace(folder + std::string(list_name), text);
}

// Where 'tyer trust' finds it.
std::string place_of(const Matter& matter) {
  const std::size_t slash = matter.directory.rfind('/');
  const std::string last = matter.directory.substr(slash + 1);
  const bool is_inner = (last == ".tyer" || last == ".git") && slash > 0;
  return printable(is_inner ? matter.directory.substr(0, slash) : matter.directory,
                   limits::meaning_bytes_max);
}

std::string listed(const std::vector<Matter>& matters) {
  std::string text;
  for (const Matter& matter : matters) {
    text += fmt::format("  {}\n", printable(matter.meaning, limits::meaning_bytes_max));
  }
  return text;
}

}  // namespace

Result<std::vector<Matter>> agreements(const World& world) {
  const auto folder = state_folder(world);
  if (!folder) return std::vector<Matter>{};  // There is nowhere that it could stand.
  const std::string path = *folder + std::string(list_name);
  const auto text = world.env.files.read(path, limits::agreements_bytes_max);
  if (!text && text.error().fault == Fault::not_found) return std::vector<Matter>{};
  if (!text) return std::unexpected(text.error());
  return decode(*text);
}

Result<std::vector<Matter>> not_agreed(const World& world, std::vector<Matter> matters) {
  if (matters.empty()) return matters;
  TYER_TRY(const std::vector<Matter> list, agreements(world));
  std::erase_if(matters, [&](const Matter& matter) { return is_in(list, matter); });
  return matters;
}

Result<> need_agreement(World& world, std::vector<Matter> matters) {
  TYER_TRY(const std::vector<Matter> open, not_agreed(world, std::move(matters)));
  if (open.empty()) return {};
  const std::string& directory = open.front().directory;
  // A question that nobody sees would keep a script waiting.
  if (can_ask() && world.output.errors_on_terminal()) {
    world.output.warn(
        fmt::format("tyer: {} may come from somebody else, and you have not agreed "
                    "to this:\n{}",
                    printable(directory, limits::meaning_bytes_max), listed(open)));
    if (says_yes(world, "Agree to it, from now on?")) return agree(world, open);
    return fail(Fault::denied, fmt::format("you have not agreed to what {} says",
                                           printable(directory, limits::meaning_bytes_max)));
  }
  std::string meanings;
  for (const Matter& matter : open) {
    meanings += (meanings.empty() ? "" : "; ") + printable(matter.meaning, 300);
  }
  const auto folder = state_folder(world);
  return fail(
      Fault::denied,
      fmt::format("you have not agreed to this: {}. If you know what it is, 'tyer trust {}' "
                  "agrees to it, once{}",
                  meanings, place_of(open.front()),
                  folder ? "" : "; but first: " + folder.error().what));
}

Result<> agree(World& world, const std::vector<Matter>& matters) {
  return change(world, [&](std::vector<Matter>& list) {
    for (const Matter& matter : matters) {
      if (!is_in(list, matter)) list.push_back(matter);
    }
  });
}

Result<std::size_t> disagree(World& world, const std::vector<std::string>& directories) {
  std::size_t gone = 0;
  TYER_TRY_OK(change(world, [&](std::vector<Matter>& list) {
    gone = std::erase_if(list, [&](const Matter& matter) {
      return std::ranges::find(directories, matter.directory) != directories.end();
    });
  }));
  return gone;
}

}  // namespace tyer::cli
