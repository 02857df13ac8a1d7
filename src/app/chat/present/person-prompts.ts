import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import type { PlatformError } from "../../../core/chat-platform.ts";
import type { TurnEvent, TurnEventBody } from "../../../core/turn-event.ts";
import { createPostedMessage, type PostedMessage } from "./posted-message.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import type { Content } from "./publish-message.ts";
import {
  type Approval,
  type Question,
  renderApproval,
  renderClosedApproval,
  renderClosedQuestion,
  renderQuestion,
} from "./render-prompt.ts";

/** What the turn asks of people: questions and approvals, each a message of its own. */
export interface PersonPrompts {
  /** Posts what is asked and closes what is decided, in the background. */
  watch(event: TurnEventBody): void;
  /** Resolves when everything open was brought to the platform, with why something was not. */
  posted(): Promise<PlatformError | undefined>;
  /** Closes everything: the turn has ended. */
  end(): Promise<void>;
}

interface Prompt {
  asked: Question | Approval;
  message: PostedMessage;
  decision: { what: string; by: string } | undefined;
  /** Whether this process has tried to post it. */
  tried: boolean;
  /** Whether the message says by now how it ended. */
  closed: boolean;
}

export function createPersonPrompts(turn: PresentedTurn, events: readonly TurnEvent[]): PersonPrompts {
  const { clock, platform, logger, turn_id } = turn;
  const limit = platform.limits.message_characters;
  const prompts: Prompt[] = [];
  let jobs: Promise<void> = Promise.resolve();
  let failure: PlatformError | undefined;

  const find = (id: string) =>
    prompts.find(
      ({ asked }) => (asked.type === "question_asked" ? asked.question_id : asked.approval_id) === id,
    );
  const learn = (event: TurnEventBody): Prompt | undefined => {
    switch (event.type) {
      case "question_asked":
      case "approval_requested": {
        const purpose = event.type === "question_asked" ? "question" : "approval";
        const part = prompts.filter(({ asked }) => asked.type === event.type).length;
        const prompt = {
          asked: event,
          message: createPostedMessage(turn, events, { purpose, part }),
          decision: undefined,
          tried: false,
          closed: false,
        };
        prompts.push(prompt);
        return prompt;
      }
      case "question_answered":
        return decide(find(event.question_id), { what: event.text, by: event.by });
      case "approval_decided":
        // Nobody's decision: its time is over, and the message says so.
        if (event.by === "") return find(event.approval_id);
        return decide(find(event.approval_id), {
          what: event.always ? "Always allowed here" : event.approved ? "Approved" : "Refused",
          by: event.by,
        });
      default:
        return undefined;
    }
  };
  for (const event of events) learn(event);

  const later = (job: () => Promise<void>) => {
    jobs = jobs.then(job).catch((error: unknown) => {
      if (!turn.givenUp.aborted)
        logger.warn({ err: error, turn_id }, "A question was not shown as it should be");
    });
  };
  const post = async (prompt: Prompt) => {
    if (prompt.tried || prompt.message.reference !== undefined || prompt.decision !== undefined) return;
    prompt.tried = true;
    const { asked, message } = prompt;
    const content =
      asked.type === "question_asked"
        ? renderQuestion(turn.redact(asked), turn_id, limit)
        : renderApproval(turn.redact(asked), turn.author, limit);
    const published = await message.publish(content);
    if (published.ok) note(prompt, published.reference);
    else failure = published.error;
  };
  const note = ({ message: { tag } }: Prompt, reference: string) =>
    turn.note({ type: "message_posted", purpose: tag.purpose, part: tag.part, reference });
  const close = async (prompt: Prompt, isEnd: boolean) => {
    const { asked, message } = prompt;
    if (prompt.closed || (await message.adopt()) === undefined) return;
    const end = await endOf(turn, prompt, isEnd);
    const content: Content =
      asked.type === "question_asked"
        ? renderClosedQuestion(turn.redact(asked), turn.redact(end), limit)
        : renderClosedApproval(turn.redact(asked), turn.redact(end), limit);
    prompt.closed = true;
    await message.amend(content);
  };
  const isExpired = ({ asked, decision }: Prompt) =>
    decision === undefined && asked.expires_at <= clock.now();

  return {
    watch(event) {
      const prompt = learn(event);
      if (prompt !== undefined)
        later(() =>
          prompt.decision === undefined && !isExpired(prompt) ? post(prompt) : close(prompt, false),
        );
      if (event.type !== "tool_finished") return;
      for (const open of prompts.filter(isExpired)) later(() => close(open, false));
    },
    async posted() {
      for (const prompt of prompts) if (!isExpired(prompt)) later(() => post(prompt));
      await jobs;
      return failure;
    },
    async end() {
      for (const prompt of prompts) later(() => close(prompt, true));
      await jobs;
    },
  };
}

function decide(prompt: Prompt | undefined, decision: Prompt["decision"]): Prompt | undefined {
  if (prompt !== undefined) prompt.decision = decision;
  return prompt;
}

async function endOf(turn: PresentedTurn, { asked, decision }: Prompt, isEnd: boolean): Promise<string> {
  const isQuestion = asked.type === "question_asked";
  if (decision !== undefined) {
    const name = escapeMarkdown(await nameOf(turn, decision.by));
    return isQuestion ? `**${name}:** ${oneLine(decision.what, 300)}` : `**${decision.what}** by ${name}.`;
  }
  if (isEnd && asked.expires_at > turn.clock.now()) {
    if (isQuestion) return "*No answer is needed any more.*";
    // What was asked in the middle of a call may have been allowed in another way, and the call gone on.
    return asked.question === undefined
      ? "*The turn ended before anybody decided: it was not run.*"
      : "*No decision is needed any more.*";
  }
  return isQuestion ? "*The time to answer is over.*" : "*Nobody decided in time: it was not run.*";
}

async function nameOf(
  { author, platform, place, logger, turn_id }: PresentedTurn,
  id: string,
): Promise<string> {
  if (id === author.id) return author.name;
  try {
    return (await platform.person(place, id)).name;
  } catch (error) {
    logger.debug({ err: error, turn_id }, "The name of a person is not known");
    return id;
  }
}
