#!/bin/sh
# Installs what the tests need beside Go and Node, from the system's packages, where it is missing. No server is started.
set -u
missing=""
needs() { # PROGRAM PACKAGES
  command -v "$1" >/dev/null || missing="$missing $2"
}
needs cc "gcc libc6-dev"                       # the race detector
needs python3 "python3"                        # the programs in the documents
needs promtool "prometheus"                    # rules are checked, and scraped by a real Prometheus
needs amtool "prometheus-alertmanager"         # routing is checked, and alerts delivered by a real Alertmanager
needs chromium "chromium fonts-dejavu-core"    # the page is looked at in a browser
[ -n "$missing" ] || exit 0

fail() {
  echo "$1. Install these yourself, then try again:$missing" >&2
  exit 1
}
command -v apt-get >/dev/null || fail "programs are missing and there is no apt-get"
root=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || fail "programs are missing, and installing them needs root or sudo"
  root="sudo"
fi
echo "installing with $root apt-get:$missing"
policy=${POLICY:-/usr/sbin/policy-rc.d} # what this file answers keeps packages from starting their servers
if [ ! -e "$policy" ]; then
  trap '$root rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | $root tee "$policy" >/dev/null && $root chmod +x "$policy" || fail "$policy can't be written"
fi
$root apt-get update -qq || echo "the list of packages is not up to date; trying all the same" >&2
$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing || fail "apt-get failed"
