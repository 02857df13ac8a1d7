import type { PackageFinding } from "../../core/skill/packages.ts";
import type { Fact } from "./acts.ts";

/**
 * Where a fact is more than an ability. `shown`: in code, data or a block of code in a guide; `run`: in code, or in data that a program
 * reads; `unaccounted`: with a host that the description does not account for, or, in code, with none.
 */
export type Where = "anywhere" | "shown" | "code" | "run" | "unaccounted";

type Finding = readonly [
  meaning: string,
  ...lines: readonly [fact: Fact, where: Where, severity: PackageFinding["severity"]][],
];

/**
 * Everything that is found, by its code: what it is and why it matters, and the facts of one line that no skill has to have. The codes are
 * public: docs/skills.md lists them. Each fact here has a hostile and an honest case in `review-rules.test.ts`.
 */
// biome-ignore format: one meaning a line, with its facts below
export const findings = {
  network: ["It uses the network."],
  runs_programs: ["It starts other programs."],
  writes: ["It writes files."],
  reaches_outside: ["It reads or writes outside its own folder."],
  reads_all_files: ["It reads whatever files it finds: those of the conversation, or of the machine."],
  reads_identity: ["It asks who the person is or which machine it runs on."],
  reads_credentials: ["It names places where keys and passwords of a machine are kept.",
    ["reads_credentials", "code", "warning"]],
  reads_whole_environment: ["It takes all environment variables at once, not those it needs."],
  native_code: ["It calls compiled code of the machine, which can do what no review of its text shows."],
  dynamic_code: ["It makes code out of text while it runs, so that a review cannot see all of what it does."],
  changes_agent: ["It writes to the files that define an agent's identity, memory or skills.",
    ["redirects_agent", "run", "warning"], ["plants", "code", "warning"]],
  elevated: ["It asks for administrator rights."],
  installs_software: ["It installs further software when it is used, which was not reviewed."],
  dependencies: ["It names software that has to be installed for the skill; that software was not reviewed."],
  sends_data: ["It sends files, texts or data to a host.",
    ["second_receiver", "unaccounted", "warning"], ["blind_copy", "run", "warning"], ["sends_cells", "unaccounted", "warning"]],
  sends_what_it_finds: ["It gathers files, keys or variables and sends data to a host.",
    ["all_secrets", "anywhere", "warning"]],
  sends_by_name: ["It looks up names that it makes from data: whoever answers for the domain receives the data.",
    ["sends_by_name", "anywhere", "warning"]],
  unusual_host: ["It names a host that a skill has little reason to contact."],
  remote_code: ["It runs code from the network, which nobody has reviewed and which may change at any time.",
    ["remote_code", "unaccounted", "warning"], ["unpinned", "run", "warning"], ["saves_and_starts", "unaccounted", "warning"]],
  runs_what_it_fetches: ["It fetches text from the network and may run it as a program."],
  downloads_program: ["It wants a program downloaded from an address of its own.",
    ["downloads_program", "unaccounted", "warning"]],
  foreign_registry: ["It installs software from a registry of its own and not from the usual place.",
    ["foreign_registry", "unaccounted", "warning"]],
  install_script: ["It runs a command by itself when its dependencies are installed."],
  backdoor: ["It gives somebody a way into the machine, or to what it makes.",
    ["shell_to", "code", "danger"], ["shell_to", "anywhere", "warning"], ["backdoor", "code", "warning"], ["public_key", "anywhere", "warning"], ["foreign_role", "run", "warning"], ["range", "code", "warning"]],
  persistence: ["It makes something start by itself later on, or waits for a date.",
    ["persistence", "code", "warning"], ["timed", "code", "warning"]],
  disables_protection: ["It switches off a protection of the machine or of an agent.",
    ["lifts_rules", "shown", "warning"], ["disables_protection", "code", "warning"]],
  destructive: ["It deletes or overwrites much at once.",
    ["destructive", "code", "warning"]],
  credential_theft: ["It asks for the password of the machine in a window of its own, as malware does.",
    ["credential_theft", "anywhere", "danger"]],
  fixed_account: ["It has a bank account, a wallet or a person's name fixed in its code, which decides who gets something.",
    ["account", "run", "warning"], ["favours", "code", "warning"]],
  unreadable_code: ["It makes the names of what it calls while it runs, so that no reader sees what it does.",
    ["unreadable_code", "run", "warning"], ["made_name", "code", "warning"]],
  obfuscated: ["It is written so that people cannot read it, which honest skills have no reason for.",
    ["obfuscated", "code", "warning"]],
  minified: ["It has very long lines, as minified code does; look at where it came from."],
  encoded_command: ["It runs or carries a command in an encoded form, so that readers do not see what it does.",
    ["encoded_command", "anywhere", "danger"], ["encoded_code", "code", "danger"], ["encoded_code", "anywhere", "warning"]],
  encoded_text: ["It has a text in disguise, which a reader does not see and a model can read."],
  hidden_text: ["It contains characters that people do not see."],
  mixed_scripts: ["It has a word with letters of several scripts: people read another word than programs do."],
  binary_program: ["It is a compiled program, which no review can read."],
  binary_file: ["It is not text, and was not reviewed."],
  packed_document: ["It is an office document; what is in it was not reviewed."],
  partly_reviewed: ["Only a part of it was reviewed."],
  secret: ["It contains what looks like somebody's key or token. Do not use it, and let them know.",
    ["secret", "anywhere", "warning"]],
  hidden_file: ["It is a hidden file, which people easily miss."],
  similar_name: ["Its name is easily mistaken for another one."],
} as const satisfies Record<string, Finding>;

export type Code = keyof typeof findings;
