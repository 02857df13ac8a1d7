import type { PackageLocation } from "../../client/shapes.ts";
import type { Session } from "../state/session.ts";
import type { ConsoleStore } from "../state/state.ts";
import { type Installing, nothingChosen, type PackageChoice } from "./panel-state.ts";
import type { SkillActions } from "./skill-actions.ts";

/** Installs skills: a package is reviewed first, and exactly the reviewed files are installed. */
export interface InstallActions {
  /** Opens the dialog; with a file, the review begins at once. */
  begin(file?: File): void;
  review(choice: PackageChoice): void;
  /** Goes back to the choice, even during a review. */
  chooseAgain(): void;
  /** Shows why the choice is not a package, e.g. a folder. */
  refuse(problem: string): void;
  install(): void;
  /** Turns an installed skill on in the open channel. */
  enable(id: string): void;
}

export function createInstallActions(parts: {
  store: ConsoleStore;
  session: Session;
  skills: Pick<SkillActions, "refresh">;
}): InstallActions {
  const { store, session, skills } = parts;
  const get = () => store.get().installing;
  const set = (installing: Installing) => store.set({ installing });

  const review = async (choice: PackageChoice) => {
    const reviewing: Installing = { stage: "reviewing", choice };
    set(reviewing);
    const reviewed = await session.attempt(
      (client) => client.call("package.review", locationOf(choice)),
      ({ detail }) => get() === reviewing && set(chosen(choice, detail)),
    );
    if (get() !== reviewing) return;
    set(reviewed === undefined ? chosen(choice) : { stage: "reviewed", choice, ...reviewed });
  };

  return {
    begin(file) {
      store.set({ dialog: "install", installing: nothingChosen });
      if (file !== undefined) void review({ kind: "file", file });
    },
    review,
    chooseAgain() {
      const now = get();
      set("choice" in now ? chosen(now.choice) : nothingChosen);
    },
    refuse: (problem) => set({ ...nothingChosen, problem }),
    async install() {
      const now = get();
      if (now.stage !== "reviewed") return;
      const { choice, reviews } = now;
      const installing: Installing = { stage: "installing", choice, reviews };
      set(installing);
      const expected = reviews.map(({ hash }) => hash);
      const done = await session.attempt(
        (client) => client.call("package.install", { ...locationOf(choice), expected }),
        ({ detail }) => get() === installing && set({ ...now, problem: detail }),
      );
      if (done !== undefined) skills.refresh();
      if (get() !== installing) return;
      set(done === undefined ? now : { stage: "installed", ...done, enabled: new Map() });
    },
    async enable(id) {
      const mark = (state: "on" | "saving" | undefined, problem?: string) => {
        const now = get();
        if (now.stage !== "installed") return;
        const enabled = new Map(now.enabled);
        if (state === undefined) enabled.delete(id);
        else enabled.set(id, state);
        set({ ...now, enabled, problem });
      };
      mark("saving");
      const { namespace } = store.get().open;
      const listing = await session.attempt(
        (client) => client.call("skill.set", { ns: namespace, id, state: "pinned" }),
        ({ detail }) => mark(undefined, detail),
      );
      if (listing !== undefined) mark("on");
      skills.refresh();
    },
  };
}

function chosen(choice: PackageChoice, problem?: string): Installing {
  return { stage: "choosing", address: choice.kind === "address" ? choice.address : "", problem };
}

function locationOf(choice: PackageChoice): PackageLocation {
  if (choice.kind === "file") return { file: choice.file };
  return isPath(choice.address) ? { path: choice.address } : { url: choice.address };
}

/** A path on the bot's machine: `/…`, `C:\…`. */
function isPath(address: string): boolean {
  return /^(\/|[A-Za-z]:[\\/])/.test(address);
}
