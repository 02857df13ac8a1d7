import type { Author } from "../core/values/inbound.ts";
import { partsOf } from "../core/values/place.ts";
import type { ServerDependencies } from "./dependencies.ts";
import { HttpProblem } from "./http-problem.ts";

/** How the ids of people look on the platforms that have accounts, by the beginning of the platform's namespaces. */
const peopleOfPlatforms: Readonly<Record<string, RegExp>> = {
  slack: /^[UW][A-Z0-9_]+$/,
  discord: /^\d{15,21}$/,
};

/**
 * Who calls. Whoever may use the API is trusted as operator: without a token everybody at this machine, with one everybody who
 * holds it. `user` is only the name they go by, and names no person of a platform, whose accounts and share of the budget it would
 * have: in a platform's namespace ids of the API begin with `api:`.
 *
 * @param namespace where it counts; undefined when that is not known before it is done
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
  if (Object.values(peopleOfPlatforms).some((pattern) => pattern.test(user))) {
    throw new HttpProblem(
      403,
      `user names people of the API, and ${user.slice(0, 50)} looks like a person's id on a chat platform. Send another name, or set server.speak_for_people: true to let callers of the API speak for people of platforms.`,
      { code: "user_refused" },
    );
  }
  return { id: isPlatforms && user !== "operator" ? `api:${user}` : user, name, trust: "operator" };
}
