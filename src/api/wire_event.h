// An event of the log as the stream shows it (H17): which name, which text, and for whom.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/event.h"
#include "core/kind.h"

namespace tyer::api {

// Which events a reader wants. Empty is all.
struct Filter {
  std::string author_type;          // Of posts and comments: "human" or "bot".
  std::vector<std::string> agents;  // Written by, meant for, or about one of these.
  std::vector<std::string> topics;  // First words of types: "comment", "run", "lease", …
  std::string feed;                 // Of one feed.
  bool comments_only = false;       // And who is typing.
  bool is_agent = false;            // The reader: it does not see keys and logins.
};

struct WireEvent {
  std::uint64_t seq = 0;
  std::string type;  // "comment_created"
  std::string data;  // JSON: what happened, with event_id, event, at, actor and key.
  std::shared_ptr<const std::string> text;  // As it is sent.

  // What filters ask about.
  std::string author_type;
  std::string feed;
  std::vector<std::string> agents;
  bool is_private = false;  // Of keys and logins.
};

[[nodiscard]] WireEvent to_wire(const core::Catalog& catalog, const core::Event& event);
[[nodiscard]] bool wants(const Filter& filter, const WireEvent& event);

// "ev_0000000000000042" of 42, and back. Plain numbers are understood too.
[[nodiscard]] std::string event_id(std::uint64_t seq);
[[nodiscard]] std::optional<std::uint64_t> event_seq(std::string_view id);

}  // namespace tyer::api
