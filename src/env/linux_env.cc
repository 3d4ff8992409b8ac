#include "env/linux_env.h"

namespace tyer::env {

LinuxEnv::LinuxEnv() : processes_(clock_), env_{clock_, files_, processes_, random_} {}

}  // namespace tyer::env
