import { madeName } from "../review-code.ts";
import { type Capability, type FileRule, foundIn } from "../review-subject.ts";
import { inCode, signRule, warning } from "./signs.ts";
import { table } from "./table.ts";

/** What code is able to do; and what keeps readers from seeing what it does, in Python, in JavaScript, in any language. */
const signs = signRule(table`
  reads_whole_environment said ${/\b(?:JSON\.stringify|Object\.(?:entries|keys|values))\s{0,4}\(\s{0,4}process\.env\s{0,4}[),]|\b(?:str|repr|json\.dumps)\s{0,4}\(\s{0,4}(?:dict\s{0,4}\(\s{0,4})?os\.environ\b(?!\.get|\[)|\bos\.environ\.items\s{0,4}\(|\bprintenv\b(?!\s{1,4}\w)|(?:^|[;&|(`]\s{0,4})env\s{0,4}\||\/proc\/self\/environ|\bprocess\s{0,4}\[\s{0,4}(?!["'`])|\bbody\s{0,4}[:=]\s{0,4}process\.env\b|\bdict\s{0,4}\(\s{0,4}os\.environ\s{0,4}\)|\b\w{1,60}\s{0,4}=\s{0,4}(?:os\.environ|process\.env)\s{0,4};?\s{0,4}$|\bdata\s{0,4}=\s{0,4}os\.environ\b|\.\.\.process\.env\b(?=.{0,200}\bbody\b)|(?:^|[;&|(]\s{0,4})(?:export\s{1,4}-p|declare\s{1,4}-x|set)\s{0,4}\|/} in-code
  reads_all_files said ${/\bos\.walk\s*\(|\.r?glob\s*\(\s*"[^"]{0,80}\*|\.iterdir\s*\(|\bos\.(?:listdir|scandir)\s*\(|\breaddir(?:Sync)?\s*\(|glob\.glob\s*\(\s*["'`][^"'`]*\*["'`]|\bfind\s+["']?(?:\$|\.|~|\/)\S*(?!.{0,60}-maxdepth).{0,60}-type f|\bwalkSync?\s*\(|\btar\s+\S{0,10}c\S{0,6}\s|\b(?:make_archive|tarfile\.open|ZipFile)\s*\(.{0,80}"w|\bcat\s+["\w/.$-]{0,60}\*|\bKNACK_WORKSPACE\b.{0,60}\*/} in-code
  network said ${/\bfetch\s*\(|\bhttps?\.(?:get|request)\s*\(|\brequests\.(?:get|post|put|delete|patch|request|Session)\b|\burllib(?:3|\.request)?\b|\burlopen\b|\bhttpx\b|\baiohttp\b|\baxios\b|["'](?:node:)?(?:https?|net|tls|dgram|dns)(?:\/promises)?["']|\bsocket\.(?:socket|create_connection|gethostbyname|getaddrinfo)\b|\bXMLHttpRequest\b|\bWebSocket\s*\(|\b(?:curl|wget)\s|\bNet::HTTP\b|\bhttp\.client\b|\bsmtplib\b|\bftplib\b|\bsendBeacon\b|"wss?:\/\/|\bWebSocket\b|\bHTTPS?Connection\s*\(|\b(?:paramiko|websockets?|telnetlib|nodemailer|undici|xmlrpc)\b|\b(?:ncat|scp|sftp|rsync|telnet)\s|\bnc\s+[-\w"$]|\/dev\/(?:tcp|udp)\/|\bInvoke-(?:RestMethod|WebRequest)\b|"(?:curl|wget|nc|scp|rsync)"/} in-code
  runs_programs said ${/["'](?:node:)?child_process["']|\bfrom\s+os\s+import\b.{0,80}\b(?:system|popen|exec[lv]\w{0,2}|spawn\w{1,3})\b|\bos\.(?:system|popen|exec[lv]p?e?|spawn\w*)\s*\(|shell\s*=\s*True|\b(?:shell_exec|passthru|proc_open)\s*\(|\bDeno\.Command\b|\bBun\.spawn\b|\bsubprocess\b|\bcreate_subprocess_\w+\s*\(/} in-code
  reaches_outside said ${/\bos\.homedir\s*\(|expanduser\s*\(|Path\.home\s*\(|\bhomedir\s*\(\)|(?:open|readFile\w{0,20}|writeFile\w{0,20}|createReadStream|rm|unlink)\s*\(\s*["'`](?:\/(?!tmp\b|dev\/(?:null|std))|~|\.\.\/\.\.)|\.\.\/\.\.\/\.\.\//} in-code
  native_code said ${/\b(?:CDLL|PyDLL|WinDLL|OleDLL)\s*\(|\bctypes\.(?:cdll|pydll|windll|pythonapi)\b|\bfrom\s+ctypes\s+import\b.{0,80}\b(?:CDLL|PyDLL|cdll|pydll|pythonapi|\*)|\b(?:process|Deno|ffi)\.dlopen\b|["'`](?:bun:ffi|ffi-napi|koffi)["'`]|\bWebAssembly\.(?:compile|instantiate|Module)\w*/} in-code
  dynamic_code said ${/(?<![.\w$])eval\s*\(|(?<![.\w])exec\s*\(|\bnew\s+Function\s*\(|(?<![.\w$])Function\s*\(\s*["'`]|\bvm\.(?:runIn\w+|Script)\b|\bset(?:Timeout|Interval)\s*\(\s*["'`]|__import__\s*\(|\bimport_module\s*\(|\b(?:marshal|pickle|dill|cloudpickle)\.loads?\s*\(|\b(?:require|import)\s*\(\s*[^"'`)\s][^)]{0,100}\)/} in-code
  reads_identity said ${/\b(?:KNACK|LINX)_(?:USER_ID|THREAD_ID|AGENT_ID|SESSION_ID)\b|\bgetpass\.getuser\s*\(|\bos\.getlogin\s*\(|\buserInfo\s*\(|\bplatform\.node\s*\(|\bgethostname\s*\(|\bos\.hostname\s*\(|\bwhoami\b|\$\(hostname\)|\bgit\s+config\s+(?:--\w+\s+)?user\.(?:email|name)/} in-code
  unreadable_code said ${/\b(?:__)?builtins(?:__)?\.(?:eval|exec|compile|__import__)\b|\bgetattr\s*\(\s*(?:__builtins__|builtins|ctypes|subprocess|os)\b|__subclasses__\s*\(\s*\)\s*\[|\b__globals__\b|\btypes\.(?:Code|Function)Type\b|\bmarshal\.loads\s*\(|(?:globals|locals)\s*\(\s*\)\s*\[[^\]]{1,80}\]\s*\(|(?:\bgetattr\s*\([^,()]{1,60},|\b__import__\s*\(|\bimport_module\s*\(|(?<![.\w])(?:exec|eval)\s*\()[^()]{0,60}(?:\[::-1\]|\b(?:b64decode|fromhex|unhexlify|decompress|chr|decode)\s*\()|\bchr\s*\(\s*ord\s*\(\s*\w+\s*\)\s*[-+^]|\bimport\s+(?:subprocess|os|ctypes|socket|pty)\s+as\s+(?!_?(?:sp|sub\w*|subprocess|os|ct|proc\w*|socket\w*|sock)\b)\w+|\bfrom\s+(?:subprocess|os|builtins)\s+import\s+(?:Popen|run|call|system|popen|exec\w*|eval)\s+as\s+(?!_?(?:run|popen|call|sub\w*|sp\w*)\w*\b)\w+/} judge ${warning} in-code
  unreadable_code said ${/\b(?:import|require|Worker)\s*\(\s*"data:|\b(?:globalThis|global|window|self|process)\s*\[\s*\w+\s*\(|\bprocess\.binding\b|\bconstructor\s*\.\s*constructor\b|(?<!\bthis)(?:\?\.|\.)\s*constructor\s*(?:(?:\?\.\s*)?\(\s*"|\.\s*(?:call|apply|bind)\s*\()|[)\]"}]\s*\??\.\s*constructor\b(?!\s*(?:\.\s*(?:name|prototype)\b|[!=]==?))|\bReflect\.\w+\s*\(.{0,60}"constructor"|\.\s*constructor\s*\([^()]{0,200}\)\s*\(|\bconstructor\s*:\s*\w+[^{}]{0,60}\}\s*=/} judge ${warning} in-code
  obfuscated said ${/fromCharCode\s*\((?:\s*\d+\s*,){8}|(?:chr\(\d+\)\s*\+\s*){6}|[[\]()!+]{200}|\b_0x[0-9a-f]{4,8}\b.{0,400}\b_0x[0-9a-f]{4,8}\b.{0,400}\b_0x[0-9a-f]{4,8}\b/} judge ${warning} in-code
  reads_credentials said ${/(?:[~/\\]|\$HOME\/|["'`])\.(?:ssh\b|aws\/|gnupg\b|kube\/config|docker\/config|netrc\b|git-credentials|npmrc\b|pypirc\b|config\/gcloud|azure\/|password-store)|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:shadow|sudoers)\b|\/proc\/(?:self|\d+|\*)\/(?:environ|mem)\b|Login Data\b|Cookies\.binarycookies|key4\.db|logins\.json|\bwallet\.dat\b|Library\/Keychains|Local Extension Settings|169\.254\.169\.254|metadata\.google\.internal|security\s+(?:find-(?:generic|internet)-password|dump-keychain)|\.(?:openclaw|clawdbot|moltbot)\/(?:\.env|openclaw\.json|agents\/\S{1,60}sessions)|auth-profiles\.json|\.(?:bash|zsh|python|psql|mysql)_history\b|\bpbpaste\b|\bpyperclip\.paste\b|\bxclip\b.{0,20}-o\b|\bkeyring\.get_password\b|\/var\/run\/secrets\b/} unless ${/\b(?:ssh|sftp|aws|s3|cloud|gcloud|azure|kube\w*|docker|git|github|npm|pypi|deploy\w*|credentials?|secrets?|passwords?|keychain|keys?|auth\w*|login|cookies?|browser|backup\w*|server|remote|hosts?|wallets?|config\w*|sessions?|memory|agents?|openclaw|clawdbot|moltbot|cli)\b/i} judge ${inCode}
`);

/** What code can do, and where it hides what it does. */
export const codeRule: FileRule = (file, subject) => [...signs(file, subject), ...madeNames(file, subject)];

/** Names that a program makes of pieces, so that nobody finds them in its text. */
const madeNames: FileRule = (file, { purpose }) => {
  if (file.role !== "code" || purpose.isAboutAttacks) return [];
  const found: Capability[] = [];
  for (const line of file.statements) {
    const name = madeName(line, file.raw);
    if (name === undefined || found.length >= 20) continue;
    found.push(
      foundIn(file, line, "warning", "unreadable_code", `It makes up a name while it runs: ${name}.`),
    );
  }
  return found;
};
