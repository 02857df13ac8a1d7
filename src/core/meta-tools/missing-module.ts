/** Packages that are named differently from what code imports of them; all others have the same name. */
const packageOf: Readonly<Record<string, string>> = {
  ...{ yaml: "PyYAML", PIL: "pillow", cv2: "opencv-python-headless", sklearn: "scikit-learn" },
  ...{ docx: "python-docx", pptx: "python-pptx", bs4: "beautifulsoup4", fitz: "PyMuPDF", jwt: "PyJWT" },
  ...{ dotenv: "python-dotenv", dateutil: "python-dateutil", Crypto: "pycryptodome", OpenSSL: "pyOpenSSL" },
  ...{
    googleapiclient: "google-api-python-client",
    magic: "python-magic",
    attr: "attrs",
    skimage: "scikit-image",
  },
};

/** How Python and Node say that a module is missing. */
const said: readonly { language: "python" | "node"; pattern: RegExp }[] = [
  { language: "python", pattern: /^ModuleNotFoundError: No module named '([A-Za-z_]\w*)/gm },
  { language: "node", pattern: /Cannot find (?:module|package) '((?:@[\w.-]+\/)?[A-Za-z][\w.-]*)/g },
];

/** What an operator can do about modules that code said it lacks, for the person; undefined if it said nothing of the kind. */
export function missingModuleHint(printed: string): string | undefined {
  const commands = said.flatMap(({ language, pattern }) => {
    const names = new Set([...printed.matchAll(pattern)].map(([, name = ""]) => packageOf[name] ?? name));
    return names.size === 0 ? [] : [`knack sandbox add ${language} ${[...names].join(" ")}`];
  });
  if (commands.length === 0) return undefined;
  return `The sandbox has no network to install it: go on without it, or tell the person that an operator can run ${commands.map((command) => `\`${command}\``).join(" and ")}.`;
}
