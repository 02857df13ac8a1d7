/** Hosts that get keys which the programs do not hold. */

import { generateKeyPair, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createSecureContext, getCACertificates, type SecureContext, TLSSocket } from "node:tls";
import { promisify } from "node:util";
import type { pki } from "node-forge";
import { madeOnce } from "../base/made-once.ts";
import type { HostKey, NetworkAccess } from "../core/skill/programs.ts";
import { fail, failureOf, forward, type WayOut } from "./forward-request.ts";
import type { ConnectionTarget } from "./guarded-connector.ts";

/** The two ends of TLS in this proxy: towards the program, and towards the host. */
export interface TlsEnds {
  authority: CertificateAuthority;
  trusts: SecureContext;
}

/** `paths`: files of certificates that are trusted beside Node's; unreadable ones are left out. */
export async function openTlsEnds(paths: readonly string[]): Promise<TlsEnds> {
  const texts = await Promise.all(paths.map((path) => readFile(path, "utf8").catch(() => "")));
  const ca = [...getCACertificates("default"), ...texts.filter((text) => text !== "")];
  return { authority: await createCertificateAuthority(), trusts: createSecureContext({ ca }) };
}

/** The keys for a host, on its TLS port or the one that they name. Nothing is put into requests to port 80. */
export function keysFor({ host, port }: ConnectionTarget, { keys = [] }: NetworkAccess): HostKey[] {
  return keys.filter((each) => each.host === (port === 443 ? host : `${host}:${port}`));
}

type KeyedWay = WayOut & { ends: TlsEnds; keys: readonly HostKey[] };

/** Is the host towards the program: reads its requests, and passes them on with the keys in their headers. */
export function endTls(target: ConnectionTarget, client: Duplex, head: Buffer, way: KeyedWay): void {
  const secureContext = way.ends.authority.serverOf(target.host);
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (head.byteLength > 0) client.unshift(head);
  const secured = new TLSSocket(client as Socket, {
    isServer: true,
    secureContext,
    ALPNProtocols: ["http/1.1"],
  });
  secured.setTimeout(way.limits.idleMs, () => secured.destroy());
  // The program may not trust the certificate, and say so by leaving.
  secured.on("error", () => secured.destroy());
  const authority = target.port === 443 ? target.host : `${target.host}:${target.port}`;
  const server = createServer((request, response) => {
    const headers = withKeys(request.headers, way.keys);
    const to = { target, authority, path: request.url ?? "/", headers, trusts: way.ends.trusts };
    forward(request, response, way, to).catch((error: unknown) =>
      fail(response, failureOf(error, `https://${authority}${to.path}`)),
    );
  });
  server.on("clientError", (_error, socket) => socket.destroy());
  server.emit("connection", secured);
}

/**
 * The headers with the keys in place of the placeholders, in the header that each key belongs into; also within `Basic` credentials. A
 * request without that header gets it.
 */
function withKeys(headers: IncomingHttpHeaders, keys: readonly HostKey[]): OutgoingHttpHeaders {
  const changed: OutgoingHttpHeaders = { ...headers };
  for (const { header, placeholder, key } of keys) {
    const [name = "", form = "{key}"] = header.split(/: (.*)/s);
    const given = headers[name.toLowerCase()];
    const written = given === undefined ? form.replace("{key}", () => placeholder) : String(given);
    const basic = /^basic +([a-z0-9+/]+=*)$/i.exec(written)?.[1];
    const put = (text: string) => text.replaceAll(placeholder, () => key);
    changed[name.toLowerCase()] =
      basic === undefined
        ? put(written)
        : `Basic ${Buffer.from(put(Buffer.from(basic, "base64").toString())).toString("base64")}`;
  }
  return changed;
}

/** A certificate authority whose key never leaves this process. */
interface CertificateAuthority {
  /** PEM. Programs that trust it accept this process as every host. */
  certificate: string;
  /** What a TLS server needs to be a host. */
  serverOf(host: string): SecureContext;
}

/** Longer than a program keeps running. */
const validDays = 30;
const dayMs = 86_400_000;

/** Makes an authority, with keys that nobody else has. */
export async function createCertificateAuthority(): Promise<CertificateAuthority> {
  const { default: forge } = await import("node-forge");
  const [authority, server] = await Promise.all([newKeys(), newKeys()]);
  const issuer = [{ name: "commonName", value: "Knack, for one run" }];
  const issue = (name: string, key: string, extensions: object[]): string => {
    const certificate = forge.pki.createCertificate();
    certificate.publicKey = forge.pki.publicKeyFromPem(key);
    // A positive number, so its first bit is 0 (RFC 5280 section 4.1.2.2).
    certificate.serialNumber = `1${randomBytes(12).toString("hex").slice(1)}`;
    // The clock of the program's machine is this one; a margin costs nothing.
    certificate.validity.notBefore = new Date(Date.now() - dayMs);
    certificate.validity.notAfter = new Date(Date.now() + validDays * dayMs);
    certificate.setIssuer(issuer);
    certificate.setSubject([{ name: "commonName", value: name }]);
    certificate.setExtensions(extensions);
    certificate.sign(forge.pki.privateKeyFromPem(authority.privateKey), forge.md.sha256.create());
    return forge.pki.certificateToPem(certificate);
  };
  const certificate = issue(issuer[0]?.value ?? "", authority.publicKey, [
    { name: "basicConstraints", cA: true, pathLenConstraint: 0, critical: true },
    { name: "keyUsage", keyCertSign: true, critical: true },
    { name: "subjectKeyIdentifier" },
  ]);
  const keyIdentifier = (forge.pki.certificateFromPem(certificate) as pki.Certificate)
    .generateSubjectKeyIdentifier()
    .getBytes();
  const servers = new Map<string, SecureContext>();
  return {
    certificate,
    serverOf: (host) =>
      madeOnce(servers, host, () => {
        const cert = issue(host.slice(0, 64), server.publicKey, [
          { name: "basicConstraints", cA: false },
          { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
          { name: "extKeyUsage", serverAuth: true },
          { name: "authorityKeyIdentifier", keyIdentifier },
          {
            name: "subjectAltName",
            altNames: [isIP(host) ? { type: 7, ip: host } : { type: 2, value: host }],
          },
        ]);
        return createSecureContext({ key: server.privateKey, cert });
      }),
  };
}

/** RSA, which every TLS client knows. Made outside the event loop. */
function newKeys(): Promise<{ publicKey: string; privateKey: string }> {
  return promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}
