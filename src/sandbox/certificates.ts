import { existsSync } from "node:fs";
import { readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ShownFile } from "./shown-file.ts";

/** Where certificates are inside, in a folder that is made for them. */
const folderInside = "/opt/certificates";

/** The machine's own bundles: Debian and Alpine, Fedora, SUSE, BSD's place on several. Programs without a variable look there. */
const machineBundles: readonly string[] = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** Variables of programs that would otherwise look into a store of their own or into OpenSSL's. */
const bundleVariables: readonly string[] = [
  ...["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT"],
  "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
];

/** Certificates as code sees them: files, and the variables that name them. */
export interface ShownCertificates {
  files: ShownFile[];
  env: Record<string, string>;
}

/**
 * Writes what makes every program inside trust the operator's authorities beside the machine's: the machine's bundle with the
 * operator's certificates behind it, shown in its place. `paths` are the operator's files; one that cannot be read is left out, and
 * without any nothing changes.
 */
export async function writeCertificates(
  folder: string,
  paths: readonly string[],
): Promise<ShownCertificates> {
  const texts = new Set(
    (await Promise.all([...new Set(paths)].map(readIfThere))).filter((text) => text !== ""),
  );
  if (texts.size === 0) return { files: [], env: {} };
  const places = machineBundles.filter(existsSync);
  const known = places[0] === undefined ? "" : await readIfThere(places[0]);
  const own = [...texts].join("\n");
  const bundle = [...new Set([known, ...texts])].join("\n");
  const written = { own: join(folder, "own.pem"), bundle: join(folder, "bundle.pem") };
  await writeFile(written.own, own, { mode: 0o644 });
  await writeFile(written.bundle, bundle, { mode: 0o644 });
  const inside = { own: `${folderInside}/own.pem`, bundle: `${folderInside}/bundle.pem` };
  // Several places may be links to one file; it is replaced once, where it lies.
  const real = new Set(await Promise.all(places.map((path) => realpath(path))));
  return {
    files: [
      { from: written.own, to: inside.own },
      { from: written.bundle, to: inside.bundle },
      ...[...real]
        .filter((path) => path.startsWith("/etc/"))
        .map((path) => ({ from: written.bundle, to: path })),
    ],
    env: {
      // Node has authorities of its own, and reads each further one at the start.
      NODE_EXTRA_CA_CERTS: inside.own,
      ...Object.fromEntries(bundleVariables.map((name) => [name, inside.bundle])),
    },
  };
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // A variable that names nothing; the programs of the machine do without, too.
    return "";
  }
}
