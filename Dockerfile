# Chiffchaff's server in a container. The first stage builds the page; the second contains only what the server needs at run time, ffmpeg from
# Debian, and no model. The first start downloads the weights to the data volume (BirdNET's licence: CC BY-NC-SA 4.0).
#
#   docker build --build-arg COMMIT=$(git rev-parse HEAD) -t chiffchaff .
#   docker run -p 8080:8080 -v chiffchaff-data:/data --stop-timeout 45 chiffchaff

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY . .
# Downloads pnpm and the dependencies, verified by hash, and builds the page.
RUN node tools/run.mjs build
ENV PATH=/app/.toolchain/node_modules/.bin:$PATH
# Removes what only building and testing need: development dependencies, the command line, the browser stories.
RUN rm -rf node_modules packages/*/node_modules apps/*/node_modules e2e \
 && pnpm install --prod --frozen-lockfile --filter chiffchaff --filter "@chiffchaff/server..."

FROM node:24-bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ffmpeg ca-certificates \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json /app/pnpm-workspace.yaml ./
COPY --from=build --chown=root:root /app/node_modules node_modules
COPY --from=build --chown=root:root /app/packages packages
COPY --from=build --chown=root:root /app/models models
COPY --from=build --chown=root:root /app/apps/server apps/server
COPY --from=build --chown=root:root /app/apps/web/dist apps/web/dist
COPY --from=build --chown=root:root /app/tools/setup.ts /app/tools/process.ts tools/
COPY --from=build --chown=root:root /app/deploy/memory.env deploy/
# The program reads its commit from .git, as in a checkout with a detached head; without the argument, it shows that the commit is unknown.
ARG COMMIT
RUN mkdir .git /data && echo "$COMMIT" > .git/HEAD && chown node:node /data
# An ordinary user, who can write only to the data volume.
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=5m \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/readyz').then((r)=>process.exit(r.ok?0:1),()=>process.exit(1))"]
STOPSIGNAL SIGTERM
# `exec` replaces the shell with the server, so that it gets the signals. It does not start if the settings are wrong or set-up fails.
CMD ["sh", "-c", "node --disable-warning=ExperimentalWarning apps/server/src/config/check-configuration.ts && node --disable-warning=ExperimentalWarning tools/setup.ts && set -a && . ./deploy/memory.env && exec node --disable-warning=ExperimentalWarning apps/server/src/main.ts"]
