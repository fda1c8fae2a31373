# `make run` shows the program, `make test` runs everything that CI runs. Both work in a clean clone.

SHELL := bash
# A pipe fails when any part of it does.
.SHELLFLAGS := -uo pipefail -c
.DEFAULT_GOAL := build

CARGO ?= cargo
# The one profile of tests and of `make run`: quick to compile from nothing.
PROFILE := --profile test-release
TARGET := $(or $(CARGO_TARGET_DIR),target)
LOG := $(TARGET)/test.log

# Where `make install` puts things; DESTDIR goes before for those who make packages.
PREFIX ?= /usr/local
BINARY ?= $(TARGET)/release/ambit
# What `make static` builds for; needs `rustup target add` of it, and a C compiler for it (Debian: musl-tools).
STATIC_TARGET ?= x86_64-unknown-linux-musl

.PHONY: build web run test rules lint install deb static

# The web interface, which the program takes in; made again only where its sources have changed.
web:
	$(CARGO) xtask web

# The program, as it is given away.
build: web
	$(CARGO) build --locked --release --package ambit
	@echo "built: $(TARGET)/release/ambit"

# The simulated internet: discovers the organisation planted in it, prints what it found, then serves it. Built in the
# profile and the selection of the tests, so that `make run` and `make test` together compile everything once.
run: web
	$(CARGO) build --locked --workspace --bins $(PROFILE)
	$(TARGET)/test-release/ambit demo

# The program with its completions, manual pages and its unit, as it is built; `sudo make install` does not build.
install:
	install -D -m 0755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/ambit
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d $(DESTDIR)$(PREFIX)/share/man/man1
	$(BINARY) completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ambit
	$(BINARY) completion zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_ambit
	$(BINARY) completion fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/ambit.fish
	$(BINARY) man --to $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|/usr/bin/ambit|$(PREFIX)/bin/ambit|' packaging/systemd/ambit.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/ambit.service

# The Debian package, made by cargo-deb.
deb: build
	install -d $(TARGET)/man
	$(TARGET)/release/ambit man --to $(TARGET)/man
	$(CARGO) deb --package ambit --no-build

# One file that runs on any Linux of its processor.
static: web
	$(CARGO) build --locked --release --package ambit --target $(STATIC_TARGET)
	@echo "built: $(TARGET)/$(STATIC_TARGET)/release/ambit"

# Formatting and the rules of the house, which fail fastest.
rules:
	$(CARGO) fmt --all --check
	$(CARGO) xtask tidy

lint: rules
	$(CARGO) clippy --locked --workspace --all-targets $(PROFILE) -- -D warnings

# Rules first; then everything is compiled and linted at once (a pass of clippy for itself would go through all dependencies
# once more); then the interface in a browser, then all tests, beside a private PostgreSQL, a private Python and a package of
# an app. No test can hang: each has a time of its own. The last line says how many passed and how many failed. The program
# as it is given away is built by `make build`, which takes as long again.
test: export RUSTC_WORKSPACE_WRAPPER := $(CURDIR)/.ci/linting-rustc
test: rules web
	$(CARGO) test --locked --workspace $(PROFILE) --no-run
	$(CARGO) xtask browser
	@$(CARGO) xtask with-python bench/report --check
	@$(CARGO) xtask with-python $(CARGO) xtask with-app $(CARGO) xtask with-postgres $(CARGO) xtask test --locked --workspace $(PROFILE) 2>&1 | tee $(LOG)
