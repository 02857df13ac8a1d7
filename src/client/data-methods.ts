import { query, type Send } from "./request.ts";
import type * as shapes from "./shapes.ts";
import type { Ask } from "./skill-methods.ts";

/** What the client can do with everything that is stored. */
export interface DataMethods {
  /** Everything stored of a channel, or of all, as JSON lines in pieces of any size. The last line has the type `export_finished`. */
  exportData(namespace?: string): AsyncIterable<Uint8Array>;
  /** What would be deleted of a person; changes nothing. `id` may be `platform:workspace:id`. */
  lookUpPerson(id: string): Promise<shapes.ForgottenPerson>;
  /** Deletes everything that is stored of a person. `leavePosts`: answers of the bot may stay on the platform. */
  forgetPerson(id: string, options?: { leavePosts?: boolean }): Promise<shapes.ForgottenPerson>;
}

const at = encodeURIComponent;

export function dataMethods(send: Send, { json, get }: Pick<Ask, "json" | "get">): DataMethods {
  return {
    async *exportData(namespace) {
      const { body } = await send(`/api/v1/export${query({ namespace })}`);
      if (body !== null) yield* body;
    },
    lookUpPerson: (id) => get(`/people/${at(id)}`),
    forgetPerson: (id, { leavePosts = false } = {}) =>
      json(`/api/v1/people/${at(id)}${query({ leave_posts: String(leavePosts) })}`, { method: "DELETE" }),
  };
}
