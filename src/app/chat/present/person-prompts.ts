import { cutText, escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import { readAskingId } from "../../../core/log/call-id.ts";
import type { TurnEvent, TurnEventBody, TurnEventOf } from "../../../core/log/turn-event.ts";
import { remindAt } from "../../../core/log/turn-state.ts";
import { verdictText } from "../../../core/log/turn-view-steps.ts";
import type {
  MessageTag,
  OutgoingButton,
  OutgoingMessage,
  PlatformError,
} from "../../../core/ports/chat-platform.ts";
import type { Place } from "../../../core/values/place.ts";
import type { VerdictFields } from "../../../core/values/verdict.ts";
import { createApprovalPrompt } from "./approval-prompt.ts";
import { closeFence } from "./markdown-fences.ts";
import { PostedMessage } from "./posted-message.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import type { Aside } from "./private-answer.ts";
import type { Published } from "./publish-message.ts";
import type { Approval } from "./render-approval.ts";

interface Prompt extends Messages {
  asked: Question | Approval;
  tag: Pick<MessageTag, "purpose" | "part">;
  /** The place of its message, unless that is where the turn runs. */
  place?: Place | undefined;
  decision: PromptEnding | undefined;
  /** Whether this process has tried to post it. */
  tried: boolean;
  /** Whether the message already shows the outcome. */
  closed: boolean;
  /** When people are reminded of it, ms since the epoch; undefined for a question. */
  remind_at: number | undefined;
}

/** The messages of a prompt. */
interface Messages {
  /** Posts its missing messages. Undefined when its message was posted before. */
  post(): Promise<Published | undefined>;
  /** Posts a reminder. Undefined when it was posted before. */
  remind?(): Promise<Published | undefined>;
  /** Shows the outcome. */
  close(end: string, late: boolean, edited?: string): Promise<void>;
}

/** The questions and approvals of a turn, each a message of its own. */
export class PersonPrompts {
  readonly #turn: PresentedTurn;
  readonly #events: readonly TurnEvent[];
  readonly #aside: () => Promise<Aside>;
  readonly #prompts: Prompt[] = [];
  #jobs: Promise<void> = Promise.resolve();
  #failure: PlatformError | undefined;
  #isPrivate = false;

  /** @param aside the place for questions of a private turn, which may quote text that only the asker may read */
  constructor(turn: PresentedTurn, events: readonly TurnEvent[], aside: () => Promise<Aside>) {
    this.#turn = turn;
    this.#events = events;
    this.#aside = aside;
    for (const event of events) this.#learn(event);
  }

  /** Posts new prompts and closes decided ones, in the background. */
  watch(event: TurnEventBody): void {
    const prompt = this.#learn(event);
    if (prompt !== undefined)
      this.#later(() =>
        prompt.decision === undefined && !this.#isExpired(prompt) ? this.#post(prompt) : this.#close(prompt),
      );
    if (event.type !== "tool_finished") return;
    for (const open of this.#prompts.filter((each) => this.#isExpired(each)))
      this.#later(() => this.#close(open));
  }

  /**
   * Resolves when all open prompts are posted, and those closed that were decided while nobody could show it; with the error of one that
   * could not be posted.
   */
  async posted(): Promise<PlatformError | undefined> {
    for (const prompt of this.#prompts) {
      if (this.#isExpired(prompt)) continue;
      this.#later(() => (prompt.decision === undefined ? this.#post(prompt) : this.#close(prompt)));
      if (this.#turn.clock.now() >= (prompt.remind_at ?? Number.POSITIVE_INFINITY))
        this.#later(() => this.#remind(prompt));
    }
    await this.#jobs;
    return this.#failure;
  }

  /** Closes all prompts at the end of the turn. */
  async end(): Promise<void> {
    for (const prompt of this.#prompts) this.#later(() => this.#close(prompt));
    await this.#jobs;
  }

  /** Applies an event. Returns the prompt that it opens or decides. */
  #learn(event: TurnEvent | TurnEventBody): Prompt | undefined {
    switch (event.type) {
      case "answer_private":
        this.#isPrivate = true;
        return undefined;
      case "question_asked":
      case "approval_requested":
        return this.#add(event, "at" in event ? event.at : this.#turn.clock.now());
      case "question_answered":
        return decide(this.#find(event.question_id), event);
      case "approval_decided": {
        const prompt = this.#find(event.approval_id);
        // Nobody decided: the time is over, and the message says so.
        return event.by === "" && !event.replaced ? prompt : decide(prompt, event);
      }
      default:
        return undefined;
    }
  }

  #add(asked: Question | Approval, askedAt: number): Prompt {
    const part = this.#prompts.filter((other) => other.asked.type === asked.type).length;
    const tag = { purpose: asked.type === "question_asked" ? "question" : "approval", part } as const;
    const make = (where: PresentedTurn) => this.#make(asked, where, tag);
    const opened = (place: Place) => {
      prompt.place = place;
    };
    const prompt: Prompt = {
      asked,
      tag,
      decision: undefined,
      tried: false,
      closed: false,
      remind_at: asked.type === "question_asked" ? undefined : remindAt(askedAt, asked.expires_at),
      ...(this.#isPrivate ? promptAside(this.#aside, make, opened) : make(this.#turn)),
    };
    this.#prompts.push(prompt);
    return prompt;
  }

  #make(asked: Question | Approval, where: PresentedTurn, tag: Prompt["tag"]): Messages {
    const message = new PostedMessage(where, this.#events, tag);
    const isAside = where !== this.#turn;
    if (asked.type === "question_asked")
      return createQuestionPrompt(where, asked, message, isAside ? "the thread you asked in" : undefined);
    const reminder = new PostedMessage(where, this.#events, { ...tag, purpose: "reminder" });
    return createApprovalPrompt(this.#turn, this.#events, asked, { message, reminder }, isAside);
  }

  #find(id: string): Prompt | undefined {
    return this.#prompts.find(
      ({ asked }) => (asked.type === "question_asked" ? asked.question_id : asked.approval_id) === id,
    );
  }

  #later(job: () => Promise<void>): void {
    const { givenUp, logger, turn_id } = this.#turn;
    this.#jobs = this.#jobs.then(job).catch((error: unknown) => {
      if (!givenUp.aborted)
        logger.warn({ err: error, turn_id }, "A question or an approval could not be shown or updated");
    });
  }

  async #post(prompt: Prompt): Promise<void> {
    if (prompt.tried) return;
    prompt.tried = true;
    const published = await prompt.post();
    const { tag, place } = prompt;
    if (published?.ok)
      this.#turn.note({ type: "message_posted", ...tag, reference: published.reference, place });
    else if (published !== undefined) this.#failure = published.error;
  }

  async #remind(prompt: Prompt): Promise<void> {
    if (prompt.decision !== undefined) return;
    const { part } = prompt.tag;
    const published = await prompt.remind?.();
    if (!published?.ok) return;
    const { place } = prompt;
    this.#turn.note({
      type: "message_posted",
      ...{ purpose: "reminder", part, reference: published.reference, place },
    });
  }

  #isExpired({ asked, decision }: Prompt): boolean {
    return decision === undefined && asked.expires_at <= this.#turn.clock.now();
  }

  async #close(prompt: Prompt): Promise<void> {
    if (prompt.closed) return;
    const late = this.#isExpired(prompt);
    const ending = prompt.decision ?? { type: late ? "late" : "needless", asked: kindOf(prompt) };
    const end = this.#turn.redact(await endingText(this.#turn, ending, prompt.asked));
    prompt.closed = true;
    await prompt.close(end, late, ending.type === "approval_decided" ? ending.edited : undefined);
  }
}

function kindOf({ asked }: Prompt): "question" | "call" | "permission" {
  if (asked.type === "question_asked") return "question";
  return readAskingId(asked.call_id).key === undefined ? "call" : "permission";
}

function decide(prompt: Prompt | undefined, decision: PromptEnding): Prompt | undefined {
  if (prompt !== undefined) prompt.decision = decision;
  return prompt;
}

/** A prompt in the asker's direct messages, which are opened when it is posted. `opened` receives their place. */
function promptAside(
  aside: () => Promise<Aside>,
  make: (where: PresentedTurn) => Messages,
  opened: (place: Place) => void,
): Messages {
  let made: Messages | undefined;
  const open = async () => {
    const there = await aside();
    if (!there.ok) return there;
    opened(there.turn.place);
    made ??= make(there.turn);
    return { ok: true as const, made };
  };
  return {
    async post() {
      const there = await open();
      return there.ok ? there.made.post() : there;
    },
    async remind() {
      const there = await open();
      return there.ok ? there.made.remind?.() : there;
    },
    async close(end, late, edited) {
      const there = await open();
      if (there.ok) await there.made.close(end, late, edited);
    },
  };
}

function createQuestionPrompt(
  turn: PresentedTurn,
  asked: Question,
  message: PostedMessage,
  where: string | undefined,
): Messages {
  const limit = turn.platform.limits.message_characters;
  const shown = turn.redact(asked);
  return {
    post: async () =>
      message.reference === undefined
        ? message.publish(renderQuestion(shown, turn.turn_id, limit, where))
        : undefined,
    async close(end) {
      if ((await message.adopt()) !== undefined) await message.amend(renderClosedQuestion(shown, end, limit));
    },
  };
}

/** The outcome of a prompt. */
type PromptEnding =
  | Pick<TurnEventOf<"question_answered">, "type" | "text" | "by">
  | Pick<
      TurnEventOf<"approval_decided">,
      "type" | "by" | "name" | "edited" | "replaced" | keyof VerdictFields
    >
  /** Nobody answered in time, or the turn ended before. `permission`: it was asked in the middle of a call. */
  | { type: "late" | "needless"; asked: "question" | "call" | "permission" };

/** The last line of a closed question or approval. */
async function endingText(
  turn: PresentedTurn,
  ending: PromptEnding,
  asked: Question | Approval,
): Promise<string> {
  switch (ending.type) {
    case "question_answered":
      return `**${await nameOf(turn, ending)}:** ${oneLine(ending.text, 300)}`;
    case "approval_decided":
      if (ending.replaced) return "*Replaced: what this is about has changed, and I asked again.*";
      return `**${await nameOf(turn, ending)}** ${verdictText({ ...ending, person: "person" in asked ? asked.person : undefined })}.`;
    case "late":
      return ending.asked === "question"
        ? "*The time to answer has passed.*"
        : "*Nobody decided in time: it was not run.*";
    case "needless":
      return needless[ending.asked];
    default:
      return ending satisfies never;
  }
}

/** For `permission`, the call may have been allowed in another way and continued. */
const needless = {
  question: "*No answer is needed any more.*",
  call: "*The turn ended before anybody decided: it was not run.*",
  permission: "*No decision is needed any more.*",
};

async function nameOf(
  { author, platform, place, logger, turn_id }: PresentedTurn,
  { by, name }: { by: string; name?: string | undefined },
): Promise<string> {
  if (name !== undefined || by === author.id) return escapeMarkdown(name ?? author.name);
  try {
    return escapeMarkdown((await platform.person(place, by)).name);
  } catch (error) {
    logger.debug({ err: error, turn_id }, "The name of a person could not be looked up");
    return escapeMarkdown(by);
  }
}

type Question = Omit<TurnEventOf<"question_asked">, "seq" | "at" | "turn_id">;

/** Room in a message for the text around a part that can be long, characters. */
const frame = 400;

/** Maximum label length of a button (`OutgoingButton.label`), and maximum choices of a message on any platform. */
const maxLabelLength = 75;
const maxButtons = 25;

/** @param where the thread for the answer, in words */
function renderQuestion(
  { text, choices }: Question,
  turnId: string,
  limit: number,
  where = "this thread",
): Omit<OutgoingMessage, "tag"> {
  const buttons = choices.slice(0, maxButtons).map(
    (choice, index): OutgoingButton => ({
      action: { role: "answer", turn_id: turnId, choice: index },
      label: oneLine(choice, maxLabelLength) || `${index + 1}`,
    }),
  );
  const isCut = choices.length > maxButtons || choices.some((choice) => choice.length > maxLabelLength);
  const listed = isCut
    ? choices.map((choice, index) => `${index + 1}. ${escapeMarkdown(oneLine(choice, 200))}`)
    : [];
  const how = `${choices.length === 0 ? "Write" : "Choose, or write"} your answer in ${where}.`;
  const parts = [closeFence(cutText(text, limit - frame)), listed.join("\n"), `*${how}*`];
  return {
    markdown: cutText(parts.filter(Boolean).join("\n\n"), limit),
    ...(buttons.length === 0 ? {} : { buttons }),
  };
}

/** A closed question; `end` says why. */
function renderClosedQuestion({ text }: Question, end: string, limit: number): Omit<OutgoingMessage, "tag"> {
  return { markdown: `${closeFence(cutText(text, limit - frame))}\n\n${end}` };
}
