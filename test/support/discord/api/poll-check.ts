import type { FormErrors } from "./form-errors.ts";
import { isObject, type Json, objects, text } from "./json.ts";

const hour = 3_600_000;

/** The limits of a poll. Source: Discord reference, "Poll Create Request Object" and "Poll Media Object". */
export function checkPoll(errors: FormErrors, poll: unknown, modern: boolean): void {
  if (!isObject(poll)) return;
  if (modern)
    errors.add(
      ["poll"],
      "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
      "The 'poll' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
    );
  const mediaText = (media: unknown) => (isObject(media) ? media.text : undefined);
  errors.text(["poll", "question", "text"], mediaText(poll.question), { least: 1, most: 300 });
  errors.list(["poll", "answers"], poll.answers, { least: 1, most: 10 });
  objects(poll.answers).forEach(({ poll_media }, at) => {
    errors.text(["poll", "answers", at, "poll_media", "text"], mediaText(poll_media), { least: 1, most: 55 });
  });
  const duration = Number(poll.duration ?? 24);
  if (!Number.isInteger(duration) || duration < 1 || duration > 768)
    errors.add(["poll", "duration"], "NUMBER_TYPE_MAX", "int value should be between 1 and 768.");
}

/** A poll as Discord shows it in its message, before anybody has voted. */
export function shownPoll(poll: Json): Json {
  return {
    question: { text: text(isObject(poll.question) ? poll.question.text : "") },
    answers: objects(poll.answers).map(({ poll_media }, at) => ({ answer_id: at + 1, poll_media })),
    expiry: new Date(Date.now() + Number(poll.duration ?? 24) * hour).toISOString(),
    allow_multiselect: poll.allow_multiselect === true,
    layout_type: 1,
    results: { is_finalized: false, answer_counts: [] },
  };
}
