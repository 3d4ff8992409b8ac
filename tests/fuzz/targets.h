// What reads the bytes of strangers, as functions from bytes to a complaint (P16).
//
// A target does with its input what the program would do, and checks what must hold whatever it is.
// The same functions run in a test with inputs made from the corpus, and under libFuzzer with
// `./dev fuzz`, which looks at what each input reaches.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tyer::fuzz {

// What is wrong; empty if nothing is.
using Body = std::string (*)(std::string_view input);

struct Target {
  std::string_view name;  // And of the folder with its corpus.
  Body body;
  int mutants = 100'000;  // How many inputs a test makes for it.
};

[[nodiscard]] std::span<const Target> targets();

[[nodiscard]] std::string ask_hub(std::string_view input);
[[nodiscard]] std::string read_http_request(std::string_view input);
[[nodiscard]] std::string read_http_response(std::string_view input);
[[nodiscard]] std::string read_event_stream(std::string_view input);
[[nodiscard]] std::string read_files_journal(std::string_view input);
[[nodiscard]] std::string read_files_log(std::string_view input);
[[nodiscard]] std::string read_json(std::string_view input);
[[nodiscard]] std::string read_mentions(std::string_view input);

// Calls `take(piece)` with `bytes` in pieces of sizes that follow from them.
template <class Take>
void in_pieces(std::string_view bytes, Take take) {
  std::size_t state = bytes.size() * 2654435761U + 1;
  while (!bytes.empty()) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const std::string_view piece = bytes.substr(0, 1 + (state >> 33) % 7);
    take(piece);
    bytes.remove_prefix(piece.size());
  }
}

}  // namespace tyer::fuzz
