import type { RawFile, REST } from "discord.js";
import { DiscordProblem, discordProblem } from "./discord-problem.ts";

interface RestRequest {
  body?: unknown;
  files?: RawFile[];
  /** An array is a parameter that comes several times. */
  query?: Record<string, string | number | readonly string[]>;
  /** False for routes that carry their own token (interactions). Default true. */
  auth?: boolean;
  signal?: AbortSignal;
}

/** Discord's REST API. Waits out short rate limits by itself. */
export interface DiscordRest {
  /** @param path without `/api/v10`. @throws DiscordProblem */
  request<T>(method: RestMethod, path: `/${string}`, request?: RestRequest): Promise<T>;
  /** Forgets its timers. */
  stop(): void;
}

type RestMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A longer wait than this is left to who asked, ms. */
const longestWait = 10_000;

/** @param options.api e.g. `https://discord.com/api`; undefined for Discord's own */
export function createDiscordRest(options: { token: string; api: string | undefined }): DiscordRest {
  let loading: ReturnType<typeof load> | undefined;
  const ready = () => {
    loading ??= load(options).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    async request<T>(method: RestMethod, path: `/${string}`, request: RestRequest = {}) {
      const { rest, classes } = await ready();
      const { query, ...more } = request;
      const parameters = Object.entries(query ?? {}).flatMap(([key, value]) =>
        (typeof value === "object" ? value : [value]).map((each): [string, string] => [key, String(each)]),
      );
      try {
        return (await rest.request({
          ...more,
          fullRoute: path,
          method: method as never,
          ...(query === undefined ? {} : { query: new URLSearchParams(parameters) }),
        })) as T;
      } catch (error) {
        throw discordProblem(error, classes);
      }
    },
    stop() {
      void loading?.then(
        ({ rest }) => {
          rest.clearHandlerSweeper();
          rest.clearHashSweeper();
        },
        () => undefined,
      );
    },
  };
}

async function load({ token, api }: { token: string; api: string | undefined }) {
  const { DiscordAPIError, HTTPError, RateLimitError, REST: Rest } = await import("discord.js");
  const rest: REST = new Rest({
    version: "10",
    ...(api === undefined ? {} : { api }),
    timeout: 15_000,
    retries: 1,
    rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > longestWait,
  }).setToken(token);
  return { rest, classes: { DiscordAPIError, HTTPError, RateLimitError } };
}

/** Waits for a request of which a refusal with one of these codes is an answer too. */
export async function unlessRefused<T>(
  request: Promise<T>,
  isExpected: (problem: DiscordProblem) => boolean,
): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof DiscordProblem && isExpected(error)) return undefined;
    throw error;
  }
}
