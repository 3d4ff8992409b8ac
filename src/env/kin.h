// The processes below one of ours by number and start, for somebody who has to end them after
// all who could adopt them are dead. Unlike a mark (marked.h) it finds those too that were started
// with an environment of their own making, but only if somebody had seen them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "env/process_tree.h"

namespace tyer::env {

struct Kin {
  std::int64_t pid = 0;
  std::int64_t start = 0;  // As in ProcStat: no two processes of one boot have both.

  friend bool operator==(const Kin&, const Kin&) = default;
};

// All below `pid` that live, parents first. It costs what the tree is large, however many
// other processes there are. None if this kernel does not list children.
[[nodiscard]] std::vector<Kin> kin_below(std::int64_t pid);

// A line for each: "pid start". What is no such line is not read.
[[nodiscard]] std::string encode(const std::vector<Kin>& kin);
[[nodiscard]] std::vector<Kin> decode_kin(std::string_view text);

// Kills those that still are who they were, with all that is below them now. They must have been
// seen in this boot and this namespace. Returns when they are gone, at the latest after
// `limits::reap_wait_max`.
TreeEnd end_kin(const std::vector<Kin>& kin);

}  // namespace tyer::env
