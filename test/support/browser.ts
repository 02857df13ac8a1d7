import { type Browser, chromium } from "playwright-core";

const off = ["gpu", "quic", "background-networking", "component-update", "sync"];
const args = [
  ...["--headless", "--no-sandbox", "--no-first-run", ...off.map((name) => `--disable-${name}`)],
  // A foreign name for this machine, as a rebound DNS entry makes it.
  "--host-resolver-rules=MAP rebound.example 127.0.0.1",
];

let browser: Promise<Browser> | undefined;

/**
 * The browser of this process, which ends with it: to start one costs more than most tests. Tests open contexts of their own, which
 * share nothing, and close them.
 */
export function sharedBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
  return browser;
}
