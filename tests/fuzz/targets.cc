#include "fuzz/targets.h"

namespace tyer::fuzz {

std::span<const Target> targets() {
  static constexpr Target all[] = {
      {"api", ask_hub, 40'000},
      {"event_stream", read_event_stream},
      {"files_journal", read_files_journal},
      {"files_log", read_files_log},
      {"http_request", read_http_request},
      {"http_response", read_http_response},
      {"json", read_json},
      {"mention", read_mentions},
  };
  return all;
}

}  // namespace tyer::fuzz
