# docker build -t knack . && docker run -p 127.0.0.1:3000:3000 -v knack:/data -e KNACK_API_TOKEN="$(openssl rand -hex 32)" knack
#
# All your own files are in the volume, which is the working directory: knack.yaml, .knack-workspace/skills, flows and agents,
# config/mcp.json. The port is KNACK_PORT.
#
# Listening outside the container requires a token: without KNACK_API_TOKEN the bot exits at once with an error.
# Code of skills is isolated by bubblewrap, which must be allowed to create namespaces. Docker's default seccomp profile forbids this:
# docs/container.md has a profile that allows it. Without it only code of shipped skills runs;
# `docker exec <container> knack doctor` reports which isolation is in force.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY .ci ./.ci
COPY skills ./skills
COPY src ./src
RUN ln -s "$(node .ci/build.ts)" .build/knack.mjs && test -e .build/cli.json

FROM node:24-slim

# bubblewrap and util-linux make the sandbox, git fetches skills from repositories, tini reaps; scripts and guides of skills use the others.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates curl git jq python3 python3-pip tini util-linux \
  && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY package.json package-lock.json ./
# The image already has Node, so the optional Node package of the lock file is omitted.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund && npm cache clean --force

COPY config ./config
COPY flows ./flows
COPY skills ./skills
COPY src ./src
COPY --from=build /app/.build ./.build

RUN install --directory --owner=node --group=node --mode=0700 /data \
  && printf '#!/bin/sh\nexec node --max-semi-space-size=4 --min-semi-space-size=4 /app/.build/knack.mjs "$@"\n' > /usr/local/bin/knack && chmod 755 /usr/local/bin/knack
# Compiled code is cached next to the data: later starts take half the time, and the bot uses 20 MB less memory.
ENV NODE_ENV=production KNACK_DATA=/data NODE_COMPILE_CACHE=/data/compiled KNACK_PORT=3000
VOLUME /data
WORKDIR /data
USER node
EXPOSE 3000

HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.KNACK_PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

# tini reaps orphaned processes of scripts. Docker's default of 10 s is shorter than the drain: stop with `docker stop --time 30`.
ENTRYPOINT ["tini", "--"]
CMD ["knack", "start", "--host", "0.0.0.0"]
