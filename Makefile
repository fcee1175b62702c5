# Two commands matter: `make run` starts Playdock, `make test` proves it. Both set up what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PROVIDER := tests/openid/provider

.DEFAULT_GOAL := run
.PHONY: install venv-package run demo test check bench session lock clean

install: $(VENV)/.installed

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

$(VENV)/.developing: $(VENV)/.installed requirements/dev.txt client/pyproject.toml
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/dev.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable ./client
	@touch $@

# npm leaves this file in what it has installed.
$(PROVIDER)/node_modules/.package-lock.json: $(PROVIDER)/package.json $(PROVIDER)/package-lock.json
	@npm ci --prefix $(PROVIDER) --ignore-scripts --no-audit --no-fund --fetch-retries=3 --loglevel=error >/dev/null \
		|| echo "Without node, npm and a package registry the tests with a real OpenID provider are left out."

run: install
	@$(BIN)/playdock serve

demo: install
	@$(BIN)/python tools/demo_library.py demo/library
	@DATA_DIR=demo/data LIBRARY=$(CURDIR)/demo/library $(BIN)/playdock serve

test: $(VENV)/.developing
	@$(BIN)/python tools/system_packages.py postgresql curl nodejs npm nginx-light unzip p7zip-full rsync zstd
	@$(MAKE) --no-print-directory $(PROVIDER)/node_modules/.package-lock.json
	@$(BIN)/python tools/demo_library.py .cache/real-games --only Teeworlds \
		|| echo "Without apt and Debian's packages the test with a real game is left out."
	@$(BIN)/pytest

check: $(VENV)/.developing
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(VENV)/.developing
	@$(BIN)/python tools/system_packages.py wrk postgresql nginx-light rsync
	@PYTHONPATH=tests $(BIN)/python -m bench

# The recorded session of the README, with the real client and a real game in two releases.
session: $(VENV)/.developing
	@PYTHONPATH=. $(BIN)/python tools/record_session.py docs

# The lock files hold names, versions and hashes; where packages come from is the installer's setting.
lock: $(VENV)/.uv
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header --no-emit-index-url \
		pyproject.toml -o requirements/run.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header --no-emit-index-url \
		--group dev pyproject.toml client/pyproject.toml -o requirements/dev.txt -c requirements/run.txt

clean:
	@rm -rf $(VENV)
