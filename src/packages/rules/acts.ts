/**
 * What code and commands do, as facts. A fact named like a code of `findings.ts` is a finding of its own. Each pattern is searched only in
 * lines that have one of the words before it, and takes time in proportion to the line.
 */

type Row = readonly [fact: string, words: string, ...forms: RegExp[]];

/** What nobody should run or open, in any text: in code, in a command that prose shows, in data. */
// biome-ignore format: one pattern a line
export const commands = [
  ["encoded_command", "base64 openssl xxd base32 tr rev unzip gunzip zcat gpg", /(?:base(?:64|32)\s+(?:-\w{0,9}[dD]|--dec)|\bxxd\s+-r)[^|\n]{0,200}(?:\|[^|\n]{0,80})?\|[\w/ ]{0,20}(?<!\w)(?:(?:ba|z|da)?sh\b|(?:python[\d.]*|node|perl)(?=\s*(?:-?$|-\s|["'`;&|)])))/i,
    /(?:\brev\b|\bg?unzip\s+-c|\bzcat\b|\bgpg\s+-d\b)[^|\n]{0,200}(?:\|[^|\n]{0,80})?\|[\w/ ]{0,20}(?<!\w)(?:(?:ba|z|da)?sh\b|(?:python[\d.]*|node|perl)(?=\s*(?:-?$|-\s|["'`;&|)])))/i,
    /(?:\btr\s+\S{2,80}\s+\S{2,80}|\bopenssl\s+(?:enc|base64)\s+-d\b)[^|\n]{0,200}\|\s*(?:\/\w{1,9}){0,3}\/?(?:(?:ba|z|da)?sh|python[\d.]*|node|perl)\b/i,
    /(?:\beval|\b(?:(?:ba|z|da)?sh|python[\d.]*|node|perl)\s+-c)\b.{0,30}(?:\$\(|<\(|`).{0,400}(?:base(?:64|32)\s+-\w{0,9}[dD]|openssl\s+(?:enc|base64)\s+-d|xxd\s+-r|\bzcat\b)/i],
  ["encoded_command", "powershell pwsh frombase64string", /\b(?:powershell|pwsh)(?:\.exe)?\b.{0,120}\s-e(?:nc|ncodedcommand|c)?\s+["']?[A-Za-z0-9+/=]{16}/i,
    /frombase64string\(.{0,400}(?:\|\s*iex|invoke-expression|::load\()|(?:iex|invoke-expression)\b.{0,200}frombase64string/i],
  ["encoded_code", "eval exec function", /\b(?:eval|exec|Function)\s*\(.{0,80}(?:atob\s*\(|b(?:64|85|32)decode\s*\(|"base64"|'base64'|fromhex\s*\(|unhexlify\s*\(|zlib"?\)?\.decompress)/i],
  ["credential_theft", "osascript dscl", /osascript\b.{0,300}display dialog.{0,200}(?:password|hidden answer)|\bdscl\b.{0,30}-?authonly\b/i],
  ["backdoor", "authorized_keys etc visudo useradd spawn", /(?:>|\btee\b(?:\s-a)?)\s{0,20}\S{0,60}(?:authorized_keys|\/etc\/(?:rc\.local|ld\.so\.preload|sudoers))|\bsudo\s+(?:visudo|useradd)\b|\bpty\.spawn\(\s{0,4}["'](?:\/bin\/)?(?:ba|z)?sh/i],
  ["public_key", "ssh ecdsa", /\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-\S{1,30}) AAAA[\w+/=]{20,800}/],
  ["shell_to", "sh bash tcp mkfifo nc ncat socat", /\bsh\s{1,4}-i\s{0,4}(?:>&|[<>]\s{0,4}\/dev\/tcp)|\/dev\/tcp\/(?:[\d.]{7,40}|\S{1,80}.{0,40}0>&1)|mkfifo\b.{0,120}\bnc\b|\bn(?:c|cat)\b.{0,40}\s-\w{0,4}e\s{1,4}\/\S{0,40}sh\b|socat\b.{0,80}exec:/i],
  ["reads_credentials", "ssh aws gnupg kube docker netrc git npmrc pypirc config azure password id_rsa id_ed25519 id_ecdsa etc proc", /(?:[~/\\]|\$HOME\/|\$\{HOME\}\/|["'`])\.(?:ssh\b(?!["'\s/]{1,6}(?:config|known_hosts))|aws\/|gnupg\b|kube\/config|docker\/config|netrc\b|git-credentials|npmrc\b|pypirc\b)/, /[~/"'`]\.(?:config\/gcloud|azure\/|password-store)/,
    /\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:shadow|sudoers)\b|\/proc\/(?:self|\d+|\*)\/(?:environ|mem)\b|\.config\/(?:gh|rclone|op|google-chrome|chromium)\b/],
  ["reads_credentials", "login cookies key4 logins wallet keychains extension leveldb tdata mozilla chrome bravesoftware vault terraform electrum bitcoin ethereum", /Login Data\b|Cookies\.binarycookies|key4\.db|logins\.json|\bwallet\.dat\b|Library\/Keychains|Local Extension Settings|Local Storage\/leveldb|\btdata\b|\.mozilla\/firefox|Chrome\/User Data\b/,
    /BraveSoftware\/|\.vault-token|\.terraform\.d\/cred|\.(?:electrum|bitcoin|ethereum)\b/],
  ["reads_credentials", "169 metadata security secrets openclaw clawdbot moltbot auth history bash_history zsh_history python_history psql_history mysql_history pbpaste pyperclip xclip keyring", /169\.254\.169\.254|metadata\.google\.internal|security\s+(?:find-(?:generic|internet)-password|dump-keychain)|\/var\/run\/secrets\b/,
    /auth-profiles\.json|\/\.(?:openclaw|clawdbot|moltbot)\/\S{0,60}(?:\.env|openclaw\.json|sessions)/,
    /[~/]\.(?:bash|zsh|python|psql|mysql)_history\b|\bpbpaste\b|\bpyperclip\.paste\b|\bxclip\b.{0,20}-o\b|\bkeyring\.get_password\b/],
  ["disables_protection", "xattr spctl csrutil setenforce ufw defaultmode hookspath", /\bxattr\b.{0,20}-\w*[dc]\w*\b.{0,40}(?:com\.apple\.quarantine|-r)|spctl\b.{0,20}--(?:master|global)-disable|csrutil\s+disable|\bsetenforce\s+0|ufw\s+disable/i],
  ["lifts_rules", "defaultmode hookspath", /\bdefaultMode\b\W{1,6}bypass\w*|\bcore\.hooksPath\s{1,4}\/dev\/null/i],
  ["redirects_agent", "anthropic_base_url openai_base_url", /\b(?:ANTHROPIC|OPENAI)_BASE_URL\b["']?\]?\s{0,4}(?:\?\?=|=|:)\s{0,4}["']?https:/],
  ["persistence", "crontab launchctl systemctl schtasks bashrc zshrc profile bash_profile zprofile currentversion", /\bcrontab\s+(?:-(?!l)|\S+\.|\/)|\blaunchctl\s+(?:load|bootstrap|submit)\b|\bsystemctl\b.{0,20}\benable\b/,
    /\bschtasks\b.{0,20}\/create|>>\s*\S{0,30}\.(?:(?:ba|z)shrc|(?:bash_|z)?profile)\b|currentversion\\run\b/i],
  ["destructive", "rm mkfs dd rmtree push reflog", /\brm\s+-\w*(?:rf|fr)\w*\s+["']?(?:\/|~|\$\{?HOME\}?)["']?\/?\*?(?:["'\s]|$)|\bmkfs\b|\bdd\b.{0,40}\bof=\/dev\/|\bpush\b\W.{0,60}(?:--delete|--mirror)\b|\breflog\b\W{1,6}expire\b/i,
    /\brmtree\s*\((?!.{0,80}(?:te?mp|cache|build|dist|stag|scratch|work_?dir))\s*(?:[\w.]{1,30}\(\s*)?(?:home|Path\.home|each|folder|workspace|root|base|os\.environ|sys\.argv|os\.path\.expanduser)\b/i],
  ["elevated", "sudo start administrator", /(?:^|[\s`$;&|(])sudo\s+\w|start-process\b.{0,80}-verb\s+runas|with administrator privileges/i],
  ["installs_software", "pip pip3 uv pipx npm pnpm yarn bun npx uvx bunx brew apt dnf yum apk pacman choco winget go cargo gem kind", /["']?kind["']?\s*:\s*["']?(?:brew|node|npm|go|uv|pip|apt|cargo)\b|\b(?:pip3?|uv pip|pipx|uv tool|brew|go|cargo|gem)\s+install\b|\b(?:npm|pnpm|yarn|bun)\s+(?:install|i|add|ci)\b/,
    /\b(?:npx|uvx|bunx)\s+(?!knack\b)\S|\b(?:apt|apt-get|dnf|yum|apk|pacman|choco|winget)\s+(?:-\w+\s+)?(?:install|add|-S)\b/],
  ["remote_code", "curl wget fetch aria2c", /\b(?:curl|wget|fetch|aria2c)\s+(?:-|["'$<({]|https?:|[\w-]{1,60}\.[a-z]{2})[^|]{0,600}\|\s*(?:tee\s[^|]{0,80}\|\s*)?(?:sudo\s+(?:-\S+\s+)?)?(?:\/\w{1,9}){0,3}\/?(?:ba|z|da)?sh\b/i,
    /\b(?:curl|wget|fetch)\s[^|]{0,600}\|\s*(?:sudo\s+)?(?:\/\w{1,9}){0,3}\/?(?:python[\d.]*|node|perl|ruby|php|osascript)(?=\s*(?:-(?:\s|$)|$|["'`;&|)]))/i,
    /\b(?:(?:ba|z|da)?sh|python[\d.]*|node|perl|eval|source)(?:\s+-\w{1,10}){0,4}\s+["']?(?:\$\(|<\(|`)\s*(?:curl|wget|fetch)\b/i],
  ["remote_code", "iex downloadstring iwr irm mshta bitsadmin regsvr32 rundll32 certutil invoke", /\b(?:iex|invoke-expression)\b.{0,120}(?:downloadstring|webclient|iwr|irm|invoke-webrequest)|(?:downloadstring|invoke-webrequest|\biwr\b|\birm\b).{0,300}\|\s*(?:iex|invoke-expression)/i,
    /\b(?:mshta(?:\.exe)?\s+["']?(?:https?|javascript|vbscript):|bitsadmin\b.{0,80}\/transfer|regsvr32\b.{0,80}\/i:http|rundll32\b.{0,60}javascript:|certutil(?:\.exe)?\b.{0,80}-urlcache\b)/i],
  ["remote_code", "exec eval", /\b(?:exec|eval)\s*\(.{0,60}(?:urlopen|requests\.get|urllib|fetch\s*\(|http\.get)/],
  ["unpinned", "uses", /\buses:\s{0,4}["']?(?!\.|actions\/|github\/|docker\/|aws-actions\/|azure\/|google-github-actions\/|hashicorp\/|astral-sh\/)[\w-]{1,60}\/[\w./-]{1,80}@(?:main|master|latest|HEAD)\b/],
  ["saves_and_starts", "curl wget", /\b(?:curl|wget)\b.{0,300}?(?:\s-\w{0,6}[oO]|--output(?:-\w{1,20})?|>)[\s=]{0,3}["']?(?!\/dev\/)(?<name>[^\s"';|&<>]{3,90})(?![^\s"';|&<>])/i],
  ["foreign_registry", "index find trusted registry url pip_index_url pip_extra_index_url uv_index_url npm_config_registry uv_index", /--(?:extra-)?index-url\b|--find-links\b|--trusted-host\b|\b(?:p?npm|yarn|npx|bun)\b.{0,80}--registry\b/i,
    /\b(?:PIP_(?:EXTRA_)?INDEX_URL|UV_INDEX\w*|npm_config_registry)\b|\bindex\b.{0,40}\burl\s*=\s*"https?:/i,
    /^\s*(?:(?:extra-)?index-url|@[\w-]{1,60}:registry|registry)\s*=\s*\S|\bindex-url\s*=\s*https?:|\bconfig\s+set\s+(?:\S{0,60}registry|\S{0,20}index-url)/i],
  ["sends_by_name", "gethostbyname getaddrinfo resolve resolve4 resolve6 resolvetxt lookup dig nslookup host hosts ping", /\b(?:get\w{5,12}|resolve\w*|(?:ns)?lookup|dig|hosts?|ping)\b[\s(]{1,3}(?:\+?-?\w+\s+){0,3}[^\s,]{0,40}(?:\$?\{[^}]{1,60}\}|\$\w{1,60})(?:\.[\w-]+|\.\$?\{[^}]{1,60}\}){0,3}\.[a-z][\w-]*\.[a-z]/i,
    /\b(?:gethostbyname\w*|getaddrinfo|resolve\w*|lookup)\s*\(\s*[^()"'`]{1,60}\+\s*["'`]\.[\w-]+\.[a-z]/i],
  ["secret", "akia asia ghp_ gho_ ghu_ ghs_ ghr_ gith glpat xoxa xoxb xoxe xoxp xoxr xoxs sk rk_l sk_l npm_ begin sg", /\b(?:AKIA|ASIA)(?!.{0,20}EXAMPLE)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_[A-Za-z0-9_]{60,90}\b/, /\bglpat-[A-Za-z0-9_-]{20}\b|\bxox[abeprs]-(?!.{0,40}x{6})[A-Za-z0-9-]{20,120}/,
    /\bsk-(?:ant-|proj-|or-)?(?!.{0,60}(?:x{6}|\*{4}))[A-Za-z0-9_-]{32,200}|\b[rs]k_live_[A-Za-z0-9]{20,100}\b|\bnpm_[A-Za-z0-9]{36}\b|\bSG\.[\w-]{20,24}\.[\w-]{40,50}/,
    /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?=\s*$|\\n|\s+[A-Za-z0-9+/]{20})/],
  ["downloads_program", "kind", /["']?kind["']?\s*:\s*["']?download\b/],
  ["sends_cells", "importdata importxml importhtml importfeed importrange webservice image hyperlink cmd dde msexcel", /(?:IMPORT(?:DATA|XML|HTML|FEED|RANGE)|WEBSERVICE|IMAGE|HYPERLINK)\s{0,4}\(\s{0,4}["'\\]{1,4}https?:[^)\n]{0,300}&\s{0,4}(?:\w{1,30}\(\s{0,4})?\$?[A-Z]{1,3}\$?\d/i, /=\s{0,4}(?:cmd|DDE|MSEXCEL)\b.{0,4}[|(]/i,
    /(?:IMPORTDATA|WEBSERVICE)\s{0,4}\(\s{0,4}["'\\]{1,4}https?:[^\n]{0,200}ENCODEURL/i],
  ["all_secrets", "tojson", /toJSON\(\s{0,4}secrets\s{0,4}\)/],
  ["unreadable_code", "python ruby js", /!!(?:python|ruby|js)\/(?:object|name|module|function|apply)/],
  ["second_receiver", "remote push pushurl gpg age", /\bremote\s+set-url\s+--add\b|\bpush\s+--mirror\s|\bpushurl\b/i, /\bgpg\b.{0,200}\s(?:-\w{0,3}r|--(?:hidden-)?recipient|--encrypt-to)\s{1,4}["']?(?:0x)?[\dA-F]{8,40}\b|\bage\b.{0,200}\s-r\s{1,4}["']?age1/i],
  ["blind_copy", "bcc", /\bbcc\b["']?\s{0,4}[:=]>?\s{0,4}\[?\s{0,4}["']?(?!\S{0,60}(?:example\.(?:com|org|net)|[{<[$]))[\w.+-]{1,60}@[\w-]{1,60}\.[a-z.]{2,20}/i],
  ["foreign_role", "arn", /\barn:aws:(?:iam|sts)::(?!123456789012|1{12}|0{12}|111122223333|444455556666)\d{12}:[\w/+=,.@*-]{1,80}/],
  ["carries", "curl dblink dblink_exec dblink_connect", /\bdblink(?:_\w{1,20})?\s{0,4}\(|\bcurl\b.{0,400}?\s(?:-d|--data\S{0,12}|-F|--form|-T|--json)[\s=]{1,3}(?:["']?@["\w./-]|\S{0,200}(?:\$[\w{(]|=@|<[a-z]))/,
    /\bcurl\b.{0,400}?\s(?:-H|--header|-u|--user)[\s=]{1,3}["']?[^"']{0,80}\$\{?\w{0,40}(?:KEY|TOKEN|SECRET|PASS)/],
] as const satisfies readonly Row[];

/** What code and shown commands do: what they use, where data comes from, where it goes, and where they hide that. */
// biome-ignore format: one pattern a line
export const acts = [
  ["network", "git http https net tls dgram dns wss ws dev invoke nc ssh", /\bgit\s+(?:push|remote\s+(?:add|set-url)|clone|fetch)\s[^;|&]{0,80}:\/\/|["'](?:node:)?(?:https?|net|tls|dgram|dns)(?:\/promises)?["']|"wss?:\/\//, /\/dev\/(?:tcp|udp)\/|\bInvoke-(?:RestMethod|WebRequest)\b|\b(?:nc|ssh)\s+[-\w"$]/],
  ["posts", "method request urlopen to git gh curl wget nc ncat telnet ssh mail sendmail tcp udp write end utl_http rclone", /\bmethod\s*[:=]\s*"(?:POST|PUT|PATCH)|\brequest\s*\(\s*"(?:POST|PUT|PATCH)|\b(?:Request|urlopen)\s*\(.{0,300}\bdata\s*=|\burlopen\s*\([^()]{1,200},\s*\w|-Method\s+"?P(?:OS|U)T/i, /\bRequest\s*\([^()]{1,200},\s*\w/,
    /\bgit\s+(?:push|remote\s+add)\s[^;|&]{0,80}:\/\/|\bgh\s+gist\s+create|\s-X\s*"?(?:POST|PUT)|\bcurl\b.{0,400}\s(?:--data\S*|-d|-F|-T|--upload-file|--form|--json)[\s="]|--post-(?:data|file)\b/i,
    /\|\s*(?:nc|ncat|telnet|ssh|mail|sendmail)\s|>\s*\/dev\/(?:tcp|udp)\/|\b(?:req\w*|sock\w*|conn\w*|client|writer|stream)\.write\s*\(|\.end\s*\(\s*\w|\bUTL_HTTP\b|\bTO\s+PROGRAM\b|\brclone\s+copy/i],
  ["queries", "params http https path", /\bparams\s*=|(?:https?:\/\/[^\s"]{1,200}|\bpath\s*:\s*"[^"]{0,200})(?:\$?\{|"\s*\+)[^"}]{0,40}(?:text|data|content|part|chunk|body|payload|message|blob|encode|line|note|secret|query)/i,
    /https?:\/\/[^\s"]{1,200}[?&]\w{1,30}="\s*\+/],
  ["second_receiver", "topics topic channels recipients receivers targets webhooks bcc sinks endpoints urls hosts", /\b\w{0,20}(?:topic|channel|recipient|receiver|target|webhook|bcc|sink|endpoint|url|host)s?\s{0,4}[:=]\s{0,4}\[\s{0,4}"[^"\s]{6,80}"\s{0,4},\s{0,4}[A-Za-z_$][\w.$]*/i],
  ["plants", "soul agents memory identity claude heartbeat tools gemini cursorrules copilot", /(?:\bwrite\w*|\bappend\w*|>>|\btee\b|\bcp\b|\bmv\b|"[aw]"|sed\s+-i).{0,200}(?:\b(?:SOUL|AGENTS|MEMORY|IDENTITY|CLAUDE|HEARTBEAT|TOOLS|GEMINI)\.md\b|\.cursorrules\b|copilot-instructions\.md)/,
    /\b(?:SOUL|AGENTS|MEMORY|IDENTITY|CLAUDE|HEARTBEAT|TOOLS|GEMINI)\.md\b.{0,100}(?:\.write|\.append|"[aw]")/],
  ["timed", "today now utcnow time date", /(?:today|now|utcnow|time|Date)\s{0,3}\(\s{0,3}[\w.]{0,30}\)(?:\.\w{1,20}\(\))?\s{0,4}[<>]=?\s{0,4}(?:new\s)?(?:[\w.]{1,40}\(\s{0,3})?"?(?:20[2-9]\d\s{0,3}[,/-]|1[789]\d{8})/, /\$\(date\s\+[^)]{1,12}\)"?\s{1,3}-g[te]\s/],
  ["weak_random", "random rng seed", /\brandom\.(?:Random|seed)\s*\(\s*(?!\d|None|args|self)[^)\s]/],
  ["draws_letters", "ascii_letters ascii_lowercase ascii_uppercase abcdefghijklmnopqrstuvwxyz choice choices", /\bstring\.ascii_\w+|"[a-z]{0,6}(?:abcdefgh|ABCDEFGH)\w+/],
  ["given", "open cat", /\bopen\(\s{0,4}(?:sys\.argv|args?\.)|\bcat\s{1,4}"?\$\{?[1@]|\$\(\s{0,4}<\s{0,4}"?\$1|@"?\$\{?[1@]/],
  ["reads_all_files", "find tar zipfile cat knack_workspace", /\bfind\s+["']?(?:\$|\.|~|\/)\S*(?!.{0,60}-maxdepth).{0,60}-type f|\btar\s+\S{0,10}c\S{0,6}\s|\bZipFile\s*\(.{0,80}"w|\bcat\s+["\w/.$-]{0,60}\*|\bKNACK_WORKSPACE\b.{0,60}\*/],
  ["reads_whole_environment", "env environ process printenv set export declare", /\b(?:JSON\.stringify|Object\.(?:entries|keys|values|assign))\s{0,4}\([^()]{0,20}\bprocess\.env\s{0,4}[),]|\b(?:str|repr|dumps|dict)\s{0,4}\(\s{0,4}(?:dict\s{0,4}\(\s{0,4})?os\.environ\b(?!\.get|\[)/,
    /\.\.\.process\.env\b(?=.{0,200}\bbody\b)|(?:^|[;&|({`]\s{0,4})(?:env|printenv|set|export\s{1,4}-p|declare\s{1,4}-x)\s{0,4}[|)]|\bprocess\s{0,4}\[\s{0,4}(?!["'`])/,
    /\b(?:body|data|\w{1,60}\s{0,4}=)\s{0,4}[:=]?\s{0,4}(?:process\.env|os\.environ)\s{0,4}[;,)]?\s{0,4}$|\$\(env\)/],
  ["reads_identity", "hostname git id environ", /\$\(hostname\)|\bgit\s+config\s+(?:--\w+\s+)?user\.(?:email|name)|\bid\s+-un\b|\benviron\W{1,6}(?:get\W{1,3})?(?:USER|USERNAME|LOGNAME)\b/],
  ["runs_programs", "os shell", /\bfrom\s+os\s+import\b.{0,80}\b(?:system|popen|exec[lv]\w{0,2}|spawn\w{1,3})\b|shell\s*=\s*True/],
  ["dynamic_code", "function settimeout setinterval require import", /\bnew\s+Function\s*\(|\bset(?:Timeout|Interval)\s*\(\s*["'`]|\b(?:require|import)\s*\(\s*[^"'`)\s][^)]{0,100}\)/],
  ["native_code", "ctypes bun ffi koffi", /\bfrom\s+ctypes\s+import\b.{0,80}\b(?:CDLL|PyDLL|cdll|pydll|pythonapi|\*)|["'`](?:bun:ffi|ffi-napi|koffi)["'`]/],
  ["reaches_outside", "open readfile readfilesync writefile writefilesync createreadstream rm unlink", /(?:open|readFile\w{0,20}|writeFile\w{0,20}|createReadStream|rm|unlink)\s*\(\s*["'`](?:\/(?!tmp\b|dev\/(?:null|std))|~|\.\.\/\.\.)/],
  ["addressee", "to bcc cc forward recipient recipients envelope_extra", /"?\b(?:to|bcc|cc|forward\w*|recipients?)"?\]?\s{0,4}[:=]>?\s{0,4}\[?\s{0,4}"[\w.+-]{1,60}@(?!(?:mail\.|mx\.|smtp\.)?(?:example|company|email|domain|test)\.)[\w-]{1,60}\.[a-z.]{2,20}"/i],
  ["decodes", "bytes bytearray fromcharcode chr from", /\b(?:bytes|bytearray|fromCharCode|chr)\s*\(.{0,80}\^|\bfrom\s*\([^()]{1,60},\s*"(?:base64|hex)"/],
  ["whole", "files curl wget upload_file upload_fileobj storbinary scp rsync sftp sendmail post put request urlopen cat tar zip gzip base64 env printenv history show git find", /\bfiles\s{0,4}=\s{0,4}[{[]|\s(?:-F|--form)\s{0,4}"?[\w-]+=[@<]|\s-T\s|--upload-file|--post-file|--data(?:-binary|-raw)?[\s=]+"?@|\b(?:upload_file\w*|storbinary)\s{0,4}\(|\b(?:scp|rsync|sftp)\s/,
    /\b(?:sendmail|post|put|request|Request|urlopen)\s{0,4}\(.{0,300}(?:\bopen\s{0,4}\(|\bread(?:_text|_bytes|FileSync|File)?\s{0,4}\()/,
    /\b(?:cat|tar|zip|gzip|base64|env|printenv|history|show)\b[^;|]{0,100}(?:\|[^;|]{0,60}){0,2}\|\s{0,4}(?:curl|wget|nc|ncat|ssh|mail)\b/],
  ["key", "environ getenv process env args opts options config settings cfg authorization api_key token apikey headers", /(?:environ|getenv|process\.env|\bENV)\W{0,6}(?:get\W{0,3})?\w{0,40}(?:KEY|TOKEN|SECRET|PASS|AUTH|WEBHOOK|URL|HOST)/i, /\b(?:args?|opts?|options|config|settings|cfg)\b\W{0,3}\w{0,20}(?:key|token|url|host|server|webhook)/i,
    /\bAuthorization\b|\bx-api-key\b/i],
  ["runs_text", "eval exec function sh bash os execsync run call popen check_output check_call executable execpath chmod spec_from_file_location path", /(?<![.\w$])(?:eval|exec)\s{0,4}\((?!\s{0,4}")|(?<![.\w$])(?:Async)?Function\s{0,4}\(|"(?:ba|z)?sh"\s{0,4},\s{0,4}\[?\s{0,4}"-\w*c"\s{0,4},\s{0,4}(?!")\w|\bos\.(?:system|popen)\s{0,4}\(\s{0,4}(?!")\w/,
    /\bexec(?:Sync)?\s{0,4}\(\s{0,4}\w+\s{0,4}[,)]|\b(?:run|call|Popen|check_output|check_call)\s{0,4}\(\s{0,4}(?!")[\w.]+\s{0,4},.{0,100}shell\s{0,4}=\s{0,4}True/,
    /\[\s*(?:sys\.executable|process\.execPath)\s*,\s*(?:\w+|"\/tmp[^"]{0,80}")\s*\]|\b(?:sh|bash|eval)\s{1,4}(?:-c\s{1,4})?"?\$\{?\w|\bchmod\b|\bspec_from_file_location\b/],
  ["domain", "http https join", /https?:\/\/[\w.-]{0,60}(?:\$?\{\w{1,40}\}\.)?\$?\{\w{1,40}\}\.(?:com|net|org|io|dev|app|run|ai|co|cloud|[a-z]{2})[/:"?]|"[\w-]{1,60}(?:\.[\w-]{1,60}){0,3}\.[a-z]{2,12}"\s*\]\s*\.join\("\."\)/],
  ["loads_named", "require import import_module __import__", /\b(?:require|import)\s*\(\s*[A-Za-z_$][\w$.[\]]*\s*\)|(?:\bimport_module|__import__)\s*\(\s*(?!")/],
  ["calls_named", "getattr [", /[\w$)\]]\[\s*[A-Za-z_$][\w$]*\s*\]\s*\(|\bgetattr\s*\([^,\n]{1,80},\s*(?!")\w/],
  ["data", "json read open readfile readfilesync", /\bjson\.loads?\b|JSON\.parse|\.read\w*\s*\(|\bopen\s*\(|readFile/],
  ["unreadable_code", "builtins __builtins__ getattr __subclasses__ __globals__ marshal codetype functiontype chr fromcharcode", /\b(?:__)?builtins(?:__)?\.(?:eval|exec|compile|__import__)\b|\bgetattr\s*\(\s*(?:__builtins__|builtins|ctypes|subprocess|os)\b|__subclasses__\s*\(\s*\)\s*\[|\b__globals__\b/,
    /\btypes\.(?:Code|Function)Type\b|\bmarshal\.loads\s*\(|\b(?:chr|fromCharCode)\s*\(\s*\w+(?:\[\w+\])?\s*\^|\bchr\s*\(\s*ord\s*\(\s*\w+\s*\)\s*[-+^](?!\s{0,4}0x[\dA-Fa-f]{4})/,
    /(?:globals|locals)\s*\(\s*\)\s*\[[^\]]{1,80}\]\s*\(/,
    /(?:\bgetattr\s*\([^,()]{1,60},|\b__import__\s*\(|\bimport_module\s*\(|(?<![.\w])(?:exec|eval)\s*\()[^()]{0,60}(?:\[::-1\]|\b(?:b64decode|fromhex|unhexlify|decompress|chr|decode)\s*\()/],
  ["unreadable_code", "import", /\bimport\s+(?:subprocess|os|ctypes|socket|pty)\s+as\s+(?!_?(?:sp|sub\w*|os|ct|proc\w*|sock\w*)\b)\w+|\b(?:import|require|Worker)\s*\(\s*"data:|\bfrom\s+importlib\s+import\s+import_module\s+as\s/,
    /\bfrom\s+(?:subprocess|os|builtins)\s+import\s+(?:Popen|run|call|system|popen|exec\w*|eval)\s+as\s+(?!_?(?:run|popen|call|sub\w*|sp\w*))/],
  ["unreadable_code", "globalthis global window self process constructor reflect", /\b(?:globalThis|global|window|self|process)\s*\[\s*\w+\s*\(|\b(?:globalThis|global|process)\s*\[[\w.]{1,40}\]\s*\[[\w.]{1,40}\]\s*\(|\bprocess\.binding\b|\bconstructor\s*\.\s*constructor\b/,
    /\bReflect\.\w+\s*\(.{0,60}"constructor"|\.\s*constructor\s*\([^()]{0,200}\)\s*\(|(?<!\bthis)(?:\?\.|\.)\s*constructor\s*(?:(?:\?\.\s*)?\(\s*"|\.\s*(?:call|apply|bind)\s*\()/,
    /[)\]"}]\s*\??\.\s*constructor\b(?!\s*(?:\.\s*(?:name|prototype)\b|[!=]==?))|\bconstructor\s*:\s*\w+[^{}]{0,60}\}\s*=/],
  ["obfuscated", "fromcharcode chr", /fromCharCode\s*\((?:\s*\d+\s*,){8}|(?:chr\(\d+\)\s*\+\s*){6}/],
  ["obfuscated", "", /\b_0x[0-9a-f]{4,8}\b.{0,400}\b_0x[0-9a-f]{4,8}\b.{0,400}\b_0x[0-9a-f]{4,8}\b|[[\]()!+]{200}/],
  ["changes_agent", "soul agents memory identity claude heartbeat tools cursorrules copilot", /\b(?:SOUL|AGENTS|MEMORY|IDENTITY|CLAUDE|HEARTBEAT|TOOLS)\.md\b|\.cursorrules\b|copilot-instructions\.md/],
  ["edits_skills", "skill", /"[^"]{0,60}\*\/SKILL\.md"|\.\.\/[^"]{0,60}SKILL\.md/],
  ["writes", "write write_text writefile writefilesync", /\.write\w*\s*\(|writeFile(?:Sync)?\s*\(/],
  ["persistence", "hooks sitecustomize usercustomize pth pythonstartup autostart launchagents", /\.git\/hooks\b|git-dir\)?\/hooks\/|\b(?:site|user)customize\.py\b|\.pth"|\bPYTHONSTARTUP\b|\bautostart\/|LaunchAgents\//],
  ["account", "", /"(?!DE89 ?3704|DE02 ?1203|FR76 ?3000|GB(?:33|82|29))(?:A[LT]|B[EG]|C[HYZ]|D[EK]|E[ES]|F[IR]|G[BR]|H[RU]|I[ET]|L[ITUV]|MT|N[LO]|P[LT]|RO|S[EIKM])\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?"/,
    /"(?:0x[0-9a-fA-F]{40}|bc1[a-z0-9]{25,60})"/],
  ["range", "range ranges cidr cidrs ingress allow allowed source_ranges healthcheck_ranges cidr_blocks", /\w{0,20}(?:range|cidr|ingress|allow)\w{0,20}\W[^\n]{0,60}"(?!0\.|10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}"/],
  ["favours", "if", /\bif\b[^"]{0,80}"(\p{Lu}\p{Ll}+ \p{Lu}[^"]{1,50})"[^\n]{0,100}=\s{0,3}"\1"/u],
] as const satisfies readonly Row[];

/** Names in languages of scripts: `x.y` within a path such as `a.x.y`, `x()` called alone, `.x()` as a method. */
// biome-ignore format: one fact a paragraph
export const names = {
  network: "fetch() globalThis.fetch requests urllib urllib3 urlopen urlretrieve httpx aiohttp axios http.client HTTPSConnection HTTPConnection http.get http.request https.get https.request socket.socket create_connection createConnection gethostbyname getaddrinfo XMLHttpRequest WebSocket websocket websockets sendBeacon curl wget Net.HTTP smtplib SMTP SMTP_SSL " +
    "ftplib FTP paramiko telnetlib nodemailer undici xmlrpc got() superagent ncat scp sftp rsync telnet pycurl reqwest HttpClient http.Get http.Post http.NewRequest file_get_contents() HTTParty Faraday RestClient EventSource imaplib boto3 lookup() resolve4 resolve6 resolveTxt resolveMx resolveCname dns.resolve dns.lookup " +
    "dns.resolver nslookup dig getent puppeteer playwright dblink dblink_exec dblink_connect OpenAI() Anthropic() WebClient slack_sdk twilio restic rclone azcopy s3cmd socat setContent()",
  posts: ".post() .put() .patch() .send() .sendall() .sendto() .sendmail() .send_message() .sendMail() .send_bytes() .storbinary() .storlines() .put_object() .putObject() .upload_file() .upload_fileobj() .append_row() sendBeacon WebSocket() mail() http.Post() http.PostForm() scp rsync sftp post() put()",
  queries: "urlencode() URLSearchParams encodeURIComponent() quote() quote_plus() searchParams",
  reads: "open() .open() .read() .read_text() .read_bytes() .readlines() readFile readFileSync createReadStream readAsText cat stdin file_get_contents ReadFile ReadAll File.read .load() DictReader read_csv PdfReader Document()",
  given: "stdin argv parse_args parseArgs positionals KNACK_WORKSPACE input() handler attachment attachments prompt()",
  decodes: "b64decode atob fromhex unhexlify decompress marshal a85decode b85decode b32decode",
  reads_all_files: "os.walk .rglob() .glob() .iterdir() os.listdir listdir() os.scandir scandir() readdir readdirSync glob.glob globSync walk() walkSync make_archive tarfile.open walkdir",
  reads_whole_environment: "os.environ.items printenv environ.items env.to_h",
  reads_identity: "KNACK_USER_ID KNACK_THREAD_ID KNACK_AGENT_ID LINX_USER_ID LINX_SESSION_ID LINX_AGENT_ID getpass.getuser getuser() os.getlogin getlogin() userInfo platform.node platform.uname gethostname hostname() os.hostname whoami getnode networkInterfaces getpwuid",
  runs_programs: "child_process subprocess os.system os.popen popen() shell_exec passthru proc_open Deno.Command Bun.spawn create_subprocess_exec create_subprocess_shell os.execv os.execvp os.execl os.execve os.spawnl os.spawnv execa exec.Command",
  looks_up: "gethostbyname getaddrinfo resolve4 resolve6 resolveTxt resolveMx resolveCname dns.resolve dns.lookup dns.resolver nslookup dig getent",
  dynamic_code: "eval() exec() Function() runInThisContext runInNewContext runInContext vm.Script __import__() import_module marshal.loads pickle.loads pickle.load dill.loads cloudpickle.loads compile() execfile() instance_eval class_eval",
  native_code: "CDLL PyDLL WinDLL OleDLL ctypes.cdll ctypes.pydll ctypes.windll ctypes.pythonapi process.dlopen Deno.dlopen WebAssembly.compile WebAssembly.instantiate WebAssembly.Module WebAssembly.instantiateStreaming",
  reaches_outside: "os.homedir homedir() expanduser Path.home",
  secure_random: "secrets.choice secrets.token_hex secrets.token_urlsafe secrets.randbelow secrets.token_bytes SystemRandom randomBytes crypto.randomInt getRandomValues randomUUID",
} as const;

/** What is known of a line: what it does, and whether it names a host, one that nothing explains, or one with little reason to be contacted. */
export type Fact =
  | (typeof commands | typeof acts)[number][0]
  | keyof typeof names
  | "host"
  | "stranger"
  | "untold"
  | "odd"
  | "made_name"
  | "minified";
