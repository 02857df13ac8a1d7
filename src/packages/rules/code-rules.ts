import { type LinePattern, linePatternRule } from "./line-patterns.ts";

const code: LinePattern["roles"] = ["code"];
const python = [".py", ".pyw"];
const javascript = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"];
const unreadable = {
  severity: "warning" as const,
  code: "unreadable_code",
  message: "It makes the names of what it calls while it runs, so that no reader sees what it does.",
  roles: code,
};

/** What code can do, and where it hides what it does; and keys that were left in a package, which all who have it can use. */
export const codeRule = linePatternRule([
  {
    severity: (_, { role }) => (role === "code" ? "warning" : "info"),
    code: "reads_credentials",
    message: "It names places where keys and passwords of a machine are kept.",
    explainedBy:
      /\b(?:ssh|sftp|aws|s3|cloud|gcloud|azure|kube\w*|docker|git|github|npm|pypi|deploy\w*|credentials?|secrets?|passwords?|keychain|keys?|auth\w*|login|cookies?|browser|backup\w*|server|remote|hosts?|wallets?|config\w*|sessions?|memory|agents?|openclaw|clawdbot|moltbot|cli)\b/i,
    form: /(?:[~/\\]|\$HOME\/|["'`])\.(?:ssh\b|aws\/|gnupg\b|kube\/config|docker\/config|netrc\b|git-credentials|npmrc\b|pypirc\b|config\/gcloud|azure\/|password-store)|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:shadow|sudoers)\b|\/proc\/(?:self|\d+|\*)\/(?:environ|mem)\b|Login Data\b|Cookies\.binarycookies|key4\.db|logins\.json|\bwallet\.dat\b|Library\/Keychains|Local Extension Settings|169\.254\.169\.254|metadata\.google\.internal|security\s+(?:find-(?:generic|internet)-password|dump-keychain)|\.(?:openclaw|clawdbot|moltbot)\/(?:\.env|openclaw\.json|agents\/\S{1,60}sessions)|auth-profiles\.json/,
  },
  {
    severity: "info",
    code: "reads_whole_environment",
    message: "It takes all environment variables at once, not those it needs.",
    roles: code,
    form: /\b(?:JSON\.stringify|Object\.(?:entries|keys|values))\s*\(\s*process\.env\s*[),]|\b(?:str|repr|json\.dumps)\s*\(\s*(?:dict\s*\(\s*)?os\.environ\b(?!\.get|\[)|\bos\.environ\.items\s*\(|\bprintenv\b(?!\s+\w)|(?:^|[;&|(`]\s*)env\s*\||\/proc\/self\/environ|\bprocess\s*\[\s*(?!["'`])|\bbody\s*[:=]\s*process\.env\b/,
  },
  {
    severity: "info",
    code: "reads_all_files",
    message: "It reads whatever files it finds: those of the conversation, or of the machine.",
    roles: code,
    form: /\bos\.walk\s*\(|\.rglob\s*\(\s*["']\*["']|\.glob\s*\(\s*["'](?:\*\*\/)?\*(?:\.\*)?["']|\.iterdir\s*\(|\bos\.(?:listdir|scandir)\s*\(|\breaddir(?:Sync)?\s*\(|glob\.glob\s*\(\s*["'`][^"'`]*\*["'`]|\bfind\s+["']?(?:\$|\.|~|\/)\S*(?!.{0,60}-maxdepth).{0,60}-type f/,
  },
  {
    severity: "info",
    code: "network",
    message: "It uses the network.",
    roles: code,
    form: /\bfetch\s*\(|\brequests\.(?:get|post|put|delete|patch|request|Session)\b|\burllib(?:3|\.request)?\b|\burlopen\b|\bhttpx\b|\baiohttp\b|\baxios\b|["'](?:node:)?(?:https?|net|tls|dgram|dns)(?:\/promises)?["']|\bsocket\.(?:socket|create_connection|gethostbyname|getaddrinfo)\b|\bXMLHttpRequest\b|\bWebSocket\s*\(|\b(?:curl|wget)\s|\bNet::HTTP\b|\bhttp\.client\b|\bsmtplib\b|\bftplib\b|\bsendBeacon\b/,
  },
  {
    severity: "info",
    code: "runs_programs",
    message: "It starts other programs.",
    roles: code,
    form: /["'](?:node:)?child_process["']|\bfrom\s+os\s+import\b.{0,80}\b(?:system|popen|exec[lv]\w{0,2}|spawn\w{1,3})\b|\bos\.(?:system|popen|exec[lv]p?e?|spawn\w*)\s*\(|shell\s*=\s*True|\b(?:shell_exec|passthru|proc_open)\s*\(|\bDeno\.Command\b|\bBun\.spawn\b|\bsubprocess\b|\bcreate_subprocess_\w+\s*\(/,
  },
  {
    severity: "info",
    code: "reaches_outside",
    message: "It reads or writes outside its own folder.",
    roles: code,
    form: /\bos\.homedir\s*\(|expanduser\s*\(|Path\.home\s*\(|\bhomedir\s*\(\)|(?:open|readFile\w{0,20}|writeFile\w{0,20}|createReadStream|rm|unlink)\s*\(\s*["'`](?:\/(?!tmp\b|dev\/(?:null|std))|~|\.\.\/\.\.)|\.\.\/\.\.\/\.\.\//,
  },
  {
    severity: "info",
    code: "native_code",
    message: "It calls compiled code of the machine, which can do what no review of its text shows.",
    roles: code,
    form: /\b(?:CDLL|PyDLL|WinDLL|OleDLL)\s*\(|\bctypes\.(?:cdll|pydll|windll|pythonapi)\b|\bfrom\s+ctypes\s+import\b.{0,80}\b(?:CDLL|PyDLL|cdll|pydll|pythonapi|\*)|\b(?:process|Deno|ffi)\.dlopen\b|["'`](?:bun:ffi|ffi-napi|koffi)["'`]|\bWebAssembly\.(?:compile|instantiate|Module)\w*/,
  },
  {
    severity: "info",
    code: "dynamic_code",
    message: "It makes code out of text while it runs, so that a review cannot see all of what it does.",
    roles: code,
    form: /(?<![.\w$])eval\s*\(|(?<![.\w])exec\s*\(|\bnew\s+Function\s*\(|(?<![.\w$])Function\s*\(\s*["'`]|\bvm\.(?:runIn\w+|Script)\b|\bset(?:Timeout|Interval)\s*\(\s*["'`]|__import__\s*\(|\bimport_module\s*\(|\b(?:marshal|pickle|dill|cloudpickle)\.loads?\s*\(|\b(?:require|import)\s*\(\s*[^"'`)\s][^)]{0,100}\)/,
  },
  {
    ...unreadable,
    endings: python,
    form: /\.__dict__\s*\[|\bsys\.modules\s*\[[^\]\n]{0,60}(?:\.join|["']\s*["'+])|\b(?:builtins|__builtins__)\s*(?:\.__dict__|\[)|\bvars\s*\(\s*(?:__builtins__|builtins)\s*\)|\bgetattr\s*\(\s*(?:__builtins__|builtins|ctypes|subprocess|os)\b\s*,\s*(?!["']\w+["']\s*[,)])|\.__(?:bases?|mro)__\b.{0,40}__subclasses__|\b__subclasses__\s*\(\s*\)\s*\[|\b__globals__\s*\[|\btypes\.(?:Code|Function)Type\b|\bmarshal\.loads\s*\(|(?:globals|locals)\s*\(\s*\)\s*\[[^\]]{1,80}\]\s*\(|(?:\bgetattr\s*\([^,()]{1,60},|\b__import__\s*\(|\bimport_module\s*\(|(?<![.\w])exec\s*\(|(?<![.\w])eval\s*\()\s*(?:[^()]{0,80}["']\s*\+\s*["']|["']{2}\.join|[^()]{0,60}\[::-1\]|[^()]{0,40}\b(?:b64decode|fromhex|unhexlify|decompress|chr)\b|[^()]{0,30}\.decode\()|\bmap\s*\(\s*chr\s*,\s*[[(]\s*\d|\bchr\s*\(\s*\w+\s*\)\s+for\s+\w+\s+in\s*[[(]\s*\d+\s*,|\bbytes\s*\(\s*\[(?:\s*\d+\s*,){3}[^\]]{0,2000}\]\s*\)\s*\.decode\b|\bchr\s*\(\s*ord\s*\(\s*\w+\s*\)\s*[-+^]|\bimport\s+(?:subprocess|os|ctypes|socket|pty)\s+as\s+(?!_?(?:sp|sub\w*|subprocess|os|ct|proc\w*|socket\w*|sock)\b)\w+|\bfrom\s+(?:subprocess|os|builtins)\s+import\s+(?:Popen|run|call|system|popen|exec\w*|eval)\s+as\s+(?!_?(?:run|popen|call|sub\w*|sp\w*)\w*\b)\w+/,
  },
  {
    ...unreadable,
    endings: javascript,
    form: /\b(?:import|require|Worker)\s*\(\s*["'`]data:|\b(?:globalThis|global|window|self|process)\s*\[\s*(?:["'`][^"'`]{0,80}(?:\\[xu]|["'`]\s*\+)|\w+\s*\()|\bfromCharCode\s*\(\s*\.\.\.\s*\[\s*\d|\[(?:\s*\d+\s*,){3}[^\]]{0,2000}\]\s*\.map\s*\(.{0,60}fromCharCode|\bprocess\.binding\b|\bconstructor\s*\.\s*constructor\b|\b(?:require|import)\s*\(\s*(?:["'`][^"'`]{0,40}["'`]\s*\+\s*["'`]|atob\s*\(|Buffer\.from|\[.{0,80}\]\.join|\w+\s*\.(?:split|reverse)\b)|(?<!\bthis)\.\s*constructor\s*(?:(?:\?\.\s*)?\(\s*["'`]|`|\.\s*(?:call|apply|bind)\s*\()|[)\]'"`}]\s*\??\.\s*constructor\b(?!\s*(?:\.\s*(?:name|prototype)\b|[!=]==?))|\bReflect\.\w+\s*\(.{0,60}["'`]constructor["'`]|\[\s*["'`]constructor["'`]\s*\]\s*\(|\.\s*constructor\s*\([^()]{0,200}\)\s*\(|\bconstructor\s*:\s*\w+[^{}]{0,60}\}\s*=|\[\s*["'`]\w{1,40}["'`]\s*\+\s*["'`]\w{1,40}["'`]\s*\]/,
  },
  {
    severity: "warning",
    code: "sends_by_name",
    message: "It looks up names that it makes from data: whoever answers for the domain receives the data.",
    form: /\b(?:gethostbyname\w*|getaddrinfo|resolve\w*|lookup|dig|nslookup|host|ping6?)\b[\s(]{1,3}(?:\+?-?\w+\s+){0,3}["'`]?[^\s,]{0,40}(?:\$\{?[^}\s]{1,60}\}?|\{[^}\s]{1,60}\})(?:\.[\w-]+|\.\$?\{[^}\s]{1,60}\}){0,3}\.[a-z][\w-]*\.[a-z]{2,}\b|\b(?:gethostbyname\w*|getaddrinfo|resolve\w*|lookup)\s*\(\s*[^()"'`]{1,60}\+\s*["'`]\.[\w-]+\.[a-z]/i,
  },
  {
    ...unreadable,
    code: "obfuscated",
    message: "It is written so that people cannot read it, which honest skills have no reason for.",
    form: /fromCharCode\s*\((?:\s*\d+\s*,){8}|(?:chr\(\d+\)\s*\+\s*){6}|[[\]()!+]{200}|\b_0x[0-9a-f]{4,8}\b.{0,400}\b_0x[0-9a-f]{4,8}\b.{0,400}\b_0x[0-9a-f]{4,8}\b/,
  },
  {
    severity: (_, { role }) => (role === "sample" ? "info" : "warning"),
    code: "secret",
    message: "It contains what looks like somebody's key or token. Do not use it, and let them know.",
    isSecret: true,
    form: /(?!.{0,60}(?:x{8}|example|\*{4}|0{12}))(?:\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,90})\b|\bglpat-[A-Za-z0-9_-]{20}\b|\bxox[abeprs]-[A-Za-z0-9-]{20,120}|\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{32,200}|\bAIza[0-9A-Za-z_-]{35}\b|\b[rs]k_live_[A-Za-z0-9]{20,100}\b|\bSG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,50}|\bnpm_[A-Za-z0-9]{36}\b|\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}\b|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----)/,
  },
]);
