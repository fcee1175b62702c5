import vue from "eslint-plugin-vue";
import accessibility from "eslint-plugin-vuejs-accessibility";
import typescript from "typescript-eslint";

export default typescript.config(
  { ignores: ["src/api/generated/**", "public/**"] },
  ...typescript.configs.strict,
  ...vue.configs["flat/recommended"],
  ...accessibility.configs["flat/recommended"],
  {
    files: ["**/*.vue"],
    languageOptions: { parserOptions: { parser: typescript.parser } },
  },
  {
    rules: {
      "max-lines": ["error", 250],
      // How it is laid out is the formatter's business.
      "vue/max-attributes-per-line": "off",
      "vue/singleline-html-element-content-newline": "off",
      "vue/multiline-html-element-content-newline": "off",
      "vue/html-self-closing": "off",
      "vue/html-indent": "off",
      "vue/html-closing-bracket-newline": "off",
      "vue/first-attribute-linebreak": "off",
      "vue/require-default-prop": "off",
      "vue/multi-word-component-names": "off",
      // Nesting or `for` is enough for a label to be heard.
      "vuejs-accessibility/label-has-for": ["error", { required: { some: ["nesting", "id"] } }],
      "vuejs-accessibility/no-autofocus": "off",
    },
  },
);
