#include "base/json.h"
#include "base/json_text.h"
#include "base/text.h"
#include "fuzz/targets.h"

namespace tyer::fuzz {
namespace {

std::string check_value(std::string_view text) {
  const auto value = parse_json(text);
  if (!value) return "";
  const std::string written = dump_json(*value);
  if (written.contains('\n')) return "a value is written in two lines";
  const auto again = parse_json(written);
  if (!again) return "what was written is refused: " + again.error().what;
  if (*again != *value) return "what was written is another value";
  return dump_json(*again) == written ? "" : "what was written is written differently";
}

// The quick way must agree with the long one wherever it answers.
std::string check_members(std::string_view text) {
  const auto members = split_object(text);
  if (!members) return "";
  const auto object = parse_json_object(text);
  if (!object) return "only the quick way takes this: " + object.error().what;
  if (members->size() != object->size()) return "the quick way sees other members";
  for (const auto& [name, value] : *members) {
    const auto found = object->find(std::string(name));
    const auto parsed = parse_json(value);
    if (found == object->end() || !parsed || *found != *parsed) {
      return "the quick way sees another value";
    }
  }
  return "";
}

std::string check_merge(std::string_view target, std::string_view patch) {
  const auto ours = split_object(target);
  const auto theirs = split_object(patch);
  const auto merged = ours && theirs ? merge_members(*ours, *theirs) : std::nullopt;
  if (!merged) return "";
  auto expected = parse_json_object(target);
  const auto change = parse_json_object(patch);
  const auto got = parse_json_object(*merged);
  if (!expected || !change || !got) return "the quick way merges what is no object";
  merge_patch(*expected, *change);
  return *got == *expected ? "" : "the quick way merges differently";
}

}  // namespace

// Two lines are an object and what is merged into it.
std::string read_json(std::string_view input) {
  if (std::string complaint = check_value(input); !complaint.empty()) return complaint;
  if (std::string complaint = check_members(input); !complaint.empty()) return complaint;
  if (is_utf8(input)) {
    const auto text = parse_json(json_string(input));
    if (!text || !text->is_string() || text->get_ref<const std::string&>() != input) {
      return "a text is not what was written as a string";
    }
  }
  const std::size_t line = input.find('\n');
  if (line == std::string_view::npos) return "";
  return check_merge(input.substr(0, line), input.substr(line + 1));
}

}  // namespace tyer::fuzz
