#include "sim/files_env.h"

#include <fmt/format.h>

#include "store/files_codec.h"

namespace tyer::files_sim {

core::Event event_of(std::string key, std::string type, std::string body) {
  core::Event event;
  event.key = std::move(key);
  event.type = std::move(type);
  event.actor = "sim";
  event.body = std::move(body);
  return event;
}

Result<std::string> picture(store::Store& store) {
  std::string text;
  TYER_TRY_OK(store.read([&](const core::View& view) -> Result<> {
    text.clear();
    TYER_TRY(const core::Head head, view.head());
    text += fmt::format("head {} {} {}\n", head.seq, to_micros(head.at), head.first);
    TYER_TRY(const auto subjects, view.subjects({}));
    for (const core::Subject& subject : subjects) text += store::files::encode_subject(subject);
    TYER_TRY(const auto leases, view.leases("", limits::page_rows_max));
    for (const core::Lease& lease : leases) {
      text += fmt::format("{} {}\n", lease.key, core::encode(lease));
    }
    TYER_TRY(const auto events, view.events({}));
    for (const core::Event& event : events) text += store::files::encode_event(event);
    TYER_TRY(const auto cursors, view.cursors());
    for (const core::Cursor& cursor : cursors) text += store::files::encode_cursor(cursor);
    return {};
  }));
  return text;
}

}  // namespace tyer::files_sim
