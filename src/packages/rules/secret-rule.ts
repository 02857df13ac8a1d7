import type { PackageFinding } from "../../core/skill/packages.ts";
import type { FileRule } from "../review-subject.ts";

/** Forms of keys, as their issuers document them. */
const forms: readonly [string, RegExp][] = [
  ["an AWS key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ["a GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,90})\b/],
  ["a GitLab token", /\bglpat-[A-Za-z0-9_-]{20}\b/],
  ["a Slack token", /\bxox[abeprs]-[A-Za-z0-9-]{20,120}/],
  ["a key of a model provider", /\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{32,200}/],
  ["a Google key", /\bAIza[0-9A-Za-z_-]{35}\b/],
  ["a Stripe key", /\b[rs]k_live_[A-Za-z0-9]{20,100}\b/],
  ["a SendGrid key", /\bSG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,50}/],
  ["an npm token", /\bnpm_[A-Za-z0-9]{36}\b/],
  ["a Discord token", /\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}\b/],
  ["a private key", /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/],
];

/** Keys left in the package: they belong to somebody else, and everybody with the package has them. */
export const secretRule: FileRule = (file) => {
  const findings: PackageFinding[] = [];
  for (const { number, text } of file.lines) {
    for (const [what, form] of forms) {
      const found = form.exec(text)?.[0];
      if (found === undefined || /x{8}|example|\*{4}|0{12}/i.test(found)) continue;
      const message = `It contains what looks like ${what}. It belongs to somebody: do not use it, and let them know.`;
      const excerpt = `${found.slice(0, 6)}…`;
      findings.push({ severity: "warning", code: "secret", message, path: file.path, line: number, excerpt });
    }
  }
  return findings;
};
