import { errorText } from "../../base/error-text.ts";
import {
  type ApiClient,
  type CallInput,
  type CallName,
  type CallResult,
  createApiClient,
} from "../../client/api-client.ts";
import { ApiError } from "../../client/api-error.ts";
import type { BrowserStorage } from "./browser-storage.ts";
import type { ConsoleStore } from "./state.ts";

/** Shows the failure of a request in a better place than a notice. */
type Otherwise = (error: ApiError) => void;

/** Requests to the server. The person sees their failures. */
export class Session {
  readonly #store: ConsoleStore;
  readonly #storage: BrowserStorage;
  readonly #baseUrl: string;
  #client: ApiClient;

  constructor(store: ConsoleStore, storage: BrowserStorage, baseUrl: string) {
    this.#store = store;
    this.#storage = storage;
    this.#baseUrl = baseUrl;
    this.#client = this.#connect(storage.token());
  }

  /** Uses this token from now on. */
  useToken(token: string): void {
    this.#storage.keepToken(token);
    this.#client = this.#connect(token);
  }

  /** Returns the result of the request. If it fails, returns undefined and asks the person for a token (401) or shows a notice. */
  async attempt<T>(
    request: (client: ApiClient) => Promise<T>,
    otherwise: Otherwise = ({ detail }) => this.#store.set({ notice: detail }),
  ): Promise<T | undefined> {
    try {
      return await request(this.#client);
    } catch (error) {
      const failure = toApiError(error);
      if (failure.status === 401) this.#askForToken();
      else otherwise(failure);
      return undefined;
    }
  }

  /** Calls an operation, as `attempt` does. */
  call<Name extends CallName>(
    name: Name,
    input: CallInput<Name>,
    otherwise?: Otherwise,
  ): Promise<CallResult<Name> | undefined> {
    return this.attempt((client) => client.call(name, input), otherwise);
  }

  #connect(token: string | undefined): ApiClient {
    return createApiClient({ fetch: (url, init) => fetch(url, init), baseUrl: this.#baseUrl, token });
  }

  #askForToken(): void {
    const tokenProblem = this.#storage.token() === undefined ? undefined : "This token was not accepted.";
    this.#store.set({ dialog: "token", tokenProblem });
  }
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const detail = errorText(error);
  return new ApiError(0, "unexpected", `Something unexpected happened: ${detail}`, { cause: error });
}
