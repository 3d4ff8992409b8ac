// What routes about feeds, posts and comments share.

#pragma once

#include <string>

#include "api/paging.h"
#include "api/route.h"
#include "feed/ids.h"

namespace tyer::api {

// New ids for a change of the call.
[[nodiscard]] Result<feed::Ids> ids_of(Call& call, const core::View& view, Time now);

// A post with how many comments it has, when the last text came, whether there is something new,
// and why somebody waits in vain.
[[nodiscard]] Result<std::string> shown_post(const core::View& view, const core::Subject& post);

// What has been read in a thread: nothing there is new any more.
[[nodiscard]] core::Draft thread_read(const core::Subject& thread);

// One thing, read again after it was changed, with its revision as the ETag. A post is there only
// while its feed is.
[[nodiscard]] Result<http::Response> answer_one(Call& call, const std::string& kind,
                                                const std::string& id, const Show& show,
                                                int status = 200);

}  // namespace tyer::api
