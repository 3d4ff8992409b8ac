#include "api/paging.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "api/answer.h"
#include "api/hub.h"
#include "api/limits.h"
#include "base/text.h"
#include "core/key.h"

namespace tyer::api {
namespace {

// Of a cursor, as answer_rows gives it.
Result<PlacedRow> read_place(std::string_view cursor) {
  PlacedRow row;
  const char* const end = cursor.data() + cursor.size();
  const auto [at, error] = std::from_chars(cursor.data(), end, row.place);
  if (error != std::errc() || at == end || *at != '.') {
    return fail(Fault::invalid, "cursor is not one that we gave");
  }
  row.id.assign(at + 1, end);
  return row;
}

}  // namespace

std::vector<Field> page_fields() {
  return {{"cursor", Type::text, false, "next_cursor of the page before"},
          {"limit", Type::number, false, "rows of a page, 1 to 200; 50 if not given"}};
}

std::vector<Field> row_fields() {
  std::vector<Field> fields = page_fields();
  fields.back().what = "rows of a page, 1 to 200; all if not given";
  return fields;
}

Result<std::size_t> page_limit(const Call& call) {
  const std::string_view text = call.request.query_of("limit");
  if (text.empty()) return limits::api_page_default;
  std::size_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error == std::errc() && end == text.data() + text.size() && limit > 0 &&
      limit <= limits::api_page_max) {
    return limit;
  }
  return fail(Fault::invalid, fmt::format("limit is a number from 1 to {}", limits::api_page_max));
}

Result<http::Response> answer_subjects(Call& call, core::SubjectQuery query, Order order,
                                       const Show& show) {
  TYER_TRY(const std::size_t limit, page_limit(call));
  const std::string cursor(call.request.query_of("cursor"));
  const std::string root = query.below.empty() ? query.kind : query.below;
  if (!cursor.empty()) {
    const std::string key = root + "/" + cursor;
    if (!core::check_key(key)) return fail(Fault::invalid, "cursor is not one that we gave");
    (order == Order::oldest ? query.after : query.before) = key;
  }
  query.limit = limit + 1;
  std::vector<std::string> rows;
  std::string next;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    rows.clear();
    next.clear();
    TYER_TRY(auto found, order == Order::oldest ? view.subjects(query) : view.newest(query));
    if (found.size() > limit) {
      found.pop_back();
      next = found.back().key.substr(root.size() + 1);
    }
    for (const core::Subject& row : found) {
      if (!show) {
        rows.push_back(shown(row));
      } else {
        TYER_TRY(std::string text, show(view, row));
        rows.push_back(std::move(text));
      }
    }
    return {};
  }));
  return answer_page(rows, next);
}

Result<http::Response> answer_rows(const Call& call, const std::vector<PlacedRow>& all) {
  std::size_t limit = all.size();
  if (!call.request.query_of("limit").empty()) {
    TYER_TRY(limit, page_limit(call));
  }
  auto from = all.begin();
  if (const std::string_view cursor = call.request.query_of("cursor"); !cursor.empty()) {
    TYER_TRY(const PlacedRow last, read_place(cursor));
    from = std::ranges::find(all, last.id, &PlacedRow::id);
    if (from != all.end()) {
      ++from;
    } else {
      from = std::ranges::find_if(all, [&](const PlacedRow& row) {
        return std::tie(row.place, row.id) > std::tie(last.place, last.id);
      });
    }
  }
  std::vector<std::string> rows;
  for (; from != all.end() && rows.size() < limit; ++from) rows.push_back(from->text);
  if (from == all.end() || rows.empty()) return answer_page(rows, "");
  return answer_page(rows, fmt::format("{}.{}", std::prev(from)->place, std::prev(from)->id));
}

}  // namespace tyer::api
