import { pattern } from "../../base/pattern.ts";
import { type Capability, type FileRule, foundIn, type ReviewSubject } from "../review-subject.ts";
import { addressesIn, oddPlace } from "./hosts.ts";
import { abilities, demands, intentsOf } from "./intents.ts";
import type { Code } from "./meanings.ts";
import { affirms, isExplained, type Statement, statementsOf } from "./statements.ts";
import * as words from "./vocabulary.ts";

const forMaker =
  /\b(?:each|every|always|before|after|whenever|any|environment variables|private keys|ssh keys)\b|\.env\b/i;
const habit = /\b(?:each|every|always|before|after|whenever|any)\b/i;

/** What a skill tells the agent to send, and to whom. */
function sending(statement: Statement, { purpose }: ReviewSubject): Capability[] {
  const { text, said, path, line: number } = statement;
  const finding = (severity: Capability["severity"], code: Code, message?: string) => [
    foundIn({ path }, { number, text }, severity, code, message),
  ];
  // A guide about attacks quotes them.
  const hosts = addressesIn(purpose.isAboutAttacks ? said : text).map(({ place }) => place);
  const someone = words.somebody.exec(said)?.[0].toLowerCase();
  if (hosts.length === 0 && someone === undefined && !words.outsiders.test(said)) return [];
  const to = {
    isHost: hosts.some((host) => !purpose.names(host)),
    isPerson: someone !== undefined && !purpose.text.toLowerCase().includes(someone),
    isNobody: hosts.length === 0,
  };
  const isMeant = !isExplained(statement);
  const strange = isMeant && Object.values(to).includes(true) ? strangeSending(statement, to) : undefined;
  if (strange !== undefined) return finding("warning", strange);
  const isSending = affirms(said, words.sends);
  const odd = oddPlace(text);
  if (odd !== undefined) {
    const isGrave = isSending && isMeant && !purpose.isAboutAttacks;
    return finding(isGrave ? "warning" : "info", "unusual_host", `It names ${odd}.`);
  }
  return isSending ? finding("info", "sends_to_address") : [];
}

/** What a statement does with a host or person that the description does not name. */
function strangeSending(statement: Statement, to: { isHost: boolean; isPerson: boolean }): Code | undefined {
  const { text, said, around } = statement;
  const picture = words.picture.exec(text)?.[0];
  if (picture !== undefined) return isFilled(picture, around) ? "sends_conversation" : undefined;
  if (to.isHost && affirms(said, words.loads) && affirms(around, words.obeys)) return "obeys_remote_text";
  const isGiven =
    affirms(around, words.gives) || (affirms(said, words.givesIt) && words.personal.test(around));
  const isSent = [
    words.outsiders.test(said) && affirms(said, words.gives) && forMaker.test(said),
    to.isPerson && (isGiven || isForPerson(statement)),
    to.isHost && (isGiven || isForHost(statement)),
  ];
  return isSent.includes(true) ? "sends_conversation" : undefined;
}

function isForPerson({ said }: Statement): boolean {
  const isOften = habit.test(said) || words.personal.test(said) || /\bcop(?:y|ies)\b/i.test(said);
  return affirms(said, words.admits) || (isOften && affirms(said, words.sends));
}

/** Whether an address is filled with something of people: by its form, or because the text says what goes there. */
function isForHost({ text, said, around }: Statement): boolean {
  const name = words.placeholder.exec(text)?.[1];
  const named = pattern("iu")`(?<!\w)${name ?? "?"}(?!\w)[^.]{0,60}(?:${words.personal})`;
  const isUsed = affirms(said, words.sends) || affirms(said, words.completes);
  const isCommand = words.capitals.test(text) && /\bcurl\b/.test(text);
  return isCommand || (words.filled.test(text) && isUsed) || (name !== undefined && named.test(around));
}

/** Whether an address has a place for words or names of people. */
function isFilled(address: string, around: string): boolean {
  if (words.filled.test(address) || words.capitals.test(address)) return true;
  return /[{[<$]|[A-Z]{3}[_-]/.test(address) && affirms(around, words.gives);
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
