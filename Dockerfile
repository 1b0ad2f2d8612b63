# Images of Tooltrail. Build one with docker build --target ingest (or analyzer, tooltrail) .
#
# ingest and analyzer are static programs and run in an image that holds nothing else. tooltrail loads the ClickHouse engine's library at run time,
# which needs the C library of a distribution: it has an image of its own, for x86-64 alone.

ARG GO_VERSION=1.26.8
ARG NODE_VERSION=22.20.0
ARG DEBIAN_VERSION=13.1
ARG NATS_VERSION=2.15.3

FROM golang:${GO_VERSION} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN mkdir -p /out/data \
 && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /out/ ./cmd/ingest ./cmd/analyzer ./cmd/tooltrail

FROM node:${NODE_VERSION}-slim AS engine
WORKDIR /engine
COPY engine/package.json engine/package-lock.json ./
RUN npm ci --no-audit --no-fund

FROM scratch AS ingest
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/ingest /ingest
USER 65532:65532
EXPOSE 8090
ENTRYPOINT ["/ingest"]

FROM scratch AS analyzer
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/analyzer /analyzer
USER 65532:65532
EXPOSE 8091
ENTRYPOINT ["/analyzer"]

# nats-server with a folder for its data that belongs to who runs it.
FROM nats:${NATS_VERSION}-alpine AS nats
RUN mkdir /data && chown 65532:65532 /data
USER 65532:65532
VOLUME /data

# The library is looked for beside the program.
FROM debian:${DEBIAN_VERSION}-slim AS tooltrail
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/tooltrail /opt/tooltrail/tooltrail
COPY --from=engine /engine/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so /opt/tooltrail/libchdb.so
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
VOLUME /data
ENV HOME=/data
ENTRYPOINT ["/opt/tooltrail/tooltrail"]
