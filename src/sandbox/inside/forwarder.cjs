/**
 * Runs inside a sandbox, before the code of a skill: `forwarder.cjs SOCKET PORT PROGRAM ARGUMENT…`. It takes connections on the
 * sandbox's own loopback and hands each on to the bot's proxy, which listens on a unix socket; then it runs the program
 * with its own streams and ends as that ends. It decides nothing: who does without it gets no further.
 * JavaScript and CommonJS for the reason that `tunnel.cjs` gives.
 */
"use strict";
const { spawn } = require("node:child_process");
const { connect, createServer } = require("node:net");
const { constants } = require("node:os");
const { join } = require("node:path");
const { pipeline } = require("node:stream/promises");

const [socket = "", port = "0", program = "", ...args] = process.argv.slice(2);

const server = createServer({ allowHalfOpen: true }, (client) => {
  const proxy = connect({ path: socket, allowHalfOpen: true });
  const end = () => {
    client.destroy();
    proxy.destroy();
  };
  client.on("error", end);
  proxy.on("error", end);
  Promise.all([pipeline(client, proxy), pipeline(proxy, client)]).catch(end);
});

server.listen(Number(port), "127.0.0.1", () => {
  const { env } = process;
  const tunnel = `--require=${join(__dirname, "tunnel.cjs")}`;
  const child = spawn(program, args, {
    stdio: "inherit",
    env: { ...env, NODE_OPTIONS: `${tunnel} ${env.NODE_OPTIONS ?? ""}`.trim() },
  });
  child.once("error", (error) => {
    process.stderr.write(`${program} was not started: ${error.message}\n`);
    process.exit(127);
  });
  child.once("exit", (code, signal) => {
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
  });
});
