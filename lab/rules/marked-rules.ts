import ts from 'typescript-api';

/** A place of the source that a comment `// rule: name` marks: the statement, property or branch on the line below. */
export interface MarkedRule {
  readonly name: string;
  readonly line: number;
  /** The marked code, from its first character to the one after its last. */
  readonly span: Span;
  /** Its value, which a mutant may replace: see `valueOf`. Undefined: it has none. */
  readonly value: Span | undefined;
  /** The operands of the value: see `partsOf`. */
  readonly parts: readonly Span[];
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

const MARKER = /^[ \t]*\/\/ rule: (.*)$/gm;

/** Returns the marked rules of a TypeScript file. Throws for a marker above no code. */
export function markedRules(text: string): MarkedRule[] {
  const markers = [...text.matchAll(MARKER)];
  if (markers.length === 0) return [];
  const file = ts.createSourceFile('marked.ts', text, ts.ScriptTarget.Latest, true);
  return markers.map((marker) => {
    const [{ length }, name = ''] = marker;
    const line = text.slice(0, marker.index).split('\n').length;
    const node = nodeAfter(file, marker.index + length);
    if (node === undefined) throw new Error(`The rule ${name} marks no code (line ${line})`);
    const value = valueOf(node);
    return {
      name,
      line,
      span: spanOf(node, file),
      value: value && spanOf(value, file),
      parts: value === undefined ? [] : partsOf(value).map((part) => spanOf(part, file)),
    };
  });
}

/** The largest node whose code is the first after this place; of `else`, the branch. */
function nodeAfter(file: ts.SourceFile, place: number): ts.Node | undefined {
  const rest = file.text.slice(place);
  const first = place + (/^(?:\s|\/\/.*)*/.exec(rest)?.[0].length ?? 0);
  const start = first + (/^else\s+/.exec(file.text.slice(first))?.[0].length ?? 0);
  const find = (node: ts.Node): ts.Node | undefined =>
    node.getStart(file) === start && isCode(node) ? node : ts.forEachChild(node, find);
  return find(file);
}

function isCode(node: ts.Node): boolean {
  return !ts.isSourceFile(node) && node.kind !== ts.SyntaxKind.EndOfFileToken;
}

/** The condition of a branch, what is returned, thrown, assigned or looped over, the value of a property, or else the expression. */
function valueOf(node: ts.Node): ts.Node | undefined {
  if (ts.isPropertyAssignment(node)) return node.initializer;
  if (ts.isVariableStatement(node)) return node.declarationList.declarations[0]?.initializer;
  if (ts.isExpressionStatement(node)) return assignedIn(node.expression);
  if (
    ts.isIfStatement(node) ||
    ts.isReturnStatement(node) ||
    ts.isThrowStatement(node) ||
    ts.isForOfStatement(node) ||
    ts.isSpreadAssignment(node)
  )
    return node.expression;
  return undefined;
}

function assignedIn(node: ts.Expression): ts.Expression {
  const isAssignment = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return isAssignment ? node.right : node;
}

/**
 * The operands of an expression in their order: all of `a && b && c`; condition and branches of `a ? b : c`; the function and
 * the arguments of a call.
 */
function partsOf(node: ts.Node): readonly ts.Node[] {
  if (ts.isConditionalExpression(node)) return [node.condition, node.whenTrue, node.whenFalse];
  if (ts.isCallExpression(node)) return [node.expression, ...node.arguments];
  return ts.isBinaryExpression(node) ? operandsOf(node, node.operatorToken.kind) : [];
}

function operandsOf(node: ts.Expression, operator: ts.SyntaxKind): readonly ts.Expression[] {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== operator) return [node];
  return [...operandsOf(node.left, operator), node.right];
}

function spanOf(node: ts.Node, file: ts.SourceFile): Span {
  return { start: node.getStart(file), end: node.getEnd() };
}
