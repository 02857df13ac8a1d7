/** Which people may use a skill or a tool, where not everybody may. Looked at when something is called, whoever wrote the call. */

import type { Trust } from "../values/inbound.ts";
import { type Author, trustSchema } from "../values/inbound.ts";
import { hasTrust } from "../values/permissions.ts";
import type { Place } from "../values/place.ts";
import { resolveSkillId, toToolName } from "./skill-identifier.ts";

/** Who may: these people, and who has one of these roles. */
export interface Right {
  /** Platform user ids. */
  people: readonly string[];
  /** `guest`, `member`, `manager`, `operator`, who stand at least so high here; or ids of roles of the platform. */
  roles: readonly string[];
}

/** By the id of a skill or a part in any spelling, the name of a tool, or of a tool server. What is not named everybody may use. */
export type Rights = Readonly<Record<string, Right>>;

/** What a right may name of something that is called. */
export interface RightSubject {
  skill_id: string;
  name?: string | undefined;
  server?: { server: string; tool?: string } | undefined;
}

/** The rights that count for a call; each has to allow it. */
export function rightsOn(rights: Rights, { skill_id, name, server }: RightSubject): Right[] {
  const [root = ""] = skill_id.split("#");
  const ofServer = server === undefined ? [] : [server.server, `${server.server}#${server.tool ?? ""}`];
  // The tool of a part is named after it; where another skill has one of that name, both are called differently.
  const ofPart = skill_id === root ? [] : [toToolName(skill_id)];
  const names = [skill_id, root, name ?? "", ...ofServer, ...ofPart].filter((each) => each !== "");
  const isNamed = (id: string) => resolveSkillId(id, names).status === "found";
  return Object.entries(rights).flatMap(([id, right]) => (isNamed(id) ? right : []));
}

/** Roles that a person has on their platform, by id; empty where it has none. */
export type RolesOf = (place: Place, person: string) => Promise<readonly string[]>;

/** Whether somebody has all these rights. An operator, who writes them, always has. */
export async function hasRights(
  rights: readonly Right[],
  author: Pick<Author, "id" | "trust">,
  rolesOf: () => Promise<readonly string[]>,
): Promise<boolean> {
  if (author.trust === "operator") return true;
  for (const { people, roles } of rights) {
    if (people.includes(author.id)) continue;
    const ranks = roles.filter(isTrust);
    if (ranks.some((rank) => hasTrust(author, rank))) continue;
    const ofPlatform = roles.filter((role) => !isTrust(role));
    const own = ofPlatform.length === 0 ? [] : await rolesOf();
    if (!ofPlatform.some((role) => own.includes(role))) return false;
  }
  return true;
}

function isTrust(role: string): role is Trust {
  return trustSchema.safeParse(role).success;
}

/** Who may use something, in words; undefined where everybody may. */
export function onlyFor(rights: Rights, subject: RightSubject): string | undefined {
  return rightsOn(rights, subject).map(rightInWords).join("; and ") || undefined;
}

/** Whether who may depends on roles of the platform. */
export function needsPlatformRoles(rights: readonly Right[]): boolean {
  return rights.some(({ roles }) => roles.some((role) => !isTrust(role)));
}

/** Who may, in words: `managers, the role 1234, U0ANN`. */
export function rightInWords({ people, roles }: Right): string {
  const ranks: Record<Trust, string> = {
    guest: "everybody",
    member: "members",
    manager: "managers",
    operator: "operators",
  };
  const words = roles.map((role) => (isTrust(role) ? ranks[role] : `the role ${role}`));
  return [...words, ...people].join(", ") || "operators";
}
