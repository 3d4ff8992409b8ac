// Lists that are read page by page (H5): a cursor is the id of the last row, and ids only grow, so
// nothing is skipped or repeated while others write.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/route.h"
#include "core/view.h"

namespace tyer::api {

enum class Order : std::uint8_t { oldest, newest };

// The fields `cursor` and `limit` of a query; the second for a list that answer_rows shows.
[[nodiscard]] std::vector<Field> page_fields();
[[nodiscard]] std::vector<Field> row_fields();

[[nodiscard]] Result<std::size_t> page_limit(const Call& call);

// The page of `query` that the call asks for, each row as `show` shows it. `below` of the query, or
// its kind, stands before the cursor.
using Show = std::function<Result<std::string>(const core::View& view, const core::Subject& row)>;
[[nodiscard]] Result<http::Response> answer_subjects(Call& call, core::SubjectQuery query,
                                                     Order order, const Show& show = {});

// The same of rows that were all read, in the order of their places and ids. Who gives no limit
// gets them all. A cursor has the place and the id of the last row: the page begins after it,
// wherever it is now, or after where it was, if it is gone.
struct PlacedRow {
  std::int64_t place = 0;
  std::string id;
  std::string text;
};
[[nodiscard]] Result<http::Response> answer_rows(const Call& call,
                                                 const std::vector<PlacedRow>& all);

}  // namespace tyer::api
