// The back ends, each in the source of its name.

#pragma once

#include "backend/backend.h"

namespace tyer::backend {

extern const Backend claude;
extern const Backend codex;
extern const Backend gemini;
extern const Backend command;
extern const Backend demo;

}  // namespace tyer::backend
