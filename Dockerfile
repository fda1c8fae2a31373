# syntax=docker/dockerfile:1
# The program in an image that has nothing else: no shell, no package manager, no root.
#   docker build -t ambit . && docker run -p 127.0.0.1:8080:8080 -v ambit:/data ambit
FROM rust:1.95-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends nodejs npm && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/source/target \
    cargo xtask web && cargo build --locked --release --package ambit && cp target/release/ambit /ambit && mkdir /data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /ambit /usr/bin/ambit
# The volume begins as a folder of the user that the program runs as.
COPY --from=build --chown=nonroot:nonroot /data /data
ENV AMBIT_DATA=/data AMBIT_LISTEN=0.0.0.0:8080
VOLUME /data
EXPOSE 8080
USER nonroot
# SIGTERM lets it finish its requests and give work back, within ten seconds.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/ambit"]
CMD ["serve"]
