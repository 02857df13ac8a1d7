/** What the operating system cannot pass to a process as a variable, in words for a person. */
export function malformedEnvironment(env: Readonly<Record<string, string>>): string | undefined {
  const bad = Object.entries(env).find(([name, value]) => !/^[^=\0]+$/.test(name) || value.includes("\0"));
  return (
    bad && `The environment variable ${JSON.stringify(bad[0])} has a name or value that cannot be passed on.`
  );
}
