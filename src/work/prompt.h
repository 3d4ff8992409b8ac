// What a run is told (W7): who it is, what it shall answer, and what was said around it.
//
// Texts of others stand between two lines with a word that was made for this run: nobody who
// wrote them can have known it, so no text can end before its end and pose as ours. Names are texts
// of others too: those of agents, sessions, feeds, authors and titles stand only there, as strings
// of JSON.

#pragma once

#include <string>

#include "work/assignment.h"

namespace tyer::work {

[[nodiscard]] std::string make_prompt(const Assignment& given, const std::string& word);

// Instructions that hold for the whole run: the hub's skill.md, and how to reach it from here.
[[nodiscard]] std::string make_instructions(const std::string& skill);

}  // namespace tyer::work
