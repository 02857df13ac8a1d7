import { madeName } from "../review-code.ts";
import { type Capability, type Code, type FileRule, foundIn } from "../review-subject.ts";
import { actsOf } from "./acts.ts";
import meanings from "./meanings.json" with { type: "json" };
import { signRule, warning } from "./signs.ts";

/** Where code hides what it does, what it takes that nobody gave it, and what it changes for later. */
// biome-ignore format: one sign a line
const codeSigns = signRule([
  ["unreadable_code", /\b(?:__)?builtins(?:__)?\.(?:eval|exec|compile|__import__)\b|\bgetattr\s*\(\s*(?:__builtins__|builtins|ctypes|subprocess|os)\b|__subclasses__\s*\(\s*\)\s*\[|\b__globals__\b|\btypes\.(?:Code|Function)Type\b|\bmarshal\.loads\s*\(/, warning],
  ["unreadable_code", /(?:globals|locals)\s*\(\s*\)\s*\[[^\]]{1,80}\]\s*\(|(?:\bgetattr\s*\([^,()]{1,60},|\b__import__\s*\(|\bimport_module\s*\(|(?<![.\w])(?:exec|eval)\s*\()[^()]{0,60}(?:\[::-1\]|\b(?:b64decode|fromhex|unhexlify|decompress|chr|decode)\s*\()/, warning],
  ["unreadable_code", /\bchr\s*\(\s*ord\s*\(\s*\w+\s*\)\s*[-+^]/, warning],
  ["unreadable_code", /\bimport\s+(?:subprocess|os|ctypes|socket|pty)\s+as\s+(?!_?(?:sp|sub\w*|subprocess|os|ct|proc\w*|socket\w*|sock)\b)\w+|\bfrom\s+(?:subprocess|os|builtins)\s+import\s+(?:Popen|run|call|system|popen|exec\w*|eval)\s+as\s+(?!_?(?:run|popen|call|sub\w*|sp\w*))/, warning],
  ["unreadable_code", /\b(?:import|require|Worker)\s*\(\s*"data:|\b(?:globalThis|global|window|self|process)\s*\[\s*\w+\s*\(|\bprocess\.binding\b|\bconstructor\s*\.\s*constructor\b|\bReflect\.\w+\s*\(.{0,60}"constructor"|\.\s*constructor\s*\([^()]{0,200}\)\s*\(/, warning],
  ["unreadable_code", /(?<!\bthis)(?:\?\.|\.)\s*constructor\s*(?:(?:\?\.\s*)?\(\s*"|\.\s*(?:call|apply|bind)\s*\()|[)\]"}]\s*\??\.\s*constructor\b(?!\s*(?:\.\s*(?:name|prototype)\b|[!=]==?))|\bconstructor\s*:\s*\w+[^{}]{0,60}\}\s*=/, warning],
  ["obfuscated", /fromCharCode\s*\((?:\s*\d+\s*,){8}|(?:chr\(\d+\)\s*\+\s*){6}|[[\]()!+]{200}|\b_0x[0-9a-f]{4,8}\b.{0,400}\b_0x[0-9a-f]{4,8}\b.{0,400}\b_0x[0-9a-f]{4,8}\b/, warning],
  ["changes_agent", /\b(?:SOUL|AGENTS|MEMORY|IDENTITY|CLAUDE|HEARTBEAT|TOOLS)\.md\b|\.cursorrules\b|copilot-instructions\.md/],
  ["changes_agent", /"[^"]{0,60}\*\/SKILL\.md"|\.\.\/[^"]{0,60}SKILL\.md/, warning, /\bskills?\b/i],
  ["persistence", /\.git\/hooks\b|\b(?:site|user)customize\.py\b|\.pth"|\bPYTHONSTARTUP\b|\bautostart\/|LaunchAgents\//, warning, /\b(?:hooks?|git|cron\w*|schedul\w*|daemon|services?|autostart|launchd|startup|install\w*|setup)\b/i],
  ["steers_answers", /(?:replace|sub|iban|payee|account|recipient)\W.{0,80}"[A-Z]{2}\d{2}[ \dA-Z]{11,40}"|\b[A-Z]{2}\d{2} ?(?:\d{4} ?){3,6}.{0,60}(?:replace|sub)\b|"[?&](?:via|aff|tag|affiliate|partner|ref)=[\w-]{3,40}"/, warning, /\b(?:affiliate|referral|example|test|sample|valid\w*)\b/i],
]);

/** What code can do, where it hides what it does, and which names it makes of pieces, so that nobody finds them in its text. */
export const codeRule: FileRule = (file, subject) => {
  if (file.role !== "code") return [];
  const acts = file.statements.flatMap((line) =>
    [...actsOf(line.text)]
      .filter((act) => act in meanings)
      .map((act) => foundIn(file, line, "info", act as Code)),
  );
  const made: Capability[] = [];
  for (const line of subject.purpose.isAboutAttacks ? [] : file.statements) {
    const name = made.length < 20 ? madeName(line, file.raw) : undefined;
    const message = `It makes up a name while it runs: ${name}.`;
    if (name !== undefined) made.push(foundIn(file, line, "warning", "unreadable_code", message));
  }
  return [...acts, ...codeSigns(file, subject), ...made];
};
