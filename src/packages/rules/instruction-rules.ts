import { pattern } from "../../base/pattern.ts";
import { type Capability, type FileRule, foundIn, type ReviewSubject } from "../review-subject.ts";
import { addressesIn, oddPlace } from "./hosts.ts";
import { abilities, demands, intentsOf } from "./intents.ts";
import type { Code } from "./meanings.ts";
import { affirms, isExplained, type Statement, statementsOf } from "./statements.ts";
import {
  admits,
  capitals,
  completes,
  filled,
  gives,
  givesIt,
  loads,
  obeys,
  outsiders,
  personal,
  picture,
  placeholder,
  sends,
  somebody,
} from "./vocabulary.ts";

const forMaker =
  /\b(?:each|every|always|before|after|whenever|any|environment variables|private keys|ssh keys)\b|\.env\b/i;
const habit = /\b(?:each|every|always|before|after|whenever|any)\b/i;

/** What a skill tells the agent to send, and to whom. */
function sending(statement: Statement, { purpose }: ReviewSubject): Capability[] {
  const { text, said, path, line: number } = statement;
  // A guide about attacks quotes them.
  const hosts = addressesIn(purpose.isAboutAttacks ? said : text).map(({ place }) => place);
  const someone = somebody.exec(said)?.[0];
  if (hosts.length === 0 && someone === undefined && !outsiders.test(said)) return [];
  const unknown = hosts.filter((host) => !purpose.names(host));
  const isStranger = someone !== undefined && !purpose.text.toLowerCase().includes(someone.toLowerCase());
  const isStrange = unknown.length > 0 || isStranger || hosts.length === 0;
  const code =
    isStrange && !isExplained(statement)
      ? strangeSending(statement, unknown, isStranger ? someone : undefined)
      : undefined;
  const isSending = affirms(said, sends);
  const odd = oddPlace(text);
  if (code !== undefined) return [foundIn({ path }, { number, text }, "warning", ...code)];
  if (odd !== undefined) {
    const severity = isSending && !isExplained(statement) && !purpose.isAboutAttacks ? "warning" : "info";
    return [foundIn({ path }, { number, text }, severity, "unusual_host", `It names ${odd}.`)];
  }
  return isSending ? [foundIn({ path }, { number, text }, "info", "sends_to_address")] : [];
}

/** What a statement does with the hosts, or the person or channel, that the description does not name. */
function strangeSending(
  { text, said, around }: Statement,
  unknown: readonly string[],
  someone: string | undefined,
): [code: Code, message?: string] | undefined {
  const shown = picture.exec(text)?.[0];
  if (shown !== undefined)
    return isFilled(shown, around)
      ? [
          "sends_conversation",
          "It makes the agent fill in the address of a picture: showing the picture sends that to the host.",
        ]
      : undefined;
  if (unknown.length > 0 && affirms(said, loads) && affirms(around, obeys)) return ["obeys_remote_text"];
  const place = unknown.length > 0 ? placeholder.exec(text)?.[1] : undefined;
  const isNamed =
    place !== undefined && pattern("iu")`(?<!\w)${place}(?!\w)[^.]{0,60}(?:${personal})`.test(around);
  if (isNamed) return ["sends_conversation"];
  const isPlace = unknown.length > 0 || someone !== undefined;
  const isToMaker = outsiders.test(said) && affirms(said, gives) && forMaker.test(said);
  return isToMaker || (isPlace && isGiven({ text, said, around }, someone))
    ? ["sends_conversation"]
    : undefined;
}

function isFilled(address: string, around: string): boolean {
  return (
    filled.test(address) ||
    capitals.test(address) ||
    (/[{[<$]|[A-Z]{3}[_-]/.test(address) && affirms(around, gives))
  );
}

/** Whether something of people goes to the place that a statement names. */
function isGiven(
  { text, said, around }: Pick<Statement, "text" | "said" | "around">,
  someone: string | undefined,
): boolean {
  const isSending = affirms(said, sends);
  if (someone !== undefined && affirms(said, admits)) return true;
  if (capitals.test(text) && /\bcurl\b/.test(text)) return true;
  if (affirms(around, gives) || (affirms(said, givesIt) && personal.test(around))) return true;
  if (filled.test(text) && (isSending || affirms(said, completes))) return true;
  return (
    someone !== undefined &&
    isSending &&
    (habit.test(said) || personal.test(said) || /\bcop(?:y|ies)\b/i.test(said))
  );
}

/** Comments that speak to an agent; others are for the readers of the source. */
const addressed =
  /\b(?:(?:note|message|instructions?|hint|reminder|memo|important)\s?(?:from .{1,30} )?(?:to|for)\s(?:the\s|any\s|all\s)?(?:ai|agents?|assistants?|models?|llms?|bots?|claude|gpt)|\bfor (?:the|any|all) (?:\w+ )?(?:ai|agents?|assistants?|models?|llms?|bots?)\b|(?:if|when) you(?:['’]re| are) (?:an? )?(?:ai|agent|assistant|model|llm|bot|language model))\b|^\s*(?:dear\s)?(?:ai|agents?|assistants?|model|llm|bot|claude|system)\b[\w ]{0,30}[:,!]|\b(?:the\s)?(?:ai|agents?|assistants?|models?|llms?)\s(?:must|should|shall|has to|have to|need to|always)\b/i;
const commands =
  /\b(?:run|execute|send|always|never|must|should|install|open|call|load|fetch|pass|forward|ignore|read|quote|put|copy|add|before|after|whenever|output)\b|https?:/i;
const isAgainst =
  /\b(?:deprecated|withdrawn|insecure|unsafe|obsolete|superseded|replaces|replaced by|retired|broken|outdated|removed|compromised|successor|must not be used|(?:do not|don['’]t|never|no longer|stop) (?:\w+ )?us(?:e|ing)|instead of|in place of|takes? over|veraltet|ersetzt|unsicher|obsolète|obsolet[oa])\b|已弃用|устарел/i;

/** The shipped skill that a sentence speaks against. */
function discredited({ said, text }: Statement, { skill, shipped }: ReviewSubject): string | undefined {
  if (!isAgainst.test(said)) return undefined;
  return shipped.find(({ id }) => {
    if (id === skill.id || id === skill.parent) return false;
    const named = pattern(
      "i",
    )`\bskill [\x60"“]?${id}\b|\b(?:${id}|${id.replaceAll("-", " ")})[\x60"”]? (?:skill|tool)\b`;
    return named.test(text) || (id.includes("-") && pattern("i")`(?<![\w-])${id}(?![\w-])`.test(text));
  })?.id;
}

/** What prose makes an agent do against, or past, the people it works for. */
export const instructionRule: FileRule = (file, subject) =>
  statementsOf(file, subject).flatMap((statement): Capability[] => {
    const { text, line, isHidden, around } = statement;
    const found = sending(statement, subject);
    const add = (code: Code, severity: Capability["severity"] = "warning", message?: string) =>
      found.push(foundIn(file, { number: line, text }, severity, code, message));
    const other = discredited(statement, subject);
    if (other !== undefined)
      add("discredits_skill", "warning", `It speaks against the skill ${other}, which ships with the bot.`);
    if (isExplained(statement) || subject.purpose.isAboutAttacks) return found;
    for (const code of intentsOf(statement, abilities)) add(code, "info");
    for (const code of intentsOf(statement, demands))
      if (found.every((each) => each.code !== code)) add(code);
    if (isHidden && addressed.test(around) && commands.test(text)) add("hidden_instructions");
    return found;
  });

/** Text that is styled to be invisible when a page is shown. Pages for people hide parts until they are needed. */
export const hiddenMarkupRule: FileRule = (file, { purpose }) => {
  if (/\.html?$/i.test(file.path) || purpose.isAboutAttacks) return [];
  const styled =
    /<(?!input|button|option|img)[a-z]+\b[^>]{0,200}(?:\bcolor\s*[:=]\s*["']?(?:white|#fff\b|#ffffff|transparent)|display\s*:\s*none|font-size\s*:\s*0|opacity\s*:\s*0\b|visibility\s*:\s*hidden|\shidden[\s>])[^>]{0,200}>\s*(?=(?:[^<\s]+\s+){2}|[^<]{8})/i;
  return file.lines.flatMap(({ number, role, text }): Capability[] => {
    if (role !== "prose" || !styled.test(text.replace(/`[^`]*`/g, ""))) return [];
    return [foundIn(file, { number, text }, "warning", "hidden_instructions")];
  });
};
