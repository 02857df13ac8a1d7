import type { Clock, KeyValue, Leases } from "../core/ports/storage.ts";

/** What a process does: everything, or only one half of the work, or a command of the command line. */
export type ProcessRole = "all" | "gateway" | "worker" | "command";

const lifeMs = 15_000;
const renewMs = 5_000;

const prefix = "process:";
const migrationLease = "migration";

/** A process of a database, as the others see it. */
interface KnownProcess {
  role: string;
  version: string;
}

/** Tells the other processes of a database that this one runs, until the returned function is called. */
export async function joinProcesses(
  leases: Leases,
  clock: Clock,
  self: { role: ProcessRole; version: string; id: string },
): Promise<() => Promise<void>> {
  const name = `${prefix}${self.role}:${self.version}:${self.id}`;
  await leases.acquire(name, lifeMs);
  // A pause of this process or of the database may have outlived the lease, whose name is this process's own.
  return keepRenewing(clock, () => leases.acquire(name, lifeMs).then(() => true), name, leases);
}

/** The processes that run on the database, dead ones for up to a quarter of a minute more. */
export async function processesOf(leases: Pick<Leases, "held">): Promise<KnownProcess[]> {
  const names = await leases.held(prefix);
  return names.map((name) => {
    const [, role = "", version = ""] = name.split(":");
    return { role, version };
  });
}

/** Whether somebody else runs turns. */
export async function areTurnsRun(leases: Pick<Leases, "held">): Promise<boolean> {
  return (await processesOf(leases)).some(({ role }) => role === "all" || role === "worker");
}

/**
 * Keeps every process off the database until the returned function is called; undefined if one uses it.
 * @param lost called when the database could not be reached for so long that others may have it
 */
export async function holdForMigration(
  leases: Leases,
  clock: Clock,
  lost: () => void,
): Promise<(() => Promise<void>) | undefined> {
  if (!(await leases.acquire(migrationLease, lifeMs))) return undefined;
  if ((await processesOf(leases)).length > 0) {
    await leases.release(migrationLease);
    return undefined;
  }
  const renew = async () => {
    const isOurs = await leases.renew(migrationLease, lifeMs);
    if (!isOurs) lost();
    return isOurs;
  };
  return keepRenewing(clock, renew, migrationLease, leases);
}

export async function isMigrating(leases: Pick<Leases, "held">): Promise<boolean> {
  return (await leases.held(migrationLease)).includes(migrationLease);
}

/** Renews a lease until `renew` says no or the returned function releases it. A store that cannot be reached is tried again. */
function keepRenewing(
  clock: Clock,
  renew: () => Promise<boolean>,
  name: string,
  leases: Leases,
): () => Promise<void> {
  let cancel = () => {};
  let isOver = false;
  const later = () => {
    if (isOver) return;
    cancel = clock.after(renewMs, () => {
      renew().then((goesOn) => goesOn && later(), later);
    });
  };
  later();
  return async () => {
    isOver = true;
    cancel();
    await leases.release(name);
  };
}

const folderKey = "data-folder";

/**
 * Notes that the database belongs with this data folder. `other`: it belonged with another one, which no running process uses any more.
 * `taken`: a running process uses another folder, so nothing was noted.
 */
export async function matchFolder(
  store: KeyValue,
  leases: Pick<Leases, "held">,
  folder: string,
): Promise<"known" | "other" | "taken"> {
  const before = await store.update<string>(folderKey, (known) => known ?? folder);
  if (before === folder) return "known";
  if ((await processesOf(leases)).length > 0) return "taken";
  await store.set(folderKey, folder);
  return "other";
}
