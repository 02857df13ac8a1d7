import { type Capability, type FileRule, placeIn } from "../review-subject.ts";
import { oddPlace } from "./hosts.ts";
import { type LinePattern, linePatternRule } from "./line-patterns.ts";
import { isExplained } from "./statements.ts";

const code: LinePattern["roles"] = ["code"];
const python = [".py", ".pyw"];
const javascript = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"];
const unreadable = {
  severity: "warning" as const,
  code: "unreadable_code",
  message: "It makes the names of what it calls while it runs, so that no reader sees what it does.",
  roles: code,
};

const capabilities: readonly LinePattern[] = [
  {
    severity: "info",
    code: "reads_credentials",
    message: "It names places where keys and passwords of a machine are kept.",
    patterns: [
      /(?:[~/\\]|\$HOME\/|["'`])\.(?:ssh\b|aws\/|gnupg\b|kube\/config|docker\/config|netrc\b|git-credentials|npmrc\b|pypirc\b|config\/gcloud|azure\/|password-store)|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:shadow|sudoers)\b|\/proc\/(?:self|\d+|\*)\/(?:environ|mem)\b|Login Data\b|Cookies\.binarycookies|key4\.db|logins\.json|\bwallet\.dat\b|Library\/Keychains|Local Extension Settings|169\.254\.169\.254|metadata\.google\.internal|security\s+(?:find-(?:generic|internet)-password|dump-keychain)|\.(?:openclaw|clawdbot|moltbot)\/(?:\.env|credentials|\w+\.json|agents\/\S+sessions)/,
    ],
  },
  {
    severity: "info",
    code: "reads_whole_environment",
    message: "It takes all environment variables at once, not those it needs.",
    roles: code,
    patterns: [
      /\b(?:JSON\.stringify|Object\.(?:entries|keys|values))\s*\(\s*process\.env\s*[),]|\b(?:str|repr|json\.dumps)\s*\(\s*(?:dict\s*\(\s*)?os\.environ\b(?!\.get|\[)|\bos\.environ\.items\s*\(|\bprintenv\b(?!\s+\w)|(?:^|[;&|(`]\s*)env\s*\||\/proc\/self\/environ|\bprocess\s*\[\s*(?!["'`])|\bbody\s*[:=]\s*process\.env\b/,
    ],
  },
  {
    severity: "info",
    code: "reads_all_files",
    message: "It reads whatever files it finds: those of the conversation, or of the machine.",
    roles: code,
    patterns: [
      /\bos\.walk\s*\(|\.rglob\s*\(\s*["']\*["']|\.glob\s*\(\s*["'](?:\*\*\/)?\*(?:\.\*)?["']|\.iterdir\s*\(|\bos\.(?:listdir|scandir)\s*\(|\breaddir(?:Sync)?\s*\(|glob\.glob\s*\(\s*["'`][^"'`]*\*["'`]|\bfind\s+["']?(?:\$|\.|~|\/)\S*.{0,60}-type f/,
    ],
  },
  {
    severity: "info",
    code: "network",
    message: "It uses the network.",
    roles: code,
    patterns: [
      /\bfetch\s*\(|\brequests\.(?:get|post|put|delete|patch|request|Session)\b|\burllib(?:3|\.request)?\b|\burlopen\b|\bhttpx\b|\baiohttp\b|\baxios\b|["'](?:node:)?(?:https?|net|tls|dgram|dns)(?:\/promises)?["']|\bsocket\.(?:socket|create_connection|gethostbyname|getaddrinfo)\b|\bXMLHttpRequest\b|\bWebSocket\s*\(|\b(?:curl|wget)\s|\bNet::HTTP\b|\bhttp\.client\b|\bsmtplib\b|\bftplib\b|\bsendBeacon\b/,
    ],
  },
  {
    severity: "info",
    code: "runs_programs",
    message: "It starts other programs.",
    roles: code,
    patterns: [
      /["'](?:node:)?child_process["']|\bfrom\s+os\s+import\b.{0,80}\b(?:system|popen|exec[lv]\w{0,2}|spawn\w{1,3})\b|\bos\.(?:system|popen|exec[lv]p?e?|spawn\w*)\s*\(|shell\s*=\s*True|\b(?:shell_exec|passthru|proc_open)\s*\(|\bDeno\.Command\b|\bBun\.spawn\b|\bsubprocess\b|\bcreate_subprocess_\w+\s*\(/,
    ],
  },
  {
    severity: "info",
    code: "reaches_outside",
    message: "It reads or writes outside its own folder.",
    roles: code,
    patterns: [
      /\bos\.homedir\s*\(|expanduser\s*\(|Path\.home\s*\(|\bhomedir\s*\(\)|(?:open|readFile\w{0,20}|writeFile\w{0,20}|createReadStream|rm|unlink)\s*\(\s*["'`](?:\/(?!tmp\b|dev\/(?:null|std))|~|\.\.\/\.\.)|\.\.\/\.\.\/\.\.\//,
    ],
  },
  {
    severity: "info",
    code: "native_code",
    message: "It calls compiled code of the machine, which can do what no review of its text shows.",
    roles: code,
    patterns: [
      /\b(?:CDLL|PyDLL|WinDLL|OleDLL)\s*\(|\bctypes\.(?:cdll|pydll|windll|pythonapi)\b|\bfrom\s+ctypes\s+import\b.{0,80}\b(?:CDLL|PyDLL|cdll|pydll|pythonapi|\*)|\b(?:process|Deno|ffi)\.dlopen\b|["'`](?:bun:ffi|ffi-napi|koffi)["'`]|\bWebAssembly\.(?:compile|instantiate|Module)\w*/,
    ],
  },
  {
    severity: "info",
    code: "dynamic_code",
    message: "It makes code out of text while it runs, so that a review cannot see all of what it does.",
    roles: code,
    patterns: [
      /(?<![.\w$])eval\s*\(|(?<![.\w])exec\s*\(|\bnew\s+Function\s*\(|(?<![.\w$])Function\s*\(\s*["'`]|\bvm\.(?:runIn\w+|Script)\b|\bset(?:Timeout|Interval)\s*\(\s*["'`]|__import__\s*\(|\bimport_module\s*\(|\b(?:marshal|pickle|dill|cloudpickle)\.loads?\s*\(|\b(?:require|import)\s*\(\s*[^"'`)\s][^)]{0,100}\)/,
    ],
  },
  {
    ...unreadable,
    endings: python,
    patterns: [
      /\b(?:builtins|__builtins__)\s*(?:\.__dict__|\[)|\bvars\s*\(\s*(?:__builtins__|builtins)\s*\)|\bgetattr\s*\(\s*(?:__builtins__|builtins|ctypes|subprocess|os)\b\s*,\s*(?!["']\w+["']\s*[,)])|\.__(?:bases?|mro)__\b.{0,40}__subclasses__|\b__subclasses__\s*\(\s*\)\s*\[|\b__globals__\s*\[|\btypes\.(?:Code|Function)Type\b|\bmarshal\.loads\s*\(|(?:globals|locals)\s*\(\s*\)\s*\[[^\]]{1,80}\]\s*\(/,
      /(?:\bgetattr\s*\([^,()]{1,60},|\b__import__\s*\(|\bimport_module\s*\(|(?<![.\w])exec\s*\(|(?<![.\w])eval\s*\()\s*(?:[^()]{0,80}["']\s*\+\s*["']|["']{2}\.join|.{0,60}\[::-1\]|.{0,40}\b(?:b64decode|fromhex|unhexlify|decompress|chr)\b|.{0,30}\.decode\()/,
      /\bmap\s*\(\s*chr\s*,\s*[[(]\s*\d|\bchr\s*\(\s*\w+\s*\)\s+for\s+\w+\s+in\s*[[(]\s*\d+\s*,|\bbytes\s*\(\s*\[(?:\s*\d+\s*,){3}[^\]]{0,2000}\]\s*\)\s*\.decode\b|\bchr\s*\(\s*ord\s*\(\s*\w+\s*\)\s*[-+^]/,
      /\bimport\s+(?:subprocess|os|ctypes|socket|pty)\s+as\s+(?!_?(?:sp|sub\w*|subprocess|os|ct|proc\w*|socket\w*|sock)\b)\w+|\bfrom\s+(?:subprocess|os|builtins)\s+import\s+(?:Popen|run|call|system|popen|exec\w*|eval)\s+as\s+(?!_?(?:run|popen|call|sub\w*|sp\w*)\w*\b)\w+/,
    ],
  },
  {
    ...unreadable,
    endings: javascript,
    patterns: [
      /\b(?:import|require|Worker)\s*\(\s*["'`]data:|\b(?:globalThis|global|window|self|process)\s*\[\s*(?:["'`][^"'`]{0,80}(?:\\[xu]|["'`]\s*\+)|\w+\s*\()|\bfromCharCode\s*\(\s*\.\.\.\s*\[\s*\d|\[(?:\s*\d+\s*,){3}[^\]]{0,2000}\]\s*\.map\s*\(.{0,60}fromCharCode|\bprocess\.binding\b|\bconstructor\s*\.\s*constructor\b/,
      /\b(?:require|import)\s*\(\s*(?:["'`][^"'`]{0,40}["'`]\s*\+\s*["'`]|atob\s*\(|Buffer\.from|\[.{0,80}\]\.join|\w+\s*\.(?:split|reverse)\b)/,
      /(?<!\bthis)\.\s*constructor\s*(?:(?:\?\.\s*)?\(\s*["'`]|`|\.\s*(?:call|apply|bind)\s*\()|[)\]'"`}]\s*\??\.\s*constructor\b(?!\s*(?:\.\s*(?:name|prototype)\b|[!=]==?))|\bReflect\.\w+\s*\(.{0,60}["'`]constructor["'`]|\[\s*["'`]constructor["'`]\s*\]\s*\(|\.\s*constructor\s*\([^()]{0,200}\)\s*\(|\bconstructor\s*:\s*\w+[^{}]{0,60}\}\s*=|\[\s*["'`]\w{1,40}["'`]\s*\+\s*["'`]\w{1,40}["'`]\s*\]/,
    ],
  },
  {
    severity: "warning",
    code: "sends_by_name",
    message: "It looks up names that it makes from data: whoever answers for the domain receives the data.",
    patterns: [
      /\b(?:gethostbyname\w*|getaddrinfo|resolve\w*|lookup|dig|nslookup|host|ping6?)\b[\s(]{1,3}(?:\+?-?\w+\s+){0,3}["'`]?[^\s,]{0,40}(?:\$\{?[^}\s]{1,60}\}?|\{[^}\s]{1,60}\})(?:\.[\w-]+|\.\$?\{[^}\s]{1,60}\}){0,3}\.[a-z][\w-]*\.[a-z]{2,}\b/i,
      /\b(?:gethostbyname\w*|getaddrinfo|resolve\w*|lookup)\s*\(\s*[^()"'`]{1,60}\+\s*["'`]\.[\w-]+\.[a-z]/i,
    ],
  },
];

const obfuscated = "It is written so that people cannot read it, which honest skills have no reason for.";
const commandLike =
  /\b(?:curl|wget|bash|powershell|invoke-|iex|nc -|chmod|eval\(|exec\(|child_process|subprocess|os\.system|\/bin\/sh)|https?:\/\//i;

/** Text that has to be decoded to be read: encoded, escaped, shifted or reversed. */
const encodedTextRule: FileRule = (file, subject) => {
  const isMinified =
    /\.min\.\w+$|\.(?:umd|bundle)\.\w+$|(?:^|\/)(?:vendor|dist)\//.test(file.path) ||
    /^\s*\/\*!|^\s*\/\/! /.test(file.raw.slice(0, 200));
  const found: Capability[] = [];
  const add = (
    severity: Capability["severity"],
    kind: string,
    message: string,
    line: number,
    text: string,
  ) => {
    const isMeant = !subject.purpose.isAboutAttacks && !isExplained({ said: text });
    found.push({ severity: isMeant ? severity : "info", code: kind, message, ...placeIn(file, line, text) });
  };
  for (const { number, text, role } of file.lines.slice(0, 20_000)) {
    if (found.length >= 20) break;
    const decoded = decodedIn(text);
    if (decoded !== undefined) {
      const isCommand = /\b(?:curl|wget|bash|powershell|invoke-|iex|chmod|eval\(|exec\(|\/bin\/sh)/i.test(
        decoded,
      );
      const message =
        "It carries a command, an address or instructions in encoded form; decoded it is shown here.";
      add(
        isCommand && oddPlace(decoded) !== undefined ? "danger" : "warning",
        "encoded_command",
        message,
        number,
        decoded,
      );
    }
    const shifted = shiftedText(text);
    if (shifted !== undefined)
      add(
        "warning",
        "encoded_text",
        `It has a text with ${shifted}, which a reader does not see and a model can read.`,
        number,
        text,
      );
    if (
      role === "code" &&
      !isMinified &&
      /fromCharCode\s*\((?:\s*\d+\s*,){8}|(?:chr\(\d+\)\s*\+\s*){6}|[[\]()!+]{200}/.test(text)
    )
      add("warning", "obfuscated", obfuscated, number, text);
  }
  const names = new Set(file.raw.match(/\b_0x[0-9a-f]{4,8}\b/g)).size;
  if (names >= 3) add("warning", "obfuscated", obfuscated, 1, `${names} names such as _0x1a2b`);
  const longest = file.lines.reduce((most, { text }) => Math.max(most, text.length), 0);
  if (file.role === "code" && longest >= 2_000) {
    const message = "It has very long lines, as minified code does; look at where it came from.";
    add("info", "minified", message, 1, `${longest} characters`);
  }
  return found;
};

/** The first command or address in base64, hex or escapes; undefined if there is none. */
function decodedIn(text: string): string | undefined {
  for (const [blob] of text.matchAll(
    /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{24,4000}={0,2}|(?:\\x[0-9a-fA-F]{2}){12,1000}/g,
  )) {
    const hex = blob.replaceAll("\\x", "");
    const isHex = /^[0-9a-f]+$/i.test(hex) && hex.length % 2 === 0;
    const bytes = isHex ? Buffer.from(hex, "hex") : Buffer.from(blob, "base64");
    const decoded = bytes.includes(0) ? bytes.toString("utf16le") : bytes.toString("utf8");
    if (/^[\x20-\x7e\s]{10,}$/.test(decoded) && (commandLike.test(decoded) || sentenceLike.test(decoded)))
      return decoded;
  }
  return undefined;
}

const sentenceLike =
  /^(?=.*\b(?:send|agent|always|never|ignore|user|memory|call|run|do not|instructions?)\b)(?:\S{1,20}\s){5}/i;

/** Frequent words, by their form with letters shifted in the alphabet or in reverse order. */
const disguised = new Map(
  ["the", "and", "you", "that", "user", "with", "this", "for", "not", "your", "from", "send", "what"].flatMap(
    (word) => [
      ...Array.from({ length: 25 }, (_, at) => [shift(word, at + 1), at + 1] as const),
      [[...word].toReversed().join(""), 0] as const,
    ],
  ),
);
const plain =
  /\b(?:the|and|you|that|user|with|this|for|not|your|from|send|what|is|of|to|in|on|are|der|die|und|le|la|les|el|los)\b/gi;

function shift(text: string, by: number): string {
  return [...text]
    .map((letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + by) % 26)))
    .join("");
}

/** How a line of text is disguised: four frequent words in one disguise, and more than there are plain ones. */
function shiftedText(text: string): string | undefined {
  if (text.length < 40) return undefined;
  const counts = new Map<number, Set<string>>();
  for (const [word] of text.slice(0, 4_000).matchAll(/\b[a-z]{3,4}\b/gi)) {
    const by = disguised.get(word.toLowerCase());
    if (by !== undefined) counts.set(by, (counts.get(by) ?? new Set()).add(word.toLowerCase()));
  }
  const [by, words] = [...counts].toSorted((a, b) => b[1].size - a[1].size)[0] ?? [0, new Set()];
  if (words.size < 4 || words.size <= (text.match(plain)?.length ?? 0)) return undefined;
  return by === 0 ? "its letters in reverse order" : `its letters shifted (rot${26 - by})`;
}

const patternRule = linePatternRule(capabilities);

/** What code can do, and where it hides what it does. */
export const codeRule: FileRule = (file, subject) => [
  ...patternRule(file, subject),
  ...encodedTextRule(file, subject),
];
