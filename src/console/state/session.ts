import { errorText } from "../../base/error-text.ts";
import { type ApiClient, createApiClient } from "../../client/api-client.ts";
import { ApiError } from "../../client/api-error.ts";
import type { BrowserStorage } from "./browser-storage.ts";
import type { ConsoleStore } from "./state.ts";

/** Requests to the server. The person sees their failures. */
export interface Session {
  /** Uses this token from now on. */
  useToken(token: string): void;
  /**
   * Returns the result of the request. If it fails, returns undefined and asks the person for a token (401) or shows a notice.
   * `otherwise` can show the failure in a better place.
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
