import { farewell, greeting, nothingSaid, thanks, wellbeing } from "./phrases.ts";

/** What a message is that asks for no skill; `help` wants to see the skills. */
export type SmallTalk = { kind: "answer"; text: string } | { kind: "help" };

const longest = 80;
/** What may stand around the words: punctuation, emoji, the bot's name. */
const padding = /(?:\p{P}|\p{S}|\p{M}|\p{Extended_Pictographic})+/gu;

const kinds: readonly [RegExp, SmallTalk][] = [
  [
    /^(?:help(?: me)?(?: please)?|please help|hilfe|aide|ayuda|what can (?:you|i) do(?: here| for me)?|what do you do|who are you|what are you|what is this|what skills (?:do you have|are there)|(?:list|show)(?: me)?(?: all)?(?: the| your)? skills|how does this work|what now|start|commands)$/,
    { kind: "help" },
  ],
  [
    /^(?:(?:hi|hello|hey|hallo|hola|ciao|bonjour|salut|moin|servus|yo|howdy|greetings|good (?:morning|afternoon|evening|day)|guten (?:morgen|tag|abend)|buenos dias|こんにちは|你好)(?: there| everyone| all| bot| knack)?)$/,
    { kind: "answer", text: greeting },
  ],
  [
    /^(?:thanks?(?: you)?(?: (?:so|very) much| a lot)?|many thanks|thx|ty|cheers|danke(?: schön| dir)?|merci|gracias|grazie|obrigad[oa]|(?:great|nice|cool|perfect|awesome|good job|well done|ok|okay)(?: thanks?(?: you)?)?)(?: knack| bot)?$/,
    { kind: "answer", text: thanks },
  ],
  [
    /^(?:bye(?: bye)?|goodbye|see you(?: later)?|good ?night|tschüss|ciao ciao|au revoir|adios)$/,
    { kind: "answer", text: farewell },
  ],
  [
    /^(?:(?:hi|hello|hey) )?(?:how are you(?: doing)?(?: today)?|how is it going|how s it going|what s up|wie geht s)$/,
    { kind: "answer", text: wellbeing },
  ],
];

/** What to say to a greeting, thanks or a call for help; undefined for anything else. */
export function recogniseSmallTalk(message: string): SmallTalk | undefined {
  const text = message.trim();
  if (text === "") return { kind: "answer", text: nothingSaid };
  if (text.length > longest) return undefined;
  const plain = text.toLowerCase().replace(padding, " ").replace(/\s+/g, " ").trim();
  if (plain === "") return text.includes("?") ? { kind: "help" } : { kind: "answer", text: greeting };
  return kinds.find(([pattern]) => pattern.test(plain))?.[1];
}
