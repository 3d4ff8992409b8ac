// Recorded outputs of real agent programs, and reading them in pieces.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace tyer::testing {

struct Recording {
  std::string name;  // "codex-success"
  std::string output;
  backend::Ending ending;

  // Of the program that it is of.
  [[nodiscard]] const backend::Backend& backend() const;
};

// All that tests/fixtures/agents has; fails the test if there is none.
[[nodiscard]] std::vector<Recording> recordings();

struct Reading {
  std::vector<backend::Note> notes;
  backend::Report report;

  friend bool operator==(const Reading&, const Reading&) = default;
};

// `pieces` are the output, cut somewhere.
[[nodiscard]] Reading read_pieces(const backend::Backend& backend, const backend::Task& task,
                                  const std::vector<std::string_view>& pieces,
                                  const backend::Ending& ending);

}  // namespace tyer::testing
