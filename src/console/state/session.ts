import { errorText } from "../../base/error-text.ts";
import { type ApiClient, createApiClient } from "../../client/api-client.ts";
import { ApiError } from "../../client/api-error.ts";
import type { BrowserStorage } from "./browser-storage.ts";
import type { ConsoleStore } from "./state.ts";

/** The way to the server: requests whose failures become something the person sees. */
export interface Session {
  /** Uses this token from now on. */
  useToken(token: string): void;
  /**
   * Answers what the request answers. When it fails the answer is undefined, and the person is asked for a token (401) or
   * told; `otherwise` tells it in a better place than the notice at the top.
   */
  attempt<T>(
    request: (client: ApiClient) => Promise<T>,
    otherwise?: (error: ApiError) => void,
  ): Promise<T | undefined>;
}

export function createSession(store: ConsoleStore, storage: BrowserStorage, baseUrl: string): Session {
  const connect = (token: string | undefined) =>
    createApiClient({ fetch: (url, init) => fetch(url, init), baseUrl, token });
  let client = connect(storage.token());
  return {
    useToken(token) {
      storage.keepToken(token);
      client = connect(token);
    },
    async attempt(request, otherwise) {
      try {
        return await request(client);
      } catch (error) {
        const failure = toApiError(error);
        if (failure.status === 401) askForToken(store, storage.token() !== undefined);
        else if (otherwise !== undefined) otherwise(failure);
        else store.set({ notice: failure.detail });
        return undefined;
      }
    },
  };
}

function askForToken(store: ConsoleStore, wasGiven: boolean): void {
  store.set({ dialog: "token", tokenProblem: wasGiven ? "This token was not accepted." : undefined });
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const detail = errorText(error);
  return new ApiError(0, "unexpected", `Something unexpected happened: ${detail}`, { cause: error });
}
