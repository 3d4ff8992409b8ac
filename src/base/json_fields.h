// The members of a JSON object by name, as records are read: what we have written ourselves is not
// built as an object for that (see json_text.h), anything else is.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json_fwd.h"
#include "base/json_text.h"

namespace tyer {

class JsonFields {
 public:
  // `text` must outlive it. `invalid` if it is no object.
  [[nodiscard]] static Result<JsonFields> read(std::string_view text);
  [[nodiscard]] static JsonFields of(std::vector<JsonMember> members);

  // What is not there, or of another type, is empty, false, or what is usual.
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t usual = 0) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  [[nodiscard]] std::vector<std::int64_t> numbers(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  // Objects in it; those that cannot be read are empty, or left out.
  [[nodiscard]] JsonFields object(std::string_view name) const;
  [[nodiscard]] std::vector<JsonFields> objects(std::string_view name) const;

 private:
  [[nodiscard]] static JsonFields of(std::shared_ptr<const Json> json);
  [[nodiscard]] std::string_view find(std::string_view name) const;
  template <class Value>
  [[nodiscard]] std::vector<Value> list(std::string_view name) const;

  std::optional<std::vector<JsonMember>> members_ = std::vector<JsonMember>();
  std::shared_ptr<const Json> json_;  // If there are no members.
};

}  // namespace tyer
