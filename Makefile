# What you can do here. `make` alone lists it; CI runs `make check` and nothing else.

# Variables, which `make` lists too:
#   PYTHON=python3.13     the interpreter of the virtual environment: 3.11, 3.12 or 3.13 (the first found)
#   VENV=.venv313         another virtual environment beside the usual one (.venv)
#   PORT=8081             where the demo serves (8080)
#   NARRATE=1             demo and tour show each request and its answer
#   TOUR_VERSION=v1       demo, tour and e2e on OData 3 (v2)
#   PACKAGES=libs/erpsim  test and proof of these packages alone
#   MODULES=erpclient.session  mutants of these modules alone
#   PDF_ENGINE=none       the gateway's image with nothing that prints; weasyprint: without a browser
#   WITH_HANA=1           images with SAP's driver, and a simulated HANA
#   DRY_RUN=1             release in a clone, and look at it
#   MINUTES=10            soak: how long the weather is bad
#   SEED=1                soak: whose decisions it repeats
#   PAIR=1                soak: two gateways on a PostgreSQL, one of them ended or frozen
#   IMAGE_REGISTRY=host/path  where images belong: docs/install.md (none)
#   HA=1                  up and down: both services twice, on PostgreSQL (docs/operate.md#a-second-process)

VENV ?= .venv
PORT ?= 8080
PACKAGES ?=
export VENV PYTHON PDF_ENGINE WITH_HANA TOUR_VERSION
# Hundreds of processes are started here: each would compile all sources again where somebody has set this.
unexport PYTHONDONTWRITEBYTECODE

PY = $(VENV)/bin/python
# The tag of a release belongs to its commit: what is built of anything else is called -dev and overwrites nothing.
IMAGE_TAG ?= $(shell v=$$(cat VERSION); \
	[ "$$(git describe --tags --exact-match --dirty 2>/dev/null)" = "v$$v" ] && echo "$$v" || echo "$$v-dev")
export IMAGE_TAG
export REVISION ?= $(shell git rev-parse HEAD 2>/dev/null)
COMPOSE = docker compose -f deploy/compose.yaml -f deploy/compose.dev.yaml -f deploy/compose.build.yaml $(if $(WITH_HANA),-f deploy/compose.hana.yaml) \
	$(if $(HA),-f deploy/compose.ha.yaml -f deploy/compose.ha.dev.yaml)
READY = $(VENV)/.ready
NGINX = $(VENV)/.nginx-ready
PDF = $(VENV)/.pdf-ready
POSTGRESQL = $(VENV)/.postgresql-ready
CURL = $(VENV)/.curl-ready
DECLARED = VERSION requirements/build.txt requirements/dev.txt tools/setup.sh \
	$(wildcard libs/*/pyproject.toml) $(wildcard services/*/pyproject.toml)

.DEFAULT_GOAL := help
.PHONY: help setup demo tour demo-png test test-all golden lint types check mutants proof soak bench docs console-build console-check clients foreign-clients fmt e2e e2e-browser alerts-check screenshots lock lock-check images images-check install-check host-package up down sbom upgrade-check release clean

help: ## list the targets and the variables
	@echo 'usage: make TARGET [VARIABLE=value]    (durations: two cores, after the set-up)'; echo
	@sed -n 's/^# --- \([a-z ]*[a-z]\) -*$$/: \1/p; s/^\([a-z][a-z0-9-]*\):.*## \(.*\)/\1 \2/p' $(MAKEFILE_LIST) | \
		while read -r name text; do if [ "$$name" = : ]; then printf '\n%s\n' "$$text"; \
			else printf '  %-15s %s\n' "$$name" "$$text"; fi; done
	@echo; echo 'variables, with their defaults:'; sed -n 's/^#   /  /p' $(MAKEFILE_LIST)

# --- once ---------------------------------------------------------------------------------------------------------

setup: $(READY) $(NGINX) $(PDF) $(POSTGRESQL) $(CURL) ## make .venv with everything in it; nginx, PostgreSQL, curl, what prints PDFs by apt-get where missing (3 minutes)
	@echo 'setup: ready'

$(READY): $(DECLARED)
	@tools/setup.sh venv
	@touch $@

$(VENV)/.%-ready: $(READY)
	@tools/setup.sh $*
	@touch $@

# --- try -------------------------------------------------------------------------------------------------------

demo: $(READY) $(NGINX) $(PDF) $(CURL) ## start the simulated ERP, both services and nginx on PORT, take the tour (half a minute), serve until Ctrl-C
	@$(PY) -m demo --port $(PORT) $(if $(NARRATE),--narrate)

tour: $(READY) $(NGINX) $(PDF) $(CURL) ## the same tour on free ports (or PORT), exit 0 or 1 (half a minute)
	@$(PY) -m demo --tour --port $(if $(filter file,$(origin PORT)),0,$(PORT)) $(if $(NARRATE),--narrate)

demo-png: $(READY) ## draw the PDFs that the tour left in build/demo as PNG pictures
	@$(PY) -m demo.pdf

up: ## run the images with the simulated ERP behind nginx on 127.0.0.1:8080, and print addresses and users
	@$(COMPOSE) up --detach --build --wait
	@tools/up_says.sh

down: ## stop them; the volumes stay
	$(COMPOSE) down

# --- check -----------------------------------------------------------------------------------------------------

check: lint types lock-check test-all e2e ## everything that CI demands (15 minutes)

lint: $(READY) ## ruff, its formatter, the import contracts the structure of the code, generated documentation
	@$(PY) -m tools.run_lint

types: $(READY) ## mypy, strict, over sources and tests
	@$(PY) -m tools.run_types

lock-check: $(READY) ## the hashed locks match what the packages declare and name no address
	$(PY) -m tools.locks check

test: $(READY) $(PDF) $(if $(ALL),$(POSTGRESQL) $(CURL)) ## unit and API tests of every package (or PACKAGES="libs/erpclient") (3 minutes)
	$(PY) -m tools.run_tests $(if $(ALL),--all) $(PACKAGES)

test-all: ## all of them, those of processes and of PostgreSQL too, with branch coverage
	$(MAKE) test ALL=1

e2e: setup ## the real processes behind nginx, and the sample extension (3 minutes)
	$(PY) -m pytest tests-e2e demo/tests soak/tests --ignore=tests-e2e/browser -n 3

e2e-browser: setup ## the console in a headless browser, through nginx and both services
	$(PY) -m tools.browser.own_network $(PY) -m pytest tests-e2e/browser

alerts-check: ## the alert rules on made-up series, with promtool (Debian: prometheus) where it is installed
	@if command -v promtool >/dev/null; then cd deploy/observability && promtool test rules alerts_test.yml && \
		promtool check config prometheus.yml; else echo 'SKIPPED: no promtool here'; fi

screenshots: setup ## draw every page of the console, wide and narrow, light and dark, into build/screenshots (2 minutes)
	@$(PY) -m tools.browser.screenshots

golden: setup ## what each request of the tour causes is as recorded (WRITE=1 records it anew)
	$(PY) -m tools.golden $(if $(WRITE),--write)

proof: $(READY) $(PDF) $(POSTGRESQL) $(CURL) ## the same tests with larger counts, then two hours of soak (long)
	$(PY) -m tools.run_tests --proof $(PACKAGES)
	$(if $(PACKAGES),,$(PY) -m pytest tests-e2e soak/tests -m proof --timeout=3600)
	$(if $(PACKAGES),,$(PY) -m soak --minutes 120)

soak: setup $(if $(PAIR),$(POSTGRESQL)) ## people, faults and outages, then what ERP, store and audit say as a table (15 minutes)
	@$(PY) -m soak --minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED)) $(if $(PAIR),--pair)

mutants: $(READY) ## change the delicate modules in small ways and tell what no test notices (an hour)
	$(PY) -m tools.mutants $(MODULES)

bench: setup ## throughput, latency and memory beside other proxies, and what became slower (some minutes)
	$(PY) -m bench --compare --keep

install-check: $(READY) ## install without containers as docs/install.md says, on a Debian made for it; SKIPPED without root (10 minutes)
	@$(PY) -m tools.install_check

images-check: $(READY) ## walk through the containers' runbook with a Docker engine; SKIPPED without one (half an hour)
	@$(PY) -m tools.images_check

upgrade-check: $(READY) ## from 0.1.0 with RECORDS (1000000) audit records to this version, and back (4 minutes)
	@$(PY) -m tools.upgrade_check $(if $(RECORDS),--records $(RECORDS))

# --- change ----------------------------------------------------------------------------------------------------

docs: $(READY) ## write the documentation that follows from the code (settings, errors, docs/api, …); name changes that break clients
	@$(PY) -m tools.docs
	@$(PY) -m tools.api_changes || true

console-build: $(READY) ## build deploy/console/dist, which releases serve, from the modules (needs a registry of Node packages)
	@$(PY) -m tools.console_bundle

console-check: $(READY) ## types, lint, texts and tests of the console's modules; WRITE=1 writes its catalogue anew (needs a registry of Node packages)
	@$(PY) -m tools.console_check $(if $(WRITE),--write)

clients: $(READY) ## type-check docs/examples/typescript against both APIs, and lint their documents (needs a registry of Node packages)
	@$(PY) -m tools.clients

foreign-clients: $(READY) ## try other people's clients against the simulated ERP (skips where a registry is missing)
	@PYTHONPATH=demo/extension $(PY) -m tools.foreign_clients

fmt: $(READY) ## format and mend what can be mended
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

lock: $(READY) ## compile the locks again (UPGRADE=--upgrade takes the newest releases)
	$(PY) -m tools.locks write $(UPGRADE)

# --- release ------------------------------------------------------------------------------------------------------

images: ## build one image per service, and the simulated ERP's; a release's own tag only from its commit
	$(COMPOSE) --profile build build
	@echo "Built: erp-gateway, supplier-returns and erpsim with the tag $(IMAGE_TAG)"

host-package: $(READY) ## one archive that installs the services without containers, in build/ (docs/install.md)
	@$(PY) -m tools.host_package

sbom: $(READY) ## the bill of materials of each image's Python part, CycloneDX, in build/sbom/
	$(PY) -m tools.sbom

release: $(READY) ## VERSION=1.2.3: check, set the version, date the changelog, commit and tag; pushes nothing (DRY_RUN=1: in a clone, one minute)
	@$(PY) -m tools.release $(if $(DRY_RUN),--dry-run) $(VERSION)

clean: ## remove what was made, the virtual environment too
	rm -rf $(VENV) build dist libs/*/mutants services/*/mutants .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
