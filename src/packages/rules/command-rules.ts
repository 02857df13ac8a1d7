import { pattern } from "../../base/pattern.ts";
import { type FileRule, placeIn, type ReviewedLine } from "../review-subject.ts";
import { linePatternRule } from "./line-patterns.ts";

const shells = /(?:sudo\s+(?:-\S+\s+)?)?(?:env\s+)?(?:\/usr)?(?:\/local)?(?:\/bin\/)?(?:ba|z|da|k|fi)?sh\b/;
const interpreters = pattern()`(?:${shells}|python[\d.]*\b|node\b|perl\b|ruby\b|php\b|osascript\b|iex\b|invoke-expression\b)`;
const fetchers =
  /(?:curl|wget|fetch|http|aria2c|lwp-request|iwr|irm|invoke-webrequest|invoke-restmethod)(?:\.exe)?\b/;
/** Commands that run their input as a program. `| python3 -m json.tool` reads it as data, a shell never does. */
const runsInput = pattern()`(?:${shells}|(?:python[\d.]*|node|perl|ruby|php|osascript)(?=\s*(?:-(?:\s|$)|$|["'\`;&|)]))|iex\b|invoke-expression\b)`;
/** A call of one of the fetchers, in contrast to a word or a table cell. */
const fetchCall = pattern()`${fetchers}\s+(?:-|["'$<({]|https?:|[\w-]{1,60}\.[a-z]{2})`;
const decoders =
  /(?:base64\s+(?:-\w{0,9}d\w{0,9}|-D|--decode)|openssl\s+(?:enc\s+-d\b|base64\s+-d\b)|xxd\s+-r\b|base32\s+-d\b)/;

const remote = {
  severity: "danger" as const,
  code: "remote_code",
  message:
    "It runs code straight from the network, which nobody has reviewed and which may change at any time.",
};
const encoded = {
  severity: "danger" as const,
  code: "encoded_command",
  message: "It runs a command that is written in an encoded form, so that readers do not see what it does.",
};
const protection = {
  severity: "danger" as const,
  code: "disables_protection",
  message: "It switches off a protection of the machine.",
};

const patternRule = linePatternRule([
  {
    ...remote,
    patterns: [
      pattern("i")`\b${fetchCall}[^|]{0,600}\|\s*(?:tee\s[^|]{0,80}\|\s*)?${runsInput}`,
      pattern("i")`${interpreters}(?:\s+-\w{1,10}){0,4}\s+["']?(?:\$\(|<\(|\`)\s*${fetchers}`,
      pattern("i")`\b(?:eval|source)\b[^\n]{0,20}(?:\$\(|<\(|\`)\s*${fetchers}`,
      /\b(?:iex|invoke-expression)\b.{0,120}(?:downloadstring|webclient|iwr|irm|invoke-webrequest)/i,
      /(?:downloadstring|invoke-webrequest|\biwr\b|\birm\b).{0,300}\|\s*(?:iex|invoke-expression)/i,
      /\b(?:exec|eval)\s*\(.{0,60}(?:urlopen|requests\.get|urllib|fetch\s*\(|http\.get)/i,
    ],
  },
  {
    ...encoded,
    patterns: [
      pattern("i")`${decoders}[^|\n]{0,200}\|\s*(?:\w{1,40}\s+(?:-?\w{1,40}\s*)?\|\s*)?${runsInput}`,
      pattern("i")`(?:eval|${interpreters}\s+-c)\b.{0,30}(?:\$\(|<\(|\`).{0,400}${decoders}`,
      /\b(?:powershell|pwsh)(?:\.exe)?\b.{0,120}\s-e(?:nc|ncodedcommand|c)?\s+["']?[A-Za-z0-9+/=]{16}/i,
      /frombase64string\(.{0,400}(?:\|\s*iex|invoke-expression|::load\()/i,
      /(?:iex|invoke-expression)\b.{0,200}frombase64string/i,
      /\b(?:eval|exec|Function)\s*\(.{0,80}(?:atob\s*\(|b64decode\s*\(|["']base64["']|fromhex\s*\(|unhexlify\s*\(|zlib\.decompress)/,
      /\bcertutil(?:\.exe)?\b.{0,80}-(?:decode|decodehex|urlcache)\b/i,
    ],
  },
  {
    severity: "danger",
    code: "remote_code",
    message: "It uses a system program in a way known from malware: to fetch or start code.",
    patterns: [
      /\b(?:mshta(?:\.exe)?\s+["']?(?:https?:|javascript:|vbscript:)|bitsadmin\b.{0,80}\/transfer|regsvr32\b.{0,80}\/i:http|rundll32\b.{0,60}javascript:)/i,
    ],
  },
  {
    severity: "danger",
    code: "reverse_shell",
    message: "It opens a shell of this machine to somebody on the network.",
    patterns: [
      /\/dev\/(?:tcp|udp)\/|\bn(?:c|cat)\b.{0,40}\s-\w{0,4}e\b|\b(?:ba)?sh\s+-i\s*[<>&]|mkfifo\b.{0,120}\bnc\b|pty\.spawn\(\s*["'](?:\/bin\/)?(?:ba|z)?sh|socat\b.{0,80}exec:/i,
    ],
  },
  {
    ...protection,
    patterns: [
      /\bxattr\b.{0,20}-\w*[dc]\w*\b.{0,40}(?:com\.apple\.quarantine|-r)|spctl\b.{0,20}--(?:master|global)-disable|csrutil\s+disable/i,
      /set-mppreference\b.{0,60}-disable|add-mppreference\b.{0,40}-exclusion|netsh\b.{0,40}firewall.{0,40}\boff\b|\bsetenforce\s+0|ufw\s+disable/i,
      /(?:executionpolicy|-ep)\s+(?:bypass|unrestricted)\b/i,
    ],
  },
  {
    severity: "danger",
    code: "credential_theft",
    message: "It asks for the password of the machine in a window of its own, as malware does.",
    patterns: [
      /osascript\b.{0,300}display dialog.{0,200}(?:password|hidden answer)|\bdscl\b.{0,30}-?authonly\b|security\s+(?:find-(?:generic|internet)-password|dump-keychain)/i,
    ],
  },
  {
    severity: "danger",
    code: "persistence",
    message: "It gives itself a way back into the machine.",
    patterns: [
      />\s{0,20}\S{0,60}(?:authorized_keys|\/etc\/(?:cron|rc\.local|ld\.so\.preload|sudoers))|\bsudo\s+(?:visudo|useradd)\b/i,
    ],
  },
  {
    severity: "warning",
    code: "persistence",
    message: "It makes something start by itself later on.",
    patterns: [
      /\bcrontab\s+(?:-|\S+\.|\/)|\blaunchctl\s+(?:load|bootstrap|submit)\b|\bsystemctl\b.{0,20}\benable\b|\bschtasks\b.{0,20}\/create|>>\s*\S{0,30}\.(?:bashrc|zshrc|profile|bash_profile|zprofile)\b|currentversion\\run\b/i,
    ],
  },
  {
    severity: "warning",
    code: "destructive",
    message: "It deletes or overwrites much at once.",
    patterns: [
      /\brm\s+-\w*(?:rf|fr)\w*\s+["']?(?:\/|~|\$HOME|\*)(?:["'\s*]|$)|\bmkfs\b|\bdd\b.{0,40}\bof=\/dev\//i,
    ],
  },
  {
    severity: "warning",
    code: "elevated",
    message: "It asks for administrator rights.",
    patterns: [
      /(?:^|[\s`$;&|(])sudo\s+\w|start-process\b.{0,80}-verb\s+runas|with administrator privileges/i,
    ],
  },
]);

const saves = /(?:\s-\w{0,6}[oO]|--output|--output-document|-outfile|>)[\s=]*["']?([^\s"';|&<>]{3,100})/i;
const fetches = pattern("i")`\b${fetchers}`;
const starts = pattern("i")`(?:^|[;&|]|\bthen\b)\s*(?:chmod\b|${interpreters}|\.\/|open\b|start\b)`;

/** `curl -o FILE …; sh FILE`, on one line or within the next few. */
const fetchAndRunRule: FileRule = (file) =>
  file.lines.flatMap((line, at) => {
    const name = fetches.test(line.text) ? saves.exec(line.text)?.[1] : undefined;
    if (name === undefined || !runs(file.lines.slice(at, at + 5), name)) return [];
    const message = "It fetches a program from the network and starts it, which nobody has reviewed.";
    return [{ ...remote, message, ...placeIn(file, line.number, line.text) }];
  });

function runs([first, ...next]: readonly ReviewedLine[], name: string): boolean {
  const rest = first === undefined ? "" : first.text.slice(first.text.indexOf(name) + name.length);
  return [rest, ...next.map(({ text }) => text)].some((text) => starts.test(text) && text.includes(name));
}

/** Commands that nobody should run, in any text: in code, in prose that tells somebody to, or in data. */
export const commandRule: FileRule = (file, subject) => [
  ...patternRule(file, subject),
  ...fetchAndRunRule(file, subject),
];
