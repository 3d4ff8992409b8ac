// The store in plain files: one per subject, lease and cursor, and log.jsonl.
//
// For people and tools that want text without a daemon (L2, T1): everything is
// readable with `cat`, a lock is removable by hand, and a directory that other
// tools made with lock files in it is used as it is. files_layout.h says which
// file is which, files_journal.h how they change together, docs/formats/files.md
// both for people. It is for one machine: the kernel's locks and page cache
// are what holds it together.

#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "env/env.h"
#include "store/limits.h"
#include "store/open.h"
#include "store/store.h"

namespace tyer::store {

// `directory` is made if it is missing and `options.create`. Nothing is written
// before the first transaction. `journal_max`: when the journal is folded.
[[nodiscard]] Result<std::unique_ptr<Store>> open_files(
    const std::string& directory, env::Env& env, const Options& options,
    std::size_t journal_max = limits::journal_bytes_max);

namespace files {

// A hint when something in the store's directory was written, also by hand.
[[nodiscard]] Result<std::unique_ptr<Watch>> watch_directory(const std::string& directory);

}  // namespace files
}  // namespace tyer::store
