#include "git/scratch.h"

#include <fmt/format.h>

#include "base/id.h"
#include "base/text.h"
#include "git/walk.h"

namespace tyer::git {
namespace {

// As git reads it back: a name in quotes may have any byte in it.
std::string quote_path(std::string_view path) {
  std::string text = "\"";
  for (const char c : path) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  return text + "\"\n";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

Result<Scratch> Scratch::make(const Runner& runner, const Repository& repository) {
  env::Env& env = runner.env();
  TYER_TRY(const std::string format,
           runner.line(in(repository, {"rev-parse", "--show-object-format"})));
  Scratch scratch;
  scratch.path_ = fmt::format("{}/tyer/{}", repository.common,
                              sortable_id("s", env.clock.now(), env.random.bits()));
  scratch.objects_ = repository.common + "/objects";
  TYER_TRY_OK(env.files.make_directory(scratch.path_ + "/refs"));
  TYER_TRY_OK(env.files.make_directory(scratch.path_ + "/info"));
  TYER_TRY_OK(env.files.replace(scratch.path_ + "/HEAD", "ref: refs/heads/none\n"));
  TYER_TRY_OK(env.files.replace(
      scratch.path_ + "/config",
      fmt::format("[core]\n\trepositoryformatversion = 1\n\tprotectNTFS = false\n"
                  "\tprotectHFS = false\n\tautocrlf = false\n\tattributesFile = /dev/null\n"
                  "[extensions]\n\tobjectFormat = {}\n",
                  format)));
  TYER_TRY_OK(env.files.replace(scratch.path_ + "/info/attributes",
                                "* -text !eol -ident -filter -working-tree-encoding\n"));
  return scratch;
}

Scratch::~Scratch() {
  // What is left behind is small and found under its own name.
  if (!path_.empty()) (void)remove_all(path_);
}

Call Scratch::call(std::vector<std::string> words) const {
  return {.words = std::move(words),
          .directory = path_,
          .environment = {{"GIT_DIR", path_},
                          {"GIT_OBJECT_DIRECTORY", objects_},
                          {"GIT_CONFIG_GLOBAL", "/dev/null"},
                          {"GIT_CONFIG_SYSTEM", "/dev/null"},
                          {"GIT_ATTR_NOSYSTEM", "1"}},
          .at_most = limits::git_slow_max};
}

Call Scratch::call_in(const std::string& tree, std::vector<std::string> words) const {
  Call call = this->call(std::move(words));
  call.directory = tree;
  call.environment["GIT_WORK_TREE"] = tree;
  return call;
}

Result<std::string> Scratch::file(const Runner& runner, std::string_view content) {
  std::string path = fmt::format("{}/file{}", path_, files_++);
  TYER_TRY_OK(runner.env().files.replace(path, content));
  return path;
}

Result<std::vector<std::string>> Scratch::store(const Runner& runner,
                                                const std::vector<std::string>& paths) const {
  Call hash = call({"hash-object", "-w", "--no-filters", "--stdin-paths"});
  for (const std::string& path : paths) hash.input += quote_path(path);
  TYER_TRY(const std::string out, runner.run(hash));
  std::vector<std::string> ids = lines_of(out);
  if (ids.size() != paths.size()) {
    return fail(Fault::broken, fmt::format("git stored {} of {} files", ids.size(), paths.size()));
  }
  return ids;
}

}  // namespace tyer::git
