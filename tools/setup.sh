#!/bin/sh
# Makes a machine ready: tools/setup.sh venv|nginx
#   venv   a virtual environment in $VENV (default .venv) with everything in requirements/ and our own packages
#   nginx  the web server that stands in front of the services in the demo and in the end-to-end tests
# Nothing that is already there is installed again. Where a Debian package is missing it comes through apt-get,
# as root or with sudo; the script says so first.
set -eu
cd "$(dirname "$0")/.."
VENV=${VENV:-.venv}

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        fail "this needs root or sudo: $*"
    fi
}

# install PACKAGE...: Debian packages, without starting any service that they bring
install() {
    command -v apt-get >/dev/null 2>&1 || fail "please install by hand, this is no Debian: $*"
    say "installing with apt-get: $*"
    [ -n "$(find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' -mtime -7 2>/dev/null | head -n 1)" ] || as_root apt-get update -q
    policy=/usr/sbin/policy-rc.d
    if [ -e "$policy" ]; then
        policy=
    else
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
        trap 'as_root rm -f "$policy"' EXIT
    fi
    # the lists may be older than the archive: once more after an update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" || {
        as_root apt-get update -q
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
    }
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
    if ! [ -x "$VENV/bin/python" ] || ! is_python "$VENV/bin/python"; then
        say "making $VENV with $python ($("$python" --version))"
        "$python" -m venv --clear "$VENV"
    fi
    pip="$VENV/bin/python -m pip --disable-pip-version-check install --quiet"
    say "installing third parties by hash (a few minutes the first time)"
    # shellcheck disable=SC2086  # $pip is a command and its arguments
    $pip --require-hashes --no-deps -r requirements/build.txt
    # shellcheck disable=SC2086
    $pip --require-hashes --no-deps -r requirements/dev.txt
    say "installing our own packages, editable"
    own=
    for project in libs/*/pyproject.toml services/*/pyproject.toml; do
        own="$own --editable ./${project%/pyproject.toml}"
    done
    # shellcheck disable=SC2086
    $pip --no-deps --no-build-isolation --no-index $own
    "$VENV/bin/python" -m pip --disable-pip-version-check check >/dev/null || fail "the installed packages do not fit together: $VENV/bin/pip check"
    say "done: $VENV"
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

case ${1:-} in
    venv) setup_venv ;;
    nginx) setup_nginx ;;
    *) fail "usage: tools/setup.sh venv|nginx" ;;
esac
