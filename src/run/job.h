// What a keeper is told to do: one task for one agent, with its bounds.
//
// It is handed over as a text in a file without a name, because a prompt does not
// fit among the arguments, and arguments are seen by every user. What is secret goes the same way:
// the environment of a process is seen by every program of its user.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "backend/task.h"
#include "base/error.h"
#include "base/time.h"
#include "run/limits.h"

namespace tyer::run {

struct Bounds {
  Span wall = limits::run_wall;
  Span idle{};  // Without any output; zero: no limit.
  std::uint64_t output = limits::run_output_bytes;
};

struct Job {
  std::string id;    // Of the first attempt.
  std::string mark;  // What its keeper is marked with; empty: the same. See keeper_mark_of.
  std::string backend;
  backend::Task task;   // But for its folder.
  std::string session;  // Whose run it is: "bot/default"; empty: of no session.
  std::string about;    // What it is to do, in a line; empty: how its prompt begins.
  std::string directory;
  std::string worktree;    // Its name, if `directory` is one that is to be the run's alone.
  std::string base;        // What that is made from; empty: what the main checkout has.
  std::string repository;  // The root of the worktree's.
  std::string folder;      // Where folders of runs are; absolute.
  std::size_t kept = limits::run_folders_kept;  // How many of these.
  Bounds bounds;
  backend::Environment environment;  // Of whoever wants it done.

  // Where and how it is recorded.
  std::string store;
  std::string space;
  bool is_durable = true;
  Span heartbeat{};
  Span silence{};
};

[[nodiscard]] std::string encode(const Job& job);
[[nodiscard]] Result<Job> decode_job(std::string_view text);

}  // namespace tyer::run
