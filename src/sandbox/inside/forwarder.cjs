/**
 * Runs inside a sandbox, before the code of a skill: `forwarder.cjs SOCKET PORT PROGRAM ARGUMENT…`. It accepts connections on the
 * sandbox's own loopback, passes each on to the bot's proxy, which listens on a unix socket, runs the program with its own streams
 * and ends as that ends. For programs that know no proxy it opens tunnels: whoever sends `host:port` and a line end to the port in
 * `KNACK_TUNNELS` gets either the loopback port that is that host, for one connection, or the reason why not. It decides nothing:
 * code without it gets no further. JavaScript and CommonJS, because removing types would delay every run by a tenth of a second.
 */
"use strict";
const { spawn } = require("node:child_process");
const { connect, createServer } = require("node:net");
const { join } = require("node:path");

const [socket = "", port = "0", program = "", ...args] = process.argv.slice(2);

/** How long an opened tunnel waits for the connection it was opened for, ms. */
const takenWithinMs = 10_000;
/** A host name and a port are shorter; so is the head of the proxy's answer. */
const maxQuestion = 300;
const maxHead = 4_096;

function pipeBoth(one, other) {
  const end = () => {
    one.destroy();
    other.destroy();
  };
  for (const [from, to] of [
    [one, other],
    [other, one],
  ]) {
    from.on("error", end).on("close", () => from.readableEnded || end());
    from.pipe(to);
  }
}

const told = new Set();

/** Says on the program's stderr, once, why the proxy refused: curl and git show the number alone, others nothing. */
function tell(chunk) {
  const [, reason] =
    /^HTTP\/1\.1 403 ([^\r\n]{1,300} is not (?:granted|public))\r/.exec(chunk.toString("latin1", 0, 350)) ??
    [];
  if (reason === undefined || told.has(reason)) return;
  told.add(reason);
  process.stderr.write(`[sandbox] ${reason}: this code cannot reach it.\n`);
}

function connectProxy() {
  const connection = connect({ path: socket, allowHalfOpen: true });
  return connection.on("data", tell).pause();
}

/** Calls back with a connection to the host, from which nothing was read, or with the reason of the refusal. */
function openTunnel(target, done) {
  const tunnel = connectProxy();
  let head = Buffer.alloc(0);
  const fail = (reason) => {
    tunnel.destroy();
    done(reason);
  };
  const ended = () => fail("the proxy ended the connection");
  const read = (chunk) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1 && head.length < maxHead) return;
    const [, status = "", phrase = ""] = /^HTTP\/1\.1 (\d+) ([^\r]*)/.exec(head.toString("latin1")) ?? [];
    tunnel.off("data", read).off("data", tell).off("end", ended).off("error", ended).pause();
    if (status !== "200") return fail(`${status} ${phrase}`);
    tunnel.unshift(head.subarray(end + 4));
    done(undefined, tunnel);
  };
  tunnel.on("data", read).once("end", ended).once("error", ended).resume();
  tunnel.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
}

/** Calls back with a port of the loopback whose one connection is the tunnel. */
function listenFor(tunnel, done) {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    close();
    pipeBoth(client, tunnel);
  });
  const close = () => {
    clearTimeout(timer);
    server.close();
  };
  const timer = setTimeout(() => {
    close();
    tunnel.destroy();
  }, takenWithinMs);
  tunnel.on("error", () => tunnel.destroy());
  server.listen(0, "127.0.0.1", () => done(server.address().port));
}

const tunnels = createServer((client) => {
  let question = "";
  client.setEncoding("latin1").on("error", () => client.destroy());
  client.on("data", (text) => {
    question += text;
    const end = question.indexOf("\n");
    if (end === -1) return question.length > maxQuestion ? client.destroy() : undefined;
    client.removeAllListeners("data").resume();
    openTunnel(question.slice(0, end).trim(), (reason, tunnel) => {
      if (tunnel === undefined) client.end(`${reason}\n`);
      else listenFor(tunnel, (at) => client.end(`${at}\n`));
    });
  });
});

const forwarder = createServer({ allowHalfOpen: true }, (client) => pipeBoth(client, connectProxy()));

forwarder.listen(Number(port), "127.0.0.1", () => tunnels.listen(0, "127.0.0.1", start));

/** Every Node and every Python inside loads what leads its connections through the tunnels. */
function start() {
  const { env } = process;
  const child = spawn(program, args, {
    stdio: "inherit",
    env: {
      ...env,
      KNACK_TUNNELS: String(tunnels.address().port),
      NODE_OPTIONS: `--require=${join(__dirname, "tunnel.cjs")} ${env.NODE_OPTIONS ?? ""}`.trim(),
    },
  });
  child.once("error", (error) => {
    process.stderr.write(`${program} was not started: ${error.message}\n`);
    process.exit(127);
  });
  child.once("exit", (code, signal) => {
    process.exit(code ?? 128 + (signal === null ? 0 : require("node:os").constants.signals[signal]));
  });
}
