import { generateKeyPair, randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { promisify } from "node:util";
import type { pki } from "node-forge";

/** A certificate authority whose key never leaves this process. */
export interface CertificateAuthority {
  /** PEM. Programs that trust it accept this process as every host. */
  certificate: string;
  /** What a TLS server needs to be a host. */
  serverOf(host: string): Promise<SecureContext>;
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
    async serverOf(host) {
      const known = servers.get(host);
      if (known !== undefined) return known;
      const cert = issue(host.slice(0, 64), server.publicKey, [
        { name: "basicConstraints", cA: false },
        { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
        { name: "extKeyUsage", serverAuth: true },
        { name: "authorityKeyIdentifier", keyIdentifier },
        { name: "subjectAltName", altNames: [isIP(host) ? { type: 7, ip: host } : { type: 2, value: host }] },
      ]);
      const context = createSecureContext({ key: server.privateKey, cert });
      servers.set(host, context);
      return context;
    },
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
