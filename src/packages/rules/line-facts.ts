import { once } from "../../base/made-once.ts";
import { pattern } from "../../base/pattern.ts";
import { madeName } from "../review-code.ts";
import type { ReviewedLine } from "../review-lines.ts";
import names from "./names.json" with { type: "json" };
import { placeReader, type Written } from "./place-facts.ts";
import type { Purpose } from "./purpose.ts";

const shells = /(?:sudo\s+(?:-\S+\s+)?)?(?:env\s+)?(?:\/usr)?(?:\/local)?(?:\/bin\/)?(?:ba|z|da|k|fi)?sh\b/;
const interpreters = pattern()`(?:${shells}|python[\d.]*\b|node\b|perl\b|ruby\b|php\b|osascript\b|iex\b|invoke-expression\b)`;
const fetchers =
  /(?:curl|wget|fetch|http|aria2c|lwp-request|iwr|irm|invoke-webrequest|invoke-restmethod)(?:\.exe)?\b/;
/** Commands that run their input as a program. `| python3 -m json.tool` reads it as data, a shell never does. */
const runsInput = pattern()`(?:${shells}|(?:python[\d.]*|node|perl|ruby|php|osascript)(?=\s*(?:-(?:\s|$)|$|["'\`;&|)]))|iex\b|invoke-expression\b)`;
/** A call of one of the fetchers, in contrast to a word or a table cell. */
const fetchCall = pattern()`${fetchers}\s+(?:-|["'$<({]|https?:|[\w-]{1,60}\.[a-z]{2})`;
const decoders =
  /(?:base64\s+(?:-\w{0,9}d\w{0,9}|-D|--decode)|openssl\s+(?:enc\s+-d\b|base64\s+-d\b)|xxd\s+-r\b|base32\s+-d\b|\btr\s+\S{2,80}\s+\S{2,80}|\brev\b|\bg?unzip\s+-c|\bzcat\b|\bgpg\s+-d\b)/;
/** `curl -o FILE …; sh FILE`. */
const savesAndStarts = pattern(
  "i",
)`\b${fetchers}[^\n]{0,300}(?:\s-\w{0,6}[oO]|--output|--output-document|-outfile|>)[\s=]{0,3}["']?(?!\/dev\/)([^\s"';|&<>]{3,100})[^]{0,600}?(?:[;&|\n]|\bthen\b)\s{0,20}(?:chmod\b|${interpreters}|\.\/|open\b|start\b|["'$\/])[^\n]{0,100}?\1`;

/**
 * What a line does, in patterns that take time proportional to it: each repetition is bounded or the only one. A fact that is named like a
 * finding is one, as information; `combinations.json` says which facts together are worth a warning.
 */
type Shape = readonly [fact: string, said: RegExp];

/** What nobody should run or open, in any text: commands in code, in prose that tells somebody to, or in data; sheets that fetch, and objects made while they are read. */
// biome-ignore format: one fact a line
const commands: readonly Shape[] = [
  ["encoded_command", pattern("i")`${decoders}[^|\n]{0,200}\|\s*(?:\w{1,40}\s+(?:-?\w{1,40}\s*)?\|\s*)?${runsInput}|(?:eval|${interpreters}\s+-c)\b.{0,30}(?:\$\(|<\(|\`).{0,400}${decoders}`],
  ["encoded_command", /\b(?:powershell|pwsh)(?:\.exe)?\b.{0,120}\s-e(?:nc|ncodedcommand|c)?\s+["']?[A-Za-z0-9+/=]{16}|frombase64string\(.{0,400}(?:\|\s*iex|invoke-expression|::load\()|(?:iex|invoke-expression)\b.{0,200}frombase64string|\b(?:eval|exec|Function)\s*\(.{0,80}(?:atob\s*\(|b64decode\s*\(|["']base64["']|fromhex\s*\(|unhexlify\s*\(|zlib\.decompress)/i],
  ["credential_theft", /osascript\b.{0,300}display dialog.{0,200}(?:password|hidden answer)|\bdscl\b.{0,30}-?authonly\b/i],
  ["backdoor", />\s{0,20}\S{0,60}(?:authorized_keys|\/etc\/(?:rc\.local|ld\.so\.preload|sudoers))|\bsudo\s+(?:visudo|useradd)\b|\bpty\.spawn\(\s{0,4}["'](?:\/bin\/)?(?:ba|z)?sh/i],
  ["shell_to", /\bsh\s{1,4}-i\s{0,4}(?:>&|[<>]\s{0,4}\/dev\/tcp)|\/dev\/tcp\/(?:[\d.]{7,40}|\S{1,80}.{0,40}0>&1)|mkfifo\b.{0,120}\bnc\b|\bn(?:c|cat)\b.{0,40}\s-\w{0,4}e\s{1,4}\/\S{0,40}sh\b|socat\b.{0,80}exec:/i],
  ["reads_credentials", /(?:[~/\\]|\$HOME\/|["'`])\.(?:ssh\b|aws\/|gnupg\b|kube\/config|docker\/config|netrc\b|git-credentials|npmrc\b|pypirc\b|config\/gcloud|azure\/|password-store)|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:shadow|sudoers)\b|\/proc\/(?:self|\d+|\*)\/(?:environ|mem)\b|Login Data\b|Cookies\.binarycookies|key4\.db|logins\.json|\bwallet\.dat\b|Library\/Keychains|Local Extension Settings|Local Storage\/leveldb|\btdata\b|\.mozilla\/firefox|Chrome\/User Data\b|BraveSoftware\/|\.config\/(?:gh|rclone|op|google-chrome|chromium)\b|\.vault-token|\.terraform\.d\/cred|\.(?:electrum|bitcoin|ethereum)\b|169\.254\.169\.254|metadata\.google\.internal|security\s+(?:find-(?:generic|internet)-password|dump-keychain)|\/var\/run\/secrets\b|\.(?:openclaw|clawdbot|moltbot)\/(?:\.env|openclaw\.json|agents\/\S{1,60}sessions)|auth-profiles\.json|\.(?:bash|zsh|python|psql|mysql)_history\b|\bpbpaste\b|\bpyperclip\.paste\b|\bxclip\b.{0,20}-o\b|\bkeyring\.get_password\b/],
  ["disables_protection", /\bxattr\b.{0,20}-\w*[dc]\w*\b.{0,40}(?:com\.apple\.quarantine|-r)|spctl\b.{0,20}--(?:master|global)-disable|csrutil\s+disable|\bsetenforce\s+0|ufw\s+disable/i],
  ["lifts_rules", /\bdefaultMode\b\W{1,6}bypass\w*|\bcore\.hooksPath\s{1,4}\/dev\/null/i],
  ["redirects_agent", /\b(?:ANTHROPIC|OPENAI)_BASE_URL\b["']?\]?\s{0,4}(?:\?\?=|=|:)\s{0,4}["']https:/],
  ["persistence", /\bcrontab\s+(?:-(?!l)|\S+\.|\/)|\blaunchctl\s+(?:load|bootstrap|submit)\b|\bsystemctl\b.{0,20}\benable\b|\bschtasks\b.{0,20}\/create|>>\s*\S{0,30}\.(?:bashrc|zshrc|profile|bash_profile|zprofile)\b|currentversion\\run\b/i],
  ["destructive", /\brm\s+-\w*(?:rf|fr)\w*\s+["']?(?:\/|~|\$HOME)\/?\*?(?:["'\s]|$)|\bmkfs\b|\bdd\b.{0,40}\bof=\/dev\/|\brmtree\(\s*(?:os\.path\.expanduser\(["']~["']\)|Path\.home\(\))\s*\)|\brmtree\s*\((?!.{0,80}(?:te?mp|cache|build|dist|stag|scratch|work_?dir))\s*(?:[\w.]{1,30}\(\s*)?(?:home|Path\.home|each|path|folder|workspace|root|base|os\.environ|sys\.argv)\b/i],
  ["destructive", /\bpush\b\W.{0,60}(?:--delete|--mirror)\b|\breflog\b\W{1,6}expire\b/],
  ["elevated", /(?:^|[\s`$;&|(])sudo\s+\w|start-process\b.{0,80}-verb\s+runas|with administrator privileges/i],
  ["installs_software", /["']?kind["']?\s*:\s*["']?(?:brew|node|npm|go|uv|pip|apt|cargo)\b|\b(?:pip3?|uv pip|pipx|uv tool)\s+install\b|\b(?:npm|pnpm|yarn|bun)\s+(?:install|i|add|ci)\b|\b(?:npx|uvx|bunx)\s+(?!knack\b)\S|\bbrew\s+install\b|\b(?:apt|apt-get|dnf|yum|apk|pacman|choco|winget)\s+(?:-\w+\s+)?(?:install|add|-S)\b|\b(?:go|cargo|gem)\s+install\b/],
  ["remote_code", pattern("i")`\b${fetchCall}[^|]{0,600}\|\s*(?:tee\s[^|]{0,80}\|\s*)?${runsInput}|${interpreters}(?:\s+-\w{1,10}){0,4}\s+["']?(?:\$\(|<\(|\`)\s*${fetchers}|\b(?:eval|source)\b[^\n]{0,20}(?:\$\(|<\(|\`)\s*${fetchers}`],
  ["remote_code", /\b(?:iex|invoke-expression)\b.{0,120}(?:downloadstring|webclient|iwr|irm|invoke-webrequest)|(?:downloadstring|invoke-webrequest|\biwr\b|\birm\b).{0,300}\|\s*(?:iex|invoke-expression)|\b(?:exec|eval)\s*\(.{0,60}(?:urlopen|requests\.get|urllib|fetch\s*\(|http\.get)|\b(?:mshta(?:\.exe)?\s+["']?(?:https?:|javascript:|vbscript:)|bitsadmin\b.{0,80}\/transfer|regsvr32\b.{0,80}\/i:http|rundll32\b.{0,60}javascript:|certutil(?:\.exe)?\b.{0,80}-urlcache\b)/i],
  ["foreign_registry", /--(?:extra-)?index-url\b|--find-links\b|--trusted-host\b|\b(?:npm|pnpm|yarn|npx|bun)\b.{0,80}--registry\b|\b(?:PIP_(?:EXTRA_)?INDEX_URL|UV_(?:EXTRA_)?INDEX_URL|UV_INDEX|npm_config_registry)\b|^\s*(?:extra-index-url|index-url|@[\w-]{1,60}:registry|registry)\s*=\s*\S|\bindex-url\s*=\s*https?:|\bindex\b.{0,40}\burl\s*=\s*"https?:|\bconfig\s+set\s+(?:\S{0,60}registry|\S{0,20}index-url)|"[\w@/.-]{1,80}"\s*:\s*"https?:\/\/[^"\s]{1,200}\.t(?:ar\.)?gz"/i],
  ["sends_by_name", /\b(?:gethostbyname\w*|getaddrinfo|resolve\w*|lookup|dig|nslookup|host|hosts|ping6?)\b[\s(]{1,3}(?:\+?-?\w+\s+){0,3}["'`]?[^\s,]{0,40}(?:\$\{[^}]{1,60}\}|\$\w{1,60}|\{[^}]{1,60}\})(?:\.[\w-]+|\.\$?\{[^}]{1,60}\}){0,3}\.[a-z][\w-]*\.[a-z]{2,}\b|\b(?:gethostbyname\w*|getaddrinfo|resolve\w*|lookup)\s*\(\s*[^()"'`]{1,60}\+\s*["'`]\.[\w-]+\.[a-z]/i],
  ["secret", /(?!.{0,60}(?:x{8}|example|EXAMPLE|\*{4}|0{12}))(?:\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,90})\b|\bglpat-[A-Za-z0-9_-]{20}\b|\bxox[abeprs]-[A-Za-z0-9-]{20,120})|(?!.{0,60}(?:x{8}|example|EXAMPLE|\*{4}|0{12}))(?:\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{32,200}|\bAIza[0-9A-Za-z_-]{35}\b|\b[rs]k_live_[A-Za-z0-9]{20,100}\b|\bnpm_[A-Za-z0-9]{36}\b|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?=\s*$|\\n|\s+[A-Za-z0-9+/]{20}))|\bSG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,50}|\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}\b/],
  ["downloads_program", /["']?kind["']?\s*:\s*["']?download\b/],
  ["sends_data", /(?:IMPORT(?:DATA|XML|HTML|FEED|RANGE)|WEBSERVICE|IMAGE|HYPERLINK)\s{0,4}\(\s{0,4}["'\\]{1,4}https?:[^)\n]{0,300}&\s{0,4}(?:\w{1,30}\(\s{0,4})?\$?[A-Z]{1,3}\$?\d|=\s{0,4}(?:cmd|DDE|MSEXCEL)\b.{0,4}[|(]/i],
  ["all_secrets", /toJSON\(\s{0,4}secrets\s{0,4}\)/],
  ["unpinned", /\buses:\s{0,4}["']?(?!\.|(?:actions|github|docker|google-github-actions|aws-actions|azure|hashicorp|trufflesecurity|aquasecurity|codecov|pypa|dtolnay|astral-sh)\/)[\w-]{1,60}\/[\w./-]{1,80}@(?:main|master|latest|HEAD|dev\w*)\b/],
  ["unreadable_code", /!!(?:python|ruby|js)\/(?:object|name|module|function|apply)/],
];

/**
 * What a statement of code or a shown command does: what it uses, where data comes from, where it goes, and where it hides that. In `names.json`
 * are the names for it in the languages of scripts: `x` anywhere in a path such as `a.x.b`, `x()` called alone, `.x()` as a method. Here is what
 * only a pattern can tell. A `key` is one that the person who set the skill up has for an account, or an address they set; what is given `whole`
 * is a file or text.
 */
// biome-ignore format: one fact a line
const acts: readonly Shape[] = [
  ["network", /\bgit\s+(?:push|remote\s+(?:add|set-url)|clone|fetch|config\s\S{0,40}url\S{0,40})\s[^;|&]{0,80}:\/\/|["'](?:node:)?(?:https?|net|tls|dgram|dns)(?:\/promises)?["']|"wss?:\/\/|\/dev\/(?:tcp|udp)\/|\bInvoke-(?:RestMethod|WebRequest)\b|\bnc\s+[-\w"$]/],
  ["posts", /\bmethod\s*[:=]\s*"(?:POST|PUT|PATCH)|\brequest\s*\(\s*"(?:POST|PUT|PATCH)|\b(?:Request|urlopen)\s*\(.{0,300}\bdata\s*=|\burlopen\s*\([^()]{1,200},\s*\w|-Method\s+"?(?:POST|PUT)|\bUTL_HTTP\b|\bTO\s+PROGRAM\b|\brclone\s+copy|\bgit\s+(?:push|remote\s+add)\s[^;|&]{0,80}:\/\/|\bgh\s+gist\s+create|\s-X\s*"?(?:POST|PUT)|\s(?:--data\S*|--post-(?:data|file)\S*|-d|-F|-T|--upload-file|--form|--json)[\s="]|\|\s*(?:nc|ncat|telnet|ssh|mail|sendmail)\s|>\s*\/dev\/(?:tcp|udp)\/|\b(?:req\w*|sock\w*|conn\w*|client|writer|stream)\.write\s*\(|\.end\s*\(\s*\w/i],
  ["queries", /\bparams\s*=|(?:https?:\/\/[^\s"]{1,200}|\bpath\s*:\s*"[^"]{0,200})(?:\$?\{|"\s*\+)[^"}]{0,40}(?:text|data|content|part|chunk|body|payload|message|blob|encode|line|note|secret)/i],
  ["second_receiver", /\bremote\s+set-url\s+--add\b|\bpush\s+--mirror\s+["']?\w{2,10}:|\bpushurl\b|\bgpg\b.{0,200}\s(?:-\w{0,3}r|--(?:hidden-)?recipient|--encrypt-to)\s{1,4}["']?(?:0x)?[\dA-F]{8,40}\b|\bage\b.{0,200}\s-r\s{1,4}["']?age1[a-z\d]{40,80}|\b\w{0,20}(?:topic|channel|recipient|receiver|target|webhook|chat_?id|bcc|room|sink|endpoint|url|host|mailbox|addressee)\w{0,5}\s{0,4}[:=]\s{0,4}\[\s{0,4}"[^"\s]{6,80}"\s{0,4},\s{0,4}[A-Za-z_$][\w.$]*/i],
  ["plants", /(?:\bwrite\w*|\bappend\w*|>>|\btee\b|\bcp\b|\bmv\b|"[aw]"|sed\s+-i).{0,200}(?:\b(?:SOUL|AGENTS|MEMORY|IDENTITY|CLAUDE|HEARTBEAT|TOOLS|GEMINI)\.md\b|\.cursorrules\b|copilot-instructions\.md|\.(?:claude|cursor|codex|gemini)\/\w)|(?:\b(?:SOUL|AGENTS|MEMORY|IDENTITY|CLAUDE|HEARTBEAT|TOOLS|GEMINI)\.md\b|\.cursorrules\b|copilot-instructions\.md|\.(?:claude|cursor|codex|gemini)\/\w).{0,100}(?:\.write|\.append|"[aw]")/],
  ["carries", /\bdblink(?:_\w{1,20})?\s{0,4}\(|\bcurl\b.{0,400}?\s(?:(?:-d|--data\S{0,12}|-F|--form|-T|--json)[\s=]{1,3}\S{0,200}(?:\$[\w{(]|@["\w./-]|<[a-z])|(?:-H|--header|-u|--user)[\s=]{1,3}"?[^"]{0,80}\$\{?\w{0,40}(?:KEY|TOKEN|SECRET|PASS))/],
  ["weak_random", /\brandom\.(?:Random|seed|choices?|randrange|randint|sample|shuffle)\s*\(|\bMath\.random\s*\(|\$RANDOM\b|\bmt_rand\b|\brand\s*\(/],
  ["timed", /(?:today|now|utcnow|time|Date)\s{0,3}\(\s{0,3}[\w.]{0,30}\)(?:\.\w{1,20}\(\))?\s{0,4}[<>]=?\s{0,4}(?:new\s)?(?:[\w.]{1,40}\(\s{0,3})?"?(?:20[2-9]\d\s{0,3}[,/-]|1[789]\d{8})|\$\(date\s\+[^)]{1,12}\)"?\s{1,3}-g[te]\s{1,3}"?20\d\d/],
  ["given", /\bopen\(\s{0,4}(?:sys\.argv|args?\.)|\bcat\s{1,4}"?\$\{?[1@]|\$\(\s{0,4}<\s{0,4}"?\$1|"\$\{?[1@]|@"?\$\{?[1@]|\$\{1:/],
  ["reads_all_files", /\bfind\s+["']?(?:\$|\.|~|\/)\S*(?!.{0,60}-maxdepth).{0,60}-type f|\btar\s+\S{0,10}c\S{0,6}\s|\bZipFile\s*\(.{0,80}"w|\bcat\s+["\w/.$-]{0,60}\*|\bKNACK_WORKSPACE\b.{0,60}\*/],
  ["reads_whole_environment", /\b(?:JSON\.stringify|Object\.(?:entries|keys|values|assign))\s{0,4}\([^()]{0,20}\bprocess\.env\s{0,4}[),]|\b(?:str|repr|dumps|dict)\s{0,4}\(\s{0,4}(?:dict\s{0,4}\(\s{0,4})?os\.environ\b(?!\.get|\[)|\.\.\.process\.env\b(?=.{0,200}\bbody\b)|(?:^|[;&|(`]\s{0,4})(?:env|printenv|set|export\s{1,4}-p|declare\s{1,4}-x)\s{0,4}[|)]|\/proc\/self\/environ|\bprocess\s{0,4}\[\s{0,4}(?!["'`])|\b(?:body|data|\w{1,60}\s{0,4}=)\s{0,4}[:=]?\s{0,4}(?:process\.env|os\.environ)\s{0,4}[;,)]?\s{0,4}$/],
  ["reads_identity", /\$\(hostname\)|\bgit\s+config\s+(?:--\w+\s+)?user\.(?:email|name)|\bid\s+-un\b|\benviron\W{1,6}(?:get\W{1,3})?(?:USER|USERNAME|LOGNAME)\b/],
  ["runs_programs", /\bfrom\s+os\s+import\b.{0,80}\b(?:system|popen|exec[lv]\w{0,2}|spawn\w{1,3})\b|shell\s*=\s*True/],
  ["dynamic_code", /\bnew\s+Function\s*\(|\bset(?:Timeout|Interval)\s*\(\s*["'`]|\b(?:require|import)\s*\(\s*[^"'`)\s][^)]{0,100}\)/],
  ["native_code", /\bfrom\s+ctypes\s+import\b.{0,80}\b(?:CDLL|PyDLL|cdll|pydll|pythonapi|\*)|["'`](?:bun:ffi|ffi-napi|koffi)["'`]/],
  ["reaches_outside", /(?:open|readFile\w{0,20}|writeFile\w{0,20}|createReadStream|rm|unlink)\s*\(\s*["'`](?:\/(?!tmp\b|dev\/(?:null|std))|~|\.\.\/\.\.)|\.\.\/\.\.\/\.\.\//],
  ["addressee", /"?\b(?:to|bcc|cc|forward\w*|recipients?|address)"?\s{0,4}[:=]>?\s{0,4}\[?\s{0,4}"[\w.+-]{1,60}@(?!(?:(?:mail|mx|smtp)\.)?(?:example|company|email|domain|test)\.)[\w-]{1,60}\.[a-z.]{2,20}"/i],
  ["decodes", /\b(?:bytes|bytearray|fromCharCode|chr)\s*\(.{0,80}\^|\bfrom\s*\([^()]{1,60},\s*"(?:base64|hex)"/],
  ["whole", /\bfiles\s{0,4}=\s{0,4}[{[]|\s(?:-F|--form)\s{0,4}"?[\w-]+=[@<]|\s-T\s|--upload-file|--post-file|--data(?:-binary|-raw)?[\s=]+"?@|\b(?:upload_file\w*|storbinary)\s{0,4}\(|\b(?:scp|rsync|sftp)\s|\b(?:sendmail|post|put|Request|urlopen)\s{0,4}\(.{0,300}(?:\bopen\s{0,4}\(|\bread(?:_text|_bytes|FileSync|File)?\s{0,4}\()|\b(?:cat|tar|zip|gzip|base64|env|printenv|history)\s[^;|]{0,100}(?:\|[^;|]{0,60}){0,2}\|\s{0,4}(?:curl|wget|nc|ncat|ssh|mail)\b/],
  ["key", /(?:environ|getenv|process\.env|\bENV)\W{0,6}(?:get\W{0,3})?\w{0,40}(?:KEY|TOKEN|SECRET|PASS|AUTH|WEBHOOK|URL|HOST)|\$\{?\w{0,40}(?:_KEY|_TOKEN|TOKEN\b|KEY\b)|\b(?:args?|opts?|options|config|settings|cfg)\b\W{0,3}\w{0,20}(?:key|token|url|host|server|webhook)|\bAuthorization\b/i],
  ["runs_text", /(?<![.\w$])(?:eval|exec)\s{0,4}\((?!\s{0,4}")|(?<![.\w$])(?:Async)?Function\s{0,4}\(|"(?:ba|z)?sh"\s{0,4},\s{0,4}\[?\s{0,4}"-\w*c"\s{0,4},\s{0,4}(?!")\w|\bos\.(?:system|popen)\s{0,4}\(\s{0,4}(?!")\w|\bexec(?:Sync)?\s{0,4}\(\s{0,4}\w+\s{0,4}[,)]|\b(?:run|call|Popen|check_output|check_call)\s{0,4}\(\s{0,4}(?!")[\w.]+\s{0,4},.{0,100}shell\s{0,4}=\s{0,4}True|\[\s*(?:sys\.executable|process\.execPath)\s*,\s*(?:\w+|"\/tmp[^"]{0,80}")\s*\]|\b(?:sh|bash|eval)\s{1,4}(?:-c\s{1,4})?"?\$\{?\w|\bchmod\b|\.chmod\s*\(|\bspec_from_file_location\b|\bsys\.path\.(?:insert|append)\b.{0,60}(?:tmp|cache|download)/],
  ["domain", /https?:\/\/(?:[\w.-]{0,60}\.|[\w.-]{0,60}\$?\{\w{1,40}\}\.)?\$?\{\w{1,40}\}\.(?:com|net|org|io|dev|app|run|ai|co|cloud|[a-z]{2})[/:"?]|"[\w-]{1,60}(?:\.[\w-]{1,60}){0,3}\.[a-z]{2,12}"\s*\]\s*\.join\("\."\)|[\w)\]]\s*\+\s*"\.(?:[\w-]{1,60}\.){1,3}[a-z]{2,12}"/],
  ["loads_named", /\b(?:require|import)\s*\(\s*[A-Za-z_$][\w$.[\]]*\s*\)|(?:\bimport_module|__import__)\s*\(\s*(?!")/],
  ["calls_named", /[\w$)\]]\[\s*[A-Za-z_$][\w$]*\s*\]\s*\(|\bgetattr\s*\([^,\n]{1,80},\s*(?!")\w/],
  ["data", /\bjson\.loads?\b|JSON\.parse|\.read\w*\s*\(|\bopen\s*\(|readFile/],
  ["unreadable_code", /\b(?:__)?builtins(?:__)?\.(?:eval|exec|compile|__import__)\b|\bgetattr\s*\(\s*(?:__builtins__|builtins|ctypes|subprocess|os)\b|__subclasses__\s*\(\s*\)\s*\[|\b__globals__\b|\btypes\.(?:Code|Function)Type\b|\bmarshal\.loads\s*\(|\b(?:chr|fromCharCode)\s*\(\s*\w+(?:\[\w+\])?\s*\^|\bchr\s*\(\s*ord\s*\(\s*\w+\s*\)\s*[-+^](?!\s{0,4}0x[\dA-Fa-f]{4})|(?:globals|locals)\s*\(\s*\)\s*\[[^\]]{1,80}\]\s*\(|(?:\bgetattr\s*\([^,()]{1,60},|\b__import__\s*\(|\bimport_module\s*\(|(?<![.\w])(?:exec|eval)\s*\()[^()]{0,60}(?:\[::-1\]|\b(?:b64decode|fromhex|unhexlify|decompress|chr|decode)\s*\()|\bimport\s+(?:subprocess|os|ctypes|socket|pty)\s+as\s+(?!_?(?:sp|sub\w*|subprocess|os|ct|proc\w*|socket\w*|sock)\b)\w+|\bfrom\s+(?:subprocess|os|builtins)\s+import\s+(?:Popen|run|call|system|popen|exec\w*|eval)\s+as\s+(?!_?(?:run|popen|call|sub\w*|sp\w*))|\b(?:import|require|Worker)\s*\(\s*"data:|\b(?:globalThis|global|window|self|process)\s*\[\s*\w+\s*\(|\b(?:globalThis|global|process)\s*\[[\w.]{1,40}\]\s*\[[\w.]{1,40}\]\s*\(|\bprocess\.binding\b|\bconstructor\s*\.\s*constructor\b|\bReflect\.\w+\s*\(.{0,60}"constructor"|\.\s*constructor\s*\([^()]{0,200}\)\s*\(|(?<!\bthis)(?:\?\.|\.)\s*constructor\s*(?:(?:\?\.\s*)?\(\s*"|\.\s*(?:call|apply|bind)\s*\()|[)\]"}]\s*\??\.\s*constructor\b(?!\s*(?:\.\s*(?:name|prototype)\b|[!=]==?))|\bconstructor\s*:\s*\w+[^{}]{0,60}\}\s*=/],
  ["obfuscated", /fromCharCode\s*\((?:\s*\d+\s*,){8}|(?:chr\(\d+\)\s*\+\s*){6}|[[\]()!+]{200}|\b_0x[0-9a-f]{4,8}\b.{0,400}\b_0x[0-9a-f]{4,8}\b.{0,400}\b_0x[0-9a-f]{4,8}\b/],
  ["changes_agent", /\b(?:SOUL|AGENTS|MEMORY|IDENTITY|CLAUDE|HEARTBEAT|TOOLS)\.md\b|\.cursorrules\b|copilot-instructions\.md/],
  ["edits_skills", /"[^"]{0,60}\*\/SKILL\.md"|\.\.\/[^"]{0,60}SKILL\.md/],
  ["persistence", /\.git\/hooks\b|\b(?:site|user)customize\.py\b|\.pth"|\bPYTHONSTARTUP\b|\bautostart\/|LaunchAgents\//],
  ["wipes", /\brm\s+-\w*r\w*\s+["']?(?:\/|~|\$\{?HOME\}?)["']?\/?\*?["']?(?:[\s;&|]|$)/],
  ["steers", /(?:replace|sub|iban|payee|account|recipient)\W.{0,80}"[A-Z]{2}\d{2}[ \dA-Z]{11,40}"|\b[A-Z]{2}\d{2} ?(?:\d{4} ?){3,6}.{0,60}(?:replace|sub)\b|"[?&](?:via|aff|tag|affiliate|partner|ref)=[\w-]{3,40}"/],
];

/** What is a finding in texts as well. */
export const inAnyText: ReadonlySet<string> = new Set(commands.map(([fact]) => fact));

/** The names of `names.json`, as patterns. */
const named = once(() =>
  Object.entries(names.acts).map(([fact, listed]): Shape => {
    const these = (form: RegExp) => anyOf(listed.split(" ").flatMap((name) => form.exec(name)?.[1] ?? []));
    const [paths, calls, methods] = [these(/^([^()]+)$/), these(/^([^.].*)\(\)$/), these(/^\.(.*)\(\)$/)];
    return [
      fact,
      pattern()`(?<![\w$])(?:(?:${paths})(?![\w$])|(?:${methods}|(?<![\w$](?:\.|::))(?:${calls}))\s?\()`,
    ];
  }),
);

const anyOf = (names: readonly string[]) => names.reduce((all, name) => pattern()`${all}|${name}`, /(?!)/);

/** A statement or line with what it does. */
export interface FactLine extends ReviewedLine {
  /** The facts, and where in the text each of them is. */
  facts: ReadonlyMap<string, number>;
  /** Hosts that neither the purpose of the skill nor a key in the file explains. */
  strangers: readonly string[];
}

/** A loop over the guides of skills, which names each of them. */
const guideLoop =
  /\bfor\s{0,4}\(?\s{0,4}(?:(?:const|let|var)\s)?(\w{1,40})\s{1,4}(?:in|of)\b.{0,200}SKILL\.md/;
/** Names of such loops in a file that are looked for. */
const maxGuides = 20;
/** How often a file may have what it is not about: of more, it is a list. */
const limits = { untold: 3, mailbox: 1, telephone: 1, account: 3 };

/** What the lines of a file do. */
export function factLines(lines: readonly ReviewedLine[], file: Written, purpose: Purpose): FactLine[] {
  const placesOf = placeReader(lines, file, purpose);
  const guide = anyOf(lines.flatMap(({ text }) => guideLoop.exec(text)?.[1] ?? []).slice(0, maxGuides));
  const rewriting = pattern()`\b(?:(?:${guide})\.write|open\((?:${guide}), "w|teFile(?:Sync)?\((?:${guide}), )`;
  const found = lines.map((line, at) => {
    const does = factsOf(line, lines.slice(at, at + 5), file);
    if (rewriting.test(line.text)) does.push(["rewrites_skills", 0]);
    const { facts, strangers } = placesOf(line, lines.slice(at, at + 3), does.length === 0);
    return { ...line, facts: new Map([[line.role, 0], ...facts, ...does]), strangers };
  });
  for (const [fact, most] of file.role === "code" ? [] : Object.entries(limits)) {
    const having = found.filter(({ facts }) => facts.has(fact));
    for (const { facts } of having.length > most ? having : []) facts.delete(fact);
  }
  return found;
}

/** Commands and code that texts and data carry. */
const shown = /\b(?:git|curl|wget|nc|ncat|scp|rsync|mail|ssh|eval|exec|getattr|__import__|child_process)\b/;

type Fact = [fact: string, at: number];

function factsOf(line: ReviewedLine, next: readonly ReviewedLine[], { raw, role }: Written): Fact[] {
  const { text } = line;
  const isCode = role === "code";
  const isTold = !isCode && line.role !== "sample" && !shown.test(text);
  const shapes = [...commands, ...(isTold ? [] : [...acts, ...named()])];
  const said = shapes.map(([fact, form]): Fact => [fact, text.search(form)]);
  // On one line or within the next few; no checksum between, and no numbered release of a forge.
  const near = fetchCall.test(text) ? next.map((each) => each.text).join("\n") : "";
  const more = {
    remote_code:
      !/sha(?:256|512)sum|gpg --verify|\/releases\/download\/v?\d+\.\d/.test(near) &&
      savesAndStarts.test(near),
    made_name: isCode && madeName(line, raw) !== undefined,
    minified: isCode && text.length >= 2_000,
  };
  const known = Object.entries(more).map(([fact, isThere]): Fact => [fact, isThere ? 0 : -1]);
  return [...said, ...known].filter(([, at]) => at >= 0);
}
