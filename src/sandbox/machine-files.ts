import { existsSync } from "node:fs";
import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A file or folder of the machine, and its path inside. */
export interface ShownFile {
  from: string;
  to: string;
}

/**
 * Parts of /etc that programs need: the loader's cache, Debian's alternatives, the name of the system, terminals, names of services and
 * types, fonts, settings of LibreOffice and ImageMagick, and the public certificates with which programs verify servers (Debian, Alpine,
 * Fedora, SUSE, Arch). No folder with private keys or passwords.
 */
const readable: readonly string[] = [
  ...["/etc/ld.so.cache", "/etc/alternatives", "/etc/os-release", "/etc/terminfo"],
  ...["/etc/mime.types", "/etc/protocols", "/etc/services", "/etc/matplotlibrc"],
  ...["/etc/fonts", "/etc/papersize"],
  ...["/etc/libreoffice", "/etc/ImageMagick-6", "/etc/ImageMagick-7"],
  ...["/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/openssl.cnf"],
  ...["/etc/ca-certificates", "/etc/crypto-policies/back-ends"],
  ...[
    "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/openssl.cnf",
    "/etc/pki/ca-trust/extracted",
  ],
];

/** The existing ones, and the folders on the way. */
export function readableEtc(): { folders: string[]; files: ShownFile[] } {
  const files = readable.filter(existsSync).map((path) => ({ from: path, to: path }));
  const folders = new Set(files.flatMap(({ to }) => foldersOn(to)));
  return { folders: [...folders].sort(), files };
}

function foldersOn(path: string): string[] {
  const parent = dirname(path);
  return parent === "/etc" ? [] : [...foldersOn(parent), parent];
}

/** Files created for one run alone, variables that tell programs about the machine, and an empty file. */
export interface MachineFiles {
  files: ShownFile[];
  env: Record<string, string>;
  empty: string;
}

export interface Machine {
  /** The id of its only user and group. */
  user: number;
  /** That user's folder inside. */
  home: string;
  /** The operator's certificate files, by the variable that names them, e.g. SSL_CERT_FILE. */
  certificates: Readonly<Record<string, string>>;
  /** The certificate (PEM) of a further authority. */
  authority?: string | undefined;
  /** Its time zone, an IANA name. */
  timeZone: string;
}

/** Folder of time zones on every system that has them. */
const zones = "/usr/share/zoneinfo";

/** Writes the files that describe a machine of its own: one user, one name, and no name resolution (the proxy resolves names). */
export async function writeMachineFiles(
  runFolder: string,
  { user, home, certificates, authority = "", timeZone }: Machine,
): Promise<MachineFiles> {
  const folder = join(runFolder, "etc");
  await mkdir(folder);
  const zone = join(zones, timeZone);
  // Without a file of the zone, programs would take its name for UTC.
  const knowsZone = zone.startsWith(`${zones}/`) && existsSync(zone);
  const texts = {
    passwd: `script:x:${user}:${user}:script:${home}:/bin/sh\n`,
    group: `script:x:${user}:\n`,
    hosts: "127.0.0.1 localhost sandbox\n::1 localhost ip6-localhost ip6-loopback\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
    gitconfig: gitSettings,
    ...(knowsZone ? { timezone: `${timeZone}\n` } : {}),
  };
  const files: ShownFile[] = knowsZone ? [{ from: zone, to: "/etc/localtime" }] : [];
  for (const [name, text] of Object.entries(texts)) {
    await writeFile(join(folder, name), text, { mode: 0o644 });
    files.push({ from: join(folder, name), to: `/etc/${name}` });
  }
  const trusted = await writeCertificates(folder, Object.values(certificates), authority);
  const empty = join(folder, "empty");
  await writeFile(empty, "", { mode: 0o444 });
  const env = {
    USER: "script",
    LOGNAME: "script",
    SHELL: "/bin/sh",
    ...(knowsZone ? { TZ: timeZone } : {}),
    ...packageManagers,
    ...trusted.env,
  };
  return { files: [...files, ...trusted.files], env, empty };
}

/** Files of a skill may belong to another user. Settings of a repository and of the user override these. */
const gitSettings = `[safe]
\tdirectory = *
[user]
\tname = script
\temail = script@sandbox.invalid
[init]
\tdefaultBranch = main
`;

/**
 * Package managers do not check for newer versions of themselves, and give up on unreachable servers within seconds. pip installs into the
 * user's folder: the system's is read-only, so nothing can break.
 */
const packageManagers: Readonly<Record<string, string>> = {
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  PIP_BREAK_SYSTEM_PACKAGES: "1",
  PIP_NO_INPUT: "1",
  PIP_RETRIES: "1",
  npm_config_update_notifier: "false",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_fetch_retries: "1",
  npm_config_fetch_retry_mintimeout: "500",
};

/** Folder of certificates inside, created for them. */
const folderInside = "/opt/certificates";

/**
 * The machine's own bundles: Debian and Alpine, Fedora, SUSE, the location that several BSDs use. Programs that read no variable look
 * there.
 */
const machineBundles: readonly string[] = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** Variables of programs that otherwise use a store of their own or OpenSSL's. */
const bundleVariables: readonly string[] = [
  ...["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT"],
  "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
];

/** Certificates as code sees them: files, and the variables that name them. */
interface ShownCertificates {
  files: ShownFile[];
  env: Record<string, string>;
}

/**
 * Makes every program inside trust further authorities in addition to the machine's: a bundle of all is mounted over the machine's.
 * `paths` are the operator's files; an unreadable one is skipped. `authority` is a certificate (PEM). Without any nothing changes.
 */
async function writeCertificates(
  folder: string,
  paths: readonly string[],
  authority: string,
): Promise<ShownCertificates> {
  const texts = new Set(
    [authority, ...(await Promise.all([...new Set(paths)].map(readIfThere)))].filter((text) => text !== ""),
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
  // Several paths may be links to one file; it is replaced once, at its real path.
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
      // Node has its own authorities, and reads additional ones at the start.
      NODE_EXTRA_CA_CERTS: inside.own,
      ...Object.fromEntries(bundleVariables.map((name) => [name, inside.bundle])),
    },
  };
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // The variable names no existing file; the programs of the machine do without it too.
    return "";
  }
}
