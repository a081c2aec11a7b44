# Makes the database on an empty volume as the official image does, then serves.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    # shellcheck disable=SC2086 - several arguments in one variable, as in the official image
    initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust \
        --auth-host=scram-sha-256 $POSTGRES_INITDB_ARGS
    echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
    pg_ctl --wait start --options="-c listen_addresses="
    createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
    pg_ctl --wait stop --mode=fast
fi
exec postgres -c "listen_addresses=*"
