#!/bin/sh
# Installs the ERP services: asks for what only you know, writes the files with the right owners and modes, says what it did.
#
#   sh deploy/install.sh containers     settings and secret beside the compose files; starts nothing
#   sh deploy/install.sh host           without containers: users, programs, settings, systemd units (as root, from the unpacked
#                                       package of `make host-package`); starts nothing
#
# Four questions: the Service Layer's address, the company database, the ERP user and its password. What is in the
# environment is not asked: ERP_SL_URL, ERP_SL_COMPANY_DB, ERP_SL_USER, and the password in the file that
# ERP_SL_PASSWORD_FILE names. ADMIN_WEB_USERS and DB_TYPE (HANA) are taken from it, too. Files that exist are kept;
# INSTALL_REPLACE=1 writes them anew.
set -eu
umask 077
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
kind=${1:-}


fail() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

did() { printf '  %s\n' "$1"; }

ask() { # ask VARIABLE QUESTION
    eval "answer=\${$1:-}"
    if [ -z "$answer" ]; then
        [ -t 0 ] || fail "$1 is not set, and there is no terminal to ask"
        printf '%s: ' "$2" >&2
        IFS= read -r answer || fail 'no answer'
    fi
    case $answer in
        '') fail "$1 must not be empty" ;;
        *"'"* | *'
'*) fail "$1 must have one line without the sign '" ;;
    esac
    eval "$1=\$answer"
}

ask_password() {
    if [ -n "${ERP_SL_PASSWORD_FILE:-}" ]; then
        password=$(cat -- "$ERP_SL_PASSWORD_FILE") || fail "ERP_SL_PASSWORD_FILE can't be read"
    else
        [ -t 0 ] || fail 'ERP_SL_PASSWORD_FILE is not set, and there is no terminal to ask'
        printf 'Password of %s: ' "$ERP_SL_USER" >&2
        trap 'stty echo' EXIT INT TERM
        stty -echo
        IFS= read -r password || true
        stty echo
        trap - EXIT INT TERM
        printf '\n' >&2
    fi
    [ -n "$password" ] || fail 'the password must not be empty'
}

# questions FILE…: not asked where all files exist already, as in an upgrade
questions() {
    if [ -z "${INSTALL_REPLACE:-}" ]; then
        missing=''
        for each in "$@"; do [ -e "$each" ] || missing=$each; done
        if [ -z "$missing" ]; then
            did 'no questions: settings and password exist'
            ERP_SL_URL='' ERP_SL_COMPANY_DB='' ERP_SL_USER='' password='' DB_TYPE='' asked=''
            return
        fi
    fi
    asked=1
    ask ERP_SL_URL 'Address of the Service Layer, such as https://sap.example.cl:50000/b1s/v2'
    while [ "${ERP_SL_URL%/}" != "$ERP_SL_URL" ]; do ERP_SL_URL=${ERP_SL_URL%/}; done
    case $ERP_SL_URL in
        http://*/v[12] | https://*/v[12]) ;;
        http://* | https://*) ERP_SL_URL=${ERP_SL_URL%/b1s}/b1s/v2 && did "the address was completed: $ERP_SL_URL" ;;
        *) fail "ERP_SL_URL must begin with https:// (or http://)" ;;
    esac
    ask ERP_SL_COMPANY_DB 'Company database, such as SBO_EMPRESA'
    ask ERP_SL_USER 'ERP user of the gateway (not the account of a person)'
    ask_password
    DB_TYPE=${DB_TYPE:-HANA}
    case $DB_TYPE in HANA | MSSQL) ;; *) fail 'DB_TYPE is HANA or MSSQL' ;; esac
}

# put FILE OWNER MODE: what comes on the standard input, complete or not at all
put() {
    if [ -e "$1" ] && [ -z "${INSTALL_REPLACE:-}" ]; then
        cat >/dev/null
        did "kept      $1 (INSTALL_REPLACE=1 writes it anew)"
        return
    fi
    new="$1.new.$$"
    cat >"$new"
    if [ "$(id -u)" = 0 ]; then chown "$2" "$new"; fi
    chmod "$3" "$new"
    mv -f -- "$new" "$1"
    did "wrote     $1 ($2, $3)"
}

gateway_settings() {
    cat <<END
# Written by deploy/install.sh. All settings: docs/configuration.md. The password is in a file of its own.
ERP_SL_URL='$ERP_SL_URL'
ERP_SL_COMPANY_DB='$ERP_SL_COMPANY_DB'
ERP_SL_USER='$ERP_SL_USER'
# Web users who get every right at each start, separated by commas.
ADMIN_WEB_USERS='${ADMIN_WEB_USERS:-}'
END
}

returns_settings() {
    cat <<END
# Written by deploy/install.sh. All settings: docs/configuration.md.
SL_URL='$ERP_SL_URL'
SL_COMPANY_DB='$ERP_SL_COMPANY_DB'
DB_TYPE='$DB_TYPE'
# Accounts that no person signs in with. Strangers could lock them in the ERP otherwise.
SIGN_IN_DENIED_USERS='$ERP_SL_USER'
END
}

finish() {
    printf '\nNext:\n'
    cat
    [ -n "${ADMIN_WEB_USERS:-}" ] || [ -z "$asked" ] || printf 'Name your first administrator in ADMIN_WEB_USERS of gateway.env.\n'
}

containers() {
    questions "$here/gateway.env" "$here/returns.env" "$here/secrets/erp_sl_password"
    owner="$(id -u):$(id -g)"
    secret_owner=10001:10001 secret_mode=400
    if [ "$(id -u)" = 0 ]; then # with sudo the files belong to whoever types the next commands
        owner="${SUDO_UID:-0}:${SUDO_GID:-0}"
    else # only root can give it to the container's user; the folder keeps others out
        secret_owner=$owner secret_mode=444
    fi
    mkdir -p "$here/secrets" "$here/authorities"
    if [ "$(id -u)" = 0 ]; then chown "$owner" "$here/secrets" "$here/authorities"; fi
    chmod 700 "$here/secrets"
    chmod 755 "$here/authorities"
    did "folder    $here/secrets ($owner, 700), $here/authorities ($owner, 755)"
    gateway_settings | put "$here/gateway.env" "$owner" 600
    returns_settings | put "$here/returns.env" "$owner" 600
    printf %s "$password" | put "$here/secrets/erp_sl_password" "$secret_owner" "$secret_mode"
    finish <<'END'
  export COMPOSE_FILE=deploy/compose.yaml:deploy/compose.console.yaml
  docker compose run --rm --no-deps -T erp-gateway doctor --save-certificate - > deploy/authorities/erp.pem    # compare the fingerprint
  docker compose run --rm --no-deps erp-gateway check-config
  docker compose run --rm --no-deps erp-gateway doctor
  docker compose up --detach --wait
END
}

# copy SOURCE TARGET OWNER MODE: like put, from a file
copy() { put "$2" "$3" "$4" <"$1"; }

program() { # program NAME LOCK OWN: a virtual environment from the package's wheels, each checked against its hash
    if [ ! -x "/opt/erp-services/$1/bin/python" ]; then
        python3 -m venv "/opt/erp-services/$1"
    fi
    "/opt/erp-services/$1/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps --require-hashes \
        --find-links "$root/wheels" -r "$root/requirements/$2" -r "$root/wheels/$3"
    chmod -R go+rX "/opt/erp-services/$1"
    did "installed /opt/erp-services/$1 from $2"
}

host() {
    [ "$(id -u)" = 0 ] || fail 'run it as root'
    root=$(CDPATH='' cd -- "$here/.." && pwd)
    [ -d "$root/wheels" ] || fail "there is no $root/wheels: unpack the package of \`make host-package\`"
    for each in python3 nginx; do command -v $each >/dev/null || fail "$each is missing: apt-get install python3-venv nginx-light"; done
    questions /etc/erp-services/gateway.env /etc/erp-services/returns.env /etc/erp-services/secrets/erp_sl_password
    umask 022
    if command -v systemd-sysusers >/dev/null; then
        systemd-sysusers "$here/systemd/sysusers.conf"
    else
        for each in erp-gateway supplier-returns; do
            id "$each" >/dev/null 2>&1 || useradd --system --user-group --no-create-home --shell /usr/sbin/nologin "$each"
        done
    fi
    did 'users     erp-gateway, supplier-returns'
    install -d -m 755 /opt/erp-services /etc/erp-services /etc/erp-services/authorities /etc/erp-origin /etc/erp-origin/local
    install -d -m 750 -o root -g www-data /etc/erp-origin/tls
    install -d -m 750 -o root -g erp-gateway /etc/erp-services/secrets
    install -d -m 700 -o erp-gateway -g erp-gateway /var/lib/erp-gateway /var/backups/erp-gateway
    install -d -m 750 -o www-data -g www-data /var/lib/erp-origin /var/log/erp-origin
    did 'folders   /etc/erp-services, /etc/erp-origin, /var/lib/erp-gateway, /var/backups/erp-gateway, /var/log/erp-origin'
    lock=erp-gateway.txt
    [ ! -e "$root/requirements/erp-gateway-hana.txt" ] || lock=erp-gateway-hana.txt
    program gateway "${GATEWAY_LOCK:-$lock}" gateway.txt
    program returns supplier-returns.txt returns.txt
    for each in console landing; do
        source=$each
        [ "$each" = landing ] || source=console/dist
        rm -rf "/opt/erp-services/$each.new"
        cp -r "$here/$source" "/opt/erp-services/$each.new"
        chmod -R go+rX "/opt/erp-services/$each.new"
        rm -rf "/opt/erp-services/$each"
        mv "/opt/erp-services/$each.new" "/opt/erp-services/$each"
    done
    did 'copied    /opt/erp-services/console, /opt/erp-services/landing'
    {
        gateway_settings
        if ! command -v chromium-headless-shell >/dev/null; then
            printf '# No chromium-headless-shell is installed: HTML reports are shown and not printed.\nHTML_PDF_ENGINE=none\n'
        fi
    } | put /etc/erp-services/gateway.env root:erp-gateway 640
    returns_settings | put /etc/erp-services/returns.env root:supplier-returns 640
    printf %s "$password" | put /etc/erp-services/secrets/erp_sl_password root:erp-gateway 640
    # Of the package, not yours: an upgrade replaces them.
    INSTALL_REPLACE=1
    copy "$here/nginx.conf" /etc/erp-origin/nginx.conf root:root 644
    copy "$here/systemd/site.conf" /etc/erp-origin/site.conf root:root 644
    copy "$here/systemd/logrotate.conf" /etc/logrotate.d/erp-origin root:root 644
    for each in "$here"/systemd/*.service "$here"/systemd/*.timer; do
        copy "$each" "/etc/systemd/system/$(basename "$each")" root:root 644
    done
    [ -e /etc/erp-origin/local/listen.conf ] || printf 'listen 80;\n' | put /etc/erp-origin/local/listen.conf root:root 644
    for each in gateway returns; do
        name=erp-gateway
        [ $each = gateway ] || name=supplier-returns
        printf '#!/bin/sh\nexec runuser -u %s -- env %s "/opt/erp-services/%s/bin/%s" "$@"\n' $name \
            "$(sed -n 's/^Environment=//p' "$here/systemd/$name.service" | tr '\n' ' ')" $each $name |
            put "/usr/local/sbin/$name" root:root 755
    done
    if [ -z "$asked" ]; then
        finish <<'END'
  erp-gateway check-config > /dev/null
  erp-gateway doctor
  systemctl daemon-reload
  systemctl restart erp-gateway supplier-returns
  systemctl reload erp-origin
END
        return
    fi
    finish <<'END'
  erp-gateway doctor --save-certificate - > /etc/erp-services/authorities/erp.pem    # compare the fingerprint
  erp-gateway check-config > /dev/null
  erp-gateway doctor
  systemctl daemon-reload
  systemctl disable --now nginx
  systemctl enable --now erp-gateway supplier-returns erp-origin erp-gateway-backup.timer erp-gateway-doctor.timer
END
}

case $kind in
    containers) containers ;;
    host) host ;;
    *) sed -n '2,13s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
