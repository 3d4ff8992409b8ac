// What an agent is to do, and how its program is called to do it.
//
// A Task says the same to every agent; the back end turns it into a Call. Three
// things hold for each Call: the prompt goes in on standard input and nowhere
// else (argv has a limit, is seen by every user, and a prompt that starts with
// '-' would be a flag); no text of a Task becomes a flag, but those of `extra`;
// and there is no secret in it, because there is none in a Task.

#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tyer::backend {

// Nobody is there to be asked: what is not granted is denied, and the run goes on.
enum class Permission : std::uint8_t {
  read,  // Look, change nothing.
  edit,  // Change files in the working directory.
  all,   // Also run any command.
};

// A program or an address that gives the agent tools (MCP).
struct ToolServer {
  std::string name;                    // Letters, digits, '_' and '-'.
  std::vector<std::string> argv;       // Either this,
  std::string url;                     // or this.
  std::vector<std::string> variables;  // Names of those that the program needs to see.
  std::string token_variable;          // Name of the one with the bearer token for `url`.
};

// The file of a call that has the instructions for the whole run, where an agent takes them so.
inline constexpr const char* system_file = "system.md";

struct Task {
  std::string prompt;
  std::string conversation;      // To go on with; empty: a new one.
  std::string new_conversation;  // A UUID never used before, for where we may choose. Each run
                                 // needs its own: a run that died may have taken it.
  std::string system;            // Instructions that hold for this run, resumed or not.
  std::string model;             // Empty: the program's own choice.
  Permission permission = Permission::read;
  std::vector<std::string> tools;  // Granted beyond that, as the program names them.
  std::vector<ToolServer> servers;
  int turns_max = 0;               // 0: no limit. Not every program has one.
  std::string program;             // Instead of the back end's own: a path.
  std::vector<std::string> argv;   // The whole command, for the back end `command`.
  std::vector<std::string> extra;  // Arguments of whoever set the agent up, flags among them.
  // Private to this run, absolute, outside of the project. No directory above it may be
  // writable by others, as /tmp is: gemini would ignore what is in it.
  std::string folder;
};

// What a program said about itself: an unknown flag ends a run, so one that not
// every supported version has is passed only if the help lists it.
struct Features {
  std::string version;  // "2.1.325"; empty: unknown.
  std::string help;

  // Whether `word` stands in the help, not as part of a longer one.
  [[nodiscard]] bool lists(std::string_view word) const;
};

// From the outputs of --version and --help, whatever they are.
[[nodiscard]] Features read_features(std::string_view version, std::string_view help);

struct CallFile {
  std::string name;  // In the task's folder.
  std::string content;
};

struct Call {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  // Added.
  std::vector<CallFile> files;                     // Written before it starts, for its user alone.
  std::string input;                               // Standard input, which is then closed.
  // What asks it to end. All but `command` want it for the process alone: they
  // then end what they started themselves.
  int gentle_signal = SIGTERM;
  bool signals_group = false;
};

using Environment = std::map<std::string, std::string, std::less<>>;

// `outer` without what an agent around us may have left there, with what `call` adds.
[[nodiscard]] Environment call_environment(const Environment& outer, const Call& call);

}  // namespace tyer::backend
