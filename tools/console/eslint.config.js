import js from "@eslint/js";
import globals from "globals";
import words from "./rules/words.js";

export default [
  js.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { console: { rules: { words } } },
    rules: {
      "array-callback-return": "error",
      "console/words": "error",
      "max-lines-per-function": ["error", { max: 59 }],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-restricted-syntax": ["error", { selector: "TemplateElement[value.raw=/<form\\b/]", message: "Use components/form.js: it reads its inputs and decides what Enter does." }],
      "no-self-compare": "error",
      "no-template-curly-in-string": "error",
      "no-throw-literal": "error",
      "no-unreachable-loop": "error",
      "no-var": "error",
      "prefer-const": "error",
    },
  },
  { files: ["**/components/form.js"], rules: { "no-restricted-syntax": "off" } },
];
