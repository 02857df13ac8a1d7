/**
 * Loaded before the code of a skill in every Node process of a sandbox with a way out. Node's fetch and its own agents find the proxy by
 * themselves; libraries that bring an agent or a socket of their own do not, and try to resolve names, which nothing in the sandbox can.
 * Here their connections are led through the proxy (CONNECT). It decides nothing: who does without it gets no further.
 * JavaScript and CommonJS, because removing types or loading a module would cost each of these processes a tenth of a second.
 */
"use strict";
const http = require("node:http");
const https = require("node:https");
const { syncBuiltinESMExports } = require("node:module");
const net = require("node:net");
const { Duplex } = require("node:stream");
const tls = require("node:tls");

// biome-ignore lint/style/noProcessEnv: this is how the sandbox says where its proxy is.
const proxy = URL.parse(process.env.HTTP_PROXY ?? "");

/** A connection to a host through the proxy, with what users of sockets expect of one. What is written before it is there waits. */
class Tunnel extends Duplex {
  connecting = true;
  #opened = Promise.withResolvers();

  constructor(host, port, { hostname, port: at }) {
    super();
    const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const request = http.request({ host: hostname, port: at, method: "CONNECT", path: target, agent: false });
    this.#opened.promise.then(
      (socket) => this.#join(socket),
      (error) => this.destroy(error),
    );
    request.once("error", this.#opened.reject);
    request.once("response", (response) => this.#opened.reject(refusal(target, response)));
    request.once("connect", (response, socket, head) => {
      if (response.statusCode !== 200) return this.#opened.reject(refusal(target, response));
      if (head.length > 0) socket.unshift(head);
      this.#opened.resolve(socket);
    });
    request.end();
  }

  #join(socket) {
    if (this.destroyed) return void socket.destroy();
    socket.on("data", (chunk) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.once("end", () => this.push(null));
    socket.once("error", (error) => this.destroy(error));
    socket.once("close", () => this.destroy());
    socket.on("timeout", () => this.emit("timeout"));
    this.connecting = false;
    this.emit("connect");
    this.emit("ready");
  }

  #later(action) {
    this.#opened.promise.then(action, () => undefined);
    return this;
  }

  _read() {
    this.#later((socket) => socket.resume());
  }
  _write(chunk, _encoding, done) {
    this.#opened.promise.then((socket) => socket.write(chunk, done), done);
  }
  _final(done) {
    this.#opened.promise.then((socket) => socket.end(done), done);
  }
  _destroy(error, done) {
    this.#later((socket) => socket.destroy());
    done(error);
  }

  setTimeout(ms, listener) {
    if (listener !== undefined) this.once("timeout", listener);
    return this.#later((socket) => socket.setTimeout(ms));
  }
  setNoDelay(on) {
    return this.#later((socket) => socket.setNoDelay(on));
  }
  setKeepAlive(on, delayMs) {
    return this.#later((socket) => socket.setKeepAlive(on, delayMs));
  }
  ref() {
    return this.#later((socket) => socket.ref());
  }
  unref() {
    return this.#later((socket) => socket.unref());
  }
}

function refusal(target, { statusCode, statusMessage = "" }) {
  const error = new Error(`The proxy did not connect to ${target}: ${statusCode} ${statusMessage}`);
  return Object.assign(error, { code: "ECONNREFUSED" });
}

/** What `connect` of net and tls takes: options, a path, or a port with or without a host; then, for tls, options; then a listener. */
function optionsOf(args) {
  const listener = args.find((arg) => typeof arg === "function");
  const options = {};
  const [first, second] = args;
  if (typeof first === "number" || (typeof first === "string" && /^\d+$/.test(first))) {
    Object.assign(options, { port: Number(first) }, typeof second === "string" ? { host: second } : {});
  } else if (typeof first === "string") options.path = first;
  for (const arg of args) if (typeof arg === "object") Object.assign(options, arg);
  return { options, listener };
}

/** The way to what is outside of the sandbox; undefined for what is not. */
function tunnelTo({ host, port, path, socket }) {
  if (proxy === null || path != null || socket != null || typeof host !== "string" || port == null)
    return undefined;
  const isLocal = host === "" || host === "localhost" || host === "::1" || host.startsWith("127.");
  return isLocal ? undefined : new Tunnel(host, Number(port), proxy);
}

function tunnelNet(connect) {
  return (...args) => {
    const { options, listener } = optionsOf(args);
    const tunnel = tunnelTo(options);
    if (tunnel === undefined) return connect(...args);
    if (listener !== undefined) tunnel.once("connect", listener);
    return tunnel;
  };
}

function tunnelTls(connect) {
  return (...args) => {
    const { options, listener } = optionsOf(args);
    const tunnel = tunnelTo(options);
    if (tunnel === undefined) return connect(...args);
    const host = String(options.host);
    const servername = net.isIP(host) === 0 ? host : "";
    return connect({ servername, ...options, socket: tunnel }, listener);
  };
}

/**
 * Some libraries ask the proxy for `https://…` as they would for `http://…`; it cannot, because what is encrypted stays so. Their request
 * is made to the host itself instead, which leads through the tunnel.
 */
function directly(args) {
  const [options, listener] = args;
  if (proxy === null || typeof options !== "object" || options === null || options instanceof URL)
    return undefined;
  const { path, hostname, host, port, agent: _, protocol: __, ...rest } = options;
  const isToProxy = (hostname ?? host) === proxy.hostname && String(port) === proxy.port;
  if (!isToProxy || typeof path !== "string" || !path.startsWith("https://")) return undefined;
  return [path, rest, listener];
}

function redirect(request, secure) {
  return (...args) => {
    const direct = directly(args);
    return direct === undefined ? request(...args) : secure(...direct);
  };
}

if (proxy !== null) {
  const connect = tunnelNet(net.connect);
  Object.assign(net, { connect, createConnection: connect });
  Object.assign(tls, { connect: tunnelTls(tls.connect) });
  Object.assign(http, {
    request: redirect(http.request, https.request),
    get: redirect(http.get, https.get),
  });
  syncBuiltinESMExports();
}
