#include <fmt/format.h>

#include "env/file_watch.h"
#include "store/files_layout.h"
#include "store/files_store.h"

namespace tyer::store::files {
namespace {

class FilesWatch final : public Watch {
 public:
  explicit FilesWatch(std::unique_ptr<env::FileWatch> watch) : watch_(std::move(watch)) {}

  Result<bool> wait(Span at_most) override { return watch_->wait(at_most); }
  int fd() const override { return watch_->fd(); }

 private:
  std::unique_ptr<env::FileWatch> watch_;
};

}  // namespace

Result<std::unique_ptr<Watch>> watch_directory(const std::string& directory) {
  // Every commit writes to the journal; a lock removed by hand shows in its directory.
  TYER_TRY(auto watch,
           env::FileWatch::open({fmt::format("{}/{}", directory, journal_name),
                                 fmt::format("{}/{}", directory, directory_of_kind("lock"))}));
  return std::make_unique<FilesWatch>(std::move(watch));
}

}  // namespace tyer::store::files
