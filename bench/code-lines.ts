import ts from "typescript";

/** Lines that carry at least one token of TypeScript: no blank lines, no comments. */
export function countCodeLines(source: ts.SourceFile): number {
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isToken(node)) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
      if (node.kind !== ts.SyntaxKind.EndOfFileToken)
        for (let line = first; line <= last; line++) lines.add(line);
    }
    for (const child of node.getChildren(source)) {
      if (child.kind < ts.SyntaxKind.FirstJSDocNode || child.kind > ts.SyntaxKind.LastJSDocNode) visit(child);
    }
  };
  visit(source);
  return lines.size;
}
