import { madeName } from "../review-code.ts";
import { type Capability, type FileRule, type Code, foundIn } from "../review-subject.ts";

import { inCode, signRule, signs, warning } from "./signs.ts";

/** What a statement of code does: what it uses, where data comes from, where it goes. */
export type Act =
  | "network"
  | "posts"
  | "queries"
  | "reads"
  | "given"
  | "decodes"
  | "files"
  | "environment"
  | "identity"
  | "runs"
  | "makes"
  | "looksUp"
  | "native"
  | "outside";

/**
 * The names for it in the languages of scripts: `x` anywhere in a path such as `a.x.b`, `x()` called alone, `.x()` as a method. What only a
 * pattern can tell follows in `shapes`.
 */
const names: Record<Act, string> = {
  network: `fetch() requests urllib urllib3 urlopen urlretrieve httpx aiohttp axios http.client HTTPSConnection HTTPConnection http.get http.request https.get
    https.request socket.socket create_connection createConnection gethostbyname getaddrinfo XMLHttpRequest WebSocket websocket websockets sendBeacon curl wget
    Net.HTTP smtplib SMTP SMTP_SSL ftplib FTP paramiko telnetlib nodemailer undici xmlrpc got() superagent ncat scp sftp rsync telnet pycurl reqwest HttpClient
    http.Get http.Post http.NewRequest file_get_contents() HTTParty Faraday RestClient EventSource imaplib boto3 lookup()`,
  posts: `.post() .put() .patch() .send() .sendall() .sendto() .sendmail() .send_message() .sendMail() .send_bytes() .storbinary() .storlines() .put_object()
    .putObject() .upload_file() .upload_fileobj() .append_row() sendBeacon WebSocket() mail() http.Post() http.PostForm() scp rsync sftp post() put()`,
  queries: `urlencode() URLSearchParams encodeURIComponent() quote() quote_plus() searchParams`,
  reads: `open() .open() .read() .read_text() .read_bytes() .readlines() readFile readFileSync createReadStream readAsText cat stdin file_get_contents ReadFile
    ReadAll File.read .load() DictReader read_csv PdfReader Document()`,
  given: `stdin argv parse_args parseArgs positionals KNACK_WORKSPACE input() handler attachment attachments prompt()`,
  decodes: `b64decode atob fromhex unhexlify decompress marshal a85decode b85decode b32decode`,
  files: `os.walk .rglob() .glob() .iterdir() os.listdir listdir() os.scandir scandir() readdir readdirSync glob.glob globSync walk() walkSync make_archive
    tarfile.open walkdir`,
  environment: `os.environ.items printenv environ.items env.to_h`,
  identity: `KNACK_USER_ID KNACK_THREAD_ID KNACK_AGENT_ID LINX_USER_ID LINX_SESSION_ID LINX_AGENT_ID getpass.getuser getuser() os.getlogin getlogin() userInfo
    platform.node platform.uname gethostname hostname() os.hostname whoami getnode networkInterfaces getpwuid`,
  runs: `child_process subprocess os.system os.popen popen() shell_exec passthru proc_open Deno.Command Bun.spawn create_subprocess_exec create_subprocess_shell
    os.execv os.execvp os.execl os.execve os.spawnl os.spawnv execa exec.Command`,
  looksUp: `gethostbyname getaddrinfo resolve4 resolve6 resolveTxt resolveMx resolveCname dns.resolve dns.lookup dns.resolver nslookup dig getent`,
  makes: `eval() exec() Function() runInThisContext runInNewContext runInContext vm.Script __import__() import_module marshal.loads pickle.loads pickle.load
    dill.loads cloudpickle.loads compile() execfile() instance_eval class_eval`,
  native: `CDLL PyDLL WinDLL OleDLL ctypes.cdll ctypes.pydll ctypes.windll ctypes.pythonapi process.dlopen Deno.dlopen WebAssembly.compile WebAssembly.instantiate
    WebAssembly.Module WebAssembly.instantiateStreaming`,
  outside: `os.homedir homedir() expanduser Path.home`,
};

const shapes = signs<Act>`
  network ${/\bgit\s+(?:push|remote\s+add)\s[^;|&]{0,80}:\/\/|["'](?:node:)?(?:https?|net|tls|dgram|dns)(?:\/promises)?["']|"wss?:\/\/|\/dev\/(?:tcp|udp)\/|\bInvoke-(?:RestMethod|WebRequest)\b|\bnc\s+[-\w"$]/}
  posts ${/\bmethod\s*[:=]\s*"(?:POST|PUT|PATCH)|\brequest\s*\(\s*"(?:POST|PUT|PATCH)|\b(?:Request|urlopen)\s*\(.{0,300}\bdata\s*=|\burlopen\s*\([^()]{1,200},\s*\w|-Method\s+"?(?:POST|PUT)/i}
  posts ${/\s-X\s*"?(?:POST|PUT)|\s(?:--data\S*|--post-(?:data|file)\S*|-d|-F|-T|--upload-file|--form|--json)[\s="]|\|\s*(?:nc|ncat|telnet|ssh|mail|sendmail)\s|>\s*\/dev\/(?:tcp|udp)\/|\b(?:req\w*|sock\w*|conn\w*|client|writer|stream)\.write\s*\(|\.end\s*\(\s*\w/i}
  queries ${/\bparams\s*=/}
  posts ${/\brclone\s+copy|\bgit\s+(?:push|remote\s+add)\s[^;|&]{0,80}:\/\/|\bgh\s+gist\s+create/}
  queries ${/(?:https?:\/\/[^\s"]{1,200}|\bpath\s*:\s*"[^"]{0,200})(?:\$?\{|"\s*\+)[^"}]{0,40}(?:text|data|content|part|chunk|body|payload|message|blob|encode|line|note|secret)/i}
  given ${/\bopen\(\s{0,4}(?:sys\.argv|args?\.)|\bcat\s{1,4}"?\$\{?[1@]|\$\(\s{0,4}<\s{0,4}"?\$1|"\$\{?[1@]|@"?\$\{?[1@]|\$\{1:/}
  files ${/\bfind\s+["']?(?:\$|\.|~|\/)\S*(?!.{0,60}-maxdepth).{0,60}-type f|\btar\s+\S{0,10}c\S{0,6}\s|\bZipFile\s*\(.{0,80}"w|\bcat\s+["\w/.$-]{0,60}\*|\bKNACK_WORKSPACE\b.{0,60}\*/}
  environment ${/\b(?:JSON\.stringify|Object\.(?:entries|keys|values|assign))\s{0,4}\([^()]{0,20}\bprocess\.env\s{0,4}[),]|\b(?:str|repr|dumps|dict)\s{0,4}\(\s{0,4}(?:dict\s{0,4}\(\s{0,4})?os\.environ\b(?!\.get|\[)|\.\.\.process\.env\b(?=.{0,200}\bbody\b)/}
  environment ${/(?:^|[;&|(`]\s{0,4})(?:env|set|export\s{1,4}-p|declare\s{1,4}-x)\s{0,4}\||\/proc\/self\/environ|\bprocess\s{0,4}\[\s{0,4}(?!["'`])|\b(?:body|data|\w{1,60}\s{0,4}=)\s{0,4}[:=]?\s{0,4}(?:process\.env|os\.environ)\s{0,4}[;,)]?\s{0,4}$/}
  identity ${/\$\(hostname\)|\bgit\s+config\s+(?:--\w+\s+)?user\.(?:email|name)|\bid\s+-un\b|\benviron\W{1,6}(?:get\W{1,3})?(?:USER|USERNAME|LOGNAME)\b/}
  runs ${/\bfrom\s+os\s+import\b.{0,80}\b(?:system|popen|exec[lv]\w{0,2}|spawn\w{1,3})\b|shell\s*=\s*True/}
  makes ${/\bnew\s+Function\s*\(|\bset(?:Timeout|Interval)\s*\(\s*["'`]|\b(?:require|import)\s*\(\s*[^"'`)\s][^)]{0,100}\)/}
  native ${/\bfrom\s+ctypes\s+import\b.{0,80}\b(?:CDLL|PyDLL|cdll|pydll|pythonapi|\*)|["'`](?:bun:ffi|ffi-napi|koffi)["'`]/}
  outside ${/(?:open|readFile\w{0,20}|writeFile\w{0,20}|createReadStream|rm|unlink)\s*\(\s*["'`](?:\/(?!tmp\b|dev\/(?:null|std))|~|\.\.\/\.\.)|\.\.\/\.\.\/\.\.\//}
  decodes ${/\bfrom\s*\([^()]{1,60},\s*"(?:base64|hex)"/}
`;

const acts = new Map<string, Act[]>();
for (const [act, words] of Object.entries(names) as [Act, string][])
  for (const word of words.split(/\s+/)) acts.set(word, [...(acts.get(word) ?? []), act]);

const paths = /([A-Za-z_$][\w$]*(?:(?:::|\.)[A-Za-z_$][\w$]*){0,6})(\s?\()?/g;

/** What a statement does. */
export function actsOf(text: string): Set<Act> {
  const named = [...text.matchAll(paths)].flatMap(([, path = "", call]) => keysOf(path, call !== undefined));
  const shaped = shapes.flatMap(({ name, said }) => (said.test(text) ? [name] : []));
  return new Set([...named.flatMap((key) => acts.get(key) ?? []), ...shaped]);
}

/** The forms in which a path of names may be listed. */
function keysOf(path: string, isCall: boolean): string[] {
  const parts = path.split(/::|\./);
  const within = parts.flatMap((_, at) =>
    parts.slice(at).map((_part, more) => parts.slice(at, at + more + 1)),
  );
  const keys = within.map((each) => each.join("."));
  return isCall ? [...keys, `${path}()`, `.${parts.at(-1)}()`, `${parts.slice(-2).join(".")}()`] : keys;
}

/** The acts that are findings by themselves. */
const codes: Partial<Record<Act, Code>> = {
  network: "network",
  files: "reads_all_files",
  environment: "reads_whole_environment",
  identity: "reads_identity",
  runs: "runs_programs",
  looksUp: "network",
  makes: "dynamic_code",
  native: "native_code",
  outside: "reaches_outside",
};

const actRule: FileRule = (file) =>
  file.role !== "code"
    ? []
    : file.statements.flatMap((line) =>
        [...actsOf(line.text)].flatMap((act) => {
          const code = codes[act];
          return code === undefined ? [] : [foundIn(file, line, "info", code)];
        }),
      );

const keyPlaces =
  /\b(?:ssh|sftp|aws|s3|cloud|gcloud|azure|kube\w*|docker|git|github|npm|pypi|deploy\w*|credentials?|secrets?|passwords?|keychain|keys?|auth\w*|login|cookies?|browser|backup\w*|server|remote|hosts?|wallets?|config\w*|sessions?|memory|agents?|openclaw|clawdbot|moltbot|cli)\b/i;

/** Where code hides what it does, what it takes that nobody gave it, and what it changes for later. */
const codeSigns = signRule(signs<Code>`
  unreadable_code ${/\b(?:__)?builtins(?:__)?\.(?:eval|exec|compile|__import__)\b|\bgetattr\s*\(\s*(?:__builtins__|builtins|ctypes|subprocess|os)\b|__subclasses__\s*\(\s*\)\s*\[|\b__globals__\b|\btypes\.(?:Code|Function)Type\b|\bmarshal\.loads\s*\(/} ${warning} in-code
  unreadable_code ${/(?:globals|locals)\s*\(\s*\)\s*\[[^\]]{1,80}\]\s*\(|(?:\bgetattr\s*\([^,()]{1,60},|\b__import__\s*\(|\bimport_module\s*\(|(?<![.\w])(?:exec|eval)\s*\()[^()]{0,60}(?:\[::-1\]|\b(?:b64decode|fromhex|unhexlify|decompress|chr|decode)\s*\()/} ${warning} in-code
  unreadable_code ${/\bchr\s*\(\s*ord\s*\(\s*\w+\s*\)\s*[-+^]/} ${warning} in-code
  unreadable_code ${/\bimport\s+(?:subprocess|os|ctypes|socket|pty)\s+as\s+(?!_?(?:sp|sub\w*|subprocess|os|ct|proc\w*|socket\w*|sock)\b)\w+|\bfrom\s+(?:subprocess|os|builtins)\s+import\s+(?:Popen|run|call|system|popen|exec\w*|eval)\s+as\s+(?!_?(?:run|popen|call|sub\w*|sp\w*))/} ${warning} in-code
  unreadable_code ${/\b(?:import|require|Worker)\s*\(\s*"data:|\b(?:globalThis|global|window|self|process)\s*\[\s*\w+\s*\(|\bprocess\.binding\b|\bconstructor\s*\.\s*constructor\b|\bReflect\.\w+\s*\(.{0,60}"constructor"|\.\s*constructor\s*\([^()]{0,200}\)\s*\(/} ${warning} in-code
  unreadable_code ${/(?<!\bthis)(?:\?\.|\.)\s*constructor\s*(?:(?:\?\.\s*)?\(\s*"|\.\s*(?:call|apply|bind)\s*\()|[)\]"}]\s*\??\.\s*constructor\b(?!\s*(?:\.\s*(?:name|prototype)\b|[!=]==?))|\bconstructor\s*:\s*\w+[^{}]{0,60}\}\s*=/} ${warning} in-code
  obfuscated ${/fromCharCode\s*\((?:\s*\d+\s*,){8}|(?:chr\(\d+\)\s*\+\s*){6}|[[\]()!+]{200}|\b_0x[0-9a-f]{4,8}\b.{0,400}\b_0x[0-9a-f]{4,8}\b.{0,400}\b_0x[0-9a-f]{4,8}\b/} ${warning} in-code
  reads_credentials ${/(?:[~/\\]|\$HOME\/|["'`])\.(?:ssh\b|aws\/|gnupg\b|kube\/config|docker\/config|netrc\b|git-credentials|npmrc\b|pypirc\b|config\/gcloud|azure\/|password-store)|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:shadow|sudoers)\b|\/proc\/(?:self|\d+|\*)\/(?:environ|mem)\b/} ${keyPlaces} ${inCode}
  reads_credentials ${/Login Data\b|Cookies\.binarycookies|key4\.db|logins\.json|\bwallet\.dat\b|Library\/Keychains|Local Extension Settings|169\.254\.169\.254|metadata\.google\.internal|security\s+(?:find-(?:generic|internet)-password|dump-keychain)|\/var\/run\/secrets\b/} ${keyPlaces} ${inCode}
  reads_credentials ${/\.(?:openclaw|clawdbot|moltbot)\/(?:\.env|openclaw\.json|agents\/\S{1,60}sessions)|auth-profiles\.json|\.(?:bash|zsh|python|psql|mysql)_history\b|\bpbpaste\b|\bpyperclip\.paste\b|\bxclip\b.{0,20}-o\b|\bkeyring\.get_password\b/} ${keyPlaces} ${inCode}
  changes_agent ${/\b(?:SOUL|AGENTS|MEMORY|IDENTITY|CLAUDE|HEARTBEAT|TOOLS)\.md\b|\.cursorrules\b|copilot-instructions\.md/} in-code
  changes_agent ${/"[^"]{0,60}\*\/SKILL\.md"|\.\.\/[^"]{0,60}SKILL\.md/} ${/\bskills?\b/i} ${warning} in-code
  persistence ${/\.git\/hooks\b|\b(?:site|user)customize\.py\b|\.pth"|\bPYTHONSTARTUP\b|\bautostart\/|LaunchAgents\//} ${/\b(?:hooks?|git|cron\w*|schedul\w*|daemon|services?|autostart|launchd|startup|install\w*|setup)\b/i} ${warning} in-code
  steers_answers ${/(?:replace|sub|iban|payee|account|recipient)\W.{0,80}"[A-Z]{2}\d{2}[ \dA-Z]{11,40}"|\b[A-Z]{2}\d{2} ?(?:\d{4} ?){3,6}.{0,60}(?:replace|sub)\b|"[?&](?:via|aff|tag|affiliate|partner|ref)=[\w-]{3,40}"/} ${/\b(?:affiliate|referral|example|test|sample|valid\w*)\b/i} ${warning} in-code
`);

/** What code can do, and where it hides what it does. */
export const codeRule: FileRule = (file, subject) =>
  [actRule, codeSigns, madeNames].flatMap((rule) => rule(file, subject));

/** Names that a program makes of pieces, so that nobody finds them in its text. */
const madeNames: FileRule = (file, { purpose }) => {
  if (file.role !== "code" || purpose.isAboutAttacks) return [];
  const found: Capability[] = [];
  for (const line of file.statements) {
    const name = found.length < 20 ? madeName(line, file.raw) : undefined;
    if (name !== undefined)
      found.push(
        foundIn(file, line, "warning", "unreadable_code", `It makes up a name while it runs: ${name}.`),
      );
  }
  return found;
};
