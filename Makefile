# On a fresh machine, `make demo` and `make test` do everything, including the set-up.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

PREFIX ?= /usr/local
BINARY := .build/release/vidscan

.PHONY: help bootstrap build demo test install uninstall deb docs lint format bench sanitize fuzz clean

help:  ## list these targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 12

bootstrap:  ## install what the build needs: system packages, pinned wheels and models
	@scripts/bootstrap

build: bootstrap  ## build vidscan
	@echo "build: swift build -c release"
	@swift build -c release --product vidscan

demo: build  ## set up, build, analyse the sample clip
	@$(BINARY) analyze samples/faces.mp4 --output demo --force
	@echo; echo "The first rows of demo/faces.mp4.vidscan/faces.csv:"; head -n 4 demo/faces.mp4.vidscan/faces.csv | cut -d, -f1-8
	@echo; echo "The results are in $(CURDIR)/demo/faces.mp4.vidscan/. The columns are described by: $(BINARY) schema"

test: bootstrap  ## set up, run every test
	@scripts/test

sanitize: bootstrap  ## run tests under ThreadSanitizer and AddressSanitizer
	@scripts/sanitize

SECONDS ?= 60
fuzz: bootstrap  ## fuzz every target, or only TARGET, for SECONDS (60) each
	@scripts/fuzz --seconds $(SECONDS) $(TARGET)

install: bootstrap  ## install below PREFIX (/usr/local); the folder can be moved later
	@scripts/install "$(DESTDIR)$(PREFIX)"

INSTALLED := bin/vidscan lib/vidscan share/vidscan share/doc/vidscan share/man/man1/vidscan*.1 \
	share/bash-completion/completions/vidscan share/zsh/site-functions/_vidscan \
	share/fish/vendor_completions.d/vidscan.fish
uninstall:  ## remove what 'make install' installed
	@cd "$(DESTDIR)$(PREFIX)" && rm -rf $(INSTALLED)

deb: bootstrap  ## build a Debian package in dist/
	@scripts/package_deb

LIBRARIES := $(notdir $(patsubst %/Documentation.docc,%,$(wildcard Sources/*/Documentation.docc)))
docs: bootstrap  ## build the documentation of the libraries in dist/docs
	@mkdir -p dist
	@VIDSCAN_DOCS=1 swift package -c release --allow-writing-to-directory dist/docs generate-documentation \
		$(addprefix --target ,$(LIBRARIES)) --enable-experimental-combined-documentation \
		--transform-for-static-hosting --hosting-base-path / --output-path dist/docs

lint:  ## check the formatting
	@swift format lint --strict --recursive Package.swift Sources Tests benchmarks/Package.swift benchmarks/Sources

format:  ## format the code
	@swift format --in-place --recursive Package.swift Sources Tests benchmarks/Package.swift benchmarks/Sources

bench: bootstrap  ## measure speed and memory relative to ffmpeg
	@swift build -c release --product vidscan
	@swift run -c release --package-path benchmarks vidscan-bench

clean:  ## remove everything that was built
	@rm -rf .build .build-fuzz benchmarks/.build demo dist
