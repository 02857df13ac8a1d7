import type { SaidBy } from "./conversation.ts";
import { modelHelp, whatRulesAre } from "./phrases.ts";

/** The answer to a message that needs no skill. `help`: a list of the skills. `explains`: the text says what works without a model. */
export type SmallTalk = { kind: "answer"; text: string; explains?: true } | { kind: "help" };

const maxSmallTalk = 80;
/** Punctuation and emoji around the words. */
const padding = /(?:\p{P}|\p{S}|\p{M}|\p{Extended_Pictographic})+/gu;

const help: SmallTalk = { kind: "help" };
const say = (text: string): SmallTalk => ({ kind: "answer", text });
const explain = (text: string): SmallTalk => ({ kind: "answer", text, explains: true });

const hello = say("Hello! Say what you need, or “help” to see what I can do here.");
const toModel = explain(
  `Without a key I work by rules. ${modelHelp} \`knack doctor --live\` checks the key; README.md has the rest.`,
);

/** Whole messages, in lower case and without punctuation, with their answers. */
const kinds: readonly [RegExp, SmallTalk][] = [
  [
    /^(?:help(?: me)?(?: please)?|please help|hilfe|aide|ayuda|what can (?:you|i) do(?: here| for me)?|what do you do|who are you|what are you|what is this|what skills (?:do you have|are there)|(?:list|show)(?: me)?(?: all)?(?: the| your)? skills|how does this work|what now|start|commands|was kannst du(?: alles)?|wer bist du|hilf mir|(?:can|could) you help(?: me)?(?: please)?|i need(?: your| some)? help(?: .*)?|(?:en )?qu[eé] (?:puedes|sabes) hacer|(?:en )?qu[eé] puedes ayudarme|que (?:peux|sais) tu faire|qu est ce que tu (?:peux|sais) faire|cosa (?:puoi|sai) fare|o que voc[eê] (?:pode|sabe) fazer|wat kun je|aiuto|ajuda|hulp)$/,
    help,
  ],
  [
    /^(?:(?:hi|hello|hey|hallo|hola|ciao|bonjour|salut|moin|servus|yo|howdy|greetings|good (?:morning|afternoon|evening|day)|guten (?:morgen|tag|abend)|buenos dias|こんにちは|你好)(?: there| everyone| all| bot| knack)?)$/,
    hello,
  ],
  [
    /^(?:thanks?(?: you)?(?: (?:so|very) much| a lot)?|many thanks|thx|ty|cheers|danke(?: schön| dir)?|merci|gracias|grazie|obrigad[oa]|(?:great|nice|cool|perfect|awesome|good job|well done|ok|okay)(?: thanks?(?: you)?)?)(?: knack| bot)?$/,
    say("You're welcome!"),
  ],
  [
    /^(?:bye(?: bye)?|goodbye|see you(?: later)?|good ?night|tschüss|ciao ciao|au revoir|adios)$/,
    say("Bye, see you!"),
  ],
  [
    /^(?:(?:hi|hello|hey) )?(?:how are you(?: doing)?(?: today)?|how is it going|how s it going|what s up|wie geht s)$/,
    say("All my rules are in order, thanks. What can I do for you?"),
  ],
  [
    /^(?:ping|test|testing|are you (?:still )?(?:there|here|alive|online|awake)|(?:is )?anybody (?:there|here)|bist du da)(?: knack| bot)?$/,
    say("Yes, I am here. Say what you need, or “help” to see what I can do."),
  ],
  [
    /^(?:how|where) (?:do|can|to|should) (?:i |we |you )?(?:set|choose|change|connect|configure|use|add|get|enable)(?: up)? (?:a |an |the |another |my |your |real |better |language |ai )*(?:models?|llm|(?:api )?keys?|openai|anthropic|claude|ollama|chatgpt|gpt)(?: here)?$/,
    toModel,
  ],
  [
    /^(?:(?:which|what)(?: ai| language)? (?:model|llm)(?: are you| is this| do you use| is used)?(?: here)?|are you (?:an? |really )*(?:ai|llm|language model|chatgpt|gpt|claude|gemini|bot|robot|human|person|real|offline))$/,
    explain(`None. ${whatRulesAre} ${modelHelp}`),
  ],
  [
    /^(?:can|could|do) (?:i|we|you)(?: also)? (?:use|run|connect|support|work with|talk to)(?: to| with)? (?:a |an |my |own |local |other )*(?:models?|llms?|openai|anthropic|claude|ollama|chatgpt|gpt|gemini)(?: here)?$/,
    toModel,
  ],
  [
    /^(?:(?:how|where) (?:do|can|to|should) (?:i |we |you )?|can (?:i|we|you) |please )?(?:connect|add|invite|install|use|set up|integrate|link|get|put|bring|join|run|work)(?: (?:you|knack|this|it|the bot|this bot))?(?: up)?(?: to| in| into| with| on| for)? (?:our |my |a |the )?(?:slack|discord)(?: workspace| server| channel)?$/,
    say(
      "In the folder of the bot, `npm run -s knack -- connect slack` (or `connect discord`) explains each step, with the link to open, and checks the tokens.",
    ),
  ],
  [
    /^(?:please |can you |could you )*(?:forget|delete|erase|remove|clear|wipe) (?:me|everything|all|all of it|it all|(?:all |everything |all of |what |the )*(?:that )?(?:you (?:know|have|remember|stored|saved)|my (?:data|facts|memory|history|account)|your memory|memory|facts|data)(?: about| of| on| from)?(?: me| us| here)?)$/,
    say(
      "I can only forget one fact at a time: “forget fact 3”; “what do you remember?” shows them with their numbers. An operator deletes everything about a person with `knack forget --user ID`; `--dry-run` first shows what would be deleted.",
    ),
  ],
  [
    /^(?:please |can you |could you )*(?:(?:change|set|make) your name(?: to| be)? .+|(?:rename yourself|call yourself)(?: to| as)? .+|your (?:new )?name is(?: now)? .+|(?:i(?: will| ll)? call|let me call) you .+)$/,
    say(
      "My name is a setting: `name: …` in your `knack.yaml`, in the folder where I am started. A change takes effect at the next start.",
    ),
  ],
  [
    /^(?:please |can you |could you )*(?:stop|cancel|delete|remove|end|pause|disable|turn off)(?: (?:all|my|the|our|every|these|those))* (?:reminders?|schedules?|reminding(?: me| us)?|timers?|alarms?|planned (?:tasks?|messages?))(?: .*)?$/,
    say(
      "`/agent schedule list` shows what is planned here with its ids, and `/agent schedule remove ID` deletes it.",
    ),
  ],
  [
    /^(?:please |can you |could you )*(?:(?:set|start|create|make) (?:a |an |the )?(?:\d+ \w+ )?(?:timer|alarm|stopwatch|countdown)|wake me)(?: .*)?$/,
    say("I have no timer, but I can remind you: “remind me tomorrow at 9 to call the bank”."),
  ],
  [
    /^how (?:do|can|to|should) (?:i |we |you )?(?:install|add|get|write|make|create|build) (?:a |an |the |my |new |own |more |other |another )*skills?(?: here)?$/,
    say(
      "An operator installs a skill with `/skill install ADDRESS` (a git address, ZIP or tar.gz), after a review; `/skill enable ID` then switches it on in a channel. A skill of your own is a folder with a `SKILL.md` in `.knack-workspace/skills/`: it is there from the next message on.",
    ),
  ],
];

const clock =
  /^(?:what (?:time|date|day|weekday) is (?:it|today)|what(?: s| is)(?: the)?(?: current)? (?:time|date|day|weekday)(?: today)?|what is today|which (?:day|date) is (?:it|today)|(?:what|today) s date|what(?: s| is) today s (?:date|day)|current (?:time|date)|(?:tell me |do you (?:know|have) )?the (?:time|date)|(?:time|date)|wie spät ist es|wie viel uhr ist es|welcher tag ist(?: heute)?)(?: now| today| right now| here| please| jetzt| heute)*$/;
const self = /^(?:who am i|what(?: s| is) my name|do you know (?:me|my name|who i am)|wer bin ich)$/;
const switching =
  /^(?:please )?(enable|activate|turn on|switch on|disable|deactivate|turn off|switch off) (?:the )?([\p{L}\p{N}_ ]{1,40}?)(?: skill)?(?: please)?$/u;

/** The answer to small talk, and to questions about the bot, the time and the asker; undefined for other messages. */
export function recogniseSmallTalk(message: string, by: SaidBy | undefined): SmallTalk | undefined {
  const text = message.trim();
  if (text === "") return say("I got no text. Say what you need, or “help”.");
  if (text.length > maxSmallTalk) return undefined;
  const plain = text.toLowerCase().replace(padding, " ").replace(/\s+/g, " ").trim();
  if (plain === "") return text.includes("?") ? help : hello;
  if (by !== undefined && clock.test(plain)) return say(`It is ${by.time}.`);
  if (by !== undefined && self.test(plain)) return say(`You are ${by.name} here.`);
  return kinds.find(([pattern]) => pattern.test(plain))?.[1] ?? switchOf(plain);
}

/** Skills are switched by a command, which only people can give. */
function switchOf(plain: string): SmallTalk | undefined {
  const [, verb = "", what = ""] = switching.exec(plain) ?? [];
  if (what === "" || /^(?:it|this|that|them|everything|all)$/.test(what)) return undefined;
  const command = /^(?:enable|activate|turn on|switch on)$/.test(verb) ? "enable" : "disable";
  const id = what.replaceAll(" ", "-");
  return say(
    `Skills are switched by command: \`/skill ${command} ${id}\`. \`/skill list\` shows all of them.`,
  );
}
