/** Called for each part of an XML text, with names without their prefix. */
export interface XmlHandlers {
  /** Attributes have their full names. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

/**
 * Reads XML from start to end without building a tree. Document types are skipped, and with them internal and external entities; the
 * handlers may throw to stop reading.
 */
export async function parseXml(xml: string, handlers: XmlHandlers): Promise<void> {
  const { Parser } = await import("htmlparser2");
  const local = (name: string) => name.slice(name.indexOf(":") + 1);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => handlers.open(local(name), attributes),
      onclosetag: (name) => handlers.close?.(local(name)),
      ontext: (text) => handlers.text?.(text),
    },
    { xmlMode: true },
  );
  parser.end(xml);
}
