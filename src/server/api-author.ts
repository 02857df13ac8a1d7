import type { Author } from "../core/values/inbound.ts";
import { partsOf } from "../core/values/place.ts";
import type { ServerDependencies } from "./dependencies.ts";
import { HttpProblem } from "./http-problem.ts";

/** Patterns of user ids, by the platform in a namespace. */
const peopleOfPlatforms: Readonly<Record<string, RegExp>> = {
  slack: /^[UW][A-Z0-9_]+$/,
  discord: /^\d{15,21}$/,
};

/**
 * The author of a call. Callers of the API are trusted as operators: without a token everybody on this machine, with a token everybody who
 * has it. `user` is only a display name. It must not name a person of a platform, whose accounts and budget the caller would use; in a
 * platform's namespace ids of the API begin with `api:`.
 *
 * @param namespace the channel of the call; undefined when it is not known beforehand
 * @throws HttpProblem (403) when `user` looks like a person's id on a platform, unless `server.speak_for_people` allows it
 */
export function apiAuthor(
  user: string,
  { operator, speakForPeople }: Pick<ServerDependencies, "operator" | "speakForPeople">,
  namespace?: string,
): Author {
  const name = user === "operator" ? operator : user;
  const platform = namespace === undefined ? undefined : partsOf(namespace).platform;
  const isPlatforms = platform !== undefined && Object.hasOwn(peopleOfPlatforms, platform);
  if (speakForPeople || (platform !== undefined && !isPlatforms))
    return { id: user, name, trust: "operator" };
  if (Object.values(peopleOfPlatforms).some((pattern) => pattern.test(user)))
    throw new HttpProblem(
      403,
      `user names people of the API, and ${user.slice(0, 50)} looks like a person's id on a chat platform. Send another name, or set server.speak_for_people: true to let callers of the API speak for people of platforms.`,
      { code: "user_refused" },
    );
  return { id: isPlatforms && user !== "operator" ? `api:${user}` : user, name, trust: "operator" };
}
