/**
 * Loaded before the code of a skill in every Node process of a sandbox with a way out, the machine's own Node included (18 and later).
 * Fetch and the default agents find the proxy by themselves in recent versions; libraries that bring an agent or a socket of their own
 * do not, and try to resolve names, which nothing in the sandbox can. Here every socket that would leave the sandbox asks the forwarder
 * for a tunnel and connects to that. It decides nothing: code without it gets no further.
 * JavaScript and CommonJS, and it loads little, because every one of these processes waits for it.
 */
"use strict";
const http = require("node:http");
const { syncBuiltinESMExports } = require("node:module");
const net = require("node:net");

// biome-ignore lint/style/noProcessEnv: this is how the sandbox says where its proxy is.
const { KNACK_TUNNELS: tunnels, HTTP_PROXY: proxy } = process.env;

/** What `connect` of a socket accepts: options, a path, or a port with or without a host; then a listener. Or all of it, in an array. */
function optionsOf(args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const last = (Array.isArray(args[0]) ? args[0] : args).findLast((arg) => typeof arg === "function");
  if (typeof first === "object") return [first, last];
  if (typeof first === "string" && !/^\d+$/.test(first)) return [{ path: first }, last];
  return [{ port: first, ...(typeof second === "string" ? { host: second } : {}) }, last];
}

function leavesSandbox({ host, port, path }) {
  if (path != null || port == null || typeof host !== "string" || host === "") return false;
  return !/^(localhost|sandbox|127\.[\d.]+|0\.0\.0\.0|\[?::1?\]?|::ffff:127\.[\d.]+)$/i.test(host);
}

/** Calls back with the port of the loopback that is the host, or with an error that says why there is none. */
function askForTunnel({ host, port }, done) {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const question = new net.Socket();
  let answer = "";
  connectSocket.call(question, { host: "127.0.0.1", port: Number(tunnels) });
  question.setEncoding("utf8").on("data", (text) => {
    answer += text;
  });
  question
    .on("error", () => undefined)
    .once("close", () => {
      if (/^\d+\n$/.test(answer)) return done(undefined, Number(answer));
      const error = new Error(`The proxy did not connect to ${target}: ${answer.trim() || "no answer"}`);
      done(Object.assign(error, { code: "ECONNREFUSED", syscall: "connect" }));
    });
  question.write(`${target}\n`);
}

const connectSocket = net.Socket.prototype.connect;

function connectThroughTunnel(...args) {
  const [options, listener] = optionsOf(args);
  if (!leavesSandbox(options)) return connectSocket.apply(this, args);
  // As the original does: what is written before the connection is there waits.
  this.connecting = true;
  if (listener !== undefined) this.once("connect", listener);
  askForTunnel(options, (error, port) => {
    if (this.destroyed) return;
    if (error !== undefined) return void this.destroy(error);
    const { lookup: _, family: __, localAddress: ___, localPort: ____, ...rest } = options;
    connectSocket.call(this, { ...rest, host: "127.0.0.1", port });
  });
  return this;
}

/**
 * Some libraries ask the proxy for `https://…` as they would for `http://…`; it cannot, because what is encrypted stays so. Their request
 * is made to the host itself instead, which leads through a tunnel.
 */
function direct(args, { hostname: proxyHost, port: proxyPort }) {
  const [options, listener] = args;
  if (typeof options !== "object" || options === null || options instanceof URL) return undefined;
  const { path, hostname, host, port, agent: _, protocol: __, ...rest } = options;
  const isToProxy = (hostname ?? host) === proxyHost && String(port) === proxyPort;
  if (!isToProxy || typeof path !== "string" || !path.startsWith("https://")) return undefined;
  return [path, rest, listener];
}

function redirect(name, at) {
  const original = http[name];
  http[name] = (...args) => {
    const other = direct(args, at);
    return other === undefined ? original(...args) : require("node:https")[name](...other);
  };
}

if (tunnels !== undefined && proxy !== undefined) {
  net.Socket.prototype.connect = connectThroughTunnel;
  redirect("request", new URL(proxy));
  redirect("get", new URL(proxy));
  syncBuiltinESMExports();
}
