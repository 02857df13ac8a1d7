import type { PackageFinding } from "../../core/skill/packages.ts";
import { type FileRule, placeIn, type TextRole } from "../review-subject.ts";
import { linePatternRule } from "./line-patterns.ts";

const code: TextRole[] = ["code"];
const javascript = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"];
const credentials =
  /(?:[~/\\]|\$HOME\/|["'`])\.(?:ssh\b|aws\/|gnupg\b|kube\/config|docker\/config|netrc\b|git-credentials|npmrc\b|pypirc\b|config\/gcloud|azure\/|openclaw\/|clawdbot\/|moltbot\/|password-store)|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:shadow|sudoers)\b|\/proc\/(?:self|\d+|\*)\/(?:environ|mem)\b|Login Data\b|Cookies\.binarycookies|key4\.db|logins\.json|\bwallet\.dat\b|Library\/Keychains|Local Extension Settings|169\.254\.169\.254|metadata\.google\.internal/;
const dynamic = {
  severity: "warning" as const,
  code: "dynamic_code",
  message: "It makes code out of text while it runs, so that a review cannot see all of what it does.",
  roles: code,
};

const patternRule = linePatternRule([
  {
    severity: "danger",
    code: "reads_credentials",
    message: "Its code names places where keys and passwords of this machine are kept.",
    roles: code,
    patterns: [credentials],
  },
  {
    severity: "warning",
    code: "reads_credentials",
    message: "It names places where keys and passwords of a machine are kept.",
    roles: ["prose", "data"],
    patterns: [credentials],
  },
  {
    ...dynamic,
    patterns: [
      /(?<![.\w$])eval\s*\(|\bnew\s+Function\s*\(|(?<![.\w$])Function\s*\(\s*["'`]|\bvm\.(?:runIn\w+|Script)\b|\bset(?:Timeout|Interval)\s*\(\s*["'`]/,
    ],
  },
  {
    ...dynamic,
    endings: [".py", ".pyw"],
    patterns: [
      /(?<![.\w])exec\s*\(|\bcompile\s*\(.{0,200}["'](?:exec|eval)["']|__import__\s*\(|\b(?:marshal|pickle|dill|cloudpickle)\.loads?\s*\(|\btypes\.(?:Code|Function)Type\b/,
      /\bgetattr\s*\(\s*(?:__builtins__|builtins)\b|\b__builtins__\s*(?:\.__dict__\s*)?\[|\bvars\s*\(\s*(?:__builtins__|builtins)\s*\)|\bmap\s*\(\s*chr\s*,\s*[[(]\s*\d|\bchr\s*\(\s*\w+\s*\)\s+for\s+\w+\s+in\s*[[(]\s*\d+\s*,|\bbytes\s*\(\s*\[(?:\s*\d+\s*,){3}[^\]]{0,2000}\]\s*\)\s*\.decode\b/,
    ],
  },
  {
    ...dynamic,
    endings: javascript,
    patterns: [
      /\b(?:import|require|Worker)\s*\(\s*["'`]data:|\b(?:globalThis|global|window|self)\s*\[\s*["'`](?:[^"'`]{0,80}\\[xu]|[^"'`]{0,80}["'`]\s*\+)|\bfromCharCode\s*\(\s*\.\.\.\s*\[\s*\d|\[(?:\s*\d+\s*,){3}[^\]]{0,2000}\]\s*\.map\s*\(.{0,60}fromCharCode|\bWebAssembly\.(?:compile|instantiate|Module)\w*/,
      /\brequire\s*\(\s*[^"'`)\s][^)]{0,100}\)|\bimport\s*\(\s*[^"'`)\s][^)]{0,100}\)|\bprocess\.binding\b|\bconstructor\s*\.\s*constructor\b/,
      /(?<!\bthis)\.\s*constructor\s*(?:(?:\?\.\s*)?\(\s*["'`]|`|\.\s*(?:call|apply|bind)\s*\()|[)\]'"`}]\s*\??\.\s*constructor\b(?!\s*(?:\.\s*(?:name|prototype)\b|[!=]==?))|\bReflect\.\w+\s*\(.{0,60}["'`]constructor["'`]|\[\s*["'`]constructor["'`]\s*\]\s*\(|\.\s*constructor\s*\([^()]{0,200}\)\s*\(|\bconstructor\s*:\s*\w+[^{}]{0,60}\}\s*=|\[\s*["'`]\w{1,40}["'`]\s*\+\s*["'`]\w{1,40}["'`]\s*\]/,
    ],
  },
  {
    ...dynamic,
    endings: [".py", ".pyw"],
    patterns: [
      /\bbuiltins\.__dict__|\.__(?:bases?|mro)__\b.{0,40}__subclasses__|\b__subclasses__\s*\(\s*\)\s*\[|\b__globals__\s*\[|\bgetattr\s*\(\s*(?:ctypes|subprocess)\b/,
    ],
  },
  {
    severity: "warning",
    code: "native_code",
    message: "It calls compiled code of the machine, which can do what no review of its text shows.",
    roles: code,
    patterns: [
      /\b(?:CDLL|PyDLL|WinDLL|OleDLL)\s*\(|\bctypes\.(?:cdll|pydll|windll|pythonapi)\b|\bfrom\s+ctypes\s+import\b.{0,80}\b(?:CDLL|PyDLL|cdll|pydll|pythonapi|\*)|\b(?:process|Deno|ffi)\.dlopen\b|["'`](?:bun:ffi|ffi-napi|koffi)["'`]/,
    ],
  },
  {
    severity: "warning",
    code: "runs_programs",
    message: "It starts other programs.",
    roles: code,
    patterns: [
      /\bfrom\s+os\s+import\b.{0,80}\b(?:system|popen|exec[lv]\w{0,2}|spawn\w{1,3})\b/,
      /["'](?:node:)?child_process["']|\bos\.(?:system|popen|exec[lv]p?e?|spawn\w*)\s*\(|shell\s*=\s*True|\b(?:shell_exec|passthru|proc_open)\s*\(|\bDeno\.Command\b|\bBun\.spawn\b/,
    ],
  },
  {
    severity: "info",
    code: "runs_programs",
    message: "It starts other programs.",
    roles: code,
    patterns: [/\bsubprocess\.(?:run|Popen|call|check_\w+)\s*\(|\bcreate_subprocess_\w+\s*\(/],
  },
  {
    severity: "warning",
    code: "reads_whole_environment",
    message: "It takes all environment variables at once, not those it needs.",
    roles: code,
    patterns: [
      /\bprocess\.env\b(?!\s*(?:\.|\[|\?\.))|\b(?:dict|list|str|repr|json\.dumps)\s*\(\s*(?:dict\s*\(\s*)?os\.environ\s*\)|\bos\.environ\.(?:items|copy|values)\s*\(|\bprintenv\b(?!\s+\w)|(?:^|[;&|(`]\s*)env\s*(?:\||>|$)/,
    ],
  },
  {
    severity: "warning",
    code: "reaches_outside",
    message: "It reads or writes outside its own folder.",
    roles: code,
    patterns: [
      /\bos\.homedir\s*\(|expanduser\s*\(|Path\.home\s*\(|\bhomedir\s*\(\)|(?:open|readFile\w{0,20}|writeFile\w{0,20}|createReadStream|rm|unlink)\s*\(\s*["'`](?:\/(?!tmp\b|dev\/(?:null|std))|~|\.\.\/\.\.)|\.\.\/\.\.\/\.\.\//,
    ],
  },
  {
    severity: "info",
    code: "network",
    message: "It uses the network.",
    roles: code,
    patterns: [
      /\bfetch\s*\(|\brequests\.(?:get|post|put|delete|patch|request|Session)\b|\burllib(?:3|\.request)?\b|\bhttpx\b|\baiohttp\b|\baxios\b|["'](?:node:)?(?:https?|net|tls|dgram|dns)["']|\bsocket\.(?:socket|create_connection)\b|\bXMLHttpRequest\b|\bWebSocket\s*\(|\b(?:curl|wget)\s|\bNet::HTTP\b|\bhttp\.client\b/,
    ],
  },
  {
    severity: "warning",
    code: "installs_software",
    message: "It installs software from an address of its own and not from the usual place.",
    patterns: [
      /\bpip3?\s+install\b.{0,120}(?:--(?:extra-)?index-url|git\+|https?:)|\b(?:npm|pnpm|yarn|npx)\b.{0,80}(?:--registry|\sgit\+|\shttps?:)|--trusted-host\b/,
    ],
  },
  {
    severity: "info",
    code: "installs_software",
    message: "It installs further software when it is used, which was not reviewed.",
    patterns: [
      /\b(?:pip3?|uv pip|pipx|uv tool)\s+install\b|\b(?:npm|pnpm|yarn|bun)\s+(?:install|i|add|ci)\b|\b(?:npx|uvx|bunx)\s+(?!knack\b)\S|\bbrew\s+install\b|\b(?:apt|apt-get|dnf|yum|apk|pacman|choco|winget)\s+(?:-\w+\s+)?(?:install|add|-S)\b|\bgo\s+install\b|\bcargo\s+install\b|\bgem\s+install\b/,
    ],
  },
]);

const obfuscated = "It is written so that people cannot read it, which honest skills have no reason for.";

/** Code that was made hard to read: long encoded text, series of escapes, machine-made names, no line breaks. */
const obfuscationRule: FileRule = (file) => {
  if (file.role !== "code") return [];
  const findings: PackageFinding[] = [];
  const add = (line: number, message: string, text: string) => {
    if (findings.length >= 20) return;
    findings.push({ severity: "warning", code: "obfuscated", message, ...placeIn(file, line, text) });
  };
  for (const { number, text } of file.lines) {
    const blob =
      /(?<!data:(?:image|font)\/[\w+-]{1,20};base64,)(?<![A-Za-z0-9+/=])(?:[A-Za-z0-9+/]{200,4000}={0,2}|(?:[0-9a-fA-F]{2}){150,2000})(?![A-Za-z0-9+/])/.exec(
        text,
      );
    if (blob !== null) add(number, "It carries a long piece of encoded data.", blob[0]);
    const escapes = /(?:\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[0-7]{3}){16}/.exec(text);
    if (escapes !== null) add(number, obfuscated, escapes[0]);
    if (/fromCharCode\s*\((?:\s*\d+\s*,){8}|(?:chr\(\d+\)\s*\+\s*){6}|[[\]()!+]{200}/.test(text))
      add(number, obfuscated, text);
  }
  const names = file.raw.match(/\b_0x[0-9a-f]{4,8}\b/g)?.length ?? 0;
  if (names >= 5) add(1, obfuscated, `${names} names such as _0x1a2b`);
  const longest = file.lines.reduce((most, { text }) => Math.max(most, text.length), 0);
  if (longest >= 2_000)
    add(
      1,
      "It has very long lines, as minified code does; look at where it came from.",
      `${longest} characters`,
    );
  return findings;
};

const commandLike =
  /\b(?:curl|wget|bash|powershell|invoke-|iex|nc -|chmod|eval\(|exec\(|child_process|subprocess|os\.system|\/bin\/sh)|https?:\/\//i;

/** Base64 that is a command or an address once decoded, in any text. */
const encodedTextRule: FileRule = (file) =>
  file.lines.flatMap(({ number, text }): PackageFinding[] => {
    for (const [blob] of text.matchAll(/(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{24,4000}={0,2}/g)) {
      const decoded = readable(blob);
      if (decoded === undefined || !commandLike.test(decoded)) continue;
      const isCommand = /\b(?:curl|wget|bash|powershell|invoke-|iex|chmod|eval\(|exec\(|\/bin\/sh)/i.test(
        decoded,
      );
      const message = "It carries a command or an address in encoded form; decoded it is shown here.";
      const severity = isCommand ? "danger" : "warning";
      return [{ severity, code: "encoded_command", message, ...placeIn(file, number, decoded) }];
    }
    return [];
  });

/** The text that a base64 string encodes, in UTF-8 or as PowerShell writes it; undefined if there is none. */
function readable(blob: string): string | undefined {
  const bytes = Buffer.from(blob, "base64");
  const text = bytes.includes(0) ? bytes.toString("utf16le") : bytes.toString("utf8");
  return /^[\x20-\x7e\s]{12,}$/.test(text) ? text : undefined;
}

/** Actions of code that a person should know about. */
export const codeRule: FileRule = (file, subject) => [
  ...patternRule(file, subject),
  ...obfuscationRule(file, subject),
  ...encodedTextRule(file, subject),
];
