#!/bin/sh
# Says where the containers of `make up` answer and who can sign in: the simulated company's users.
origin=http://${ORIGIN_BIND:-127.0.0.1}:${ORIGIN_PORT:-8080}
cat <<END

The services answer at:
  console           $origin/consola/
  gateway           $origin/api/health
  supplier-returns  $origin/devoluciones/

Who can sign in (the simulated company's users):
  console, gateway                    ana / ana-demo (administrator)    luis / luis-demo (gets rights from ana)
  supplier-returns, Service Layer     manager / erpsim (superuser)      bodega / erpsim (warehouse)

make down stops them; the volumes stay.
END
