import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A file or folder of the machine and where code sees it. */
export interface ShownFile {
  from: string;
  to: string;
}

/**
 * Parts of /etc that programs need: the loader's cache, Debian's alternatives, the time zone, names of services and types, and the
 * public certificates by which they know whom they talk to (Debian, Alpine, Fedora, SUSE, Arch). No folder with private keys.
 */
const readable: readonly string[] = [
  ...["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"],
  ...["/etc/mime.types", "/etc/protocols", "/etc/services", "/etc/matplotlibrc", "/etc/fonts"],
  ...["/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/openssl.cnf"],
  ...["/etc/ca-certificates", "/etc/crypto-policies/back-ends"],
  ...[
    "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/openssl.cnf",
    "/etc/pki/ca-trust/extracted",
  ],
];

/** What is there of it, and the folders on the way. */
export function readableEtc(): { folders: string[]; files: ShownFile[] } {
  const files = readable.filter(existsSync).map((path) => ({ from: path, to: path }));
  const folders = new Set(files.flatMap(({ to }) => foldersOn(to)));
  return { folders: [...folders].sort(), files };
}

function foldersOn(path: string): string[] {
  const parent = dirname(path);
  return parent === "/etc" ? [] : [...foldersOn(parent), parent];
}

/** Where the operator's own certificates are inside, in a folder that is made for them. */
const certificateFolder = "/opt/certificates";

/** Files that exist for one run alone, the variables that name some of them, and an empty one. */
export interface MachineFiles {
  files: ShownFile[];
  env: Record<string, string>;
  empty: string;
}

/**
 * Writes what a machine of its own says about itself: one user, one name, and no way to ask others for names (the proxy does).
 * `certificates` are files by the variable that names them, e.g. SSL_CERT_FILE; one that cannot be read is left out.
 */
export async function writeMachineFiles(
  runFolder: string,
  {
    user,
    home,
    certificates,
  }: { user: number; home: string; certificates: Readonly<Record<string, string>> },
): Promise<MachineFiles> {
  const folder = join(runFolder, "etc");
  await mkdir(folder);
  const texts = {
    passwd: `script:x:${user}:${user}:script:${home}:/bin/sh\n`,
    group: `script:x:${user}:\n`,
    hosts: "127.0.0.1 localhost sandbox\n::1 localhost ip6-localhost ip6-loopback\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
  };
  const files: ShownFile[] = [];
  const env: Record<string, string> = {};
  for (const [name, text] of Object.entries(texts)) {
    await writeFile(join(folder, name), text, { mode: 0o644 });
    files.push({ from: join(folder, name), to: `/etc/${name}` });
  }
  for (const [variable, path] of Object.entries(certificates)) {
    const copy = join(folder, variable);
    if (!(await copyIfReadable(path, copy))) continue;
    env[variable] = `${certificateFolder}/${variable}`;
    files.push({ from: copy, to: env[variable] });
  }
  const empty = join(folder, "empty");
  await writeFile(empty, "", { mode: 0o444 });
  return { files, env, empty };
}

async function copyIfReadable(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
    await chmod(to, 0o644);
    return true;
  } catch {
    // A variable that names nothing; the programs of the machine do without, too.
    return false;
  }
}
