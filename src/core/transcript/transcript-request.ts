import type { Transcript } from "../log/transcript.ts";
import type { ModelRequest } from "../ports/model.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import type { Message } from "../values/message.ts";
import { fingerprint } from "../values/told.ts";
import { viewOf } from "./audience.ts";

/** The transcript as a model is sent it now: what the asker may read of it, with the pictures that its messages keep. */
export async function requestOf(scope: TurnScope, transcript: Transcript): Promise<ModelRequest> {
  const { turn } = scope;
  const { opening } = transcript;
  const messages = viewOf(transcript.messages, turn.author.id);
  const { namespace, thread } = turn.place;
  const { effort } = opening.told;
  const hasImages = messages.some((message) => "kept_images" in message);
  return {
    system: opening.instructions,
    tools: opening.tools,
    messages: hasImages ? await Promise.all(messages.map((message) => withImages(scope, message))) : messages,
    ...(effort === undefined ? {} : { effort }),
    cache_key: `knack-${fingerprint(namespace)}-${fingerprint(thread)}`,
    signal: turn.signal,
  };
}

/** The same object for the same message: adapters convert each object once. */
async function withImages({ ports, loaded }: TurnScope, message: Message): Promise<Message> {
  if (message.role !== "user" && message.role !== "tool") return message;
  if (message.kept_images === undefined) return message;
  const known = loaded.get(message);
  if (known !== undefined) return known;
  const images = await Promise.all(message.kept_images.map((image) => ports.picture(image)));
  const whole = { ...message, images: images.filter((image) => image !== undefined) };
  loaded.set(message, whole);
  return whole;
}
