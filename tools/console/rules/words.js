/**
 * Words for people stand in `t`, from where the catalogue has them (`deploy/console/texts`).
 *
 * Found are texts between tags and in the attributes that people read, and literals that look like words: several of
 * them, one with an accent, or one with a capital. Codes, names of classes and what is compared are none.
 */
const READ = ["title", "label", "hint", "empty", "caption", "placeholder", "aria-label", "alt", "about", "word", "words", "what", "one", "total", "action", "text"];
const UNREAD = ["class", "type", "kind", "role", "key", "id", "href", "for", "autocomplete", "layout", "inputProps", "value", "style", "list"];
const CODES = ["Base", "Cancelled", "City", "Comments", "Committed", "Credit", "Currency", "Debit", "Invoices", "Items", "Name", "Ordered", "Orders", "Problem", "Quantity", "Quotations", "Returns", "Street", "Target"]; // the ERP's names, and one of an error
const WORDS = /[áéíóúñÁÉÍÓÚÑ¿¡«…]|\p{L}{2,}[,;:]? \p{L}|^[A-ZÁÉÍÓÚÑ][a-záéíóúñ]+[.:…]?$/u;
const OF_CODE_TEXT = /^[a-z]+\/[\w.+-]+|^Bearer | desc$|^danger /;
const LETTERS = /\p{L}{2,}/u;
const OF_CODE = ["DOMException", "Error", "TypeError", "RegExp", "DateTimeFormat", "NumberFormat", "Set", "querySelector", "querySelectorAll", "addEventListener", "closest", "matches"];

const nameOf = (node) => node?.name ?? node?.property?.name ?? "";
const isTag = (node, name) => node?.type === "TaggedTemplateExpression" && node.tag.name === name;

/** The attribute whose value an expression of a template is, or null where it stands between tags. */
function attributeOf(quasis, index) {
  const before = quasis.slice(0, index + 1).map(({ value }) => value.raw).join("${}");
  const open = before.lastIndexOf("<");
  if (open < 0 || before.lastIndexOf(">") > open) return null;
  return /([\w-]+)="?[^"=]*$/.exec(before.slice(open))?.[1] ?? "";
}

function isOfCode(node) {
  let child = node;
  for (let parent = node.parent; parent; child = parent, parent = parent.parent) {
    if (/^(Import|Export(All|Named))/.test(parent.type) && parent.source === child) return true;
    if (parent.type === "Property" && parent.key === child && !parent.computed) return true;
    if (parent.type === "MemberExpression" && parent.property === child) return true;
    if (parent.type === "BinaryExpression" && parent.operator !== "+") return true;
    if (parent.type === "SwitchCase" && parent.test === child) return true;
    if ((parent.type === "CallExpression" || parent.type === "NewExpression") && parent.callee !== child && OF_CODE.includes(nameOf(parent.callee))) return true;
    if (parent.type === "TemplateLiteral" && isTag(parent.parent, "html")) {
      const attribute = attributeOf(parent.quasis, parent.expressions.indexOf(child));
      return attribute !== null && UNREAD.includes(attribute);
    }
    if (/Function|Statement|Declaration|Program/.test(parent.type) && parent.type !== "ArrowFunctionExpression") return false;
  }
  return false;
}

/** Where words stand between tags, with the values between them: from, to. */
function* runsIn({ quasis, expressions }) {
  let run = null;
  let state = "text";
  const end = (at) => {
    const found = run?.isWords ? [run.from, at] : null;
    run = null;
    return found;
  };
  for (const [index, { value, range }] of quasis.entries()) {
    const start = range[0] + 1;
    for (let at = 0; at < value.raw.length; at++) {
      const letter = value.raw[at];
      if (state === "text" && letter === "<") {
        const found = end(start + at);
        if (found) yield found;
        state = "tag";
      } else if (state === "tag") {
        if (letter === '"') state = "quoted";
        if (letter === ">") state = "text";
      } else if (state === "quoted") {
        if (letter === '"') state = "tag";
      } else {
        run ??= { from: start + at, isWords: false };
        if (LETTERS.test(value.raw.slice(at, at + 2))) run.isWords = true;
      }
    }
    const inside = expressions[index];
    if (!inside || state !== "text") continue;
    const isPlain = !/html`/.test(textOf(inside));
    if (isPlain) run ??= { from: start + value.raw.length, isWords: false };
    else {
      const found = end(start + value.raw.length);
      if (found) yield found;
    }
  }
  const found = end(quasis.at(-1).range[1] - 1);
  if (found) yield found;
}

let textOf = () => "";

export default {
  meta: { type: "problem", fixable: "code", schema: [] },
  create(context) {
    const source = context.sourceCode;
    textOf = (node) => source.getText(node);
    const report = (node, message, edits) => context.report({ node, message, fix: (fixer) => edits.map(([from, to, text]) => fixer.replaceTextRange([from, to], text)) });
    return {
      TaggedTemplateExpression(node) {
        if (!isTag(node, "html")) return;
        for (const [from, to] of runsIn(node.quasi)) {
          const text = source.text.slice(from, to);
          const begin = from + /^\s*/.exec(text)[0].length;
          const end = to - /\s*$/.exec(text)[0].length;
          report(node, `Words for people stand in t: ${source.text.slice(begin, end)}`, [[begin, begin, "${t`"], [end, end, "`}"]]);
        }
        for (const { value, range } of node.quasi.quasis) {
          for (const { 0: all, 1: name, 2: text, index } of value.raw.matchAll(/\s([\w-]+)="([^"]*)"/g)) {
            if (!READ.includes(name) || !LETTERS.test(text)) continue;
            const from = range[0] + 1 + index + 1 + name.length + 1;
            report(node, `Words for people stand in t: ${text}`, [[from, from + 1, "${t`"], [from + 1 + text.length, from + all.length - name.length - 2, "`}"]]);
          }
        }
      },
      Literal(node) {
        const isCounted = node.parent.type === "CallExpression" && nameOf(node.parent.callee) === "plural" && LETTERS.test(node.value);
        if (typeof node.value !== "string" || CODES.includes(node.value) || OF_CODE_TEXT.test(node.value) || !(WORDS.test(node.value) || isCounted) || isOfCode(node)) return;
        const [from, to] = node.range;
        report(node, `Words for people stand in t: ${node.value}`, [[from, from + 1, "t`"], [to - 1, to, "`"]]);
      },
      TemplateLiteral(node) {
        if (node.parent.type === "TaggedTemplateExpression" || isOfCode(node)) return;
        if (OF_CODE_TEXT.test(node.quasis[0].value.raw) || !node.quasis.some(({ value }) => WORDS.test(value.raw.trim()))) return;
        report(node, `Words for people stand in t: ${source.getText(node)}`, [[node.range[0], node.range[0], "t"]]);
      },
    };
  },
};
