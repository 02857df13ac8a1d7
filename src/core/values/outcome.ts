import type { Author } from "./inbound.ts";
import type { Json } from "./json.ts";

/**
 * What came of something a person asked for; a failure has the HTTP status that fits, and says what to do. `code` is stable, for
 * programs, where the status alone says too little; `details` is what else they may read.
 */
export type Outcome<T> =
  | { ok: true; value: T }
  | {
      ok: false;
      status: 400 | 403 | 404 | 409 | 413 | 429 | 503;
      message: string;
      code?: string;
      details?: { readonly [name: string]: Json };
    };

/** Who asks for something, and where it is noted. */
export interface Asker {
  by: Author;
  namespace: string;
}
