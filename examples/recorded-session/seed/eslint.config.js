import js from "@eslint/js";

const nodeGlobals = { console: "readonly", process: "readonly", performance: "readonly" };

export default [
  { ignores: ["out/", "data/", "logs/"] },
  js.configs.recommended,
  {
    languageOptions: { globals: nodeGlobals },
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
    },
  },
];
