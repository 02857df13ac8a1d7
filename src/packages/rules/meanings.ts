/** What findings mean, by their code: one sentence, what it is and why it matters. Codes are public; docs/security-details.md lists them. */
export const meanings = {
  // What it can do.
  network: "It uses the network.",
  runs_programs: "It starts other programs.",
  reaches_outside: "It reads or writes outside its own folder.",
  reads_all_files: "It reads whatever files it finds: those of the conversation, or of the machine.",
  reads_attachments: "It has the agent read what people attach.",
  reads_identity: "It asks who the person is or which machine it runs on.",
  reads_credentials: "It names places where keys and passwords of a machine are kept.",
  reads_whole_environment: "It takes all environment variables at once, not those it needs.",
  native_code: "It calls compiled code of the machine, which can do what no review of its text shows.",
  dynamic_code: "It makes code out of text while it runs, so that a review cannot see all of what it does.",
  acts_through_tools:
    "It has the agent act through tools of the bot: the chat, the memory, the web, schedules.",
  changes_agent: "It writes to the files that define an agent's identity, memory or skills.",
  elevated: "It asks for administrator rights.",
  installs_software: "It installs further software when it is used, which was not reviewed.",
  dependencies: "It names software that has to be installed for the skill; that software was not reviewed.",
  // Where it sends.
  sends_data: "It sends data to a host.",
  sends_what_it_finds: "It gathers files, keys or variables and sends data.",
  sends_by_name:
    "It looks up names that it makes from data: whoever answers for the domain receives the data.",
  sends_conversation:
    "It sends what people say, attach or keep to somebody whom its description does not name.",
  sends_to_address: "It tells the agent to send something to an address, or to complete one.",
  unusual_host: "It names a host that a skill has little reason to contact.",
  // What it runs.
  remote_code: "It runs code from the network, which nobody has reviewed and which may change at any time.",
  runs_what_it_fetches: "It fetches text from the network and may run it as a program.",
  prerequisite_download: "It has people download a program and run it, as skills that spread malware do.",
  downloads_program: "It wants a program downloaded from an address of its own.",
  foreign_registry: "It installs software from a registry of its own and not from the usual place.",
  install_script: "It runs a command by itself when its dependencies are installed.",
  // What it does to the machine.
  backdoor: "It gives somebody a way into the machine.",
  persistence: "It makes something start by itself later on.",
  disables_protection: "It switches off a protection of the machine.",
  destructive: "It deletes or overwrites much at once.",
  credential_theft: "It asks for the password of the machine in a window of its own, as malware does.",
  // What it does to people.
  prompt_injection: "It tells the agent to set aside its instructions.",
  hides_from_people: "It tells the agent to keep something that it does from the people it works for.",
  claims_consent: "It speaks for people: it says that they agree, or what they choose when they are asked.",
  plants_memory: "It makes the agent remember a statement of its own, which later conversations may believe.",
  asks_for_secrets: "It asks for secrets that give away an account or a wallet.",
  changes_settings: "It has the rules of the bot changed that people set to be asked.",
  steers_answers: "It changes what people are told or pay in favour of somebody they do not know of.",
  discredits_skill: "It speaks against other skills.",
  obeys_remote_text: "It has the agent follow instructions from an address, which may change at any time.",
  // What cannot be read.
  unreadable_code: "It makes the names of what it calls while it runs, so that no reader sees what it does.",
  obfuscated: "It is written so that people cannot read it, which honest skills have no reason for.",
  minified: "It has very long lines, as minified code does; look at where it came from.",
  encoded_command:
    "It runs or carries a command in an encoded form, so that readers do not see what it does.",
  encoded_text: "It has a text in disguise, which a reader does not see and a model can read.",
  obeys_hidden_text: "It has the agent decode a text and do what it says, which readers do not see.",
  hidden_text: "It contains characters that people do not see.",
  hidden_instructions: "Text that readers of the page are not shown tells an agent what to do.",
  mixed_scripts: "It has a word with letters of several scripts: people read another word than programs do.",
  binary_program: "It is a compiled program, which no review can read.",
  binary_file: "It is not text, and was not reviewed.",
  packed_document: "It is an office document; what is in it was not reviewed.",
  partly_reviewed: "Only a part of it was reviewed.",
  // What it carries, and how it is named.
  secret: "It contains what looks like somebody's key or token. Do not use it, and let them know.",
  hidden_file: "It is a hidden file, which people easily miss.",
  similar_name: "Its name is easily mistaken for another one.",
} as const;

export type Code = keyof typeof meanings;
