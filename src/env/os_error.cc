#include "env/os_error.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace tyer::env {
namespace {

constexpr std::size_t path_shown_max = 4096;

Fault fault_of(int number) {
  switch (number) {
    case ENOENT: return Fault::not_found;
    case EEXIST: return Fault::conflict;
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return Fault::limit;
    default: return Fault::unavailable;
  }
}

std::string_view words_for(int number) {
  switch (number) {
    case ENOENT: return "it does not exist, or a directory on the way to it does not";
    case EEXIST: return "it exists already";
    case ENOSPC: return "the disk is full; free some space";
    case EDQUOT: return "the disk is full up to your quota; free some space";
    case EFBIG: return "the disk is full up to the file size limit; see ulimit -f";
    case EROFS: return "the file system is read-only; make it writable or choose another place";
    case EACCES:
    case EPERM: return "permission denied; check owner and mode of it and of its directory";
    case EMFILE: return "this process has too many open files; see ulimit -n";
    case ENFILE: return "the system has too many open files";
    case EIO: return "input/output error; check the disk";
    case ENOTDIR: return "a part of the path is not a directory";
    case EISDIR: return "it is a directory";
    default: break;
  }
  const char* text = strerrordesc_np(number);
  return text != nullptr ? text : "unknown error";
}

}  // namespace

Error os_error(int number, std::string_view doing, std::string_view where) {
  std::string what = "cannot ";
  what += doing;
  what += ' ';
  what += printable(where, path_shown_max);
  what += ": ";
  what += words_for(number);
  return {fault_of(number), std::move(what)};
}

}  // namespace tyer::env
