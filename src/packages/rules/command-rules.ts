import { pattern } from "../../base/pattern.ts";
import { type FileRule, foundIn } from "../review-subject.ts";
import { addressesIn, oddPlace } from "./hosts.ts";

import { danger, inCode, isExplained, type Judge, signRule, warning } from "./signs.ts";

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

/** How grave it is to run a program from there: from an anonymous place, from somebody whom the purpose does not name, or from its maker. */
const bySource: Judge = (text, { role }, { purpose }) => {
  const bare =
    /(\b(?:curl|wget|irm|iwr)\b(?:\s{1,4}-[\w-]{1,40}){0,6}\s{1,4}["']?)(?=(?:[\w-]{1,60}\.){1,5}[a-z]{2,})/gi;
  const written = text.replace(bare, "$1https://");
  if (oddPlace(written) !== undefined) return "danger";
  const places = addressesIn(written);
  if (places.length === 0) return role === "code" && /\$\(\s*(?:curl|wget)/.test(text) ? "warning" : "info";
  return places.every(({ place }) => purpose.names(place)) ? "info" : "warning";
};
const fromStranger: Judge = (text, _, { purpose }) =>
  addressesIn(text).every(({ host, place }) => purpose.names(place) || host.startsWith("download."))
    ? "info"
    : "warning";
const fromCode: Judge = (text, { role }) =>
  role === "code" && /\/dev\/tcp.{0,120}0>&1|exec:|-e\s{1,4}\S{0,40}sh\b/.test(text) ? "danger" : "warning";
const outsideSamples: Judge = (_, { role }) => (role === "sample" ? "info" : "warning");

const servers = /\bssh\b|server|deploy|provision|sysadmin/i;
const later =
  /\b(?:cron\w*|schedul\w*|daily|nightly|hourly|weekly|periodic\w*|automat\w*|autostart|daemon|services?|background|launchd|systemd|backup\w*|monitor\w*|watch\w*|remind\w*|heartbeat|boot|server|agent|deploy\w*|sync\w*|shell|dotfiles|install\w*|setup|wake|alarm|tunnel|bridge|gateway)\b/i;
const deleting =
  /\b(?:clean\w*|delet\w*|remov\w*|tidy\w*|prun\w*|uninstall\w*|reset\w*|wip\w*|purg\w*|cache|disk|rotat\w*|backup\w*|mirror\w*)\b/i;
const keyPlaces =
  /\b(?:ssh|sftp|aws|s3|cloud|gcloud|azure|kube\w*|docker|git|github|npm|pypi|deploy\w*|credentials?|secrets?|passwords?|keychain|keys?|auth\w*|login|cookies?|browser|backup\w*|server|remote|hosts?|wallets?|config\w*|sessions?|memory|agents?|openclaw|clawdbot|moltbot|cli)\b/i;

// biome-ignore format: one sign a line
const commandSigns = signRule([
  ["encoded_command", pattern("i")`${decoders}[^|\n]{0,200}\|\s*(?:\w{1,40}\s+(?:-?\w{1,40}\s*)?\|\s*)?${runsInput}|(?:eval|${interpreters}\s+-c)\b.{0,30}(?:\$\(|<\(|\`).{0,400}${decoders}`, danger],
  ["encoded_command", /\b(?:powershell|pwsh)(?:\.exe)?\b.{0,120}\s-e(?:nc|ncodedcommand|c)?\s+["']?[A-Za-z0-9+/=]{16}|frombase64string\(.{0,400}(?:\|\s*iex|invoke-expression|::load\()|(?:iex|invoke-expression)\b.{0,200}frombase64string/i, danger],
  ["encoded_command", /\b(?:eval|exec|Function)\s*\(.{0,80}(?:atob\s*\(|b64decode\s*\(|["']base64["']|fromhex\s*\(|unhexlify\s*\(|zlib\.decompress)/i, danger],
  ["credential_theft", /osascript\b.{0,300}display dialog.{0,200}(?:password|hidden answer)|\bdscl\b.{0,30}-?authonly\b/i, danger],
  ["backdoor", />\s{0,20}\S{0,60}(?:authorized_keys|\/etc\/(?:rc\.local|ld\.so\.preload|sudoers))|\bsudo\s+(?:visudo|useradd)\b/i, inCode, servers],
  ["backdoor", /\bsh\s{1,4}-i\s{0,4}(?:>&|[<>]\s{0,4}\/dev\/tcp)|\/dev\/tcp\/(?:[\d.]{7,40}|\S{1,80}.{0,40}0>&1)|mkfifo\b.{0,120}\bnc\b|\bn(?:c|cat)\b.{0,40}\s-\w{0,4}e\s{1,4}\/\S{0,40}sh\b|pty\.spawn\(\s{0,4}["'](?:\/bin\/)?(?:ba|z)?sh|socat\b.{0,80}exec:/i, fromCode],
  ["reads_credentials", /(?:[~/\\]|\$HOME\/|["'`])\.(?:ssh\b|aws\/|gnupg\b|kube\/config|docker\/config|netrc\b|git-credentials|npmrc\b|pypirc\b|config\/gcloud|azure\/|password-store)|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:shadow|sudoers)\b|\/proc\/(?:self|\d+|\*)\/(?:environ|mem)\b/, inCode, keyPlaces],
  ["reads_credentials", /Login Data\b|Cookies\.binarycookies|key4\.db|logins\.json|\bwallet\.dat\b|Library\/Keychains|Local Extension Settings|169\.254\.169\.254|metadata\.google\.internal|security\s+(?:find-(?:generic|internet)-password|dump-keychain)|\/var\/run\/secrets\b/, inCode, keyPlaces],
  ["reads_credentials", /\.(?:openclaw|clawdbot|moltbot)\/(?:\.env|openclaw\.json|agents\/\S{1,60}sessions)|auth-profiles\.json|\.(?:bash|zsh|python|psql|mysql)_history\b|\bpbpaste\b|\bpyperclip\.paste\b|\bxclip\b.{0,20}-o\b|\bkeyring\.get_password\b/, inCode, keyPlaces],
  ["disables_protection", /\bxattr\b.{0,20}-\w*[dc]\w*\b.{0,40}(?:com\.apple\.quarantine|-r)|spctl\b.{0,20}--(?:master|global)-disable|csrutil\s+disable|\bsetenforce\s+0|ufw\s+disable/i, inCode],
  ["disables_protection", /set-mppreference\b.{0,60}-disable|add-mppreference\b.{0,40}-exclusion|netsh\b.{0,40}firewall.{0,40}\boff\b|(?:executionpolicy|-ep)\s+(?:bypass|unrestricted)\b/i, inCode],
  ["disables_protection", /\bdefaultMode\b\W{1,6}bypassPermissions\b|\bcore\.hooksPath\s{1,4}\/dev\/null/i, warning, /\bpermissions?\b/i],
  ["changes_agent", /\b(?:ANTHROPIC|OPENAI)_BASE_URL\b["']?\]?\s{0,4}(?:\?\?=|=|:)\s{0,4}["']https:/, inCode, /\b(?:prox(?:y|ies)|gateways?|routers?|relay|providers?)\b/i],
  ["persistence", /\bcrontab\s+(?:-(?!l)|\S+\.|\/)|\blaunchctl\s+(?:load|bootstrap|submit)\b|\bsystemctl\b.{0,20}\benable\b|\bschtasks\b.{0,20}\/create|>>\s*\S{0,30}\.(?:bashrc|zshrc|profile|bash_profile|zprofile)\b|currentversion\\run\b/i, inCode, later],
  ["destructive", /\brm\s+-\w*(?:rf|fr)\w*\s+["']?(?:\/|~|\$HOME)\/?\*?(?:["'\s]|$)|\bmkfs\b|\bdd\b.{0,40}\bof=\/dev\/|\brmtree\(\s*(?:os\.path\.expanduser\(["']~["']\)|Path\.home\(\))\s*\)/i, inCode, deleting],
  ["destructive", /\brmtree\s*\((?!.{0,80}(?:te?mp|cache|build|dist|stag|scratch|work_?dir))\s*(?:[\w.]{1,30}\(\s*)?(?:home|Path\.home|each|path|folder|workspace|root|base|os\.environ|sys\.argv)\b/i, inCode, deleting],
  ["elevated", /(?:^|[\s`$;&|(])sudo\s+\w|start-process\b.{0,80}-verb\s+runas|with administrator privileges/i],
  ["installs_software", /["']?kind["']?\s*:\s*["']?(?:brew|node|npm|go|uv|pip|apt|cargo)\b|\b(?:pip3?|uv pip|pipx|uv tool)\s+install\b|\b(?:npm|pnpm|yarn|bun)\s+(?:install|i|add|ci)\b|\b(?:npx|uvx|bunx)\s+(?!knack\b)\S|\bbrew\s+install\b/],
  ["installs_software", /\b(?:apt|apt-get|dnf|yum|apk|pacman|choco|winget)\s+(?:-\w+\s+)?(?:install|add|-S)\b|\b(?:go|cargo|gem)\s+install\b/],
  ["remote_code", pattern("i")`\b${fetchCall}[^|]{0,600}\|\s*(?:tee\s[^|]{0,80}\|\s*)?${runsInput}|${interpreters}(?:\s+-\w{1,10}){0,4}\s+["']?(?:\$\(|<\(|\`)\s*${fetchers}|\b(?:eval|source)\b[^\n]{0,20}(?:\$\(|<\(|\`)\s*${fetchers}`, bySource],
  ["remote_code", /\b(?:iex|invoke-expression)\b.{0,120}(?:downloadstring|webclient|iwr|irm|invoke-webrequest)|(?:downloadstring|invoke-webrequest|\biwr\b|\birm\b).{0,300}\|\s*(?:iex|invoke-expression)|\b(?:exec|eval)\s*\(.{0,60}(?:urlopen|requests\.get|urllib|fetch\s*\(|http\.get)/i, bySource],
  ["remote_code", /\b(?:mshta(?:\.exe)?\s+["']?(?:https?:|javascript:|vbscript:)|bitsadmin\b.{0,80}\/transfer|regsvr32\b.{0,80}\/i:http|rundll32\b.{0,60}javascript:|certutil(?:\.exe)?\b.{0,80}-urlcache\b)/i, bySource],
  ["foreign_registry", /--(?:extra-)?index-url\b|--find-links\b|--trusted-host\b|\b(?:npm|pnpm|yarn|npx|bun)\b.{0,80}--registry\b|\b(?:PIP_(?:EXTRA_)?INDEX_URL|UV_(?:EXTRA_)?INDEX_URL|UV_INDEX|npm_config_registry)\b/i, fromStranger],
  ["foreign_registry", /^\s*(?:extra-index-url|index-url|@[\w-]{1,60}:registry|registry)\s*=\s*\S|\bindex-url\s*=\s*https?:|\bconfig\s+set\s+(?:\S{0,60}registry|\S{0,20}index-url)|"[\w@/.-]{1,80}"\s*:\s*"https?:\/\/[^"\s]{1,200}\.t(?:ar\.)?gz"/i, fromStranger],
  ["sends_by_name", /\b(?:gethostbyname\w*|getaddrinfo|resolve\w*|lookup|dig|nslookup|host|ping6?)\b[\s(]{1,3}(?:\+?-?\w+\s+){0,3}["'`]?[^\s,]{0,40}(?:\$\{?[^}\s]{1,60}\}?|\{[^}\s]{1,60}\})(?:\.[\w-]+|\.\$?\{[^}\s]{1,60}\}){0,3}\.[a-z][\w-]*\.[a-z]{2,}\b/i, warning],
  ["sends_by_name", /\b(?:gethostbyname\w*|getaddrinfo|resolve\w*|lookup)\s*\(\s*[^()"'`]{1,60}\+\s*["'`]\.[\w-]+\.[a-z]/i, warning],
  ["secret", /(?!.{0,60}(?:x{8}|example|EXAMPLE|\*{4}|0{12}))(?:\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,90})\b|\bglpat-[A-Za-z0-9_-]{20}\b|\bxox[abeprs]-[A-Za-z0-9-]{20,120})/, outsideSamples],
  ["secret", /(?!.{0,60}(?:x{8}|example|EXAMPLE|\*{4}|0{12}))(?:\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{32,200}|\bAIza[0-9A-Za-z_-]{35}\b|\b[rs]k_live_[A-Za-z0-9]{20,100}\b|\bnpm_[A-Za-z0-9]{36}\b|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----)/, outsideSamples],
  ["secret", /\bSG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,50}|\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}\b/, outsideSamples],
  ["downloads_program", /["']?kind["']?\s*:\s*["']?download\b/, fromStranger],
]);

/** `curl -o FILE …; sh FILE`. */
const savesAndStarts = pattern(
  "i",
)`\b${fetchers}[^\n]{0,300}(?:\s-\w{0,6}[oO]|--output|--output-document|-outfile|>)[\s=]{0,3}["']?(?!\/dev\/)([^\s"';|&<>]{3,100})[^]{0,600}?(?:[;&|\n]|\bthen\b)\s{0,20}(?:chmod\b|${interpreters}|\.\/|open\b|start\b|["'$\/])[^\n]{0,100}?\1`;

/** On one line or within the next few, and no checksum between. */
const fetchAndRunRule: FileRule = (file, subject) =>
  file.lines.flatMap((line, at) => {
    if (!fetchCall.test(line.text)) return [];
    const text = [line, ...file.lines.slice(at + 1, at + 5)].map((each) => each.text).join("\n");
    if (!savesAndStarts.test(text) || /sha(?:256|512)sum|gpg --verify/.test(text)) return [];
    const isMeant = !subject.purpose.isAboutAttacks && !isExplained(line.text);
    return [foundIn(file, line, isMeant ? bySource(line.text, line, subject) : "info", "remote_code")];
  });

/** Commands that nobody should run, in any text: in code, in prose that tells somebody to, or in data. */
export const commandRule: FileRule = (file, subject) =>
  [commandSigns, fetchAndRunRule].flatMap((rule) => rule(file, subject));
