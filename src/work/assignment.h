// What a hub gives a run to do: who it is, what it shall answer, and what stands around it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json_fwd.h"

namespace tyer::work {

// A post or a comment.
struct Said {
  std::string id;
  std::string title;  // Of a post.
  std::string text;
  std::string author;
  bool by_agent = false;
  std::string at;  // When.
};

// A run of the session that was lost on this machine; see run::end_left.
struct LostRun {
  std::string run;
  std::string mark;
};

struct Assignment {
  std::string run;
  std::string token;  // Secret: for the run's environment only.
  std::string skill;  // Which instructions the hub gives now.
  std::string lease_key;
  std::uint64_t lease_token = 0;

  std::string agent;  // Its name.
  std::string agent_id;
  std::string backend;  // "claude", …
  std::string directory;
  std::string model;
  std::string permission;
  std::vector<std::string> command;
  std::vector<std::string> environment;  // Names.
  bool worktree = false;
  std::int64_t minutes_max = 0;

  std::string session;  // Its name.
  std::string session_id;
  std::string conversation;
  std::string usage_totals;  // Of the conversation so far, as it was told last.

  std::string feed;
  Said post;
  std::vector<Said> items;          // To be answered; the post may be among them.
  std::vector<Said> comments;       // The last ones, the oldest first.
  std::vector<std::string> titles;  // Of the feed's newest posts.
  std::vector<LostRun> left;        // To be ended before it starts.
};

// What it is about: the first thing that is to be answered, in one line.
[[nodiscard]] std::string item_words(const Assignment& given);

// From the answer to POST /api/sessions/{id}/runs. `broken` if it is none.
[[nodiscard]] Result<Assignment> read_assignment(std::string_view begun);

// The texts in a list of an object; what is no text is left out.
[[nodiscard]] std::vector<std::string> texts_of(const Json& object, const char* name);

}  // namespace tyer::work
