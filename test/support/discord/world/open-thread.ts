import { changeMessage, postMessage } from "./messages.ts";
import { createThread, type NewThread } from "./threads.ts";
import { type Channel, channelTypes, messageTypes, type World } from "./world.ts";

/**
 * Makes a thread with the notes that Discord itself writes: one without a message is announced in its channel; one from a
 * message begins with a pointer to that message, which is updated without having been edited.
 */
export function openThread(world: World, seed: NewThread): Channel {
  const thread = createThread(world, seed);
  const note = { author: seed.owner, mentions: { users: [], roles: [], everyone: false } };
  if (seed.from) {
    changeMessage(world, seed.from, {}, true);
    const pointer = { type: messageTypes.threadStarter, content: "", replyTo: seed.from.id };
    postMessage(world, { ...note, ...pointer, channel: thread.id });
  } else if (thread.type !== channelTypes.privateThread && seed.parent.type !== channelTypes.forum) {
    postMessage(world, {
      ...note,
      type: messageTypes.threadCreated,
      content: seed.name,
      channel: seed.parent.id,
    });
  }
  return thread;
}
