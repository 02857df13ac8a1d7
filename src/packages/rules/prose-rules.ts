import { type FileRule, foundIn } from "../review-subject.ts";
import { combinationsIn } from "./combinations.ts";
import { oddPlace } from "./hosts.ts";
import { sentencesOf } from "./sentences.ts";

/**
 * What prose makes an agent do against, or past, the people it works for. What warns of attacks quotes them and says what happens, but orders
 * nothing; and people may ask for what they like.
 */
export const proseRule: FileRule = (file, subject) => {
  const { concepts: meant, isAboutAttacks } = subject.purpose;
  return sentencesOf(file, subject).flatMap((sentence) => {
    const { stated, line: number, text } = sentence;
    const isQuoting = isAboutAttacks && (stated.has("hidden") || /["“`|]|^\s*>/.test(text));
    const orders = !stated.has("attack") && !stated.has("wish") && !isQuoting;
    const held = combinationsIn(
      "prose",
      { ...sentence, meant },
      { isMeant: orders && !isAboutAttacks, orders },
    );
    return held.map(({ severity, code }) => {
      const message = code === "unusual_host" ? `It names ${oddPlace(text)}.` : undefined;
      return foundIn(file, { number, text }, severity, code, message);
    });
  });
};
