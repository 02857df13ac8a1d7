import type * as shapes from "../../client/shapes.ts";

export type SkillKind = shapes.SkillListing["kind"];

/** What the list is narrowed to: a kind of skills, or what could not be loaded. */
export type PanelFilter = SkillKind | "problems";

/** Skills, and what a person does with them. */
export interface SkillsPanel {
  open: boolean;
  query: string;
  /** Undefined lists all. */
  filter: PanelFilter | undefined;
  skills?: readonly shapes.SkillListing[];
  diagnostics: readonly shapes.SkillList["diagnostics"][number][];
  /** The tool servers (MCP); undefined until they were read. */
  servers?: readonly shapes.ServerStatus[];
  /** The skill shown in full. */
  detailId?: string | undefined;
  detail?: shapes.SkillDetail | undefined;
  /** Its review, or why there is none. */
  review?: { ok: true; value: shapes.PackageReview } | { ok: false; reason: string } | undefined;
  trial?: Trial | undefined;
  /** Where the person connects their account with the server of this name. */
  login?: { server: string; url: string } | undefined;
  /** Ids of skills and names of servers whose change is on its way. */
  saving: ReadonlySet<string>;
  problem?: string | undefined;
  /** What was done, e.g. `moon was removed.` */
  note?: string | undefined;
}

/** The form that runs the skill shown. */
export interface Trial {
  /** What keeps it from running; `field` is the name of the field that has to be corrected. */
  problem?: { text: string; field?: string } | undefined;
  /** What the last dry run told. */
  dryRun?: shapes.FlowResult | undefined;
}

/** Where a package comes from, as the person gave it. */
export type PackageChoice = { kind: "address"; address: string } | { kind: "file"; file: File };

/** The way of a package from being chosen to being installed; every stage may have the reason why it went no further. */
export type Installing = { problem?: string | undefined } & (
  | { stage: "choosing"; address: string }
  | { stage: "reviewing"; choice: PackageChoice }
  | {
      stage: "reviewed" | "installing";
      choice: PackageChoice;
      reviews: readonly shapes.PackageReview[];
    }
  | {
      stage: "installed";
      installed: readonly shapes.InstalledPackage[];
      /** What became of those that were enabled, by id. */
      enabled: ReadonlyMap<string, "on" | "saving">;
    }
);

export const emptyPanel: SkillsPanel = {
  open: false,
  query: "",
  filter: undefined,
  diagnostics: [],
  saving: new Set(),
};

export const nothingChosen: Installing = { stage: "choosing", address: "" };
