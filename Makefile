# Tooltrail. `make run` and `make test` work on a fresh machine with Go and Node; everything else builds on them.
.DEFAULT_GOAL := build
SHELL := /bin/bash

ENGINE   := engine/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so
LINT     := .cache/golangci-lint
LINT_VER := v2.15.0
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  := -s -w -X main.version=$(VERSION)
INPUT    ?= sample/sample.ndjson.gz
FUZZTIME ?= 20s

# What make run needs and can't install by itself is named before anything is built.
NEEDED := $(strip $(foreach p,go $(if $(filter secrets,$(MAKECMDGOALS)),,npm),$(if $(shell command -v $(p)),,$(p))))
ifneq ($(NEEDED),)
$(error missing: $(NEEDED). Install Go 1.26, and Node 20 or newer with npm first)
endif

.PHONY: secrets build tools run test bench bench-large chaos chaos-short links lint fuzz engine sample docs dashboards clean alerts

## build: the programs in bin/, with the engine's library beside them
build: bin/libchdb.so
	go build -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

bin/libchdb.so: $(ENGINE)
	@mkdir -p bin
	@ln -sf ../$(ENGINE) $@

## engine: the ClickHouse engine's library, from the npm package pinned in engine/package-lock.json
engine: $(ENGINE)
$(ENGINE): engine/package-lock.json
	cd engine && npm ci --no-audit --no-fund
	@touch $@

## run: the report and the page on the recorded sample, or on your own: make run INPUT=FILE, one file or a glob in quotes; both may hold spaces
run: export INPUT := $(INPUT)
run: export TOOLS := $(TOOLS)
run: build
	@IFS=; input="$${INPUT/#\~\//$$HOME/}"; tools="$${TOOLS/#\~\//$$HOME/}"; files=("$$input"); \
	  if [[ ! -e $$input ]] && compgen -G "$$input" >/dev/null; then files=($$input); fi; \
	  set -- --html bin/page.html "$${files[@]}"; if [[ $$tools ]]; then set -- --tools "$$tools" "$$@"; fi; \
	  printf 'bin/tooltrail analyze'; printf ' %q' "$$@"; printf '\n'; bin/tooltrail analyze "$$@"
	@printf '\nOn your own files:  make run INPUT=FILE   (one file, or a glob in quotes; or bin/tooltrail analyze FILE...)\n'
	@printf 'Claude Code, say:   bin/tooltrail analyze ~/.claude/projects/*/*.jsonl\n'
	@printf 'To keep it running: bin/tooltrail up\n'
	@printf 'Look at it:         file://%s/bin/page.html\n' "$(subst $() ,%20,$(CURDIR))"

## tools: what the tests need beside Go and Node, with apt-get where it is missing: a C compiler, python3, Prometheus, Alertmanager, Chromium
tools:
	@tools/install.sh

## test: all tests, with the race detector, on the real engine
test: tools engine build
	TOOLTRAIL_REQUIRE_ENGINE=1 TOOLTRAIL_REQUIRE_TOOLS=1 go test -race -shuffle=on -timeout 20m ./...

## bench: what each stage costs, and the whole path held against the sum of its stages
bench: engine build
	TOOLTRAIL_REQUIRE_ENGINE=1 go test -run '^$$' -bench . -benchmem -timeout 30m ./...

## dashboards: Grafana's dashboards in dashboards/rendered/, made from panels/
dashboards:
	go test -run '^TestRenderedFilesAreUpToDate$$' ./dashboards -update

## bench-large: what the analyzer's queries take with a day of 1 and 10 million generated calls and requests; some minutes and 4 GB of disk
bench-large: engine build
	TOOLTRAIL_REQUIRE_ENGINE=1 TOOLTRAIL_LARGE=1 go test -run '^$$' -bench '^BenchmarkLarge' -benchtime 5x -timeout 90m -p 1 ./drift ./prefix ./activation ./panels

## chaos: kill -9 of ingester, nats-server and engine at random moments; every acked event is counted once
chaos: engine build
	TOOLTRAIL_REQUIRE_ENGINE=1 TOOLTRAIL_CHAOS=full go test -count=1 -v -timeout 170m -run 'TestChaos' ./e2e/

## chaos-short: the same with few kills, as the tests run it
chaos-short: engine build
	TOOLTRAIL_REQUIRE_ENGINE=1 go test -count=1 -v -timeout 20m -run 'TestChaos' ./e2e/

## links: every link of the page, opened in Chromium; make test opens some of each kind
links: tools engine build
	TOOLTRAIL_REQUIRE_ENGINE=1 TOOLTRAIL_REQUIRE_TOOLS=1 TOOLTRAIL_EVERY_LINK=1 go test -count=1 -v -timeout 20m -run '^TestEveryLink' ./page

## lint: gofmt, go vet and golangci-lint, pinned in tools/
lint: $(LINT)
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet ./...
	$(LINT) run ./...

$(LINT): tools/go.mod
	@mkdir -p $(@D)
	cd tools && go build -o ../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

## fuzz: every decoder's fuzz test for FUZZTIME
fuzz:
	@for p in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
	  for f in $$(grep -rhoE --include='*_test.go' '^func Fuzz[A-Za-z0-9]+' $$p | awk '{print $$2}'); do \
	    echo "$$p $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; done; done

## alerts: the rules of Prometheus, Alertmanager and Grafana again, from the package alerts
alerts:
	go run ./alerts/render

## secrets: the passwords, keys and certificates that docker-compose.yml needs, those that are missing; ARGS for more, such as ARGS='-hosts nats.example.com'
secrets:
	go run ./deploy/secrets $(ARGS)

## sample: make the recorded sample again (the seed is fixed: the same bytes)
sample:
	go run ./sample/generate -out sample

clean:
	rm -rf bin .cache
