// What the calls of all programs share: the checks of a task, and its pieces as
// arguments that can be nothing else.

#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "backend/task.h"
#include "base/error.h"

namespace tyer::backend {

// Refuses what could turn into a flag, a path or a second argument, and what is
// too long. See Backend::prepare.
[[nodiscard]] Result<> check_task(const Task& task);

// Refuses extra arguments that would take over what a back end must decide
// itself. `owned` has flags as they are written: "--resume", "-r".
[[nodiscard]] Result<> check_extra(const Task& task, std::initializer_list<std::string_view> owned);

// The prompt behind a line of ours if it begins with a character that some program
// takes for a command of its own, as '/' in "/clear".
[[nodiscard]] std::string guarded_prompt(const std::string& prompt);

// The program, followed by `arguments`.
void begin_call(Call& call, const Task& task, std::string_view program,
                std::initializer_list<std::string_view> arguments);

// The path of a file in the task's folder, which is added to the call.
[[nodiscard]] std::string add_file(Call& call, const Task& task, std::string name,
                                   std::string content);

}  // namespace tyer::backend
