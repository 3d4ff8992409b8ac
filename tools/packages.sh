# shellcheck shell=sh
# Packages of Debian: which are missing, and getting them. dev reads this file and names them.

# missing_of PACKAGE…: those of them that are not installed.
missing_of() {
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null) || true
  for package in "$@"; do
    case "$lf$installed$lf" in
      *"$lf$package installed$lf"*) ;;
      *) printf ' %s' "$package" ;;
    esac
  done
}

# need PACKAGE…: installs what is missing, or says what to do.
need() {
  if ! command -v dpkg-query >/dev/null; then
    say "This is no Debian: nothing is installed for you. tyer needs what Debian calls" "$@" >&2
    return
  fi
  missing=$(missing_of "$@")
  [ -n "$missing" ] || return 0
  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      die "packages are missing; as root, run: apt-get install --no-install-recommends$missing"
    sudo -v || die "packages are missing and sudo refused:$missing"
    as_root=sudo
  fi
  # shellcheck disable=SC2086
  set -- $missing
  [ $# = 1 ] && noun=package || noun=packages
  say "installing $# $noun:$missing"
  mkdir -p $logs
  apt $as_root apt-get update
  apt $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

apt() {
  start $logs/install.log "$@" -o DPkg::Lock::Timeout=600
  await "installing" $logs/install.log || {
    tail -n 30 $logs/install.log >&2
    die "this failed: $*"
  }
}
