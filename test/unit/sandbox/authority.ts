import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A certificate authority of a test's own, and what it issued for one host. */
export interface Authority {
  /** The file of the authority's certificate. */
  file: string;
  /** For a server of the host. */
  key: Buffer;
  cert: Buffer;
}

/** Makes them in a folder with `openssl`. */
export function makeAuthority(folder: string, host: string): Authority {
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const key = ["-newkey", "rsa:2048", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-days",
    "2",
    "-subj",
    "/CN=authority",
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
  );
  openssl("req", ...key, "-subj", `/CN=${host}`, "-keyout", "host.key", "-out", "host.csr");
  writeFileSync(join(folder, "names"), `subjectAltName=DNS:${host}\n`);
  const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"];
  openssl("x509", "-req", "-in", "host.csr", ...by, "-out", "host.pem");
  const read = (name: string) => readFileSync(join(folder, name));
  return { file: join(folder, "ca.pem"), key: read("host.key"), cert: read("host.pem") };
}
