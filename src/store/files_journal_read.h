// Looking at the journal, for its writers and for those who take no lock. files_journal.h says what
// it is for.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "env/env.h"
#include "store/files_record.h"

namespace tyer::store::files {

// Of the boot that we are in, as stamps say it.
[[nodiscard]] std::uint64_t boot_here(const env::Env& env);

// Of the whole file, the newest stamp; nothing if it is not whole.
[[nodiscard]] Result<std::optional<Stamp>> newest_stamp(const env::File& file, std::uint64_t size);

// All of it, or only its beginning if that is none of a journal.
[[nodiscard]] Result<std::string> read_journal(const env::File& file, std::uint64_t size);

// How things stand for a reader; nothing if only the lock can tell.
[[nodiscard]] Result<std::optional<Standing>> peek(env::Env& env, const std::string& directory);

// Whether the journal is whole from its base to its end, else what is wrong.
[[nodiscard]] Result<std::vector<std::string>> check_journal(env::Files& files,
                                                             const std::string& directory);

}  // namespace tyer::store::files
