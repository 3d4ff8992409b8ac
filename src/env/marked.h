// Processes by a mark in the environment that they were started with: "NAME=value". One of our user
// that hides its environment (hidden.h) has it as a word of its command line instead.
//
// Who adopts orphans finds all of its own below itself (process_tree.h). The mark
// finds them also after those who adopted are dead. It is not proof against a
// program that starts others with an environment of its own making.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/process_tree.h"

namespace tyer::env {

[[nodiscard]] bool has_mark(std::int64_t pid, const std::string& mark);

// Those that live and can be seen, by pid, without this process itself.
[[nodiscard]] std::vector<std::int64_t> marked_processes(const std::string& mark);

// Kills them, stopped ones too, with all that is below them, marked or not, and those that they
// start meanwhile. Returns when none is left, at the latest after `limits::reap_wait_max`. `also`:
// only those that have this one, too; empty: all.
TreeEnd end_marked(const std::string& mark, const std::string& also = {});

}  // namespace tyer::env
