// A git directory for a moment: the objects of the repository, and nothing else of it.
//
// Neither the user's configuration nor attributes, filters and excludes apply in it, so
// files go into the repository and come out of it exactly as they are.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "git/repository.h"

namespace tyer::git {

class Scratch {
 public:
  [[nodiscard]] static Result<Scratch> make(const Runner& runner, const Repository& repository);
  ~Scratch();
  Scratch(Scratch&& other) noexcept : path_(std::exchange(other.path_, "")) {
    objects_ = std::move(other.objects_);
  }
  Scratch& operator=(Scratch&&) = delete;

  [[nodiscard]] Call call(std::vector<std::string> words) const;

  // The same about files in `tree`.
  [[nodiscard]] Call call_in(const std::string& tree, std::vector<std::string> words) const;

  // A new file of this content, gone with the directory.
  [[nodiscard]] Result<std::string> file(const Runner& runner, std::string_view content);

  // The ids of these files, which are in the repository then.
  [[nodiscard]] Result<std::vector<std::string>> store(const Runner& runner,
                                                       const std::vector<std::string>& paths) const;

  [[nodiscard]] std::string index() const { return path_ + "/index"; }

 private:
  Scratch() = default;

  std::string path_;
  std::string objects_;
  std::size_t files_ = 0;
};

}  // namespace tyer::git
