#!/bin/sh
# Makes a machine ready: tools/setup.sh venv|nginx|pdf|postgresql|curl
#   venv   a virtual environment in $VENV (default .venv) with everything in requirements/ and our own packages
#   nginx  the web server that stands in front of the services in the demo and in the end-to-end tests
#   pdf    what prints HTML reports: the libraries and a font for WeasyPrint, and a headless browser where there is one
#   postgresql  the server that the tests of the gateway's store start for themselves; no cluster of the machine's
#   curl   the client of the commands that the demo and the documentation show; a test types those
# Nothing that is already there is installed again. Where a Debian package is missing it comes through apt-get,
# as root or with sudo; the script says so first. What pip and apt-get say goes to build/setup.log.
set -eu
cd "$(dirname "$0")/.."
VENV=${VENV:-.venv}
LOG=build/setup.log
mkdir -p build

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }
quietly() { printf '\n$ %s\n' "$*" >>"$LOG" && "$@" >>"$LOG" 2>&1; }
fail_with_log() { tail -n 15 "$LOG" >&2; fail "$* (all of it: $LOG)"; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

refresh_lists() { quietly as_root apt-get update -q; }

lists_are_fresh() {
    [ -n "$(find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' -mtime -7 2>/dev/null | head -n 1)" ]
}

# A machine that has just started may be updating itself: for so many seconds its lock is waited for.
get_packages() {
    quietly as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=300 install -y -q --no-install-recommends "$@"
}

install() { say "installing with apt-get: $*" && get "$@"; }

# get PACKAGE...: Debian packages, without starting any service that they bring
get() {
    command -v apt-get >/dev/null 2>&1 || fail "please install by hand, this is no Debian: $*"
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null 2>&1 || fail "this needs root or sudo: apt-get install $*"
    lists_are_fresh || refresh_lists || fail_with_log "apt-get could not read its lists"
    policy=/usr/sbin/policy-rc.d
    if [ -e "$policy" ]; then
        policy=
    else
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
        trap 'as_root rm -f "$policy"' EXIT
    fi
    # the lists may be older than the archive: once more after an update
    get_packages "$@" || { refresh_lists && get_packages "$@"; } || fail_with_log "apt-get could not install: $*"
    [ -z "$policy" ] || as_root rm -f "$policy"
    trap - EXIT
}

is_python() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; }

find_python() {
    for candidate in ${PYTHON:-python3 python3.11 python3.12 python3.13}; do
        if is_python "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    fail "no Python 3.11, 3.12 or 3.13 found${PYTHON:+ as PYTHON=$PYTHON}"
}

setup_venv() {
    python=$(find_python)
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        install "python3-venv"
        "$python" -c 'import ensurepip, venv' 2>/dev/null || fail "$python still lacks the modules venv and ensurepip"
    fi
    if [ -x "$VENV/bin/python" ] && is_python "$VENV/bin/python"; then
        say "bringing $VENV up to date"
    else
        say "making $VENV with $python ($("$python" --version)): third parties by hash, our own packages (some minutes; tail -f build/setup.log)"
        quietly "$python" -m venv --clear "$VENV" || fail_with_log "$python could not make $VENV"
    fi
    get_wheels --require-hashes -r requirements/build.txt
    get_wheels --require-hashes -r requirements/dev.txt
    own=
    for project in libs/*/pyproject.toml services/*/pyproject.toml; do
        own="$own --editable ./${project%/pyproject.toml}"
    done
    # shellcheck disable=SC2086  # a list of arguments
    get_wheels --no-build-isolation --no-index $own
    quietly "$VENV/bin/python" -m pip --disable-pip-version-check check ||
        fail_with_log "the installed packages do not fit together: $VENV/bin/pip check"
}

get_wheels() {
    quietly "$VENV/bin/python" -m pip --disable-pip-version-check install --no-deps "$@" ||
        fail_with_log "pip could not install: $*"
}

setup_nginx() {
    if ! [ -x /usr/sbin/nginx ] && ! command -v nginx >/dev/null 2>&1; then
        install nginx-light
        # it came for our own use on a port of our choice: not as a service of this machine
        if [ -d /run/systemd/system ]; then
            as_root systemctl disable --quiet nginx
        fi
    fi
}

# Libraries that WeasyPrint opens at run time, each with the package that holds it
LIBRARIES='libpango-1.0.so.0:libpango-1.0-0 libpangoft2-1.0.so.0:libpangoft2-1.0-0 libharfbuzz-subset.so.0:libharfbuzz-subset0'
# The names under which the gateway finds a browser on PATH (BROWSER_BIN names another)
BROWSERS='chromium-headless-shell chrome-headless-shell chromium chromium-browser google-chrome-stable google-chrome
    microsoft-edge-stable microsoft-edge'

find_browser() {
    for candidate in ${BROWSER_BIN:-$BROWSERS}; do
        if command -v "$candidate"; then
            return
        fi
    done
    return 1
}

setup_pdf() {
    missing=
    known=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null || true)
    for pair in $LIBRARIES; do
        case $known in *"${pair%%:*} "*) ;; *) missing="$missing ${pair#*:}" ;; esac
    done
    fc-list 2>/dev/null | grep -q DejaVuSans.ttf || missing="$missing fonts-dejavu-core"
    # shellcheck disable=SC2086  # a list of packages
    [ -z "$missing" ] || install $missing
    if ! find_browser >/dev/null; then
        # Everything else works without one (WeasyPrint prints instead), so its absence is told and is no failure.
        (install chromium-headless-shell) ||
            say "no headless browser here: the gateway's PDFs come from WeasyPrint, and tests that need a browser are skipped"
    fi
}

setup_postgresql() {
    for initdb in /usr/lib/postgresql/*/bin/initdb; do
        [ ! -x "$initdb" ] || return 0
    done
    ! command -v initdb >/dev/null 2>&1 || return 0
    (install_postgresql) ||
        say "no PostgreSQL here: the tests of the store on it are skipped (in CI they fail)"
}

setup_curl() { command -v curl >/dev/null 2>&1 || install curl; }

# The package's own scripts would make a cluster and start it; the tests have clusters of their own.
install_postgresql() {
    clusters=/etc/postgresql-common/createcluster.conf
    say "installing with apt-get: postgresql"
    [ -e "$clusters" ] || get postgresql-common
    as_root sed -i '/^#* *create_main_cluster/d' "$clusters"
    echo 'create_main_cluster = false' | as_root tee -a "$clusters" >/dev/null
    get postgresql
}

case ${1:-} in
    venv) setup_venv ;;
    nginx) setup_nginx ;;
    pdf) setup_pdf ;;
    postgresql) setup_postgresql ;;
    curl) setup_curl ;;
    *) fail "usage: tools/setup.sh venv|nginx|pdf|postgresql|curl" ;;
esac
